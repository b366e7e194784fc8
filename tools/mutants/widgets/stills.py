"""Faults in the still pictures, for print and for pages without scripts."""

from tools.mutants.fault import Fault

TESTS = "tests/course/widgets/test_still_pictures.py::test_"
WIDGETS = "astra_edu/course/widgets"
PLAYER, LINKS = f"{WIDGETS}/picture.py", f"{WIDGETS}/network_picture.py"
TOKENS = f"{TESTS}the_players_tokens_have_arrived_and_its_ways_lead_to_the_receiver"
TABLE = f"{TESTS}the_players_table_is_the_proofs"
FULL = f"{TESTS}cells_are_as_full_as_their_contributors"
STRIP = f"{TESTS}the_strips_playhead_stands_at_the_step"
MESSAGES = f"{TESTS}the_link_players_messages_are_on_their_links"
LISTED = f"{TESTS}the_link_players_list_is_that_of_the_busiest_links"

FAULTS = [
    Fault(
        "still player: tokens of additions look like copies",
        PLAYER,
        '_colour(now["op"] + "-pale")}"',
        '_colour("copy-pale")}"',
        TOKENS,
    ),
    Fault(
        "still player: copied tokens are square",
        PLAYER,
        'h / 2 if now["op"] == "copy" else 2',
        'h / 2 if now["op"] != "copy" else 2',
        TOKENS,
    ),
    Fault("still player: ways have their heads at the sender", PLAYER, 'marker-end="url', 'marker-start="url', TOKENS),
    Fault(
        "still player: ways of copies are solid",
        PLAYER,
        'if now["op"] == "copy" else ""\n    lines',
        'if now["op"] != "copy" else ""\n    lines',
        TOKENS,
    ),
    Fault(
        "still player: shards that have arrived stand at their sender",
        PLAYER,
        'share = 1.0 if now["docks"]',
        'share = 0.0 if now["docks"]',
        TOKENS,
    ),
    Fault(
        "still player: NPUs are counted from 1",
        PLAYER,
        "str(npu), f'text-anchor",
        "str(npu + 1), f'text-anchor",
        TOKENS,
    ),
    Fault("still player: rows are named from 1", PLAYER, 'f"NPU {r}"', 'f"NPU {r + 1}"', TABLE),
    Fault(
        "still player: columns are named one too far",
        PLAYER,
        "13, name, f'fill",
        "13, table['columns'][c - 1], f'fill",
        TABLE,
    ),
    Fault(
        "still player: the table is that of the step before",
        PLAYER,
        'for done in data["steps"][:step]:',
        'for done in data["steps"][: step - 1]:',
        TABLE,
    ),
    Fault(
        "still player: senders' cells are framed", PLAYER, "new = {(token[1], shard)", "new = {(token[0], shard)", TABLE
    ),
    Fault(
        "still player: final cells are not ticked",
        PLAYER,
        'if table["leaving"] else "✓"',
        'if table["leaving"] else text',
        TABLE,
    ),
    Fault(
        "still player: cells are filled from the top by what is missing",
        PLAYER,
        'size / data["npus"] if data["reducing"] and not final',
        '1 - size / data["npus"] if data["reducing"] and not final',
        FULL,
    ),
    Fault(
        "still player: the playhead is a step ahead",
        PLAYER,
        "x = LEFT + marks[step] * unit",
        "x = LEFT + marks[min(step + 1, total)] * unit",
        STRIP,
    ),
    Fault(
        "still player: the phase is that of the next step",
        PLAYER,
        'now = data["steps"][step - 1]\n        parts += [_cue',
        'now = data["steps"][min(step, len(data["steps"]) - 1)]\n        parts += [_cue',
        f"{TESTS}the_head_says_step_and_phase",
    ),
    Fault(
        "still links: messages are where their way is left",
        LINKS,
        "[(time - use.start_ns) / (use.end_ns - use.start_ns)",
        "[(use.end_ns - time) / (use.end_ns - use.start_ns)",
        MESSAGES,
    ),
    Fault(
        "still links: the busier, the paler",
        LINKS,
        "LEVELS[str(-int(-5 * share // 1))]",
        "LEVELS[str(5 + int(-5 * share // 1))]",
        MESSAGES,
    ),
    Fault(
        "still links: the picture's light colours are the dark theme's",
        LINKS,
        "// 1))][0], 1.2 +",
        "// 1))][1], 1.2 +",
        MESSAGES,
    ),
    Fault(
        "still links: the list has the idlest first",
        LINKS,
        "key=lambda name: -states[name][0]",
        "key=lambda name: states[name][0]",
        f"{TESTS}the_link_players_list_begins_with_the_busiest",
    ),
    Fault(
        "still links: waiting are those that have begun",
        LINKS,
        "use.queued_ns <= time < use.start_ns",
        "use.start_ns <= time < use.free_ns",
        "tests/course/widgets/test_link_use.py::test_a_still_picture_is_an_svg_with_a_description",
    ),
]
