"""Faults in the help on keys and in what has the focus."""

from tools.mutants.fault import Fault

STATIC = "astra_edu/course/widgets/static/frame"
SEEN = "tests/browser/test_frame_browser.py::test_"
POPS = f"{SEEN}the_key_for_the_keys_shows_them_in_sight_and_moves_nothing"
PLACED = "tests/js/dom.test.js::the help pops up beside its button, which says so, where the window has room"

FAULTS = [
    Fault("help: its key does nothing", f"{STATIC}/help.js", '"?": () =>', '"x": () =>', POPS),
    Fault("help: it opens below the screen", f"{STATIC}/help.js", "top + bottom < innerHeight", "top", PLACED),
    Fault(
        "help: all its keys run on in one line",
        f"{STATIC}/frame.css",
        ".astra-widget .astra-help { white-space: pre-line;",
        ".astra-widget .astra-help { white-space: normal;",
        POPS,
    ),
    Fault(
        "glossary: the focus frame touches the next word",
        f"{STATIC}/frame.css",
        ".astra-widget .astra-term:focus-visible { outline-width: 2px; outline-offset: 0; }",
        "",
        f"{SEEN}the_frame_around_a_word_of_the_glossary_stays_off_the_words_beside_it",
    ),
]
