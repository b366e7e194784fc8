"""Checks for exercise 5, Themis: which dimension a chunk should begin with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

from astra_edu.base.units import GIB
from astra_edu.course.check.asked import Answer, call, listed, several, whole_number
from astra_edu.course.check.ex5.cases import CASES, times_ns
from astra_edu.course.check.judge import judge, prediction
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.units import of_the_network
from astra_edu.course.check.verdict import NoAnswerError, Verdict, guessed
from astra_edu.run.presets import preset

NPUS = (8, 8, 8)
Numbers = Sequence[float]


@guess
def predicted_speedup(answer: Answer) -> Verdict:
    """A guess: how many times faster Themis makes the tutorial's case."""
    baseline, themis = times_ns(preset("3d-switch"), GIB)
    return prediction(
        answer, baseline / themis, "times", "All that changes is the order in which chunks visit the dimensions."
    )


@question
def volume_mib(answer: Answer) -> Verdict:
    """volume_mib(size_mib, npus, dimension): MiB that an NPU sends over a dimension in the baseline order."""

    def volume(size_mib: float, npus: Sequence[int], dimension: int, phases: int = 2, kept: int = 1) -> float:
        n = npus[dimension]
        return phases * size_mib / prod(npus[:dimension]) * (n - kept) / n

    return judge(
        answer,
        volume,
        [
            {"size_mib": size, "npus": npus, "dimension": d}
            for size, npus in ((1024, NPUS), (96, (4, 2, 16)), (64, (2, 8)))
            for d in range(len(npus))
        ],
        [
            Mistake(
                lambda **c: volume(**c, phases=1), "That is on the way up; the all-gather comes back down as well."
            ),
            Mistake(
                lambda size_mib, npus, dimension: volume(size_mib, (npus[dimension],), 0),
                "That is a dimension on its own. After the first reduce-scatter, how much is left for the next one?",
            ),
            Mistake(
                lambda size_mib, npus, dimension: 2 * size_mib / prod(npus[:dimension]),
                "Nearly: an NPU keeps its own share of what it has, it doesn't send it.",
            ),
            Mistake(
                lambda size_mib, npus, dimension: volume(size_mib, npus, dimension) / npus[dimension],
                "That shares the data out once too often: on its first dimension a chunk is still whole.",
            ),
            Mistake(
                lambda size_mib, npus, dimension: volume(size_mib, npus[::-1], len(npus) - 1 - dimension),
                "That is the way from the last dimension to the first.",
            ),
        ],
        "Right: every dimension divides what the next one has to carry.",
        unit="MiB",
    )


@question
def baseline_us(answer: Answer) -> Verdict:
    """baseline_us(volumes_mib, bandwidths): what the baseline order can't be faster than."""
    return judge(
        answer,
        lambda volumes_mib, bandwidths: max(_times_us(volumes_mib, bandwidths)),
        _LOADS,
        [
            Mistake(
                lambda volumes_mib, bandwidths: sum(_times_us(volumes_mib, bandwidths)),
                "The dimensions work at the same time, on different chunks.",
            ),
            *of_the_network(lambda volumes_mib, bandwidths: max(_times_us(volumes_mib, bandwidths))),
            Mistake(
                lambda volumes_mib, bandwidths: sum(volumes_mib) / 1024 / sum(bandwidths) * 1e6,
                "That is the best that any order could do. The baseline gives each dimension a fixed share.",
            ),
            Mistake(
                lambda volumes_mib, bandwidths: _times_us(volumes_mib, bandwidths)[0],
                "It isn't always dimension 0: look for the one that needs longest.",
            ),
        ],
        "Right: a pipeline is as slow as its slowest stage.",
        tolerance=1e-6,
        unit="µs",
    )


@question
def bound_us(answer: Answer) -> Verdict:
    """bound_us(volumes_mib, bandwidths): the time if all dimensions sent all the time."""

    def bound(volumes_mib: Numbers, bandwidths: Numbers) -> float:
        return sum(volumes_mib) / 1024 / sum(bandwidths) * 1e6

    return judge(
        answer,
        bound,
        _LOADS,
        [
            Mistake(
                lambda volumes_mib, bandwidths: max(_times_us(volumes_mib, bandwidths)),
                "That is the baseline's, with its fixed shares. Here the work may be shared out at will.",
            ),
            Mistake(
                lambda volumes_mib, bandwidths: sum(_times_us(volumes_mib, bandwidths)),
                "That is one dimension after the other; they all send at once.",
            ),
            Mistake(
                lambda volumes_mib, bandwidths: sum(_times_us(volumes_mib, bandwidths)) / len(bandwidths),
                "The mean of the times isn't it: a faster dimension would take over more of the bytes.",
            ),
            Mistake(
                lambda volumes_mib, bandwidths: sum(volumes_mib) / 1024 / max(bandwidths) * 1e6,
                "That is one dimension alone; all of them can send.",
            ),
            *of_the_network(bound),
        ],
        "Right: all bytes over all bandwidths. An order that gets there keeps every dimension busy to the end.",
        tolerance=1e-6,
        unit="µs",
    )


