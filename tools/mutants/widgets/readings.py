"""Faults in what what-if and explorer say, and in the colours of all widgets."""

from tools.mutants.fault import Fault

TESTS = "tests/course/widgets/test_what_if_read.py::test_"
WIDGETS = "astra_edu/course/widgets"
RUN = f"{TESTS}the_run_stands_below_now_and_the_baseline_below_baseline"
DIMENSIONS = f"{TESTS}every_dimension_has_its_own_numbers"
FASTER = f"{TESTS}faster_is_said_of_less_time"
EXPLORER = f"{TESTS}the_explorers_headline_is_the_choices"
COLOURS = f"{TESTS}colours_are_what_they_are_called_and_can_be_read"
WORDS = f"{WIDGETS}/what_if_words.py"

FAULTS = [
    Fault(
        "what-if: faster is called longer",
        WORDS,
        'times as fast" if total < before',
        'times as fast" if total > before',
        FASTER,
    ),
    Fault(
        "what-if: changes are told backwards",
        WORDS,
        "{then.get(name, NOTHING)} → {now.get(name, NOTHING)}",
        "{now.get(name, NOTHING)} → {then.get(name, NOTHING)}",
        FASTER,
    ),
    Fault(
        "what-if: now and baseline stand below each other",
        WORDS,
        '("", "now", "baseline", "change")',
        '("", "baseline", "now", "change")',
        RUN,
    ),
    Fault(
        "what-if: the change's sign is the other one",
        WORDS,
        "100 * (now / before - 1)",
        "100 * (before / now - 1)",
        RUN,
    ),
    Fault(
        "what-if: exposed is called compute",
        WORDS,
        '("compute", "compute_ns"), ("exposed", "exposed_ns")',
        '("exposed", "compute_ns"), ("compute", "exposed_ns")',
        RUN,
    ),
    Fault(
        "what-if: busy and used stand below each other",
        WORDS,
        '"busy", "bandwidth used"',
        '"bandwidth used", "busy"',
        DIMENSIONS,
    ),
    Fault(
        "what-if: dimensions are counted from 1",
        WORDS,
        "f\"{d}: {row['topology']}",
        "f\"{d + 1}: {row['topology']}",
        DIMENSIONS,
    ),
    Fault(
        "what-if: the baseline's use is the run's",
        WORDS,
        'in baseline.dimensions["utilisation"]]',
        'in result.dimensions["utilisation"]]',
        DIMENSIONS,
    ),
    Fault(
        "what-if: bandwidth is said in bytes per ns",
        WORDS,
        "physical.injection_bandwidth / bytes_per_ns(1)",
        "physical.injection_bandwidth",
        DIMENSIONS,
    ),
    Fault(
        "what-if: sliders are named by the wrong heading",
        f"{WIDGETS}/static/what_if.js",
        '[heading, slider.querySelector("label").textContent]',
        '[slider.querySelector("label").textContent, heading]',
        "tests/browser/test_what_if_seen.py::test_sliders_are_called_what_is_written_beside_them",
    ),
    Fault(
        "what-if: what is read out is the code",
        f"{WIDGETS}/static/what_if.js",
        'this.model.get("said")',
        'this.model.get("code")',
        "tests/browser/test_what_if_seen.py::test_the_words_the_code_and_what_is_said_stand_in_their_places",
    ),
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
        "tests/browser/test_what_if_seen.py::test_the_notebooks_theme_is_the_widgets",
    ),
    Fault(
        "all: play shows what pause does",
        f"{WIDGETS}/static/frame/transport.js",
        "playing ? ICONS.pause : ICONS.play",
        "playing ? ICONS.play : ICONS.pause",
        "tests/browser/test_what_if_seen.py::test_the_play_button_has_the_sign_of_what_it_does",
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
        "tests/browser/test_what_if_seen.py::test_the_speed_menu_says_its_speeds",
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
