"""Rings whose members are coloured: which are the same but for where one begins to count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Turned(NamedTuple):
    """A ring from the place on where its colours are least. start: that place; period: after how many it repeats."""

    colours: tuple[int, ...]
    start: int
    period: int


def turned(colours: Sequence[int]) -> Turned:
    """A ring of these colours, turned; two rings that are the same but for the beginning give the same colours.

    >>> turned([2, 1, 2, 1])
    Turned(colours=(1, 2, 1, 2), start=1, period=2)
    >>> turned([3, 1, 2]).colours == turned([1, 2, 3]).colours
    True
    """
    n = len(colours)
    if colours.count(colours[0]) == n:
        return Turned(tuple(colours), 0, 1)
    start = _least(colours)
    ring = (*colours[start:], *colours[:start])
    return Turned(ring, start, period(ring))


def _least(colours: Sequence[int]) -> int:
    """Where the least rotation begins (Booth 1980, in the form with two places that are compared)."""
    n = len(colours)
    one, other, same = 0, 1, 0
    while one < n and other < n and same < n:
        here, there = colours[(one + same) % n], colours[(other + same) % n]
        if here == there:
            same += 1
            continue
        if here > there:
            one += same + 1
        else:
            other += same + 1
        other += one == other
        same = 0
    return min(one, other)


def period(ring: Sequence[int]) -> int:
    """The least number of places by which a ring can be turned without a difference."""
    n, border = len(ring), [0]
    for place in range(1, n):  # Knuth, Morris and Pratt's borders
        length = border[-1]
        while length and ring[place] != ring[length]:
            length = border[length - 1]
        border.append(length + (ring[place] == ring[length]))
    found = n - border[-1]
    return found if n % found == 0 else n
