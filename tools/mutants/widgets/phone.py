"""Faults that are seen on a phone only."""

from tools.mutants.fault import Fault

STATIC = "astra_edu/course/widgets/static"
SEEN = "tests/browser/test_phone_seen.py::test_"
TOGETHER = f"{SEEN}the_whole_picture_and_the_controls_are_in_sight_together[390]"
CUT = f"{SEEN}no_cells_words_are_cut"
CUE = f"{SEEN}what_is_moved_sideways_says_so_and_is_shaded_at_its_edge"

FAULTS = [
    Fault(
        "phone: the controls are below the table",
        f"{STATIC}/player.css",
        "    .astra-table { order: 1; height: auto; margin-top: 8px; }",
        "    .astra-table { height: auto; margin-top: 8px; }",
        TOGETHER,
    ),
    Fault(
        "phone: the picture is as high as on a wide screen",
        f"{STATIC}/player.css",
        "aspect-ratio: var(--astra-shape); width: 100%; max-height: var(--astra-box);",
        "width: 100%; height: var(--astra-box);",
        TOGETHER,
    ),
    Fault("phone: cells' words are cut", f"{STATIC}/player.css", "white-space: normal; font-size: 10px;", "", CUT),
    Fault(
        "phone: a table of 16 NPUs is squeezed",
        f"{STATIC}/player/table.js",
        "columns.length > MOST_ON_PHONES",
        "columns.length > 99",
        CUT,
    ),
    Fault(
        "phone: where it is is cut",
        f"{STATIC}/frame/frame.css",
        ".astra-panel .astra-where { flex: 1 1 12em; }",
        ".astra-panel .astra-where { flex: 1; }",
        f"{SEEN}where_it_is_stands_in_full",
    ),
    Fault(
        "phone: nothing says that a picture goes on",
        f"{STATIC}/frame/frame.css",
        '"↔ It is wider than the screen: move it sideways."',
        '""',
        CUE,
    ),
    Fault(
        "phone: it is said of a picture that isn't there",
        f"{STATIC}/instrument/stage.js",
        "for (const part of [this.swipe, this.below])",
        "for (const part of [this.svg, this.below])",
        f"{SEEN}what_is_not_moved_says_nothing",
    ),
]
