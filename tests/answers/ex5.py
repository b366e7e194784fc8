"""Right and wrong answers of exercise 5."""

from math import prod


def volume(size_mib, npus, dimension, phases=2):
    return phases * size_mib / prod(npus[:dimension]) * (npus[dimension] - 1) / npus[dimension]


def times(volumes_mib, bandwidths):
    return [mib / 1024 / gb_s * 1e6 for mib, gb_s in zip(volumes_mib, bandwidths, strict=True)]


def walked(loads, order, chunk_mib, npus, bandwidths, phases=1, shrink=True, kept=1):
    for d in order:
        loads[d] += phases * chunk_mib * (npus[d] - kept) / npus[d] / bandwidths[d]
        chunk_mib /= npus[d] if shrink else 1
    return loads


# question: (a right answer, [(a wrong one, words of what it is told)])
QUESTIONS = {
    "volume_mib": (
        volume,
        [
            (lambda **c: volume(**c, phases=1), "comes back down"),
            (lambda size_mib, npus, dimension: volume(size_mib, npus[dimension:], 0), "on its own"),
            (lambda size_mib, npus, dimension: 2 * size_mib / prod(npus[:dimension]), "its own share"),
            (lambda size_mib, npus, dimension: volume(size_mib, npus, dimension) / npus[dimension], "too often"),
            (lambda size_mib, npus, dimension: volume(size_mib, npus[::-1], len(npus) - 1 - dimension), "the last"),
        ],
    ),
    "baseline_us": (
        lambda **c: max(times(**c)),
        [
            (lambda **c: sum(times(**c)), "at the same time"),
            (lambda **c: max(times(**c)) * 2**30 / 1e9, "2³⁰"),
            (lambda volumes_mib, bandwidths: sum(volumes_mib) / 1024 / sum(bandwidths) * 1e6, "fixed share"),
            (lambda **c: times(**c)[0], "always dimension 0"),
        ],
    ),
    "bound_us": (
        lambda volumes_mib, bandwidths: sum(volumes_mib) / 1024 / sum(bandwidths) * 1e6,
        [
            (lambda **c: max(times(**c)), "fixed shares"),
            (lambda **c: sum(times(**c)), "one dimension after the other"),
            (lambda **c: sum(times(**c)) / len(times(**c)), "The mean"),
            (lambda volumes_mib, bandwidths: sum(volumes_mib) / 1024 / max(bandwidths) * 1e6, "one dimension alone"),
            (lambda volumes_mib, bandwidths: sum(volumes_mib) / 1024 / sum(bandwidths) * 1e3, "in ms"),
        ],
    ),
    "booked": (
        walked,
        [
            (lambda **c: walked(**(c | {"order": sorted(c["order"])})), "order in which it walks"),
            (lambda **c: walked(**c, shrink=False), "whole everywhere"),
            (lambda **c: walked(**c, phases=2), "way back"),
            (lambda **c: walked(**(c | {"loads": [0, 0, 0]})), "is lost"),
            (lambda **c: walked(**(c | {"bandwidths": [1, 1, 1]})), "divide by the dimension's bandwidth"),
            (lambda **c: walked(**c, kept=0), "sends n − 1"),
            (lambda **c: c["loads"], "stay as they were"),
            (lambda **c: 3, "a list of 3 loads"),
            (lambda **c: [3], "a list of 3 loads"),
        ],
    ),
    "first_orders": (
        lambda: [[0, 1, 2], [2, 1, 0], [1, 0, 2]],
        [
            (lambda: [[0, 1, 2]] * 3, "That is the baseline"),
            (lambda: [[2, 1, 0], [0, 1, 2], [1, 0, 2]], "equal loads"),
            (lambda: [[0, 1, 2], [0, 1, 2], [2, 1, 0]], "Chunk 1 begins on the dimension with the most"),
            (lambda: [[0, 1, 2], [1, 2, 0], [2, 1, 0]], "Chunk 1 doesn't go"),
            (lambda: [[0, 1, 2], [2, 1, 0], [2, 1, 0]], "Chunk 2 doesn't go"),
            (lambda: [0, 1, 2], "three lists"),
            (lambda: [[0, 1, 1]] * 3, "three lists"),
        ],
    ),
}
GUESSES = ("predicted_speedup", "helped")
