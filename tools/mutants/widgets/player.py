"""Faults in the player."""

from tools.mutants.fault import Fault

SEEN = "tests/browser/test_player_seen.py::test_"
WIDGETS = "astra_edu/course/widgets"
JS = f"{WIDGETS}/static/player"
CSS = f"{WIDGETS}/static/player.css"
FLIES = f"{SEEN}every_token_flies_from_its_sender_to_its_receiver"
ARROWS = f"{SEEN}every_arrow_begins_at_the_sender_and_has_its_head_at_the_receiver"
TABLE = f"{SEEN}the_table_is_read_as_the_proof"
FRAMED = f"{SEEN}cells_of_the_step_are_framed_dotted_where_shards_leave"
LEGEND = f"{SEEN}the_legend_shows_the_signs_and_colours_of_the_picture"
STRIP = f"{SEEN}the_strip_has_the_phases_where_they_are_and_a_tick_between_steps"
BANNER = f"{SEEN}the_banner_says_the_phase_in_its_colour_and_line"
FOLLOWED = f"{SEEN}whoever_is_followed_stands_out_and_the_others_are_dim"
BY_TIME = f"{SEEN}by_simulated_time_steps_are_as_long_as_they_last"
SQUARE = f"{SEEN}tokens_are_squares_with_a_plus_where_they_are_added_and_round_where_copied"
MANY = f"{SEEN}many_npus_have_counts_in_the_columns_they_are_called"
CELL = f"{SEEN}a_cell_under_the_pointer_is_said_in_words"
LARGE = f"{SEEN}a_large_table_is_a_map_of_levels_with_every_eighth_name"
PLACES = f"{SEEN}npus_stand_clockwise_from_the_top"

