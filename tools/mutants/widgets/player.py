"""Faults in the player: what moves, who is followed, and when things happen."""

from tools.mutants.fault import Fault

SEEN = "tests/browser/test_player_seen.py::test_"
WIDGETS = "astra_edu/course/widgets"
JS = f"{WIDGETS}/static/player"
CSS = f"{WIDGETS}/static/player.css"
FLIES = f"{SEEN}every_token_flies_from_its_sender_to_its_receiver"
ARROWS = f"{SEEN}every_arrow_begins_at_the_sender_and_has_its_head_at_the_receiver"
STRIP = f"{SEEN}the_strip_has_the_phases_where_they_are_and_a_tick_between_steps"
BANNER = f"{SEEN}the_banner_says_the_phase_in_its_colour_and_line"
FOLLOWED = f"{SEEN}whoever_is_followed_stands_out_and_the_others_are_dim"
BY_TIME = f"{SEEN}by_simulated_time_steps_are_as_long_as_they_last"
SQUARE = f"{SEEN}tokens_are_squares_with_a_plus_where_they_are_added_and_round_where_copied"
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
        "halfWay(shown, token) : done;",
        "halfWay(shown, token) : halfWay(shown, token);",
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
        f"{WIDGETS}/tokens.py",
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
        "`step ${step} of ${count(data.step_count)}`",
        "`step ${step} of ${count(data.step_count - 1)}`",
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
        "const dim = (focus !== null && !mine",
        "const dim = (focus !== null && mine",
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
        "player: an all-to-all's blocks are of the way back",
        f"{WIDGETS}/holdings.py",
        "shard = [[c * n + r for c in range(n)]",
        "shard = [[r * n + c for c in range(n)]",
        f"{SEEN}what_each_npu_has_for_whom_in_an_all_to_all",
    ),
]
