"""Checks for exercise 17, the cheapest platform within 5 % of the best: which it is, and that none is cheaper."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from random import Random

from astra_edu.base.units import GIB
from astra_edu.course.check.asked import Answer, Case, whole_number
from astra_edu.course.check.ex17.designs import GIVEN, GRID, NPUS, SIZE, Points, prices, swept
from astra_edu.course.check.ex17.rules import (
    cheapest,
    first,
    limit_of,
    one_of_twins,
    samples,
    strictly,
    than_the_one_before,
    unbeaten,
    without_twins,
)
from astra_edu.course.check.ex17.sets import judge_sets
from astra_edu.course.check.judge import judge, prediction
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.verdict import Verdict

__all__ = [
    "GIVEN",
    "GRID",
    "NPUS",
    "SIZE",
    "bound_ns",
    "cheapest_within",
    "frontier",
    "least_dollars",
    "predicted_share",
    "prices",
]

GB_PER_NS = GIB / 1e9
"""Bytes in a ns at 1 GB/s, of 2**30 bytes."""


@guess
def predicted_share(answer: Answer) -> Verdict:
    """A guess: what the cheapest platform within 5 % of the fastest costs, in per cent of the fastest one's price."""
    points = swept()
    good, fastest = points[cheapest(points, 0.05)], points[first(points, lambda point: (point[1], point[0]))]
    return prediction(
        answer,
        100 * good[0] / fastest[0],
        "%",
        "The last per cents of speed are bought where they cost most: in the dimension that isn't the bottleneck.",
    )


@question
def cheapest_within(answer: Answer) -> Verdict:
    """cheapest_within(points, share): the number of the cheapest point that takes at most `share` longer than the
    fastest; of several that cost the same, the fastest.
    """
    cases: list[Case] = [
        {"points": points, "share": share}
        for points, share in zip(samples(17, 6), (0.05, 0.5, 0.0, 1.0, 0.25, 0.05), strict=True)
    ]
    tied = [(60.0, 108.0), (90.0, 100.0), (60.0, 105.0), (40.0, 125.0)]
    cases.append({"points": tied, "share": 0.1})

    def by_dollars(points: Points, share: float) -> int:
        limit = min(dollars for dollars, _ in points) * (1 + share)
        return min((ns, k) for k, (dollars, ns) in enumerate(points) if dollars <= limit)[1]

    return judge(
        answer,
        cheapest,
        cases,
        [
            Mistake(lambda points, share: first(points, lambda p: p[1]), "That is the fastest one, whatever it costs."),
            Mistake(
                lambda points, share: first(points, lambda p: p[0]), "That is the cheapest one, however long it takes."
            ),
            Mistake(
                lambda points, share: cheapest(points, share / 100),
                "share is a part of 1, not a percentage: 0.05 is 5 %.",
            ),
            Mistake(by_dollars, "You allow so many more dollars than the cheapest; what may be longer is the time."),
            Mistake(
                lambda points, share: first(points, lambda p: -p[1], limit_of(points, share)),
                "That is the slowest one within the limit. It needn't be the cheapest.",
            ),
            Mistake(
                lambda points, share: first(points, lambda p: p[0], limit_of(points, share)),
                "Nearly: of two that cost the same, you don't take the faster one.",
            ),
            Mistake(
                lambda points, share: first(points, lambda p: p[0] * p[1]),
                "That is the best for dollars times time. Here the time has a limit, and then only dollars count.",
            ),
        ],
        "Right: the limit comes from the fastest, and within it only the price counts.",
        read=whole_number,
    )


@question
def frontier(answer: Answer) -> Verdict:
    """frontier(points): the numbers of the points that no other beats."""
    every = set[int]
    return judge_sets(
        answer,
        [[(10.0, 90.0), (20.0, 50.0), (30.0, 60.0), (20.0, 70.0), (40.0, 50.0)], *samples(18, 8), [(1.0, 2.0)]],
        [
            (
                strictly,
                "A point that costs the same as another and is slower is beaten, too. So is one that only costs more.",
            ),
            (without_twins, "Two equal points don't beat each other, nor does a point beat itself; both stay."),
            (one_of_twins, "Of two equal points you keep one. Neither beats the other, so both stay."),
            (
                than_the_one_before,
                "In order of price you compare each point with the one before; it has to be faster than all before it.",
            ),
            (lambda points: every(range(len(points))) - unbeaten(points), "Those are the points that are beaten."),
            (
                lambda points: {first(points, lambda p: p[0]), first(points, lambda p: p[1])},
                "Those are the two ends, the cheapest and the fastest. Between them are points that none beats.",
            ),
        ],
        "Right. What isn't on the frontier needs no further thought: another one is better at no price.",
    )


def _carried(size: float, npus: Sequence[int]) -> list[float]:
    """Bytes that an NPU sends over each dimension at least."""
    return [2 * size * (n - 1) / prod(npus[: d + 1]) for d, n in enumerate(npus)]


def _times(size: float, npus: Sequence[int], gb_s: Sequence[float]) -> list[float]:
    return [part / (gb * GB_PER_NS) for part, gb in zip(_carried(size, npus), gb_s, strict=True)]