@question
def booked(answer: Answer) -> Verdict:
    """booked(loads, order, chunk_mib, npus, bandwidths): the loads after one more chunk."""

    def book(
        loads: Numbers,
        order: Sequence[int],
        chunk_mib: float,
        npus: Sequence[int],
        bandwidths: Numbers,
        shrinks: bool = True,
        times: float = 1,
        keeps: int = 1,
    ) -> list[float]:
        found = list(loads)
        for d in order:
            found[d] += times * chunk_mib * (npus[d] - keeps) / npus[d] / bandwidths[d]
            chunk_mib /= npus[d] if shrinks else 1
        return found

    cases = [
        {"loads": loads, "order": order, "chunk_mib": 16, "npus": npus, "bandwidths": bandwidths}
        for loads, order, npus, bandwidths in (
            ([0.0, 0.0, 0.0], [0, 1, 2], [8, 8, 8], [1, 1, 1]),
            ([14.0, 2.0, 1.0], [2, 1, 0], [8, 8, 8], [1, 1, 1]),
            ([3.0, 5.0, 4.0], [1, 2, 0], [4, 2, 16], [2, 4, 1]),
        )
    ]
    return judge(
        answer,
        book,
        cases,
        [
            Mistake(
                lambda **c: book(**(c | {"order": sorted(c["order"])})),
                "The chunk shrinks in the order in which it walks, not in the order of the dimensions' numbers.",
            ),
            Mistake(
                lambda **c: book(**c, shrinks=False),
                "Each dimension passes on only a share of the chunk; yours finds it whole everywhere.",
            ),
            Mistake(
                lambda **c: book(**c, times=2),
                "That books the way back as well. It is the same again, in reverse; Themis counts the way up only.",
            ),
            Mistake(lambda **c: book(**(c | {"loads": [0, 0, 0]})), "What was on the dimensions before is lost."),
            Mistake(
                lambda **c: book(**(c | {"bandwidths": [1, 1, 1]})),
                "A load is the time that the bytes take: divide by the dimension's bandwidth.",
            ),
            Mistake(lambda **c: book(**c, keeps=0), "An NPU keeps its own share: of n parts it sends n − 1."),
            Mistake(lambda **c: c["loads"], "Your loads stay as they were."),
        ],
        "Right: the first dimension of the walk carries most, whichever it is.",
        read=several(3, "a list of 3 loads"),
        parts=[f"Your load of dimension {d}" for d in range(3)],
    )


@question
def first_orders(answer: Answer) -> Verdict:
    """first_orders(): the orders in which Themis sends the first three chunks up."""
    try:
        given = call(answer, {})
    except NoAnswerError as problem:
        return problem.verdict
    try:
        orders = [[whole_number(d) for d in listed(order) or []] for order in listed(given) or []]
    except NoAnswerError:
        orders = []
    if len(orders) != 3 or any(sorted(order) != [0, 1, 2] for order in orders):
        return Verdict(False, "Return three lists, each with the dimensions 0, 1 and 2 in some order.")
    if orders == [[0, 1, 2]] * 3:
        return Verdict(False, "That is the baseline: it never looks at the loads.")
    loads = [0.0, 0.0, 0.0]
    for number, order in enumerate(orders):
        by_load = [loads[d] for d in order]
        if not any(loads):
            if order != [0, 1, 2]:
                return Verdict(False, "For chunk 0 all loads are 0; what does Themis do with equal loads?")
        elif by_load == sorted(by_load, reverse=True):
            return Verdict(False, f"Chunk {number} begins on the dimension with the most to do; turn that round.")
        elif by_load != sorted(by_load):
            return Verdict(False, f"Chunk {number} doesn't go from the least loaded dimension to the most loaded.")
        share = 1.0
        for d in order:
            loads[d] += share * 7 / 8
            share /= 8
    return Verdict(True, "Right. Where two loads are equal, either order will do.")


@guess
def helped(answer: Answer) -> Verdict:
    """helped(): a guess at the letters of all cases that Themis makes at least 10 % faster."""
    try:
        given = call(answer, {})
    except NoAnswerError as problem:
        return problem.verdict
    entries = re.findall(r"\w", given) if isinstance(given, str) else given if isinstance(given, set) else listed(given)
    letters = {str(letter).strip().upper() for letter in ([None] if entries is None else entries)}
    if not letters <= CASES.keys():
        return Verdict(False, f"Give a list of letters out of {', '.join(CASES)}; an empty one if you think of none.")
    times = {letter: times_ns(platform, size) for letter, (_, platform, size) in CASES.items()}
    right = sum((letter in letters) == (before > 1.1 * after) for letter, (before, after) in times.items())
    return guessed(f"{right} of your {len(CASES)} guesses come true. Run on and see which; then say why.")


def _times_us(volumes_mib: Numbers, bandwidths: Numbers) -> list[float]:
    return [mib / 1024 / gb_s * 1e6 for mib, gb_s in zip(volumes_mib, bandwidths, strict=True)]


_LOADS = [
    {"volumes_mib": volumes, "bandwidths": bandwidths}
    for volumes, bandwidths in (
        ([1792, 224, 28], [50, 50, 50]),
        ([480, 30], [150, 6.25]),
        ([100, 300, 50, 10], [200, 100, 50, 25]),
    )
]
