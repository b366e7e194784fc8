"""The Pareto frontier of points: those that no other point beats."""

from __future__ import annotations

import math
from collections.abc import Sequence


def frontier(x: Sequence[float], y: Sequence[float], more: tuple[bool, bool] = (False, False)) -> list[int]:
    """The numbers of the points on the frontier, from the best `x` on.

    No other point is as good in one of the two and better in the other. more: whether more is better in x, in y. Points
    that aren't finite numbers in both aren't on it; equal points are on it together.

    >>> from astra_edu.explore.frontier import frontier
    >>> frontier([1, 2, 3, 2], [9, 5, 6, 5])
    [0, 1, 3]
    """
    signs = tuple(-1 if way else 1 for way in more)
    points = [
        (signs[0] * a, signs[1] * b, number)
        for number, (a, b) in enumerate(zip(x, y, strict=True))
        if math.isfinite(a) and math.isfinite(b)
    ]
    found, best, last = [], math.inf, math.nan
    for a, b, number in sorted(points):
        if b < best:
            best, last = b, a
            found.append(number)
        elif b == best and a == last:
            found.append(number)
    return found
