"""Figures: training iterations with several endpoints, and curves over what is reserved, trained with or built."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from astra_edu.base.errors import ConfigError, choice
from astra_edu.course.plots.figure import COLOURS, MARKERS, Picture, TimeUnit, percent, text_table, time_axis
from astra_edu.course.plots.looks import COMPUTE, EXPOSED
from astra_edu.course.plots.stacked import by_name
from astra_edu.course.studies.endpoint import ACE, speed_up
from astra_edu.run.result import Result

Curve = Mapping[float, float]
"""Heights by places."""

DASHES = ("-", "--", "-.", ":")
MS = TimeUnit("ms", 1_000_000)
_APART = 11
"""Points between the names of two levels, so that both can be read."""


def endpoint_times(runs: Mapping[str, Mapping[str, Result]]) -> Picture:
    """Draw a panel for each workload, with a bar for each endpoint: compute, then exposed communication, of one pass.

    runs: runs[workload][endpoint], the endpoints by their names. Over each panel: how many times as fast as the fastest
    baseline ACE is. Raises ConfigError if there is nothing to draw, or a speed-up can't be had.

    >>> from astra_edu.studies.endpoint import ACE, COMM_OPT, iteration
    >>> runs = {each.name: iteration("vgg16", each, dims=(4, 2, 2), passes=1) for each in (COMM_OPT, ACE)}
    >>> print(ae.plots.endpoint_times({"VGG-16": runs}).table)
    one iteration (ms)  compute  exposed  in all
    VGG-16, CommOpt      36.937    0.000  36.937
    VGG-16, ACE          30.200    0.000  30.200
    """
    if not isinstance(runs, Mapping) or not runs:
        raise ConfigError(f"runs are {runs!r:.60}; give {{'DLRM': {{'ACE': iteration('dlrm', ACE), …}}}}.")
    most = max(len(by_name(found, Result, "{'ACE': iteration('dlrm', ACE)}")) for found in runs.values())
    figure = Figure(figsize=(11, 0.36 * most + 1.5), layout="constrained")
    rows: list[list[object]] = []
    alt = ["A panel for each workload, with a bar for each endpoint: compute first, then exposed communication."]
    for axes, (workload, found) in zip(figure.subplots(1, len(runs), squeeze=False)[0], runs.items(), strict=True):
        parts = [
            [ns / result.passes / MS.ns for ns in (result.compute_ns, result.exposed_ns)] for result in found.values()
        ]
        for column, look in enumerate((COMPUTE, EXPOSED)):
            lefts = [sum(each[:column]) for each in parts]
            lengths = [each[column] for each in parts]
            axes.barh(range(len(parts)), lengths, 0.66, lefts, fc=look.fill, ec=look.colour, hatch=look.hatch)
        for place, each in enumerate(parts):
            axes.annotate(
                f"{sum(each):,.3f}", (sum(each), place), (4, 0), textcoords="offset points", va="center", size=9
            )
        axes.set_yticks(range(len(parts)), list(found))
        axes.set(ylim=(len(parts) - 0.5, -0.5), xlim=(0, 1.35 * max(map(sum, parts))))
        axes.set_title(f"{workload}: {ACE.name} × {speed_up(found):.2f}", size=10, loc="left")
        time_axis(axes, MS)
        axes.xaxis.set_major_locator(MaxNLocator(4))
        said = []
        for name, each in zip(found, parts, strict=True):
            total = f"{sum(each):,.3f}"
            rows.append([f"{workload}, {name}", *(f"{part:,.3f}" for part in each), total])
            said.append(f"{name} {total} ms, {percent(each[1] / sum(each))} exposed")
        alt.append(
            f"{workload}, {ACE.name} {speed_up(found):.2f} times as fast as the best baseline: {'; '.join(said)}."
        )
    figure.legend(handles=[COMPUTE.patch(), EXPOSED.patch()], loc="outside upper center", ncols=2, frameon=False)
    header = ["one iteration (ms)", "compute", "exposed", "in all"]
    return Picture(figure, " ".join(alt), text_table(header, rows))


def curves(
    series: Mapping[str, Curve],
    across: str,
    up: str,
    *,
    levels: Mapping[str, float] | None = None,
    points: Mapping[str, tuple[float, float]] | None = None,
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
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    axes = figure.subplots()
    for i, (name, curve) in enumerate(series.items()):
        look: dict[str, Any] = {"color": COLOURS[i % 7], "marker": MARKERS[i % 7], "ls": DASHES[i % 4], "ms": 5}
        axes.plot(list(curve), list(curve.values()), label=name, **look)
    for name, point in (points or {}).items():
        axes.plot(*point, "o", ms=11, mfc="none", mec="black", mew=1.5)
        beside = (8, 6) if _falls(series, point) else (10, -12)
        axes.annotate(name, point, beside, textcoords="offset points", size=9)
    axes.set(xlabel=across, ylabel=up, xscale="log", yscale="log" if "y" in logarithmic else "linear")
    for axis in (axes.xaxis, axes.yaxis)[: len(logarithmic)]:
        low, high = axis.get_view_interval()
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 1000 * low else (1,)))
        axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
        axis.set_minor_formatter(NullFormatter())
    _draw_levels(axes, levels or {}, {name: COLOURS[i % 7] for i, name in enumerate(series)})
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    places = sorted({place for curve in series.values() for place in curve})
    rows: list[list[object]] = [
        [f"{place:,.10g}", *(_number(curve[place]) if place in curve else "" for curve in series.values())]
        for place in places
    ]
    return Picture(
        figure, _alt(series, across, up, levels or {}, points or {}), text_table([across, *series], rows), up
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:,.4g}"


def _falls(series: Mapping[str, Curve], point: tuple[float, float]) -> bool:
    """Whether the curve nearest to the point goes down to its right."""
    x, y = point
    steps = [
        (abs(before[1] - y), after[1] < before[1])
        for curve in series.values()
        for before, after in pairwise(curve.items())
        if before[0] <= x < after[0]
    ]
    return bool(steps) and min(steps)[1]


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
            size=8,
            color=colour,
        )


def _alt(
    series: Mapping[str, Curve],
    across: str,
    up: str,
    levels: Mapping[str, float],
    points: Mapping[str, tuple[float, float]],
) -> str:
    words = [f"{up} over {across}."]
    for name, curve in series.items():
        first, last = next(iter(curve)), list(curve)[-1]
        least, most = min(curve, key=curve.__getitem__), max(curve, key=curve.__getitem__)
        words.append(
            f"{name}: {_number(curve[first])} at {first:,.10g}, {_number(curve[last])} at {last:,.10g}, "
            f"least {_number(curve[least])} at {least:,.10g}, most {_number(curve[most])} at {most:,.10g}."
        )
    words += [f"Line {name} at {_number(height)}." for name, height in levels.items()]
    words += [f"Point {name} at {x:,.4g}, {_number(y)}." for name, (x, y) in points.items()]
    return " ".join(words)
