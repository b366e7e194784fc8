"""Faults in how a widget explains the words of the glossary."""

from tools.mutants.fault import Fault

GLOSSARY = "astra_edu/course/widgets/static/frame/glossary.js"
SEEN = "tests/browser/test_words_seen.py"
STAYS = f"{SEEN}::test_a_sentence_that_changes_takes_no_mark_from_what_stays"
COMES = f"{SEEN}::test_words_that_come_with_a_step_are_marked_when_they_come"
KEYS = f"{SEEN}::test_the_keyboard_reaches_a_word_and_escape_closes_its_meaning"
LOOK = f"{SEEN}::test_a_word_is_underlined_with_dots_and_its_meaning_stands_on_paper_beside_it[light]"
POINTER = f"{SEEN}::test_the_pointer_may_go_to_the_meaning_and_away"

FAULTS = [
    Fault(
        "words: the last of each is marked",
        GLOSSARY,
        "if (!found.has(word)) found.set(",
        "found.set(",
        "tests/js/glossary.test.js::the first of each word counts, whatever its form",
    ),
    Fault("words: nothing is marked that comes later", GLOSSARY, "if (changes.some(counts)) this.mark();", "", COMES),
    Fault("words: a meaning stays when its word goes", GLOSSARY, "mark.astraMeaning.remove();", "", COMES),
    Fault(
        "words: what changes is marked before what stays", GLOSSARY, "[...still, ...live]", "[...live, ...still]", STAYS
    ),
    Fault(
        "words: a word is explained as the one before it",
        GLOSSARY,
        "this.glossary.meanings[word];",
        "this.glossary.meanings[word - 1];",
        LOOK,
    ),
    Fault("words: Escape closes nothing", GLOSSARY, 'event.key !== "Escape" ||', 'event.key !== "Esc" ||', KEYS),
    Fault("words: the keyboard passes them by", GLOSSARY, 'tabindex: "0"', 'tabindex: "-1"', KEYS),
    Fault(
        "words: a meaning stays open for good", GLOSSARY, "this.timer = setTimeout(", "this.timer = Number(", POINTER
    ),
    Fault(
        "words: a meaning goes before the pointer is there",
        GLOSSARY,
        "const LINGER_MS = 150;",
        "const LINGER_MS = 0;",
        POINTER,
    ),
    Fault(
        "words: the space bar plays, too",
        GLOSSARY,
        'hear(root, "keydown", (event) => ["Enter", " "]',
        'hear(root, "keydown", (event) => ["Enter"]',
        f"{SEEN}::test_a_press_on_a_word_does_not_play",
    ),
    Fault(
        "words: a meaning stands far from its word",
        GLOSSARY,
        "? word.bottom + 4 :",
        "? word.bottom + 40 :",
        LOOK,
    ),
    Fault(
        "words: they look like all others",
        "astra_edu/course/widgets/static/frame/frame.css",
        "underline dotted 1px",
        "none",
        LOOK,
    ),
    Fault(
        "words: they are not sent",
        "astra_edu/course/widgets/bundle.py",
        '_NO_WORDS = "const GLOSSARY = null;"',
        '_NO_WORDS = "const GLOSSARY = none;"',
        COMES,
    ),
    Fault(
        "words: a notebook's table is not the glossary's",
        "astra_edu/course/glossary.py",
        "Smallest chunk first:",
        "Smallest collective first:",
        "tests/project/test_words.py::test_notebook_00_has_every_word_in_its_table",
    ),
    Fault(
        "words: each stands explained again and again",
        "tools/words.py",
        "        seen.add(word.name)\n",
        "",
        "tests/project/test_words.py::test_a_word_is_explained_where_it_first_stands_and_nowhere_else",
    ),
]
