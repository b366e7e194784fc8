"""Faults in the instrument that holds the simulator against measurements, and in what it draws."""

from tools.mutants.fault import Fault

PY = "astra_edu/course/instruments"
TEST = "tests/course/instruments/test_held.py::test_"
BY_HAND = f"{TEST}simulated_times_are_those_of_a_ring_by_hand"
BARS = f"{TEST}bars_are_the_errors_and_come_one_by_one"

FAULTS = [
    Fault(
        "held: a copied bandwidth is converted",
        f"{PY}/held_job.py",
        'return rates if values["unit"] == COPIED else',
        'return rates if values["unit"] == CONVERTED else',
        BY_HAND,
    ),
    Fault(
        "held: a message of a fitted latency crosses one link",
        f"{PY}/held_job.py",
        "links = sum(2 * (npus - 1) * 2 for",
        "links = sum(2 * (npus - 1) for",
        BY_HAND,
    ),
    Fault(
        "held: every level has all of the bytes",
        f"{PY}/held_job.py",
        "        left *= npus\n",
        "",
        f"{TEST}a_fit_of_two_levels_takes_the_measured_time_at_the_largest_size",
    ),
    Fault(
        "held: chunks don't reach the simulator",
        f"{PY}/held_job.py",
        "splits=chunks, optimization",
        "splits=1, optimization",
        f"{TEST}rings_of_a_hierarchy_run_in_turn_with_one_chunk_and_overlap_with_many",
    ),
    Fault(
        "held: errors are told of the simulated time",
        f"{PY}/held_job.py",
        "100 * (self.simulated_us / self.measured_us - 1)",
        "100 * (1 - self.measured_us / self.simulated_us)",
        BARS,
    ),
    Fault(
        "held: the sizes that were fitted are shown in place of the others",
        f"{PY}/held_job.py",
        "MOST_SIZES else known.halves[1]",
        "MOST_SIZES else known.halves[0]",
        f"{TEST}measured_and_published_times_are_those_of_the_table",
    ),
    Fault(
        "held: nothing is said of a fit",
        f"{PY}/held_job.py",
        "size in fitted) for",
        "False) for",
        f"{TEST}a_fit_says_to_which_sizes_it_was_fitted",
    ),
    Fault(
        "held: a simulator that takes longer is too fast",
        f"{PY}/held_stage.py",
        'look = "too slow" if point.percent > 0 else "too fast"',
        'look = "too slow" if point.percent < 0 else "too fast"',
        BARS,
    ),
    Fault(
        "held: all bars are there from the start",
        f"{PY}/held_stage.py",
        "at = tuple(box if i >= step else None",
        "at = tuple(box if i >= 0 else None",
        BARS,
    ),
    Fault(
        "held: an error counts as least that is below all",
        f"{PY}/held.py",
        "key=lambda i: abs(percents[i])",
        "key=lambda i: percents[i]",
        f"{TEST}the_largest_error_is_where_the_question_says",
    ),
    Fault(
        "held: who draws no error at all is near enough",
        f"{PY}/held.py",
        "NEAR = 1.03",
        "NEAR = 1.05",
        f"{TEST}a_simulator_that_is_always_right_isnt_the_answer_and_the_true_curve_is",
    ),
    Fault(
        "drawing: the last size is cut off",
        "astra_edu/course/widgets/static/instrument/drawn.js",
        "left: 34, right: 16,",
        "left: 34, right: 4,",
        "tests/browser/test_held_seen.py::test_no_figure_of_the_drawing_is_cut_off",
    ),
]
