"""Figure of workers with clocks of their own: who does what when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError, positive
from astra_edu.course.plots.figure import WIDE, Picture, TimeUnit, percent, text_table, time_axis, time_unit
from astra_edu.course.plots.looks import COMPUTE, Look
from astra_edu.course.studies.synchronisation import ACTIVITIES, Run

LOOKS = {
    "compute": COMPUTE,
    "communicate": Look("communicate", "", "#93c8ee", "#0072b2", "//"),
    "queue": Look("queue for the server", "", "#f7b787", "#d55e00", "xx"),
    "wait": Look("wait for other workers", "", "#ececec", "#8c8c8c", ".."),
}


@dataclass(frozen=True)
class _Workers:
    """What is shown: runs by their names, from 0 to until_ns."""

    runs: Mapping[str, Run]
    until_ns: float
    unit: TimeUnit

    @property
    def used(self) -> list[str]:
        """The activities that there are."""
        return [
            kind for kind in ACTIVITIES if any(span.kind == kind for run in self.runs.values() for span in run.spans)
        ]


def worker_timeline(runs: Mapping[str, Run], until_ns: float | None = None) -> Picture:
    """Draw what each worker does from 0 to until_ns (default: the shortest run's end), one run above the other.

    The table counts the whole runs. Raises ConfigError if there is no run.

    >>> from astra_edu.studies.synchronisation import Cluster, ComputeTimes, bulk_synchronous
    >>> run = bulk_synchronous(Cluster(2, ComputeTimes(mean_ns=1000, slow=2), exchange_ns=500), until_ns=10_000)
    >>> print(ae.plots.worker_timeline({"synchronous": run}).table)
    run          worker  updates  compute  communicate    wait
    synchronous       0        3   80.0 %       20.0 %   0.0 %
    synchronous       1        3   40.0 %       20.0 %  40.0 %
    synchronous     all        6   60.0 %       20.0 %  20.0 %
    """
    runs = some_runs(runs)
    shortest = min(run.until_ns for run in runs.values())
    until = shortest if until_ns is None else min(shortest, positive("until_ns", until_ns))
    shown = _Workers(runs, until, time_unit(until))
    ends = sorted({shown.unit.named(run.until_ns) for run in runs.values()})
    note = f"Updates: a worker's gradients that were applied; then shares of its time; in all ({', '.join(ends)})."
    return Picture(_drawn(shown), _alt(shown), _table(shown), note)


def some_runs(runs: Mapping[str, Run]) -> Mapping[str, Run]:
    """`runs` if there are some, by their names. Raises ConfigError otherwise."""
    if not isinstance(runs, Mapping) or not runs or not all(isinstance(run, Run) for run in runs.values()):
        raise ConfigError(
            'runs must give each run a name, such as {"asynchronous": asynchronous(cluster, until_ns)}; they are '
            f"{type(runs).__name__} {runs!r:.60}."
        )
    return runs


def _drawn(shown: _Workers) -> Figure:
    lanes = [run.workers for run in shown.runs.values()]
    figure = Figure(figsize=(WIDE, 0.24 * sum(lanes) + 0.45 * len(lanes) + 0.8), layout="constrained")
    grid = figure.subplots(len(lanes), 1, sharex=True, squeeze=False, height_ratios=[n + 1 for n in lanes])[:, 0]
    for axes, (name, run) in zip(grid, shown.runs.items(), strict=True):
        _draw_workers(axes, run, shown.until_ns, shown.unit)
        axes.set_title(f"{name}: {run.updates_per_s:,.0f} updates/s", loc="left", size=10)
    time_axis(grid[-1], shown.unit)
    grid[-1].set_xlim(0, shown.until_ns / shown.unit.ns)
    handles = [LOOKS[kind].patch() for kind in shown.used]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    return figure


def _draw_workers(axes: Axes, run: Run, until: float, unit: TimeUnit) -> None:
    for kind, look in LOOKS.items():
        for worker in range(run.workers):
            ranges = [
                (span.start_ns / unit.ns, (min(span.end_ns, until) - span.start_ns) / unit.ns)
                for span in run.spans
                if (span.worker, span.kind) == (worker, kind) and span.start_ns < until
            ]
            axes.broken_barh(ranges, (worker - 0.4, 0.8), lw=0.6, label=kind, **look.style)
    axes.set(ylim=(run.workers - 0.4, -0.6))
    axes.set_yticks(range(run.workers), [f"worker {worker}" for worker in range(run.workers)], size=9)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _alt(shown: _Workers) -> str:
    sentences = " ".join(_shares_in_words(name, run, shown.used) for name, run in shown.runs.items())
    until = shown.unit.named(shown.until_ns)
    return f"What each worker does in the first {until}: a group of lanes a run, a lane a worker. {sentences}"


def _shares_in_words(name: str, run: Run, used: Sequence[str]) -> str:
    shares = ", ".join(f"{LOOKS[kind].name} {percent(run.share(kind))}" for kind in used)
    return f"{name}, {run.updates_per_s:,.0f} updates/s: {shares}."


def _table(shown: _Workers) -> str:
    used = shown.used
    rows: list[list[object]] = []
    for name, run in shown.runs.items():
        for worker in range(run.workers):
            shares = [percent(run.time_ns(worker, kind) / run.until_ns) for kind in used]
            rows.append([name, worker, sum(update.worker == worker for update in run.updates), *shares])
        rows.append([name, "all", len(run.updates), *(percent(run.share(kind)) for kind in used)])
    return text_table(["run", "worker", "updates", *used], rows)
