"""Faults in what the explorer says, and in the colours of all widgets."""

from tools.mutants.fault import Fault

TESTS = "tests/course/widgets/test_read_widgets.py::test_"
WIDGETS = "astra_edu/course/widgets"
EXPLORER = f"{TESTS}the_explorers_headline_is_the_choices"
COLOURS = f"{TESTS}colours_are_what_they_are_called_and_can_be_read"

FAULTS = [
    Fault(
        "explorer: bytes of all NPUs are said to be the busiest's",
        f"{WIDGETS}/choice.py",
        "{format_bytes(cost.sent)} sent by the busiest",
        "{format_bytes(cost.total)} sent by the busiest",
        EXPLORER,
    ),
    Fault(
        "explorer: chunks are called steps",
        f"{WIDGETS}/choice.py",
        "{_several(len(choice.sizes), 'chunk')} of ",
        "{_several(len(choice.sizes), 'step')} of ",
        EXPLORER,
    ),
    Fault(
        "explorer: the time is that of one chunk",
        f"{WIDGETS}/choice.py",
        'f"{total_words(total, choice.bound_ns)}: ',
        'f"{total_words(time.total_ns, choice.bound_ns)}: ',
        EXPLORER,
    ),
    Fault(
        "all: light and dark are swapped",
        f"{WIDGETS}/palette.py",
        "light-dark({light}, {dark})",
        "light-dark({dark}, {light})",
        COLOURS,
    ),
    Fault(
        "all: additions are blue and copies orange",
        f"{WIDGETS}/palette.py",
        '"reduce": ("#d55e00", "#f0913f"),',
        '"reduce": ("#0072b2", "#56b4e9"),',
        COLOURS,
    ),
    Fault(
        "all: partial sums and copies have each other's colour",
        f"{WIDGETS}/palette.py",
        '"partial": ("#f8cfa6", "#8a4a14")',
        '"partial": ("#c9e2f3", "#1f4e6e")',
        COLOURS,
    ),
    Fault(
        "all: words are too pale for their paper",
        f"{WIDGETS}/palette.py",
        '"soft": ("#595959"',
        '"soft": ("#a9a9a9"',
        COLOURS,
    ),
    Fault(
        "all: shades of links are upside down in the dark",
        f"{WIDGETS}/palette.py",
        '"1": ("#a9cfe5", "#2d5f86")',
        '"1": ("#a9cfe5", "#ffffff")',
        "tests/browser/test_link_player_seen.py::test_shades_go_from_the_papers_to_the_inks",
    ),
    Fault(
        "all: JupyterLab's dark theme gets light widgets",
        f"{WIDGETS}/static/frame/frame.css",
        '[data-jp-theme-light="false"] .astra-widget',
        '[data-jp-theme-light="true"] .astra-widget',
        "tests/browser/test_frame_seen.py::test_the_notebooks_theme_is_the_widgets",
    ),
    Fault(
        "all: play shows what pause does",
        f"{WIDGETS}/static/frame/transport.js",
        "playing ? ICONS.pause : ICONS.play",
        "playing ? ICONS.play : ICONS.pause",
        "tests/browser/test_frame_seen.py::test_the_play_button_has_the_sign_of_what_it_does",
    ),
    Fault(
        "all: the buttons first and last lead to each other's place",
        f"{WIDGETS}/static/frame/reel.js",
        "this.jump(0);",
        "this.jump(this.film.end) ;",
        "tests/browser/test_folds_seen.py::test_buttons_and_the_strip_lead_where_they_say",
    ),
    Fault(
        "all: the speed menu says another speed",
        f"{WIDGETS}/static/frame/transport.js",
        "text: `${speed}×`",
        "text: `${2 * speed}×`",
        "tests/browser/test_frame_seen.py::test_the_speed_menu_says_its_speeds",
    ),
    Fault(
        "all: shares are said as numbers of one",
        f"{WIDGETS}/static/frame/words.js",
        "(100 * share).toFixed(1)",
        "share.toFixed(1)",
        "tests/js/words.test.js::counts, shares, ranges, and gaps that are filled",
    ),
    Fault(
        "all: ranges end one too early",
        f"{WIDGETS}/static/frame/words.js",
        "`${a}–${b}`",
        "`${a}–${b - 1}`",
        "tests/js/words.test.js::counts, shares, ranges, and gaps that are filled",
    ),
    Fault(
        "all: moments are rounded to the µs",
        f"{WIDGETS}/static/frame/words.js",
        "size > 1 ? 3 : 0, size > 1e3 ? 6 : 3",
        "0, 0",
        "tests/js/words.test.js::times in the unit that suits them, to the ns",
    ),
    Fault(
        "all: sizes by thousands are called KiB",
        f"{WIDGETS}/static/frame/words.js",
        "size / 1024 ** power",
        "size / 1000 ** power",
        "tests/js/words.test.js::sizes with binary units",
    ),
]
