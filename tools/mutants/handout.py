"""Faults in what is printed: sheets of notebooks, exercises and solutions."""

from tools.mutants.fault import Fault

HANDOUT, FILM, STYLE = "tools/handout.py", "astra_edu/course/widgets/film.py", "tools/handout.css"
TESTS = "tests/project/test_handout.py::test_"
PAPER = "tests/browser/test_handout.py"
FRAMES = f"{TESTS}the_steps_of_a_film_are_the_frames_it_was_made_of"
STEPS = f"{TESTS}an_animation_is_its_steps_with_their_words"
ALL = f"{TESTS}a_sheet_has_all_that_is_stored_and_asks_for_nothing"

FAULTS = [
    Fault("a step shows the one before", FILM, 'split(";")[frame] == "0"', 'split(";")[frame - 1] == "0"', FRAMES),
    Fault("all steps on top of each other", FILM, "            element.remove(child)\n", "", FRAMES),
    Fault("a step's picture still moves", FILM, "            child.remove(move)\n", "", FRAMES),
    Fault("the last step is missing", HANDOUT, "unreel(film)[1:]", "unreel(film)[1:-1]", STEPS),
    Fault("a step says what stands at its top", HANDOUT, "return max(texts", "return min(texts", STEPS),
    Fault("paper asks to be run", HANDOUT, "            words.extract()", "            pass", STEPS),
    Fault("folded text stays folded", HANDOUT, 'folded["open"] = ""', "pass", ALL),
    Fault("a link leads to a notebook", HANDOUT, '".html", str(link', '".ipynb.html", str(link', ALL),
    Fault("a solution isn't marked", HANDOUT, '== "solutions" else "")', '== "answers" else "")', ALL),
    Fault(
        "long lines run off the page",
        STYLE,
        "pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 1mm 0; }",
        "pre { white-space: pre; margin: 1mm 0; }",
        PAPER,
    ),
]
