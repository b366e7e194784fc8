"""Faults in the instrument of a training that fails: the day, the bars, the curves, what is asked and said."""

from tools.mutants.fault import Fault

KEEP, JOB, BARS = (f"astra_edu/course/instruments/{name}.py" for name in ("keep", "keep_job", "keep_bars"))
TESTS = "tests/course/instruments/test_keep.py::test_"
DAY = f"{TESTS}the_first_day_is_drawn_span_by_span_in_rows_of_four_hours"
ASKS = f"{TESTS}it_asks_how_often_it_fails_which_interval_is_best_and_for_the_curve_in_turn"

FAULTS = [
    Fault("a span that goes on in the next row ends with its own", BARS, "            if left < right:",
          "            if left < right and row * ROW_H <= start:", DAY),
    Fault("lost work looks like work that is kept", BARS, '"lost": "lost"', '"lost": "useful"', DAY),
    Fault("the best interval is the worst", BARS, "return max(found", "return min(found",
          f"{TESTS}its_numbers_and_bars_are_those_of_the_job"),
    Fault("the simulated curve is of another series", BARS, "100 * run_of(values, minutes).share",
          "100 * run_of(values | {'seed': 7}, minutes).share",
          f"{TESTS}curves_are_the_formula_and_the_runs_of_every_interval"),
    Fault("a checkpoint takes a tenth of the slider's", JOB, "* STORAGE_GB_S * 1e9", "* STORAGE_GB_S * 1e8",
          f"{TESTS}its_numbers_and_bars_are_those_of_the_job"),
    Fault("it asks for the failures of one NPU", KEEP, "expected = DAYS * 24 / hours",
          'expected = DAYS * 24 / values["mtbf"]', ASKS),
    Fault("it never asks for a curve", KEEP, '("best", "failures", "draw")', '("best", "failures", "best")', ASKS),
    Fault("nothing is said of spares that run out", BARS, '    if run.seconds["waiting"]:', "    if False:",
          f"{TESTS}what_is_said_is_of_the_job"),
    Fault("lost work is told in hours", BARS, "run.seconds[kind] / 60 / failed", "run.seconds[kind] / 3600 / failed",
          f"{TESTS}what_is_said_is_of_the_job"),
]  # fmt: skip
