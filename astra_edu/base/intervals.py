"""Stretches of time: what they cover together, what is left between them, how they fit into rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def merged(intervals: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The same time in intervals that don't touch each other, in order."""
    result: list[tuple[float, float]] = []
    for start, end in sorted(intervals):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def covered(intervals: Sequence[tuple[float, float]]) -> float:
    """How much time the intervals cover together."""
    return sum(end - start for start, end in merged(intervals))


def shares_of_periods(intervals: Sequence[tuple[float, float]], period: int, count: int) -> list[float]:
    """The share of each of `count` periods that the intervals cover."""
    shares = [0.0] * count
    for start, end in merged(intervals):
        for k in range(int(start // period), min(int(-(-end // period)), count)):
            shares[k] += min(end, (k + 1) * period) - max(start, k * period)
    return [share / period for share in shares]


def gaps(intervals: Sequence[tuple[float, float]], start: float, end: float) -> list[tuple[float, float]]:
    """The time from start to end that the intervals leave free."""
    busy = merged(intervals)
    ends, starts = [start, *(b for _, b in busy)], [*(a for a, _ in busy), end]
    return [(a, b) for a, b in zip(ends, starts, strict=True) if a < b]


def common(some: Sequence[tuple[float, float]], others: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The time that is both in some and in other intervals, in order.

    >>> common([(0, 10), (20, 30)], [(5, 25)])
    [(5, 10), (20, 25)]
    """
    one, other, found, i, j = merged(some), merged(others), [], 0, 0
    while i < len(one) and j < len(other):
        start, end = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if start < end:
            found.append((start, end))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return found


def in_rows(items: Iterable[T], interval: Callable[[T], tuple[float, float]]) -> list[list[T]]:
    """The items by their intervals, each in the first row that is free by then: what overlaps is in different rows."""
    rows: list[list[T]] = []
    for item in sorted(items, key=interval):
        for row in rows:
            if interval(row[-1])[1] <= interval(item)[0]:
                row.append(item)
                break
        else:
            rows.append([item])
    return rows
