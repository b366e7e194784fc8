"""Figure: how far measured training runs are from their predictions, source by source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError, choice
from astra_edu.course.plots.axes import grid
from astra_edu.course.plots.figure import COLOURS, WIDE, Picture, percent, text_table
from astra_edu.measured.spread import FEWEST, SHARES, two_thirds
from astra_edu.measured.table import compared

if TYPE_CHECKING:
    from pandas import DataFrame

OF = ("time", "memory")
FARTHEST = 1e9
"""Between measured and predicted, a factor that no run has."""
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.4, 2, 3, 5, 7, 10, 20, 50, 100)
LONGEST = 24
"""Signs of a source's name beside its row."""
NOTE = (
    f"The middle two thirds are between the ratios below which {SHARES[0]:.0%} and {SHARES[-1]:.0%} of the runs are; "
    f"of fewer than {FEWEST} runs none are given. The error is |predicted / measured − 1|."
)
RUN: dict[str, Any] = {"marker": "o", "ms": 3.2, "color": COLOURS[0], "alpha": 0.4, "mew": 0, "linestyle": ""}
RANGE: dict[str, Any] = {"marker": "|", "ms": 11, "mew": 2, "color": COLOURS[6], "lw": 2}
MEDIAN: dict[str, Any] = {"marker": "D", "ms": 6, "color": COLOURS[1], "mec": "white", "linestyle": ""}


@dataclass(frozen=True)
class _Source:
    """Measured / predicted of each run of a source, ascending."""

    ratios: tuple[float, ...]

    @property
    def median(self) -> float:
        """Half of the runs are below it."""
        return median(self.ratios)

    @property
    def range(self) -> tuple[float, float] | None:
        """Where the middle two thirds begin and end; None of few runs."""
        low, _, high = two_thirds(self.ratios)
        return (low, high) if len(self.ratios) >= FEWEST else None

    @property
    def errors(self) -> list[float]:
        """|predicted / measured − 1| of each run."""
        return [abs(1 / ratio - 1) for ratio in self.ratios]


def prediction_errors(rows: DataFrame, of: str = "time") -> Picture:
    """Draw measured / predicted of each run as a dot, a row for each source, with the median and the middle two thirds.

    rows: measured runs, as `ae.measured.runs()` has them or `ae.measured.load(path)` reads them, or what
    `ae.measured.compared` says of them. of: "time" of a step, or "memory" of the NPU that keeps most. The axis is
    logarithmic: half and twice are equally far from 1. Raises ConfigError as `ae.measured.predict` does, and where no
    run has both a measured and a predicted value.

    >>> runs = ae.measured.runs().query("source_id in ('internevo', 'simumax_b200')")
    >>> print(ae.plots.prediction_errors(runs).table)
    source        runs  median   16 %   84 %  error, median  error, mean
    internevo       28   0.993  0.964  1.059          3.2 %        3.7 %
    simumax_b200    23   1.000  0.978  1.023          1.9 %        2.1 %
    """
    choice("of", of, OF)
    found = _sources(rows, of)
    if not found:
        raise ConfigError(f"none of these runs has both a measured and a predicted {of}.")
    return Picture(_drawn(found, of), _alt(found, of), _table(found), NOTE)


def _sources(rows: DataFrame, of: str) -> dict[str, _Source]:
    """By name, in alphabetical order; those without a measured and predicted run are left out."""
    found, ratios = compared(rows), dict[str, list[float]]()
    for name, error in zip(found.compared_source, found[f"{of}_error"], strict=True):
        if error != error:
            continue
        if not 1 / FARTHEST <= 1 + error <= FARTHEST:
            raise ConfigError(
                f"a run of {name or 'no source'} has a measured {of} that is {FARTHEST:.0e} times the predicted one or "
                "more, or as much less; see whether its unit is right."
            )
        ratios.setdefault(name, []).append(1 / (1 + error))
    return {name: _Source(tuple(sorted(ratios[name]))) for name in sorted(ratios)}


def _drawn(found: Mapping[str, _Source], of: str) -> Figure:
    figure = Figure(figsize=(WIDE, 1.3 + 0.42 * len(found)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(1, color="black", lw=0.8, zorder=1)
    for place, (name, source) in enumerate(found.items()):
        _row(axes, place, source, name)
    axes.plot([], [], **RUN, label="a run")
    if any(source.range for source in found.values()):
        axes.plot([], [], **RANGE, label="middle two thirds")
    axes.plot([], [], **MEDIAN, label="median")
    names = [f"{_shortened(name or 'runs')} ({len(source.ratios):,})" for name, source in found.items()]
    axes.set_yticks(range(len(found)), names)
    axes.set(ylim=(len(found) - 0.4, -0.6), title=f"Measured over predicted {of} of training runs, by source")
    axes.set_xlabel(f"measured {of} / predicted {of} (a ratio; 1: as predicted)")
    _ratio_axis(axes, [ratio for source in found.values() for ratio in source.ratios])
    grid(axes)
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return figure


def _row(axes: Axes, place: int, source: _Source, name: str) -> None:
    """Dots of a source, spread over the height of its row, and below them, on its middle, what sums them up."""
    heights = [place + 0.64 * ((0.5 + 0.618 * k) % 1 - 0.5) for k in range(len(source.ratios))]
    axes.plot(source.ratios, heights, **RUN, zorder=2, gid=f"runs-{name}")
    if source.range:
        axes.plot(source.range, [place, place], **RANGE, zorder=3)
    axes.plot([source.median], [place], **MEDIAN, zorder=4)


def _shortened(name: str) -> str:
    """A name that leaves room for the runs; the table has all of it."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _ratio_axis(axes: Axes, ratios: Sequence[float]) -> None:
    axes.set_xscale("log")
    low, high = min(*ratios, 0.7), max(*ratios, 1.4)
    ticks = [tick for tick in TICKS if low / 1.2 <= tick <= high * 1.2]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlim(low / 1.1, high * 1.1)


def _alt(found: Mapping[str, _Source], of: str) -> str:
    return (
        f"For each source a dot for each run, at measured over predicted {of} on a logarithmic axis, a diamond at the "
        "median and a line over the middle two thirds. " + " ".join(_said(name, each) for name, each in found.items())
    )


def _said(name: str, source: _Source) -> str:
    runs = len(source.ratios)
    within = ", two thirds from {:.2f} to {:.2f}".format(*source.range) if source.range else ""
    ends = f"all from {source.ratios[0]:.2f} to {source.ratios[-1]:.2f}"
    return f"{name or 'runs'}, {runs:,} run{'s' * (runs > 1)}: median {source.median:.2f}{within}, {ends}."


def _table(found: Mapping[str, _Source]) -> str:
    rows: list[list[object]] = []
    for name, source in found.items():
        ends = [f"{end:.3f}" for end in source.range] if source.range else ["-", "-"]
        off = [percent(pick(source.errors)) for pick in (median, fmean)]
        rows.append([name or "runs", len(source.ratios), f"{source.median:.3f}", *ends, *off])
    return text_table(["source", "runs", "median", "16 %", "84 %", "error, median", "error, mean"], rows)
