"""Faults in the help on keys and in what has the focus."""

from tools.mutants.fault import Fault

STATIC = "astra_edu/course/widgets/static/frame"
SEEN = "tests/browser/test_frame_browser.py::test_"
POPS = f"{SEEN}the_key_for_the_keys_shows_them_in_sight_and_moves_nothing"

FAULTS = [
    Fault("help: its key does nothing", f"{STATIC}/help.js", '"?": () =>', '"x": () =>', POPS),
    Fault("help: it opens below the screen", f"{STATIC}/help.js", "top + bottom < innerHeight", "top", POPS),
    Fault(
        "help: it pushes away what is around it",
        f"{STATIC}/frame.css",
        ":is(.astra-meaning, .astra-help):popover-open { position: fixed;",
        ":is(.astra-meaning, .astra-help):popover-open { position: static;",
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
