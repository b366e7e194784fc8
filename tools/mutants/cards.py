"""Faults in what a card shows of a verdict or a hint."""

from tools.mutants.fault import Fault

CHECK = "astra_edu/course/check"
CARD = "tests/browser/test_cards_seen.py::test_a_card_is_a_rule_in_a_colour_a_sign_and_a_word"
BESIDE = "tests/course/check/test_card.py::test_expected_stands_beside_got"
LEVELS = "tests/course/check/test_hints.py::test_the_three_levels_come_one_at_a_time"
TRIES = "tests/course/check/test_record.py::test_what_counts_as_a_try"

CASES = "tests/course/check/test_small_cases.py::test_a_small_case_is_as_the_right_answer_has_it"

FAULTS = [
    Fault(
        "card: what is right has the rule of what is wrong",
        f"{CHECK}/card.py",
        '("#00694f", "#3cc29a")',
        '("#d55e00", "#f0913f")',
        "tests/course/check/test_card.py::test_the_colours_are_the_widgets_and_can_be_seen",
    ),
    Fault(
        "card: light and dark are swapped",
        f"{CHECK}/card.py",
        "light-dark({kind.colour[0]}, {kind.colour[1]})",
        "light-dark({kind.colour[1]}, {kind.colour[0]})",
        CARD,
    ),
    Fault(
        "card: JupyterLab's dark theme gets light cards",
        f"{CHECK}/card.py",
        '[data-jp-theme-light="false"] .astra-card',
        '[data-jp-theme-light="dark"] .astra-card',
        CARD,
    ),
    Fault(
        "card: the sign has the text's colour",
        f"{CHECK}/card.py",
        "min-width: 1.3em; color: var(--astra-card);",
        "min-width: 1.3em;",
        CARD,
    ),
    Fault(
        "card: a nudge is open from the start",
        f"{CHECK}/card.py",
        "<details><summary>",
        "<details open><summary>",
        "tests/browser/test_cards_seen.py::test_a_nudge_is_folded_and_opened_by_a_key",
    ),
    Fault(
        "card: more is expected where less is",
        f"{CHECK}/judge.py",
        '"less" if given[i][k] > wanted[i][k] else "more"',
        '"more" if given[i][k] > wanted[i][k] else "less"',
        BESIDE,
    ),
    Fault(
        "card: what was said and what the simulator says are swapped",
        f"{CHECK}/judge.py",
        '(("you said", f"{guess:,.6g} {unit}"), ("the simulator says", f"{truth:,.6g} {unit}"))',
        '(("you said", f"{truth:,.6g} {unit}"), ("the simulator says", f"{guess:,.6g} {unit}"))',
        BESIDE,
    ),
    Fault(
        "hints: the first level is nearly the answer",
        f"{CHECK}/hints.py",
        '{1: hints.nudge, 2: "", 3: hints.nearly}',
        '{1: hints.nearly, 2: "", 3: hints.nudge}',
        LEVELS,
    ),
    Fault(
        "progress: the same wrong answer counts twice",
        f"{CHECK}/question.py",
        "verdict.ok is not None and record.judged_anew(self.name, verdict.message)",
        "verdict.ok is not None",
        TRIES,
    ),
    Fault(
        "progress: what is right at last was right at once",
        f"{CHECK}/record.py",
        "return self.right and self.tries == 1",
        "return self.right",
        TRIES,
    ),
    Fault(
        "map: what is read looks untried",
        f"{CHECK}/standing.py",
        "if stop in known.read else",
        "if stop not in known.read else",
        "tests/course/check/test_standing.py::test_the_map_shows_what_is_read_and_tried",
    ),
    Fault(
        "hints: a small case adds up wrongly",
        "astra_edu/course/check/ex12/hints.py",
        "has arrived at 550 ns",
        "has arrived at 500 ns",
        f"{CASES}[12-arrives_ns-has arrived at 550 ns]",
    ),
    Fault(
        "hints: a picture is wider than its card",
        "astra_edu/course/check/ex14/hints.py",
        "2 groups: 48, 72 and 408 $",
        "2 groups of 4 NPUs: 48 $ for rings, 72 $ for fully connected ones, and 408 $ for switches of four ports",
        "tests/course/check/test_hints.py::"
        "test_every_question_has_a_nudge_a_picture_that_fits_and_nearly_the_answer[<question ex14.dimension_cost>]",
    ),
    Fault(
        "exercise 15: what is faster and doesn't fit is right",
        f"{CHECK}/ex15/choice.py",
        "    if not found.fits:\n",
        "    if not found.strategy:\n",
        "tests/course/check/test_every_exercise.py::test_a_wrong_answer_is_told_why[ex15.faster]",
    ),
    Fault(
        "exercise 16: a measured card is a lie",
        "astra_edu/course/check/ex16/sets.py",
        "bits=bits,",
        "bits=16,",
        "tests/course/check/test_ex16.py::test_measured_cards_are_rows_as_they_stand_and_break_no_law",
    ),
    Fault(
        "exercise 16: who forgets the bubble keeps the law",
        "astra_edu/course/check/ex16/laws.py",
        "(pipeline - 1) / virtual",
        "0 / virtual",
        "tests/course/check/test_ex16.py::test_a_fault_breaks_its_own_law_and_no_other_and_claims_a_likely_mfu",
    ),
]
