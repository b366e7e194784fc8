"""Fitting the alpha-beta model to measured times, and judging it by the sizes that it hasn't seen.

Least squares of the *relative* error, so that 30 µs and 30 ms count alike.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from astra_edu.base.errors import ConfigError, whole
from astra_edu.course.studies.measured.models import Line
from astra_edu.course.studies.measured.tables import Point, Sweep

Model = Callable[[int], float]
"""µs for a size in bytes."""


@dataclass(frozen=True)
class Pieces:
    """A line for each range of sizes. gaps: the largest size of each range with the smallest one of the next."""

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
    """How far a model is off: |model / measured − 1|, the mean and the largest over some sizes."""

    mean: float
    worst: float
    sizes: int


@dataclass(frozen=True)
class Judged:
    """A model that was fitted to half of the sizes, with its errors there and on the other half."""

    model: Model
    fitted: Errors
    held_out: Errors


def fit_line(points: Sequence[Point]) -> Line:
    """The line with the least squares of the relative errors; neither part is ever negative.

    Raises ConfigError for fewer than two sizes.
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
    """The errors of a model on some points. Raises ConfigError if there are none."""
    if not points:
        raise ConfigError("there are no points to compare the model with.")
    off = [abs(model(size) / us - 1) for size, us in points]
    return Errors(sum(off) / len(off), max(off), len(off))


def judged(sweep: Sweep, fit: Callable[[Sequence[Point]], Model] = fit_line) -> Judged:
    """Fit to half of a sweep's sizes, judge on the other half."""
    seen, held_out = sweep.halves
    model = fit(seen)
    return Judged(model, errors(model, seen), errors(model, held_out))


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))
