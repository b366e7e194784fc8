"""Faults in what an instructor reads: the page of misconceptions, the plans, the quiz, and who gets them."""

from tools.mutants.fault import Fault

PAGE, DOCS, NAV = "tools/instructor.py", "tools/docs.py", "tools/docs_nav.py"
PAGES = "docs/instructor"
TESTS = "tests/project/test_instructor.py::test_"
SAID = f"{TESTS}the_page_of_misconceptions_is_what_the_checks_say"
ROW = f"{TESTS}a_mistake_of_a_check_is_on_the_page_and_its_numbers_are_those_of_the_case"
QUIZ = f"{TESTS}the_quiz_has_the_answers_of_the_simulator"
SITE = "tests/project/test_docs.py::test_the_course_s_site_has_no_page_with_answers"

FAULTS = [
    Fault(
        "right and wrong are exchanged", PAGE, "_number(gives), _number(right))", "_number(right), _number(gives))", ROW
    ),
    Fault(
        "a case is shown in which the mistake is right",
        PAGE,
        "if _number(gives) != _number(right):",
        "if True:",
        SAID,
    ),
    Fault("a question's first hint is missing", PAGE, 'lines += [f"1. {hints.nudge}", "2.', 'lines += ["2.', SAID),
    Fault("one exercise is missing", PAGE, "in check.EXERCISES:", "in list(check.EXERCISES)[1:]:", SAID),
    Fault("a quiz answer is wrong", f"{PAGES}/quiz_answers.md", "| 3 | 7 µs | 1 µs |", "| 3 | 7 µs | 2 µs |", QUIZ),
    Fault(
        "a plan has a hole of five minutes",
        f"{PAGES}/three_hours.md",
        "| 75 | 92 | Topologies |",
        "| 80 | 92 | Topologies |",
        f"{TESTS}a_plan_adds_up",
    ),
    Fault(
        "a plan has a wrong answer",
        f"{PAGES}/three_hours.md",
        "| 35: 2,764 GiB",
        "| 36: 2,859 GiB",
        "tests/project/test_plans.py::test_the_answer_to_a_question_of_a_plan_is_the_simulator_s",
    ),
    Fault(
        "a plan names a section that no notebook has",
        f"{PAGES}/one_hour.md",
        "*Two messages, one link*",
        "*Two links, one message*",
        f"{TESTS}every_notebook_and_section_named_is_there",
    ),
    Fault(
        "the site that students get has the answers",
        DOCS,
        'rmtree(source / "instructor")',
        'rmtree(source / "no", True)',
        SITE,
    ),
    Fault(
        "a page of the site is not to be found",
        NAV,
        "if (inner := there(value, source)) else []",
        "if False else []",
        SITE,
    ),
    Fault(
        "a notebook's name leads nowhere",
        DOCS,
        'f"../{path.parent.name}/{path.name}"',
        'f"{path.parent.name}/{path.name}"',
        "tests/project/test_docs.py::test_an_instructor_s_page_links_to_the_notebooks_it_names",
    ),
]
