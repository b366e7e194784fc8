"""Figure: curves over what is reserved, trained with or built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from astra_edu.base.errors import ConfigError, choice
from astra_edu.course.plots.axes import grid, in_full
from astra_edu.course.plots.figure import COLOURS, MARKERS, WIDE, Picture, text_table

Curve = Mapping[float, float]
"""Heights by places."""
Point = tuple[float, float]

DASHES = ("-", "--", "-.", ":")
_APART = 11
"""Points between the names of two levels, so that both can be read."""


@dataclass(frozen=True)
class _Curves:
    """What is shown: curves by name, what the axes are, heights to compare with, and single points."""

    series: Mapping[str, Curve]
    across: str
    up: str
    levels: Mapping[str, float]
    points: Mapping[str, Point]

    @property
    def places(self) -> list[float]:
        """Where any of the curves has a point."""
        return sorted({place for curve in self.series.values() for place in curve})

    def falls_at(self, point: Point) -> bool:
        """Whether the curve nearest to the point goes down to its right."""
        x, y = point
        steps = [
            (abs(before[1] - y), after[1] < before[1])
            for curve in self.series.values()
            for before, after in pairwise(curve.items())
            if before[0] <= x < after[0]
        ]
        return bool(steps) and min(steps)[1]


def curves(
    series: Mapping[str, Curve],
    across: str,
    up: str,
    *,
    levels: Mapping[str, float] | None = None,
    points: Mapping[str, Point] | None = None,
    logarithmic: str = "x",
) -> Picture:
    """Draw named curves through all their points.

    across, up: what the axes are, with units. levels: heights to compare with, drawn as thin lines in the colour of the
    curve of that name, or grey. points: single ones, with their names. logarithmic: "x" or "xy".
    Raises ConfigError if there is no curve, or one with fewer than two points.

    >>> squares = {n: n * n for n in (1, 2, 4)}
    >>> print(ae.plots.curves({"squares": squares}, "n", "n²").table)
    n  squares
    1        1
    2        4
    4       16
    """
    choice("logarithmic", logarithmic, ("x", "xy"))
    if not isinstance(series, Mapping) or not series or any(len(curve) < 2 for curve in series.values()):
        raise ConfigError("each curve needs a name and two points or more, such as {'ACE': {1: 1.47, 2: 1.18}}.")
    shown = _Curves(series, across, up, levels or {}, points or {})
    return Picture(_drawn(shown, logarithmic), " ".join(_sentences(shown)), _table(shown), up)


def _drawn(shown: _Curves, logarithmic: str) -> Figure:
    figure = Figure(figsize=(WIDE, 4.2), layout="constrained")
    axes = figure.subplots()
    for i, (name, curve) in enumerate(shown.series.items()):
        look: dict[str, Any] = {"color": COLOURS[i % 7], "marker": MARKERS[i % 7], "ls": DASHES[i % 4], "ms": 5}
        axes.plot(list(curve), list(curve.values()), label=name, **look)
    for name, point in shown.points.items():
        axes.plot(*point, "o", ms=11, mfc="none", mec="black", mew=1.5)
        beside = (8, 6) if shown.falls_at(point) else (10, -12)
        axes.annotate(name, point, beside, textcoords="offset points", size=9)
    axes.set(xlabel=shown.across, ylabel=shown.up, xscale="log", yscale="log" if "y" in logarithmic else "linear")
    for axis in (axes.xaxis, axes.yaxis)[: len(logarithmic)]:
        low, high = axis.get_view_interval()
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 1000 * low else (1,)))
        in_full(axis)
        axis.set_minor_formatter(NullFormatter())
    _draw_levels(axes, shown.levels, {name: COLOURS[i % 7] for i, name in enumerate(shown.series)})
    grid(axes)
    axes.legend(frameon=False)
    return figure


def _draw_levels(axes: Axes, levels: Mapping[str, float], colours: Mapping[str, str]) -> None:
    """A thin line for each, and its name behind it, above the name of the one below."""
    high = axes.bbox.height * 72 / axes.figure.dpi
    free = 0.0
    for name, height in sorted(levels.items(), key=lambda level: level[1]):
        axes.axhline(height, color=colours.get(name, "0.35"), lw=1, linestyle=(0, (1, 2)))
        at = float(axes.transAxes.inverted().transform(axes.transData.transform((1, height)))[1]) * high
        place, free = max(at, free), max(at, free) + _APART
        colour = colours.get(name, "0.35")
        axes.annotate(
            f"{name}: {_number(height)}",
            (1.01, place / high),
            xycoords="axes fraction",
            va="center",
            size=9,
            color=colour,
        )


def _sentences(shown: _Curves) -> Iterator[str]:
    yield f"{shown.up} over {shown.across}."
    for name, curve in shown.series.items():
        ends = (
            next(iter(curve)),
            list(curve)[-1],
            min(curve, key=curve.__getitem__),
            max(curve, key=curve.__getitem__),
        )
        first, last, least, most = (f"{_number(curve[place])} at {place:,.10g}" for place in ends)
        yield f"{name}: {first}, {last}, least {least}, most {most}."
    for name, height in shown.levels.items():
        yield f"Line {name} at {_number(height)}."
    for name, (x, y) in shown.points.items():
        yield f"Point {name} at {x:,.4g}, {_number(y)}."


def _table(shown: _Curves) -> str:
    rows: list[list[object]] = [
        [f"{place:,.10g}", *(_number(curve[place]) if place in curve else "" for curve in shown.series.values())]
        for place in shown.places
    ]
    return text_table([shown.across, *shown.series], rows)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:,.4g}"
