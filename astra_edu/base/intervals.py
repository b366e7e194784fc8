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
    stretches = stretches_of_shares(intervals, period, count)
    return [share for begin, end, share in stretches for _ in range(begin, end)]


def stretches_of_shares(
    intervals: Sequence[tuple[float, float]], period: int, count: int
) -> list[tuple[int, int, float]]:
    """The shares of periods, those of equal ones together: (first period, the one after the last, their share).

    >>> stretches_of_shares([(5, 42)], period=10, count=6)
    [(0, 1, 0.5), (1, 4, 1.0), (4, 5, 0.2), (5, 6, 0.0)]
    """
    touched: dict[int, float] = {}
    known: list[tuple[int, int, float]] = []
    for start, end in merged(intervals):
        first, last = int(start // period), min(int(-(-end // period)), count)
        begin = first if start <= first * period else first + 1
        stop = last if end >= last * period else last - 1
        if begin < stop:
            known.append((begin, stop, 1.0))
        for k in {*range(first, min(begin, last)), *range(max(stop, first), last)}:
            touched[k] = touched.get(k, 0.0) + (min(end, (k + 1) * period) - max(start, k * period))
    known += [(k, k + 1, covered_ns / period) for k, covered_ns in touched.items()]
    stretches, done = [], 0
    for begin, stop, share in [*sorted(known), (count, count, 0.0)]:
        if done < begin:
            stretches.append((done, begin, 0.0))
        if begin < stop:
            stretches.append((begin, stop, share))
        done = stop
    return stretches


def common_stretches(
    several: Sequence[Sequence[tuple[int, int, float]]],
) -> list[tuple[int, int, tuple[float, ...]]]:
    """The stretches in which none of several lists of stretches changes, each with all their shares.

    >>> common_stretches([[(0, 2, 0.5), (2, 6, 0.0)], [(0, 4, 1.0), (4, 6, 0.0)]])
    [(0, 2, (0.5, 1.0)), (2, 4, (0.0, 1.0)), (4, 6, (0.0, 0.0))]
    """
    found, at, begin = [], [0] * len(several), 0
    while all(place < len(stretches) for place, stretches in zip(at, several, strict=True)):
        now = [stretches[place] for place, stretches in zip(at, several, strict=True)]
        end = min(stop for _, stop, _ in now)
        found.append((begin, end, tuple(share for *_, share in now)))
        at = [place + (stop == end) for place, (_, stop, _) in zip(at, now, strict=True)]
        begin = end
    return found


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
