"""Figure: time over message size, on both linear and logarithmic axes, with the latency floor and the slope."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import nan
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError
from astra_edu.base.run import Run
from astra_edu.base.units import MIB
from astra_edu.course.plots.axes import in_full
from astra_edu.course.plots.figure import WIDE, Picture, percent, text_table
from astra_edu.course.plots.looks import line_looks

_PAPER = {"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 1}


class _Fit(NamedTuple):
    """floor + slope × size: the latency floor in µs, the slope in µs/MiB."""

    floor: float
    slope: float

    @classmethod
    def of(cls, mib: Sequence[float], us: Sequence[float]) -> _Fit:
        """The slope of the last two points, and what it leaves of the first one."""
        slope = (us[-1] - us[-2]) / (mib[-1] - mib[-2])
        return cls(us[0] - slope * mib[0], slope)

    def words(self) -> str:
        """Both in words."""
        floor = f"floor {self.floor:,.1f} µs" if self.floor > 0 else "no floor"
        return f"{floor}, slope {self.slope:,.2f} µs/MiB"


Times = Sequence[float] | Sequence[Run]
"""Of a series: times in ns, or the runs that took them."""


@dataclass(frozen=True)
class _Swept:
    """What is shown. mib: the sizes. series: their times in µs, by name, with what was fitted to each.

    bounds: of series of runs whose messages share links, the bounds in µs (None where none are shared).
    """

    mib: Sequence[float]
    series: Mapping[str, Sequence[float]]
    fits: Mapping[str, _Fit]
    bounds: Mapping[str, Sequence[float | None]]

    @classmethod
    def of(cls, sizes: Sequence[int], times_ns: Mapping[str, Times]) -> _Swept:
        mib = [size / MIB for size in sizes]
        series = {name: [_time_ns(time) / 1000 for time in times] for name, times in times_ns.items()}
        bounds = {name: [_bound_us(time) for time in times] for name, times in times_ns.items()}
        shared = {name: us for name, us in bounds.items() if any(bound is not None for bound in us)}
        return cls(mib, series, {name: _Fit.of(mib, us) for name, us in series.items()}, shared)


def _time_ns(time: float | Run) -> float:
    return time.total_ns if isinstance(time, Run) else time


def _bound_us(time: float | Run) -> float | None:
    return time.bound_ns / 1000 if isinstance(time, Run) and time.bound_ns is not None else None


def size_sweep(sizes: Sequence[int], times_ns: Mapping[str, Times]) -> Picture:
    """Plot the times (ns) of each named series over the sizes (bytes, ascending, two or more).

    Instead of a time, give the run itself: where its messages share links, what it takes at least is shown beside what
    ASTRA-sim says, as a dashed line and a column of its own.

    Every series has a latency floor and a bandwidth slope: the slope from its last two points, the floor from its
    first point and that slope. Those of the first series are drawn as well. Raises ConfigError for sizes that don't
    ascend and for a series of another length.

    >>> sizes = [2**20, 2**24, 2**28]
    >>> times = [ae.simulate(ae.Workload.micro("all-reduce", size), ae.preset("ring")).total_ns for size in sizes]
    >>> print(ae.plots.size_sweep(sizes, {"ring of 8": times}).table)
    MiB            ring of 8 (µs)
    1                      45.681
    16                    302.077
    256                 4,404.945
    floor                    28.6
    slope per MiB           17.10
    """
    _check(sizes, times_ns)
    swept = _Swept.of(sizes, times_ns)
    return Picture(_drawn(swept), _alt(swept), _table(swept))


def _check(sizes: Sequence[int], times_ns: Mapping[str, Times]) -> None:
    if len(sizes) < 2 or any(a >= b for a, b in pairwise(sizes)) or sizes[0] <= 0:
        raise ConfigError(f"sizes are {sizes!r}; give two or more, in bytes, each larger than the one before.")
    if not times_ns:
        raise ConfigError("times_ns has no series; give at least one name with its times in ns.")
    for name, times in times_ns.items():
        if len(times) != len(sizes):
            raise ConfigError(f"{name} has {len(times)} times for {len(sizes)} sizes; give one for each size.")


def _drawn(swept: _Swept) -> Figure:
    figure = Figure(figsize=(WIDE, 4.2), layout="constrained")
    linear, logarithmic = figure.subplots(1, 2)
    looks = line_looks(swept.series)
    for axes in (linear, logarithmic):
        for name, us in swept.series.items():
            line: dict[str, Any] = {"color": looks[name].colour, "marker": looks[name].marker, "ms": 4}
            label = f"{name}: {swept.fits[name].words()}"
            axes.plot(swept.mib, us, label=label, **line)
            if name in swept.bounds:
                least = [nan if bound is None else bound for bound in swept.bounds[name]]
                label = f"{name}: at least, as its messages share links"
                axes.plot(swept.mib, least, label=label, ls="--", mfc="none", **line)
        axes.set(xlabel="size (MiB)", ylabel="time (µs)")
        axes.grid(alpha=0.3)
    linear.set_title("linear axes: one straight line")
    logarithmic.set(xscale="log", yscale="log", title="logarithmic axes: two regimes")
    in_full(linear.xaxis, linear.yaxis, logarithmic.xaxis, logarithmic.yaxis)
    first, fit = next(iter(swept.fits.items()))
    _name_linear(linear, swept.mib, fit)
    _name_logarithmic(logarithmic, swept.mib, fit, f" of {first}" if len(swept.fits) > 1 else "")
    linear.legend(fontsize=9, loc="upper left")
    return figure


def _name_linear(axes: Axes, mib: Sequence[float], fit: _Fit) -> None:
    """A triangle under the line for the slope, an arrow to where the line begins for the floor."""
    a, b = 0.4 * mib[-1], 0.6 * mib[-1]
    corner = fit.floor + fit.slope * a
    axes.plot([a, b, b], [corner, corner, fit.floor + fit.slope * b], color="0.35", lw=1)
    text = f"bandwidth slope\n{fit.slope:,.2f} µs/MiB"
    middle = fit.floor + fit.slope * (a + b) / 2
    axes.annotate(text, (b, middle), (5, 0), textcoords="offset points", va="center", size=9, bbox=_PAPER)
    if fit.floor > 0:
        share = percent(fit.floor / axes.get_ylim()[1])
        axes.annotate(
            f"latency floor {fit.floor:,.1f} µs,\n{share} of this axis",
            (0, fit.floor),
            (0.05, 0.52),
            textcoords="axes fraction",
            size=9,
            arrowprops={"arrowstyle": "->", "color": "0.35"},
            bbox=_PAPER,
        )


def _name_logarithmic(axes: Axes, mib: Sequence[float], fit: _Fit, of: str) -> None:
    """The floor as a dashed line and the slope as a dotted one, each with its name."""
    if fit.floor <= 0:
        return
    axes.axhline(fit.floor, linestyle="--", label=f"latency floor{of}: {fit.floor:,.1f} µs", color="0.35", lw=1.2)
    slope = [fit.slope * size for size in mib]
    axes.plot(mib, slope, linestyle=":", label=f"bandwidth slope{of}: {fit.slope:,.2f} µs/MiB", color="0.35", lw=1.2)
    axes.legend(handles=axes.get_lines()[-2:], fontsize=9, loc="upper left")


def _alt(swept: _Swept) -> str:
    sizes = f"Time over size for {', '.join(swept.series)}, from {swept.mib[0]:g} to {swept.mib[-1]:g} MiB. "
    said = [_sentence(name, us, swept.fits[name]) for name, us in swept.series.items()]
    said += [
        f"{name} takes at least {bounds[-1]:,.1f} µs at the end, as its messages share links."
        for name, bounds in swept.bounds.items()
        if bounds[-1] is not None
    ]
    return sizes + " ".join(said)


def _sentence(name: str, us: Sequence[float], fit: _Fit) -> str:
    floor = f"has a latency floor of {fit.floor:,.1f} µs" if fit.floor > 0 else "has no latency floor"
    return f"{name} starts at {us[0]:,.1f} µs, {floor} and grows by {fit.slope:.2f} µs per MiB to {us[-1]:,.1f} µs."


def _table(swept: _Swept) -> str:
    names = [(name, least) for name in swept.series for least in (False, True) if not least or name in swept.bounds]

    def cell(name: str, least: bool, i: int) -> str:
        us = swept.bounds[name][i] if least else swept.series[name][i]
        return "-" if us is None else f"{us:,.3f}"

    def of_fit(text: Callable[[_Fit], str]) -> list[str]:
        return ["" if least else text(swept.fits[name]) for name, least in names]

    rows: list[list[object]] = [
        [f"{size:g}", *(cell(name, least, i) for name, least in names)] for i, size in enumerate(swept.mib)
    ]
    rows.append(["floor", *of_fit(lambda fit: f"{fit.floor:,.1f}" if fit.floor > 0 else "none")])
    rows.append(["slope per MiB", *of_fit(lambda fit: f"{fit.slope:,.2f}")])
    return text_table(["MiB", *(f"{name}{', at least' if least else ''} (µs)" for name, least in names)], rows)
