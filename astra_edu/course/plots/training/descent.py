"""Figure: how the loss falls, over time or over the samples that were looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from math import exp, inf, isfinite, log
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError, choice, not_negative
from astra_edu.course.plots.axes import in_full
from astra_edu.course.plots.figure import COLOURS, MARKERS, WIDE, Picture, TimeUnit, text_table, time_axis, time_unit
from astra_edu.course.studies.synchronisation.sgd import Training

_LINES = ("-", "--", "-.", ":")
_POINTS = 80  # of a line
_ROWS = 10  # of a table over time
_APART = 0.07  # of the axes' height, between two names


_Line = tuple[list[float], list[float]]
"""The places of a line, and its heights."""


class _Curve(NamedTuple):
    """A training over one of the two axes."""

    x: tuple[float, ...]
    y: tuple[float, ...]

    def at(self, place: float) -> str:
        """The loss at a place of the axis, in words; a dash after the end."""
        reached = [y for x, y in zip(self.x, self.y, strict=True) if x <= place * 1.0001]
        return _two(reached[-1]) if place <= self.x[-1] * 1.0001 else "-"

    def stays(self, loss: float) -> float:
        """From where on the loss stays that small; infinity if it doesn't."""
        above = max((k for k, y in enumerate(self.y) if y > loss), default=-1)
        return self.x[above + 1] if above + 1 < len(self.x) else inf

    def means(self, logarithmic: bool, most: float) -> _Line:
        """The geometric mean of the losses in each short stretch of the axis, up to where one exceeds `most`."""
        points = [(x, y) for x, y in zip(self.x, self.y, strict=True) if x or not logarithmic]
        scale = log(points[-1][0] / points[0][0]) if logarithmic else points[-1][0]

        def stretch(point: tuple[float, float]) -> int:
            return round(_POINTS * (log(point[0] / points[0][0]) if logarithmic else point[0]) / max(scale, 1e-9))

        xs: list[float] = []
        ys: list[float] = []
        for _, group in groupby(points, stretch):
            inside = list(group)
            if any(y > most for _, y in inside):
                return [*xs, inside[0][0]], [*ys, most]
            xs.append(sum(x for x, _ in inside) / len(inside))
            ys.append(exp(sum(log(max(y, 1e-300)) for _, y in inside) / len(inside)))
        return xs, ys


@dataclass(frozen=True)
class _Curves:
    """What is shown. by_time: over time in `unit`; else over samples. target: a loss to draw a line at, 0 for none."""

    curves: Mapping[str, _Curve]
    by_time: bool
    unit: TimeUnit
    target: float

    @classmethod
    def of(cls, trainings: Mapping[str, Training], by_time: bool, target: float) -> _Curves:
        if not by_time:
            curves = {name: _Curve(training.samples, training.losses) for name, training in trainings.items()}
            return cls(curves, by_time, TimeUnit("samples", 1), target)
        unit = time_unit(max(t.times_ns[-1] for t in trainings.values()))
        times = {name: tuple(t / unit.ns for t in training.times_ns) for name, training in trainings.items()}
        curves = {name: _Curve(times[name], training.losses) for name, training in trainings.items()}
        return cls(curves, by_time, unit, target)

    @property
    def longest(self) -> float:
        """Where the last curve ends."""
        return max(curve.x[-1] for curve in self.curves.values())

    @property
    def across(self) -> str:
        """What the horizontal axis is."""
        return f"time ({self.unit.name})" if self.by_time else "samples looked at"

    def lines(self, top: float) -> Mapping[str, _Line]:
        """Each curve's means as they are drawn, up to a loss of `top`."""
        return {name: curve.means(not self.by_time, top) for name, curve in self.curves.items()}


def loss_curves(trainings: Mapping[str, Training], over: str = "time", target: float = 0) -> Picture:
    """Draw the loss of each training above the smallest there is, over "time" or, logarithmically, over "samples".

    target: a loss to draw a line at; the table then says from when on each training stays below it. One that diverges
    leaves the figure at its top. Raises ConfigError if there is no training, or one without a step.

    >>> from astra_edu.studies.synchronisation.sgd import Regression, descend
    >>> fixed = descend(Regression(), (16, 0.1, 50))
    >>> print(ae.plots.loss_curves({"16 samples a step": fixed}, over="samples").table)
    samples  16 samples a step
    1                       17
    4                       17
    16                      14
    """
    if not isinstance(trainings, Mapping) or not all(isinstance(t, Training) for t in trainings.values()):
        raise ConfigError(f"trainings must give each training a name; they are {trainings!r:.60}.")
    if not trainings or min(len(t.losses) for t in trainings.values()) < 2:
        raise ConfigError("trainings has none, or one without a step; give at least one that has some.")
    target = not_negative("target", target)
    shown = _Curves.of(trainings, choice("over", over, ("time", "samples")) == "time", target)
    note = "Lines: geometric means over short stretches. Table: the loss after the last step by then."
    return Picture(_drawn(shown), _alt(shown), _table(shown), note)


