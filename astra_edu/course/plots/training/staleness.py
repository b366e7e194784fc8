"""Figure: how stale the gradients of workers with clocks of their own are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.course.plots.axes import open_frame
from astra_edu.course.plots.figure import COLOURS, WIDE, Picture, percent, text_table
from astra_edu.course.plots.training.workers import some_runs
from astra_edu.course.studies.synchronisation import Run

_PAPER = {"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 1}
_BARS = 40  # at most, of a histogram


@dataclass(frozen=True)
class _Histogram:
    """Of a run. shares: of the updates in each bin. least, most, mean: staleness in steps."""

    shares: Sequence[float]
    least: int
    most: int
    mean: float

    @classmethod
    def of(cls, run: Run, mean: float, bins: range) -> _Histogram:
        shares = [sum(run.staleness.get(s, 0) for s in range(b, b + bins.step)) / len(run.updates) for b in bins]
        return cls(shares, min(run.staleness), max(run.staleness), mean)


@dataclass(frozen=True)
class _Histograms:
    """What is shown: histograms by the names of the runs. bins: where each begins, in steps."""

    by_name: Mapping[str, _Histogram]
    bins: range

    @classmethod
    def of(cls, runs: Mapping[str, Run]) -> _Histograms:
        """Raises ConfigError for a run without updates."""
        means = {name: run.mean_staleness for name, run in runs.items()}
        most = max(max(run.staleness) for run in runs.values())
        bins = range(0, most + 1, -(-(most + 1) // _BARS))
        return cls({name: _Histogram.of(run, means[name], bins) for name, run in runs.items()}, bins)

    @property
    def most(self) -> int:
        """The largest staleness of all."""
        return max(one.most for one in self.by_name.values())


def staleness(runs: Mapping[str, Run]) -> Picture:
    """Draw how the staleness of the updates is distributed, a histogram for each run, with its mean.

    Raises ConfigError if there is no run, or a run without updates.

    >>> from astra_edu.studies.synchronisation import Cluster, ComputeTimes, asynchronous
    >>> run = asynchronous(Cluster(4, ComputeTimes(mean_ns=1000, slow=2), transfer_ns=50), until_ns=20_000)
    >>> print(ae.plots.staleness({"asynchronous": run}).table)
    staleness (steps)  asynchronous
    0                         1.6 %
    1                         1.6 %
    2                        39.7 %
    3                        44.4 %
    4                             -
    5                             -
    6                        12.7 %
    mean                       2.90
    """
    shown = _Histograms.of(some_runs(runs))
    return Picture(_drawn(shown), _alt(shown), _table(shown))


def _drawn(shown: _Histograms) -> Figure:
    count = len(shown.by_name)
    figure = Figure(figsize=(min(WIDE, 3.7 * count + 1), 3), layout="constrained")
    grid = figure.subplots(1, count, sharex=True, sharey=True, squeeze=False)[0]
    for i, (axes, (name, one)) in enumerate(zip(grid, shown.by_name.items(), strict=True)):
        middles = [b + (shown.bins.step - 1) / 2 for b in shown.bins]
        heights = [100 * share for share in one.shares]
        axes.bar(middles, heights, 0.9 * shown.bins.step, color=COLOURS[i % 7], alpha=0.75)
        _mark_mean(axes, one.mean, left=one.mean < shown.most / 2)
        axes.set_title(name, loc="left", size=10)
        axes.set_xlabel("staleness (steps)")
        open_frame(axes)
    grid[0].set_ylabel("share of updates (%)")
    return figure


def _mark_mean(axes: Axes, mean: float, left: bool) -> None:
    axes.axvline(mean, color="black", linestyle="--", lw=1.2)
    axes.annotate(
        f"mean {mean:.2f}",
        (mean, 0.9),
        (8 if left else -8, 0),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        ha="left" if left else "right",
        bbox=_PAPER,
    )


def _alt(shown: _Histograms) -> str:
    return "A histogram of the updates' staleness for each run. " + " ".join(
        f"{name}: from {one.least} to {one.most} steps, {one.mean:.2f} on average."
        for name, one in shown.by_name.items()
    )


def _table(shown: _Histograms) -> str:
    every, wide = shown.by_name.values(), shown.bins.step
    rows: list[list[object]] = []
    for k, b in enumerate(shown.bins):
        shares = [percent(one.shares[k]) if one.shares[k] else "-" for one in every]
        rows.append([str(b) if wide == 1 else f"{b} to {b + wide - 1}", *shares])
    rows.append(["mean", *(f"{one.mean:.2f}" for one in every)])
    return text_table(["staleness (steps)", *shown.by_name], rows)
