"""Lanes, curves and lines of an instrument as SVG text, for where no script runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from math import log

from astra_edu.course.instruments.charts import Curves, Lanes
from astra_edu.course.instruments.looks import LOOKS

WIDTH = 720
LEFT, RIGHT, ROW, HIGH = 150, 20, 24, 18
PLOT_RIGHT, PLOT_HIGH = 150, 150
DASHES = {"": "", "/": "7 3", "\\": "2 3", "x": "9 3 2 3", ".": "1 3", "-": "12 4"}


def line(points: Sequence[tuple[float, float]], look: str, wide: float) -> str:
    """A line through points, dashed by its look's hatch."""
    _, dark, hatch = LOOKS[look]
    path = " ".join(f"{'L' if i else 'M'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(points))
    dashes = f' stroke-dasharray="{DASHES[hatch]}"' if hatch else ""
    return f'<path d="{path}" fill="none" stroke="{dark}" stroke-width="{wide:.2f}"{dashes}/>'


def lanes_picture(
    lanes: Lanes, top: float, box: Callable[[float, float, float, float, str], str], bare: bool
) -> tuple[str, float]:
    """The lanes and how high they are; bare: without the times."""
    scale = (WIDTH - LEFT - RIGHT) / (lanes.end or 1)
    parts = [_title(lanes.title if bare else f"{lanes.title}, {lanes.end:,.6g} {lanes.unit}", top)]
    for row, name in enumerate(lanes.lanes):
        y = top + 22 + row * ROW
        parts.append(f'<text x="{LEFT - 8}" y="{y + 13:.0f}" text-anchor="end">{escape(name)}</text>')
        for block in (block for block in lanes.blocks if block.lane == name):
            x, wide = LEFT + block.start * scale, (block.end - block.start) * scale
            parts.append(box(x, y, max(0.75, wide), HIGH, block.look))
            if block.text and 6 * len(block.text) + 4 < wide:
                place = f'x="{x + wide / 2:.1f}" y="{y + 13:.0f}" font-size="10" text-anchor="middle"'
                parts.append(f"<text {place}>{escape(block.text)}</text>")
    return "".join(parts), 22 + ROW * len(lanes.lanes)


def curves_picture(curves: Curves, top: float) -> tuple[str, float]:
    """The curves and how high they are, with the ends of both axes."""
    points = [point for curve in curves.curves for point in curve.points]
    x_at = _axis([x for x, _ in points], curves.log_x, LEFT, WIDTH - PLOT_RIGHT)
    y_at = _axis([y for _, y in points], curves.log_y, top + 24 + PLOT_HIGH, top + 24)
    parts = [_title(f"{curves.title}: {curves.y} over {curves.x}", top)]
    parts.append(
        f'<path d="M{LEFT} {top + 24}v{PLOT_HIGH}H{WIDTH - PLOT_RIGHT}" fill="none" stroke="#999"/>'
        f'<text x="{LEFT - 8}" y="{top + 30}" text-anchor="end">{max(y for _, y in points):,.4g}</text>'
        f'<text x="{WIDTH - PLOT_RIGHT}" y="{top + 38 + PLOT_HIGH}" text-anchor="end">'
        f"{max(x for x, _ in points):,.4g}</text>"
    )
    for curve in curves.curves:
        placed = [(x_at(x), y_at(y)) for x, y in curve.points]
        parts.append(line(placed, curve.look, 2))
        parts.append(f'<text x="{placed[-1][0] + 6:.1f}" y="{placed[-1][1] + 4:.1f}">{escape(curve.look)}</text>')
    return "".join(parts), 24 + PLOT_HIGH + 16


def _title(text: str, top: float) -> str:
    return f'<text x="8" y="{top + 12:.0f}" font-weight="600">{escape(text)}</text>'


def _axis(values: Sequence[float], powers: bool, start: float, end: float) -> Callable[[float], float]:
    """Where a value stands between two places, from 0 on unless it goes by powers."""
    low, high = (min(values), max(values)) if powers else (min(0, *values), max(values))
    count = log if powers else float
    length = (count(high) - count(low)) or 1
    return lambda value: start + (end - start) * (count(value) - count(low)) / length