@question
def bound_ns(answer: Answer) -> Verdict:
    """bound_ns(size, npus, gb_s): the ns that an all-reduce over these dimensions can't be below."""
    dice = Random(17)
    cases: list[Case] = [
        {"size": dice.randrange(2**26, 2**30), "npus": npus, "gb_s": [dice.randrange(5, 400) for _ in npus]}
        for npus in ([8, 8], [16], [4, 2, 8], [2, 16], [8, 4], [5, 3])
    ]
    cases.append({"size": 2**30, "npus": [8, 8], "gb_s": [320, 10]})

    def alone(size: float, npus: Sequence[int], gb_s: Sequence[float]) -> list[float]:
        return [2 * size * (n - 1) / n / gb / GB_PER_NS for n, gb in zip(npus, gb_s, strict=True)]

    return judge(
        answer,
        lambda **c: max(_times(**c)),
        cases,
        [
            Mistake(
                lambda **c: max(_times(**c)) / 2, "That is half of an all-reduce: what is reduced has to come back."
            ),
            Mistake(
                lambda **c: sum(_times(**c)),
                "Chunks can be on both dimensions at the same time, so times don't add up.",
            ),
            Mistake(
                lambda **c: max(alone(**c)),
                "Every dimension carries all bytes, you say. But a dimension gets what those before it have left.",
            ),
            Mistake(lambda **c: sum(alone(**c)), "Later dimensions carry less, and all of them work at the same time."),
            Mistake(
                lambda **c: min(_times(**c)), "The shortest of the times binds nobody; which one has to be waited for?"
            ),
            Mistake(lambda **c: _times(**c)[-1], "That is the last dimension's time. Another one can take longer."),
            Mistake(lambda **c: _times(**c)[0], "That is the first dimension's time. Another one can take longer."),
            Mistake(
                lambda size, npus, gb_s: max(2 * size / prod(npus[:d]) / gb / GB_PER_NS for d, gb in enumerate(gb_s)),
                "Nearly: of its own share, an NPU sends nothing.",
            ),
            Mistake(
                lambda **c: max(_times(**c)) * GB_PER_NS, 'Those are GB of 10⁹ bytes; the network\'s "GB/s" are 2³⁰.'
            ),
            Mistake(
                lambda **c: sum(_carried(c["size"], c["npus"])) / sum(c["gb_s"]) / GB_PER_NS,
                "No dimension can lend its bandwidth to another: chunks go through all of them, in order.",
            ),
        ],
        "Right: whatever the chunks, the latencies and the order, these bytes have to go over these links.",
        unit="ns",
    )


def _needed(limit_ns: float, size: float, npus: Sequence[int]) -> list[float]:
    """GB/s of each dimension."""
    return [part / limit_ns / GB_PER_NS for part in _carried(size, npus)]


def _dollars(limit_ns: float, size: float, npus: Sequence[int], prices: Sequence[float]) -> float:
    return sum(gb * price for gb, price in zip(_needed(limit_ns, size, npus), prices, strict=True))


@question
def least_dollars(answer: Answer) -> Verdict:
    """least_dollars(limit_ns, size, npus, prices): what every platform costs at least that keeps the limit."""
    dice = Random(71)
    cases: list[Case] = [
        {
            "limit_ns": dice.randrange(10**6, 10**8),
            "size": dice.randrange(2**26, 2**30),
            "npus": npus,
            "prices": [dice.randrange(200, 9000) for _ in npus],
        }
        for npus in ([8, 8], [16], [4, 2, 8], [2, 16], [8, 4])
    ]

    def parts(**c: object) -> list[float]:
        needed = _needed(c["limit_ns"], c["size"], c["npus"])  # type: ignore[arg-type]
        return [gb * price for gb, price in zip(needed, c["prices"], strict=True)]  # type: ignore[call-overload]

    return judge(
        answer,
        _dollars,
        cases,
        [
            Mistake(lambda **c: max(parts(**c)), "That is one dimension's price. All of them have to be paid."),
            Mistake(
                lambda **c: _dollars(**c) * len(c["npus"]),
                "You share the time out among the dimensions. Each has all of it, as they work at the same time.",
            ),
            Mistake(
                lambda **c: max(_needed(c["limit_ns"], c["size"], c["npus"])) * sum(c["prices"]),
                "You give every dimension the bandwidth of the one that needs most. Each needs its own.",
            ),
            Mistake(lambda **c: _dollars(**c) / 2, "That is enough for half of an all-reduce."),
            Mistake(
                lambda **c: _dollars(**c) * GB_PER_NS, "You pay for GB of 10⁹ bytes; the prices are for GB of 2³⁰."
            ),
            Mistake(
                lambda limit_ns, size, npus, prices: sum(
                    2 * size * (n - 1) / n / limit_ns / GB_PER_NS * price for n, price in zip(npus, prices, strict=True)
                ),
                "You pay for all bytes on every dimension. A dimension gets what those before it have left.",
            ),
        ],
        "Right: whoever pays less has too few GB/s in some dimension, and so takes longer. That is the proof.",
    )
