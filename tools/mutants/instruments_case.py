"""Faults in the instrument of the case studies."""

from tools.mutants.fault import Fault

PY = "astra_edu/course/instruments"
TEST = "tests/course/instruments/test_case.py::test_"
LIT = f"{TEST}lines_are_as_wide_as_fast_and_lit_where_the_collectives_of_the_simulator_run"
TIMES = f"{TEST}its_times_are_those_of_the_simulator"

FAULTS = [
    Fault(
        "case: lines are alike, however fast",
        f"{PY}/case_stage.py",
        "wide = SYSTEMS[self.system].dimensions[d][2] * PER_GB_S",
        "wide = 100 * PER_GB_S",
        LIT,
    ),
    Fault(
        "case: a switch that a group ends inside serves the copies no more",
        f"{PY}/case_job.py",
        "range(inside - shared, count)",
        "range(inside, count)",
        LIT,
    ),
    Fault(
        "case: copies are neighbours",
        f"{PY}/case_stage.py",
        "npu % self.size == 0",
        "npu < 512 // self.size",
        LIT,
    ),
    Fault(
        "case: boxes have no gaps, so that they share edges",
        f"{PY}/case_stage.py",
        "gaps = GAP * sum(",
        "gaps = 0 * sum(",
        f"{TEST}every_npu_is_in_its_box_of_each_dimension_and_none_on_another",
    ),
    Fault(
        "case: Themis is always off",
        f"{PY}/case.py",
        'return THEMIS if values["themis"] == "on" else BASELINE',
        "return BASELINE",
        TIMES,
    ),
    Fault(
        "case: Themis's gain is told of its own time",
        f"{PY}/case_job.py",
        "return 100 * (one - other) / one",
        "return 100 * (one - other) / other",
        TIMES,
    ),
    Fault(
        "case: the slower platform wins",
        f"{PY}/case.py",
        "best = min(times, key=lambda system: times[system])",
        "best = max(times, key=lambda system: times[system])",
        f"{TEST}questions_are_answered_from_the_runs",
    ),
    Fault(
        "case: a tensor group has the whole bandwidth",
        f"{PY}/case_bars.py",
        "rates(system, inner))]",
        "rates(system, inner + outer))]",
        f"{TEST}the_bandwidth_of_each_kind_of_collective_is_that_of_its_lines",
    ),
]
