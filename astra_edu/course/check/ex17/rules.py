"""Points of dollars and ns: which is the cheapest that will do, which are beaten, and how people get that wrong."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from astra_edu.course.check.ex17.designs import Points


def beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether it is no worse in both, and better in one."""
    return one[0] <= other[0] and one[1] <= other[1] and tuple(one) != tuple(other)


def unbeaten(points: Points) -> set[int]:
    """The numbers of the points that no other beats.

    >>> from astra_edu.course.check.ex17.rules import unbeaten
    >>> sorted(unbeaten([(10, 9), (20, 5), (30, 6), (20, 5)]))
    [0, 1, 3]
    """
    return {k for k, each in enumerate(points) if not any(beats(other, each) for other in points)}


def samples(seed: int, count: int) -> list[list[tuple[float, float]]]:
    """Designs of which dearer ones tend to be faster; some cost the same, and some are equal."""
    dice = Random(seed)
    found = []
    for _ in range(count):
        points = []
        for _ in range(dice.randrange(8, 14)):
            dollars = dice.randrange(10, 40) * 5
            points.append((float(dollars), float(round(20_000 / dollars * dice.uniform(1, 1.5)) * 5)))
        points += [points[2], (points[0][0], points[0][1] + 5), (points[1][0] + 5, points[1][1])]
        dice.shuffle(points)
        found.append(points)
    return found


def limit_of(points: Points, share: float) -> float:
    """The ns that a point may take."""
    return min(ns for _, ns in points) * (1 + share)


def cheapest(points: Points, share: float) -> int:
    """The number of the cheapest that is fast enough, of several the fastest."""
    limit = limit_of(points, share)
    return min((dollars, ns, k) for k, (dollars, ns) in enumerate(points) if ns <= limit)[2]


def first(points: Points, key: Callable[[tuple[float, float]], object], limit: float = float("inf")) -> int:
    """The number of the first point for which the key is least, of those that take no longer than the limit."""
    return min((k for k in range(len(points)) if points[k][1] <= limit), key=lambda k: key(points[k]))  # type: ignore[arg-type,return-value]


def strictly(points: Points) -> set[int]:
    """Beaten only by what is better in both."""
    return {k for k, (d, t) in enumerate(points) if not any(a < d and b < t for a, b in points)}


def without_twins(points: Points) -> set[int]:
    """Equal points beat each other."""
    return {
        k for k, (d, t) in enumerate(points) if not any(a <= d and b <= t for j, (a, b) in enumerate(points) if j != k)
    }


def than_the_one_before(points: Points) -> set[int]:
    """In order of price each is compared with one other only."""
    order = sorted(range(len(points)), key=lambda k: points[k])
    return {k for i, k in enumerate(order) if i == 0 or points[k][1] < points[order[i - 1]][1]}


def one_of_twins(points: Points) -> set[int]:
    """Of equal points the first."""
    seen: dict[tuple[float, float], int] = {}
    return {k for k in sorted(unbeaten(points)) if seen.setdefault(points[k], k) == k}