FAULTS = [
    Fault(
        "player: tokens fly from receiver to sender",
        f"{JS}/stage.js",
        "start + (stop - start) * eased",
        "stop - (stop - start) * eased",
        FLIES,
    ),
    Fault(
        "player: tokens stay half way",
        f"{JS}/stage.js",
        "const drawn = calm() ?",
        "const drawn = !calm() ?",
        FLIES,
    ),
    Fault(
        "player: arrow heads stand at the sender",
        f"{JS}/stage.js",
        'put(it.arrow, "marker-end"',
        'put(it.arrow, "marker-start"',
        ARROWS,
    ),
    Fault(
        "player: arrow heads point backwards",
        f"{JS}/stage.js",
        '"M0 0L8 4L0 8z"',
        '"M8 0L0 4L8 8z"',
        ARROWS,
    ),
    Fault(
        "player: arrows go the other way where both are drawn",
        f"{JS}/stage.js",
        'put(it.arrow, "d", stage.paths[key]);',
        'put(it.arrow, "d", stage.paths[`${destination},${source}`] ?? stage.paths[key]);',
        f"{ARROWS}",
    ),
    Fault(
        "player: arrows of additions look like copies",
        f"{JS}/stage.js",
        "`astra-arrow astra-${step.op}${dim}${thin}`",
        '`astra-arrow astra-${step.op === "copy" ? "reduce" : "copy"}${dim}${thin}`',
        ARROWS,
    ),
    Fault(
        "player: copies have lost their dashes",
        CSS,
        "stroke: var(--astra-copy); stroke-dasharray: 5 4;",
        "stroke: var(--astra-copy);",
        ARROWS,
    ),
    Fault(
        "player: the heads of additions are blue",
        CSS,
        ".astra-tip-reduce { fill: var(--astra-reduce); }",
        ".astra-tip-reduce { fill: var(--astra-copy); }",
        ARROWS,
    ),
    Fault(
        "player: tokens of copies are square",
        f"{JS}/stage.js",
        'op === "copy" ? height / 2 : 2',
        'op === "reduce" ? height / 2 : 2',
        SQUARE,
    ),
    Fault(
        "player: tokens have each other's colours",
        CSS,
        ".astra-token.astra-reduce rect { fill: var(--astra-reduce-pale); stroke: var(--astra-reduce); }",
        ".astra-token.astra-reduce rect { fill: var(--astra-copy-pale); stroke: var(--astra-copy); }",
        SQUARE,
    ),
    Fault(
        "player: copied shards have the plus of added ones",
        f"{WIDGETS}/drawing.py",
        '"+" if step.op is Op.REDUCE else ""',
        '"" if step.op is Op.REDUCE else "+"',
        SQUARE,
    ),
    Fault(
        "player: the number of a token's shard is off by one",
        f"{WIDGETS}/drawing.py",
        'return " ".join(schedule.shard_name(shard) for shard in shards)',
        'return " ".join(schedule.shard_name((shard + 1) % schedule.shards) for shard in shards)',
        FLIES,
    ),
    Fault(
        "player: NPUs are counted from 1",
        f"{JS}/stage.js",
        '"font-size": size, text: npu }',
        '"font-size": size, text: npu + 1 }',
        PLACES,
    ),
    Fault(
        "player: NPUs stand anticlockwise",
        f"{WIDGETS}/layout.py",
        "cx + r * sin(2 * pi * i / n)",
        "cx - r * sin(2 * pi * i / n)",
        PLACES,
    ),
    Fault(
        "player: the first dimension runs down the columns",
        f"{WIDGETS}/layout.py",
        "units = ((1.0, 0.0), (0.0, 1.0),",
        "units = ((0.0, 1.0), (1.0, 0.0),",
        f"{SEEN}npus_of_two_dimensions_stand_in_rows",
    ),
    Fault(
        "player: shards are in the table a step before they arrive",
        f"{JS}/film.js",
        "token[3][i], k + 1, token[7]",
        "token[3][i], k, token[7]",
        TABLE,
    ),
    Fault(
        "player: a shard arrives at its sender",
        f"{JS}/film.js",
        "this.#change(token[1], shard, token[3][i]",
        "this.#change(token[0], shard, token[3][i]",
        TABLE,
    ),
    Fault(
        "player: the table's rows are named upside down",
        f"{JS}/table.js",
        'few(r, data.detail) ? r : ""',
        'few(r, data.detail) ? data.npus - 1 - r : ""',
        TABLE,
    ),
    Fault(
        "player: the table's columns are named one too far",
        f"{JS}/table.js",
        'title: text, text: few(c, texts) ? text : ""',
        'title: text, text: few(c, texts) ? columns[(c + 1) % columns.length] : ""',
        TABLE,
    ),
    Fault(
        "player: cells are the fuller the less is in them",
        f"{JS}/table.js",
        "data.sets[set][2] / data.npus : set && 1",
        "1 - data.sets[set][2] / data.npus : set && 1",
        TABLE,
    ),
    Fault(
        "player: cells say how many are missing",
        f"{JS}/table.js",
        ": data.sets[set][0];",
        ": String(data.sets[set][2]);",
        TABLE,
    ),
    Fault(
        "player: what is not final is ticked",
        f"{JS}/table.js",
        "set !== 0 && set === astra.wanted",
        "set !== 0 && set !== astra.wanted",
        TABLE,
    ),
    Fault(
        "player: parts of sums have the colour of copies",
        f"{JS}/table.js",
        'data.reducing ? "astra-partial" : "astra-kept"',
        'data.reducing ? "astra-kept" : "astra-partial"',
        TABLE,
    ),
    Fault(
        "player: an NPU is green as soon as one of its shards is final",
        f"{JS}/table.js",
        "row.every(({ astra })",
        "row.some(({ astra })",
        TABLE,
    ),
    Fault(
        "player: the cells that must be filled are not marked",
        CSS,
        "box-shadow: inset 0 0 0 2px var(--astra-final);",
        "",
        TABLE,
    ),
    Fault(
        "player: dots around the receiver's cell",
        f"{JS}/table.js",
        'this.#cellOf(source, shard, true), "astra-sends"',
        'this.#cellOf(destination, shard, true), "astra-sends"',
        FRAMED,
    ),
    Fault(
        "player: frames around the sender's cell",
        f"{JS}/table.js",
        "this.#cellOf(destination, shard, false)",
        "this.#cellOf(source, shard, false)",
        FRAMED,
    ),
    Fault(
        "player: the frames of the step before",
        f"{JS}/table.js",
        "const now = this.data.steps[step - 1];",
        "const now = this.data.steps[step - 2];",
        FRAMED,
    ),
    Fault(
        "player: leaving shards are framed, not dotted", CSS, "outline: 1.5px dotted", "outline: 1.5px solid", FRAMED
    ),
    Fault(
        "player: cells that add are framed in blue",
        CSS,
        "outline: 2.5px solid var(--astra-reduce);",
        "outline: 2.5px solid var(--astra-copy) ;",
        FRAMED,
    ),
    Fault(
        "player: the legend calls additions copies",
        f"{JS}/table.js",
        'text: "added on arrival"',
        'text: "copied "',
        LEGEND,
    ),
    Fault(
        "player: the legend's sign of additions is that of copies",
        f"{JS}/table.js",
        'class: "astra-cue astra-reduce", text: "added on arrival"',
        'class: "astra-cue astra-copy", text: "added on arrival"',
        LEGEND,
    ),
    Fault(
        "player: the legend's colour of sums is that of copies",
        CSS,
        "background: linear-gradient(to top, var(--astra-partial) 55%",
        "background: linear-gradient(to top, var(--astra-kept) 55%",
        LEGEND,
    ),
    Fault(
        "player: the legend's end is blue",
        CSS,
        'content: "✓"; background: var(--astra-final)',
        'content: "✓"; background: var(--astra-copy)',
        LEGEND,
    ),
    Fault(
        "player: the legend promises what isn't there",
        f"{JS}/table.js",
        'if (ops.has("reduce"))',
        "if (ops.size)",
        f"{SEEN}the_legend_has_only_what_there_is",
    ),
    Fault(
        "player: a phase ends too early on the strip",
        f"{JS}/strip.js",
        "left(first + count)",
        "left(first + count - 1)",
        STRIP,
    ),
    Fault("player: ticks stand one step too early", f"{JS}/strip.js", "left(i + 1)", "left(i)", STRIP),
    Fault(
        "player: phases of copies look like additions",
        CSS,
        "border-bottom: 3px dashed var(--astra-copy);",
        "border-bottom: 3px solid var(--astra-copy);",
        STRIP,
    ),
    Fault(
        "player: one step too few in all",
        f"{WIDGETS}/static/player.js",
        "`step ${step} of ${film.count}`",
        "`step ${step} of ${film.count - 1}`",
        STRIP,
    ),
    Fault(
        "player: phases are named by the wrong dimension",
        f"{WIDGETS}/drawing.py",
        'f"dim {g.dimension}: {g.phase}"',
        'f"dim {g.dimension + 1}: {g.phase}"',
        BY_TIME,
    ),
    Fault(
        "player: tokens fly backwards by simulated time",
        f"{JS}/film.js",
        "return (position - token[6])",
        "return (token[7] - position)",
        BY_TIME,
    ),
    Fault(
        "player: the other clock is said to be in use",
        f"{WIDGETS}/static/player.js",
        "String(name === clock)",
        "String(name !== clock)",
        BY_TIME,
    ),
    Fault(
        "player: a step's end is where the last one's is",
        f"{WIDGETS}/drawing.py",
        "ends = [max((t[7] for t in step",
        "ends = [max((t[6] for t in step",
        BY_TIME,
    ),
    Fault(
        "player: the banner is a step ahead",
        f"{WIDGETS}/static/player.js",
        "const now = data.steps[step - 1];",
        "const now = data.steps[step];",
        BANNER,
    ),
    Fault(
        "player: the banner of copies has no dashes",
        CSS,
        "border-style: dashed; background: var(--astra-copy-pale)",
        "border-style: solid; background: var(--astra-copy-pale)",
        BANNER,
    ),
    Fault(
        "player: who is followed is dim",
        f"{JS}/stage.js",
        "const dim = focus !== null && !mine",
        "const dim = focus !== null && mine",
        FOLLOWED,
    ),
    Fault(
        "player: what the followed NPU gets is dim",
        f"{JS}/stage.js",
        "token[0] === focus || token[1] === focus",
        "token[0] === focus",
        FOLLOWED,
    ),
    Fault(
        "player: the NPU after the followed one is marked",
        f"{JS}/stage.js",
        '"astra-focus", npu === focus',
        '"astra-focus", npu === focus + 1',
        FOLLOWED,
    ),
    Fault(
        "player: the down key follows the NPU before",
        f"{WIDGETS}/static/player.js",
        "ArrowDown: () => this.#follow(1)",
        "ArrowDown: () => this.#follow(-1)",
        FOLLOWED,
    ),
    Fault(
        "player: the cell's words are of another NPU",
        f"{JS}/table.js",
        "{ npu: r, shard: data.names[shard]",
        "{ npu: r + 1, shard: data.names[shard]",
        CELL,
    ),
    Fault(
        "player: an all-to-all's blocks are of the way back",
        f"{WIDGETS}/drawing.py",
        "shard = [[c * n + r for c in range(n)]",
        "shard = [[r * n + c for c in range(n)]",
        f"{SEEN}what_each_npu_has_for_whom_in_an_all_to_all",
    ),
    Fault(
        "player: counts stand under each other's names",
        f"{WIDGETS}/words.py",
        '"shards sent", "shards received"',
        '"shards received", "shards sent"',
        MANY,
    ),
    Fault(
        "player: the level of a large table is constant",
        CSS,
        "color-mix(in srgb, var(--astra-fill) calc(100% * var(--astra-level, 0)), var(--astra-faint))",
        "color-mix(in srgb, var(--astra-fill) 50%, var(--astra-faint))",
        LARGE,
    ),
]
