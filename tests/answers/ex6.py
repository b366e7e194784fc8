"""Right and wrong answers of exercise 6."""

from math import sqrt


def line(size_a, time_a, size_b, time_b):
    slope = (time_b - time_a) / (size_b - size_a)
    return time_a - slope * size_a, slope


def cross(floor_a, slope_a, floor_b, slope_b):
    return (floor_b - floor_a) / (slope_a - slope_b)


def share(sent_mib, time_us, bandwidth):
    return sent_mib / 1024 / bandwidth / time_us * 1e6


# question: (a right answer, [(a wrong one, words of what it is told)])
QUESTIONS = {
    "fit": (
        line,
        [
            (lambda **c: line(**c)[::-1], "floor first"),
            (lambda **c: (line(**c)[0], c["time_b"] / c["size_b"]), "differences of times"),
            (lambda **c: (c["time_a"], c["time_b"] / c["size_b"]), "take differences"),
            (lambda **c: (c["time_a"], line(**c)[1]), "what if it had none"),
            (lambda **c: (line(**c)[0], 1 / line(**c)[1]), "a bandwidth"),
            (lambda **c: line(**c)[1], "two numbers"),
        ],
    ),
    "crossover_mib": (
        cross,
        [
            (lambda **c: -cross(**c), "below 0"),
            (lambda **c: 1 / cross(**c), "Upside down"),
            (lambda floor_a, slope_a, floor_b, slope_b: (floor_b - floor_a) / (slope_a + slope_b), "Both times grow"),
            (lambda floor_a, slope_a, floor_b, slope_b: (floor_a + floor_b) / (slope_a + slope_b), "are equal"),
            (lambda floor_a, slope_a, floor_b, slope_b: floor_a / slope_a, "two lines are compared"),
        ],
    ),
    "best_splits": (
        lambda per_chunk_us, per_fill_us: sqrt(per_fill_us / per_chunk_us),
        [
            (lambda per_chunk_us, per_fill_us: per_fill_us / per_chunk_us, "two numbers around yours"),
            (lambda per_chunk_us, per_fill_us: sqrt(per_chunk_us / per_fill_us), "Upside down"),
            (lambda per_chunk_us, per_fill_us: sqrt(per_fill_us * per_chunk_us), "Check the units"),
            (lambda per_chunk_us, per_fill_us: 2 * sqrt(per_fill_us * per_chunk_us), "the time at the minimum"),
        ],
    ),
    "used": (
        share,
        [
            (lambda **c: share(**c) * 2**30 / 1e9, "2³⁰"),
            (lambda **c: share(**c) / 1e6, "per second"),
            (lambda **c: 100 * share(**c), "per cent"),
            (lambda **c: 1 / share(**c), "Upside down"),
            (lambda **c: share(**c) * c["bandwidth"], "which share"),
        ],
    ),
    "believable": (
        lambda: 3,
        [(lambda: 4, "more than their links"), (lambda: 1, "one more"), (lambda: 0, "whole number")],
    ),
}
GUESSES = ("predicted_winners", "predicted_splits")
