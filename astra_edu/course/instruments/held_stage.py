"""The stage and the curves of a comparison: by how much the simulator is off at each size, one size in each step."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.units import MIB
from astra_edu.course.instruments.charts import Curve, Curves
from astra_edu.course.instruments.held_job import Point
from astra_edu.course.instruments.scene import Box, Frame, Link, Piece, Stage

WIDE, LEFT, TOP, HALF, SAYS = 720.0, 84.0, 20.0, 92.0, 22.0
MOST = 75.0
"""Percent that the stage has room for, each way."""
ZERO = TOP + HALF
FROM = "Up: the simulator takes longer than the machine. Down: it is faster. On the line: both agree."
CUT_OFF = " A bar that ends at the edge would be longer; the figure below it is in full."


def signed(percent: float) -> str:
    """With its sign, and a true minus."""
    return f"{percent:+.1f} %".replace("-", "−")


def says(point: Point) -> str:
    """What is to be said of a size."""
    how = "too long" if point.percent > 0 else "too short"
    kind = "; the simulator was fitted to this size" if point.fitted else ""
    return (
        f"{point.called}: measured {point.measured_us:,.0f} µs, simulated {point.simulated_us:,.0f} µs, "
        f"{abs(point.percent):.1f} % {how}{kind}."
    )


def error_stage(title: str, points: Sequence[Point]) -> Stage:
    """A column for each size, in which a bar grows up or down from the middle when its step comes."""
    wide = (WIDE - LEFT) / len(points)
    columns = [(LEFT + i * wide, TOP, wide, 2 * HALF) for i in range(len(points))]
    steps = len(points) + 1
    frames = [Frame(f"column {p.called}", box, p.called) for p, box in zip(points, columns, strict=True)]
    frames += [
        Frame(f"error {p.called}", (x, TOP + 2 * HALF, wide, SAYS), says=_from(i, steps, signed(p.percent)))
        for i, (p, (x, _, _, _)) in enumerate(zip(points, columns, strict=True), 1)
    ]
    pieces = [_bar(p, i, steps, box) for i, (p, box) in enumerate(zip(points, columns, strict=True), 1)]
    zero = Link("zero", ((LEFT, ZERO), (WIDE, ZERO)), ("measured",) * steps, (1.5,) * steps, title="as measured")
    return Stage(
        title,
        (WIDE + 2, TOP + 2 * HALF + SAYS + 2),
        (FROM + CUT_OFF * any(abs(p.percent) > MOST for p in points), *map(says, points)),
        tuple(frames),
        (_sign("too slow", 0.4, steps), _sign("too fast", 1.6, steps), *pieces),
        links=(zero,),
        hidden=True,
    )


def _from(step: int, steps: int, text: str) -> tuple[str, ...]:
    return tuple(text if i >= step else "" for i in range(steps))


def _sign(look: str, halves: float, steps: int) -> Piece:
    box = (2.0, TOP + halves * HALF - 11, LEFT - 8, 22.0)
    return Piece(look, (box,) * steps, (look,) * steps, look, f"what is drawn here: the simulator is {look}")


def _bar(point: Point, step: int, steps: int, column: Box) -> Piece:
    x, _, wide, _ = column
    high = max(1.0, min(abs(point.percent), MOST) / MOST * HALF)
    box = (x + 0.2 * wide, ZERO - high if point.percent > 0 else ZERO, 0.6 * wide, high)
    look = "too slow" if point.percent > 0 else "too fast"
    at = tuple(box if i >= step else None for i in range(steps))
    return Piece(f"bar {point.called}", at, (look,) * steps, title=says(point))


def time_curves(points: Sequence[Point], published: Sequence[tuple[int, float]]) -> Curves:
    """The times over the sizes: measured, simulated here, and as ASTRA-sim's authors published, if they did."""
    curves = [
        Curve("measured", tuple((p.size / MIB, p.measured_us) for p in points)),
        Curve("simulated here", tuple((p.size / MIB, p.simulated_us) for p in points)),
    ]
    if published:
        curves.append(Curve("published", tuple((size / MIB, us) for size, us in published)))
    return Curves("Time of an all-reduce", "size (MiB)", "µs", tuple(curves), log_x=True, log_y=True)
