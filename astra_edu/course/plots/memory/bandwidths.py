"""Figure: what a bandwidth of a memory system means for its iterations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError, positive
from astra_edu.course.plots.axes import grid, in_full
from astra_edu.course.plots.figure import COLOURS, MARKERS, WIDE, Picture, text_table


@dataclass(frozen=True)
class _Sweep:
    """What is shown. of: whose bandwidth it is. what: what the series are. marks: single points by name."""

    bandwidths: Sequence[float]
    series: Mapping[str, Sequence[float]]
    of: str
    what: str
    marks: Mapping[str, tuple[float, float]]


def bandwidth_sweep(
    bandwidths: Sequence[float],
    series: Mapping[str, Sequence[float]],
    *,
    of: str,
    what: str,
    marks: Mapping[str, tuple[float, float]] | None = None,
) -> Picture:
    """Draw each named series over bandwidths (bytes/ns, ascending), with its name at its end.

    of: whose bandwidth it is. what: what the series are, with their unit. marks: single points by name, such as the
    system that was chosen. Raises ConfigError for bandwidths that don't ascend and for series of another length.

    >>> bandwidths = [50, 100, 200]
    >>> print(ae.plots.bandwidth_sweep(bandwidths, {"load": [4, 2, 1]}, of="the pool", what="time (ms)").table)
    10⁹ bytes/s  load
    50              4
    100             2
    200             1
    """
    _check(bandwidths, series)
    sweep = _Sweep(bandwidths, series, of, what, marks or {})
    return Picture(_drawn(sweep), _alt(sweep), _table(sweep))


def _check(bandwidths: Sequence[float], series: Mapping[str, Sequence[float]]) -> None:
    for bandwidth in bandwidths:
        positive("bandwidth", bandwidth)
    if len(bandwidths) < 2 or any(a >= b for a, b in pairwise(bandwidths)):
        raise ConfigError(f"bandwidths are {bandwidths!r}; give two or more, each larger than the one before.")
    if not series or len(series) > len(MARKERS):
        raise ConfigError(f"{len(series)} series can't be told apart in one figure; give 1 to {len(MARKERS)}.")
    for name, values in series.items():
        if len(values) != len(bandwidths):
            raise ConfigError(f"{name} has {len(values)} values for {len(bandwidths)} bandwidths; give one for each.")


def _drawn(sweep: _Sweep) -> Figure:
    figure = Figure(figsize=(WIDE, 4.2), layout="constrained")
    axes = figure.subplots()
    for i, (name, values) in enumerate(sweep.series.items()):
        look: dict[str, Any] = {"color": COLOURS[i], "marker": MARKERS[i], "mfc": "none"}
        size = 11 - 1.3 * i  # so that equal lines show one around the other
        axes.plot(sweep.bandwidths, values, ms=size, mew=1.5, label=name, **look)
    for name, (bandwidth, value) in sweep.marks.items():
        axes.plot([bandwidth], [value], "o", ms=18, mfc="none", mec="black", mew=1.5)
        axes.annotate(name, (bandwidth, value), (12, 12), textcoords="offset points", size=9, weight="bold")
    if sweep.bandwidths[-1] / sweep.bandwidths[0] > 20:
        axes.set_xscale("log")
    in_full(axes.xaxis, axes.yaxis)
    axes.set(xlabel=f"bandwidth of {sweep.of} (10⁹ bytes/s)", ylabel=sweep.what, ylim=(0, None))
    grid(axes)
    figure.legend(loc="outside right upper", frameon=False)
    return figure


def _alt(sweep: _Sweep) -> str:
    first, last = (f"{bandwidth:,.10g}" for bandwidth in (sweep.bandwidths[0], sweep.bandwidths[-1]))
    sentences = [
        f"{name}: from {values[0]:,.4g} at {first} to {values[-1]:,.4g} at {last}."
        for name, values in sweep.series.items()
    ]
    sentences += [f"Marked, {name}: {value:,.4g} at {x:,.10g}." for name, (x, value) in sweep.marks.items()]
    return f"Lines over the bandwidth of {sweep.of}: {sweep.what}. {' '.join(sentences)}"


def _table(sweep: _Sweep) -> str:
    rows: list[list[object]] = [
        [f"{bandwidth:,.10g}", *(f"{values[i]:,.4g}" for values in sweep.series.values())]
        for i, bandwidth in enumerate(sweep.bandwidths)
    ]
    return text_table(["10⁹ bytes/s", *sweep.series], rows)