def _drawn(shown: _Curves) -> Figure:
    figure = Figure(figsize=(WIDE, 4.4), layout="constrained")
    axes = figure.subplots()
    top = 2 * max(curve.y[0] for curve in shown.curves.values())
    lines = shown.lines(top)
    bottom = min(min(y) for _, y in lines.values()) / 2
    for i, (name, (x, y)) in enumerate(lines.items()):
        step = max(1, len(x) // 8)
        where = (i * step // len(lines), step)
        look: dict[str, Any] = {"color": COLOURS[i % 7], "linestyle": _LINES[i % 4], "marker": MARKERS[i % 7]}
        axes.plot(x, y, markevery=where, ms=5, lw=1.6, label=name, **look)
    axes.set(yscale="log", ylim=(bottom, top), ylabel="loss above the smallest one")
    time_axis(axes, shown.unit)
    axes.set(xlabel=shown.across, xscale="linear" if shown.by_time else "log")
    axes.set_xlim(0 if shown.by_time else 1, shown.longest)
    in_full(axes.xaxis)
    axes.grid(alpha=0.3)
    _name_ends(axes, lines, {name: log(y[-1] / bottom) / log(top / bottom) for name, (_, y) in lines.items()})
    if shown.target:
        _mark_target(axes, shown.target)
    figure.legend(loc="outside upper center", handlelength=5, ncols=5, frameon=False)
    return figure


def _name_ends(axes: Axes, lines: Mapping[str, _Line], ends: Mapping[str, float]) -> None:
    """Each line's name at its end. ends: where that is, as a share of the axes' height."""
    place = -inf
    for name in sorted(ends, key=lambda name: ends[name]):
        place = max(ends[name], place + _APART)
        x, y = lines[name]
        axes.annotate(
            name,
            (x[-1], y[-1]),
            (1.03, place),
            textcoords="axes fraction",
            color=COLOURS[list(lines).index(name) % 7],
            size=9,
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": "0.6", "lw": 0.7},
        )


def _mark_target(axes: Axes, target: float) -> None:
    axes.axhline(target, color="0.35", lw=1)
    axes.annotate(
        f" {target:g}", (0, target), (0, 3), xycoords=("axes fraction", "data"), textcoords="offset points", size=9
    )


def _alt(shown: _Curves) -> str:
    words = " ".join(_fall(name, curve, shown) for name, curve in shown.curves.items())
    return f"Loss above the smallest there is, on a logarithmic axis, over {shown.across}. {words}"


def _fall(name: str, curve: _Curve, shown: _Curves) -> str:
    ends = f"{name}: from {_two(curve.y[0])} to {_two(curve.y[-1])}"
    if not shown.target:
        return f"{ends}."
    place = _where(curve.stays(shown.target))
    if place == "never":
        return f"{ends}, doesn't stay below {shown.target:g}."
    return f"{ends}, below {shown.target:g} from {place} {shown.unit.name} on."


def _table(shown: _Curves) -> str:
    every = shown.curves.values()
    places = [k * shown.longest / _ROWS for k in range(_ROWS + 1)] if shown.by_time else [4.0**k for k in range(16)]
    rows: list[list[object]] = [
        [f"{place:,.0f}", *(curve.at(place) for curve in every)] for place in places if place <= shown.longest
    ]
    if shown.target:
        stays = [_where(curve.stays(shown.target)) for curve in every]
        rows.append([f"stays below {shown.target:g} from", *stays])
    return text_table([shown.across if shown.by_time else "samples", *shown.curves], rows)


def _where(place: float) -> str:
    return "never" if place == inf else f"{place:,.0f}"


def _two(value: float) -> str:
    """Two significant digits: more need not be the same on every machine."""
    return f"{value:.2g}" if isfinite(value) and value < 1e6 else "diverged"
