"""Faults in the player's table and its legend."""

from tools.mutants.fault import Fault

SEEN = "tests/browser/test_player_seen.py::test_"
WIDGETS = "astra_edu/course/widgets"
JS = f"{WIDGETS}/static/player"
CSS = f"{WIDGETS}/static/player.css"
TABLE = f"{SEEN}the_table_is_read_as_the_proof"
FRAMED = f"{SEEN}cells_of_the_step_are_framed_dotted_where_shards_leave"
LEGEND = f"{SEEN}the_legend_shows_the_signs_and_colours_of_the_picture"
MANY = f"{SEEN}many_npus_have_counts_in_the_columns_they_are_called"
CELL = f"{SEEN}a_cell_under_the_pointer_is_said_in_words"
LARGE = f"{SEEN}a_large_table_is_a_map_of_levels_with_every_eighth_name"

FAULTS = [
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
        "asked.every(({ astra })",
        "asked.some(({ astra })",
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
        "background: linear-gradient(to right, var(--astra-partial) 55%",
        "background: linear-gradient(to right, var(--astra-kept) 55%",
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
        "player: the cell's words are of another NPU",
        f"{JS}/table.js",
        "{ npu: r, shard: data.names[shard]",
        "{ npu: r + 1, shard: data.names[shard]",
        CELL,
    ),
    Fault(
        "player: counts stand under each other's names",
        f"{WIDGETS}/words.py",
        '"shards sent", "shards received"',
        '"shards received", "shards sent"',
        MANY,
    ),
    Fault(
        "player: the edge of a fill goes through the text",
        CSS,
        "background: linear-gradient(to right, var(--astra-fill)",
        "background: linear-gradient(to top, var(--astra-fill)",
        f"{TABLE}[<ring all-reduce on 4 NPUs: 6 steps, 4 shards>-light]",
    ),
    Fault(
        "player: the legend has the frames the other way round",
        f"{JS}/table.js",
        'astra-key-sends", text: "sends it now"',
        'astra-key-sends", text: "gets it now"',
        LEGEND,
    ),
    Fault(
        "player: the strip is bright on dark paper, and so is the marker on it",
        CSS,
        "background: light-dark(var(--astra-copy-pale), var(--astra-kept));",
        "background: var(--astra-copy-pale);",
        f"{SEEN}the_strip_has_the_phases_where_they_are_and_a_tick_between_steps[dark]",
    ),
    Fault(
        "player: the level of a large table is constant",
        CSS,
        "color-mix(in srgb, var(--astra-fill) calc(100% * var(--astra-level, 0)), var(--astra-faint))",
        "color-mix(in srgb, var(--astra-fill) 50%, var(--astra-faint))",
        LARGE,
    ),
]
