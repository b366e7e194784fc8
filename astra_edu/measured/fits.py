"""Fitting the alpha-beta model to measured times, and judging it by the sizes that it hasn't seen.

Least squares of the *relative* error, so that 30 µs and 30 ms count alike.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from astra_edu.base.errors import ConfigError, whole
from astra_edu.measured.models import Line
from astra_edu.measured.tables import Point, Sweep

Model = Callable[[int], float]
"""µs for a size in bytes."""


@dataclass(frozen=True)
class Pieces:
    """A line for each range of sizes. gaps: the largest size of each range with the smallest one of the next.

    >>> points = [ae.measured.Point(size, us) for size, us in ((1, 10), (2, 10), (100, 60), (200, 110))]
    >>> pieces = ae.measured.fit_pieces(points, 2)
    >>> pieces.gaps, pieces.in_a_gap(50)
    (((2, 100),), True)
    """

    gaps: tuple[tuple[int, int], ...]
    lines: tuple[Line, ...]

    def __call__(self, size: int) -> float:
        """The time in µs of `size` bytes; in a gap, that of the upper line."""
        return self.lines[bisect_left(self.gaps, size, key=lambda gap: gap[0])](size)

    def in_a_gap(self, size: int) -> bool:
        """Whether it is only by convention that this size belongs to one line and not to another."""
        return any(below < size < above for below, above in self.gaps)


@dataclass(frozen=True)
class Errors:
    """How far a model is off: |model / measured − 1|, the mean and the largest over some sizes.

    >>> judged = ae.measured.judged(ae.measured.sweep("hgx-h100-2"))
    >>> judged.held_out.sizes, f"{judged.held_out.worst:.1%}"
    (3, '1.9%')
    """

    mean: float
    worst: float
    sizes: int


@dataclass(frozen=True)
class Judged:
    """A model that was fitted to half of the sizes, with its errors there and on the other half.

    >>> judged = ae.measured.judged(ae.measured.sweep("hgx-h100-2"))
    >>> f"{judged.fitted.mean:.1%} off where it was fitted, {judged.held_out.mean:.1%} elsewhere"
    '0.7% off where it was fitted, 1.0% elsewhere'
    """

    model: Model
    fitted: Errors
    held_out: Errors

    @property
    def percents(self) -> tuple[str, str, str, str]:
        """The mean and the worst error where it was fitted, then on the other half, as text."""
        a, b = self.fitted, self.held_out
        return f"{a.mean:.1%}", f"{a.worst:.1%}", f"{b.mean:.1%}", f"{b.worst:.1%}"


def fit_line(points: Sequence[Point]) -> Line:
    """The line with the least squares of the relative errors; neither part is ever negative.

    Raises ConfigError for fewer than two sizes.

    >>> points = [ae.measured.Point(size, 10 + size / 1000) for size in (1000, 2000, 4000)]
    >>> line = ae.measured.fit_line(points)
    >>> round(line.latency_us, 3), round(line.us_per_byte, 6)
    (10.0, 0.001)
    """
    if len({point.size for point in points}) < 2:
        raise ConfigError(f"a line has two parameters; give points of two sizes or more, not of {len(points)}.")
    ones = [1 / point.us for point in points]  # latency × one + us_per_byte × byte should be 1 for every point
    bytes_ = [point.size / point.us for point in points]
    one_one, one_byte, byte_byte = _dot(ones, ones), _dot(ones, bytes_), _dot(bytes_, bytes_)
    determinant = one_one * byte_byte - one_byte**2
    latency = (sum(ones) * byte_byte - sum(bytes_) * one_byte) / determinant
    us_per_byte = (sum(bytes_) * one_one - sum(ones) * one_byte) / determinant
    if latency < 0:
        return Line(0, sum(bytes_) / byte_byte)
    if us_per_byte < 0:
        return Line(sum(ones) / one_one, 0)
    return Line(latency, us_per_byte)


def fit_pieces(points: Sequence[Point], pieces: int) -> Pieces:
    """A line each for `pieces` ranges of sizes, cut where the squares become least; two sizes or more in each.

    Where in the gap between two ranges the switch is, the points don't say.

    >>> points = [ae.measured.Point(size, us) for size, us in ((1000, 10), (2000, 10), (10**5, 30), (10**6, 120))]
    >>> [round(line.latency_us) for line in ae.measured.fit_pieces(points, 2).lines]
    [10, 20]
    """
    points = sorted(points)
    pieces = whole("pieces", pieces, at_least=1)
    if len(points) < 2 * pieces:
        raise ConfigError(f"{pieces} pieces need {2 * pieces} points or more; there are {len(points)}.")
    cuts = ((0, *inner, len(points)) for inner in combinations(range(2, len(points) - 1), pieces - 1))
    parts = [[points[a:b] for a, b in pairwise(cut)] for cut in cuts if min(b - a for a, b in pairwise(cut)) > 1]
    fitted = [
        Pieces(tuple((low[-1].size, high[0].size) for low, high in pairwise(each)), tuple(map(fit_line, each)))
        for each in parts
    ]
    return min(fitted, key=lambda found: sum((found(size) / us - 1) ** 2 for size, us in points))


def errors(model: Model, points: Sequence[Point]) -> Errors:
    """The errors of a model on some points. Raises ConfigError if there are none.

    >>> points = [ae.measured.Point(1000, 11.0), ae.measured.Point(2000, 12.0)]
    >>> worst = ae.measured.errors(ae.measured.Line(latency_us=10, us_per_byte=0.001), points).worst
    >>> round(worst, 3)
    0.0
    """
    if not points:
        raise ConfigError("there are no points to compare the model with.")
    off = [abs(model(size) / us - 1) for size, us in points]
    return Errors(sum(off) / len(off), max(off), len(off))


def judged(sweep: Sweep, fit: Callable[[Sequence[Point]], Model] = fit_line) -> Judged:
    """Fit to half of a sweep's sizes, judge on the other half.

    >>> line = ae.measured.judged(ae.measured.sweep("hgx-h100-2")).model
    >>> f"{line.latency_us:.0f} µs at the least"
    '47 µs at the least'
    """
    seen, held_out = sweep.halves
    model = fit(seen)
    return Judged(model, errors(model, seen), errors(model, held_out))


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))
