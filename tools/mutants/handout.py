"""Faults in what is printed: sheets of notebooks, exercises and solutions."""

from tools.mutants.fault import Fault

HANDOUT, STRIPS, ROOM = "tools/handout.py", "tools/handout_steps.py", "tools/handout_room.py"
FILM, STYLE = "astra_edu/course/widgets/film.py", "tools/handout.css"
TESTS = "tests/project/test_handout.py::test_"
PAPER = "tests/browser/test_handout.py"
FRAMES = f"{TESTS}the_steps_of_a_film_are_the_frames_it_was_made_of"
STEPS = f"{TESTS}an_animation_is_its_steps_with_their_words"
WORDS = f"{TESTS}a_steps_words_stand_whole_below_its_picture_and_not_in_it"
ONCE = f"{TESTS}steps_are_printed_once_a_sheet_and_pointed_at_from_then_on"
WRITE = f"{TESTS}an_exercise_leaves_room_where_something_is_to_be_written_and_nothing_else_does"
ALL = f"{TESTS}a_sheet_has_all_that_is_stored_and_asks_for_nothing"

FAULTS = [
    Fault("a step shows the one before", FILM, 'split(";")[frame] == "0"', 'split(";")[frame - 1] == "0"', FRAMES),
    Fault("all steps on top of each other", FILM, "            element.remove(child)\n", "", FRAMES),
    Fault("a step's picture still moves", FILM, "            child.remove(move)\n", "", FRAMES),
    Fault("a film is as high as its first step", FILM, "tallest = max(roots", "tallest = min(roots", WORDS),
    Fault("the last step is missing", STRIPS, ".decode())[1:]", ".decode())[1:-1]", STEPS),
    Fault("a step says its last line", STRIPS, "*(lower for _, lower in near)", "", WORDS),
    Fault("a step's words are in its picture, too", STRIPS, "        drop(picture, line)\n", "        pass\n", WORDS),
    Fault("steps are printed twice", STRIPS, "if key in printed else", "if not key else", ONCE),
    Fault("other wires are the same steps", STRIPS, 'kind == "circle" or', 'kind == "circle" and', ONCE),
    Fault("room to write above the stub", ROOM, "(node.end_lineno or 0,", "(node.lineno - 1,", WRITE),
    Fault("no room for words", ROOM, "room(IN_WORDS)", "room(0)", WRITE),
    Fault("paper asks to be run", STRIPS, "            words.extract()", "            pass", STEPS),
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
