"""Faults in the instrument of measured training runs, and in what it greys."""

from tools.mutants.fault import Fault

PY = "astra_edu/course/instruments"
TEST = "tests/course/instruments/test_runs.py::test_"
GREYED = f"{TEST}what_makes_no_difference_to_a_prediction_is_greyed_with_the_reason"
ALIKE = f"{TEST}values_that_are_alike_are_predicted_alike_and_the_others_are_not[torchtitan-h100]"

FAULTS = [
    Fault(
        "runs: number formats of other widths are taken for alike",
        f"{PY}/runs_alike.py",
        "job.stack, job.bits, job.tokens",
        "job.stack, job.tokens",
        ALIKE,
    ),
    Fault(
        "runs: words of other stacks stay in the menus",
        f"{PY}/runs_alike.py",
        "setting.menu and setting.values[p] not in known",
        "False",
        GREYED,
    ),
    Fault(
        "runs: a setting with some values alike is greyed as a whole",
        f"{PY}/runs_alike.py",
        "every = len(alike) == others and not apart",
        "every = not apart",
        GREYED,
    ),
    Fault(
        "runs: a longer time is called shorter",
        f"{PY}/runs_bars.py",
        "'longer' if percent > 0",
        "'longer' if percent < 0",
        f"{TEST}how_a_measured_time_is_beside_the_predicted_one_is_said_in_words",
    ),
    Fault(
        "instruments: still bars have no legend",
        f"{PY}/still.py",
        "_legend(looks if len(looks) > 1 else []",
        "_legend([]",
        "tests/course/instruments/test_charts.py::test_the_still_picture_says_what_parts_of_its_bars_are",
    ),
    Fault(
        "settings: what makes no difference isn't said",
        "astra_edu/course/widgets/static/instrument/settings.js",
        'put(why, "text", alike?.why ?? "");',
        'put(why, "text", "");',
        "tests/course/widgets/test_javascript.py",
    ),
]
