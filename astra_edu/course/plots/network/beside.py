"""Figure: what is simulated here as lines, and what another simulator says of the same as hollow marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError, flag
from astra_edu.course.plots.axes import grid
from astra_edu.course.plots.figure import COLOURS, MARKERS, WIDE, Picture, text_table

Points = Mapping[float, float]
"""Heights by places."""

_NAMED = "25"
"""First digits of the heights between powers of ten that have a name."""


@dataclass(frozen=True)
class _Beside:
    """What is shown. ours, theirs: points by name; other: who they are; across, up: what the axes are."""

    ours: Mapping[str, Points]
    theirs: Mapping[str, Points]
    other: str
    across: str
    up: str
    log_x: bool
    log_y: bool

    @property
    def places(self) -> list[float]:
        return sorted({place for points in (*self.ours.values(), *self.theirs.values()) for place in points})


def beside(
    ours: Mapping[str, Points],
    theirs: Mapping[str, Points],
    other: str,
    across: str,
    up: str,
    *,
    log_x: bool = False,
    log_y: bool = False,
) -> Picture:
    """Draw what was simulated here as lines, and another simulator's figures as hollow marks.

    ours, theirs: {name: {x: y}}; every name of theirs is one of ours. other: the other simulator. across, up: what the
    axes are, with units. Raises ConfigError for names of theirs that are none of ours, and for lines without points.

    >>> print(ae.plots.beside({"mesh": {1: 10.0, 2: 12.0}}, {"mesh": {1: 10.5}}, "BookSim 2", "load", "cycles").table)
    load  mesh  BookSim 2
    1       10       10.5
    2       12
    """
    if not ours or any(not points for points in ours.values()):
        raise ConfigError("ours has a line without points; give {name: {x: y}}.")
    if unknown := [name for name in theirs if name not in ours]:
        raise ConfigError(f"theirs has {', '.join(map(repr, unknown))}; ours has {', '.join(map(repr, ours))}.")
    shown = _Beside(ours, theirs, other, across, up, flag("log_x", log_x), flag("log_y", log_y))
    return Picture(_drawn(shown), _alt(shown), _table(shown), up)


def _drawn(shown: _Beside) -> Figure:
    figure = Figure(figsize=(WIDE, 4.0), layout="constrained")
    axes = figure.subplots()
    for k, (name, points) in enumerate(shown.ours.items()):
        axes.plot(list(points), list(points.values()), color=COLOURS[k % 7], marker=MARKERS[k % 7], ms=5, label=name)
    for k, name in enumerate(shown.ours):
        points = shown.theirs.get(name, {})
        axes.plot(
            *(list(points), list(points.values())),
            marker=MARKERS[k % 7],
            mec=COLOURS[k % 7],
            ls="none",
            ms=10,
            mfc="none",
            mew=1.3,
        )
    axes.plot([], [], "o", ms=10, mfc="none", mec="0.3", mew=1.3, label=f"{shown.other} (hollow)")
    axes.set_yscale("log" if shown.log_y else "linear")
    if shown.log_x:
        axes.set_xscale("log", base=2)
        axes.set_xticks(shown.places, [f"{place:g}" for place in shown.places])
        axes.minorticks_off()
    if not shown.log_y:
        axes.set_ylim(0, None)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in _NAMED else "")
    axes.set(xlabel=shown.across, ylabel=shown.up)
    grid(axes)
    axes.legend(fontsize=9)
    return figure


def _alt(shown: _Beside) -> str:
    sentences = []
    for name, points in shown.ours.items():
        (first, low), (last, high) = min(points.items()), max(points.items())
        text = f"{name}: {low:,.4g} at {first:g}, {high:,.4g} at {last:g}"
        both = {x: points[x] / y for x, y in shown.theirs.get(name, {}).items() if x in points and y}
        if both:
            worst = max(both, key=lambda x: max(both[x], 1 / both[x]))
            text += f"; farthest from {shown.other} at {worst:g}, {both[worst]:.3g} times its figure"
        sentences.append(f"{text}.")
    return f"{shown.up} over {shown.across}, ours as lines, {shown.other} as hollow marks. {' '.join(sentences)}"


def _table(shown: _Beside) -> str:
    columns: list[tuple[str, Points]] = []
    for name, points in shown.ours.items():
        columns.append((name, points))
        if name in shown.theirs:
            columns.append((shown.other, shown.theirs[name]))
    rows: list[list[object]] = [
        [f"{place:g}", *(f"{points[place]:,.4g}" if place in points else "" for _, points in columns)]
        for place in shown.places
    ]
    return text_table([shown.across, *(name for name, _ in columns)], rows)
