"""Figures of workers with clocks of their own: who does what when, and how stale the gradients are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError, positive
from astra_edu.course.plots.figure import COLOURS, Picture, TimeUnit, percent, text_table, time_axis, time_unit
from astra_edu.course.plots.looks import COMPUTE, Look
from astra_edu.course.studies.synchronisation import ACTIVITIES, Run

LOOKS = {
    "compute": COMPUTE,
    "communicate": Look("communicate", "", "#93c8ee", "#0072b2", "//"),
    "queue": Look("queue for the server", "", "#f7b787", "#d55e00", "xx"),
    "wait": Look("wait for other workers", "", "#ececec", "#8c8c8c", ".."),
}
_PAPER = {"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 1}
_BARS = 40  # at most, of a histogram


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
    runs = _some(runs)
    shortest = min(run.until_ns for run in runs.values())
    until = shortest if until_ns is None else min(shortest, positive("until_ns", until_ns))
    unit = time_unit(until)
    lanes = [run.workers for run in runs.values()]
    figure = Figure(figsize=(11, 0.24 * sum(lanes) + 0.45 * len(lanes) + 0.8), layout="constrained")
    grid = figure.subplots(len(lanes), 1, sharex=True, squeeze=False, height_ratios=[n + 1 for n in lanes])
    for axes, (name, run) in zip(grid[:, 0], runs.items(), strict=True):
        _draw_workers(axes, run, until, unit)
        axes.set_title(f"{name}: {run.updates_per_s:,.0f} updates/s", loc="left", size=10)
    time_axis(grid[-1, 0], unit)
    grid[-1, 0].set_xlim(0, until / unit.ns)
    used = [kind for kind in ACTIVITIES if any(span.kind == kind for run in runs.values() for span in run.spans)]
    handles = [LOOKS[kind].patch() for kind in used]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    alt = (
        f"What each worker does in the first {unit.named(until)}: a group of lanes a run, a lane a worker. "
        + " ".join(_shares_in_words(name, run, used) for name, run in runs.items())
    )
    ends = sorted({unit.named(run.until_ns) for run in runs.values()})
    note = f"Updates: a worker's gradients that were applied; then shares of its time; in all ({', '.join(ends)})."
    return Picture(figure, alt, _worker_table(runs, used), note)


def _draw_workers(axes: Axes, run: Run, until: float, unit: TimeUnit) -> None:
    for kind, look in LOOKS.items():
        for worker in range(run.workers):
            ranges = [
                (span.start_ns / unit.ns, (min(span.end_ns, until) - span.start_ns) / unit.ns)
                for span in run.spans
                if (span.worker, span.kind) == (worker, kind) and span.start_ns < until
            ]
            axes.broken_barh(
                ranges,
                (worker - 0.4, 0.8),
                facecolor=look.fill,
                edgecolor=look.colour,
                hatch=look.hatch,
                lw=0.6,
                label=kind,
            )
    axes.set(ylim=(run.workers - 0.4, -0.6))
    axes.set_yticks(range(run.workers), [f"worker {worker}" for worker in range(run.workers)], size=8)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _shares_in_words(name: str, run: Run, used: Sequence[str]) -> str:
    shares = ", ".join(f"{LOOKS[kind].name} {percent(run.share(kind))}" for kind in used)
    return f"{name}, {run.updates_per_s:,.0f} updates/s: {shares}."


def _worker_table(runs: Mapping[str, Run], used: Sequence[str]) -> str:
    rows: list[list[object]] = []
    for name, run in runs.items():
        for worker in range(run.workers):
            shares = [percent(run.time_ns(worker, kind) / run.until_ns) for kind in used]
            rows.append([name, worker, sum(update.worker == worker for update in run.updates), *shares])
        rows.append([name, "all", len(run.updates), *(percent(run.share(kind)) for kind in used)])
    return text_table(["run", "worker", "updates", *used], rows)


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
    runs = _some(runs)
    means = {name: run.mean_staleness for name, run in runs.items()}
    most = max(max(run.staleness) for run in runs.values())
    width = -(-(most + 1) // _BARS)
    bins = range(0, most + 1, width)
    figure = Figure(figsize=(min(11, 3.7 * len(runs) + 1), 3), layout="constrained")
    grid = figure.subplots(1, len(runs), sharex=True, sharey=True, squeeze=False)
    columns = []
    for i, (axes, (name, run)) in enumerate(zip(grid[0], runs.items(), strict=True)):
        shares = [sum(run.staleness.get(s, 0) for s in range(b, b + width)) / len(run.updates) for b in bins]
        columns.append(shares)
        middles = [b + (width - 1) / 2 for b in bins]
        axes.bar(middles, [100 * share for share in shares], 0.9 * width, color=COLOURS[i % 7], alpha=0.75)
        axes.axvline(means[name], color="black", linestyle="--", lw=1.2)
        side = "left" if means[name] < most / 2 else "right"
        at = (8 if side == "left" else -8, 0)
        axes.annotate(
            f"mean {means[name]:.2f}",
            (means[name], 0.9),
            at,
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha=side,
            bbox=_PAPER,
        )
        axes.set_title(name, loc="left", size=10)
        axes.set_xlabel("staleness (steps)")
        axes.spines[["top", "right"]].set_visible(False)
    grid[0, 0].set_ylabel("share of updates (%)")
    names = [str(b) if width == 1 else f"{b} to {b + width - 1}" for b in bins]
    rows: list[list[object]] = [
        [name, *(percent(column[k]) if column[k] else "-" for column in columns)] for k, name in enumerate(names)
    ]
    rows.append(["mean", *(f"{mean:.2f}" for mean in means.values())])
    alt = "A histogram of the updates' staleness for each run. " + " ".join(
        f"{name}: from {min(run.staleness)} to {max(run.staleness)} steps, {means[name]:.2f} on average."
        for name, run in runs.items()
    )
    return Picture(figure, alt, text_table(["staleness (steps)", *runs], rows))


def _some(runs: Mapping[str, Run]) -> Mapping[str, Run]:
    """`runs` if there are some, by their names. Raises ConfigError otherwise."""
    if not isinstance(runs, Mapping) or not runs or not all(isinstance(run, Run) for run in runs.values()):
        raise ConfigError(
            'runs must give each run a name, such as {"asynchronous": asynchronous(cluster, until_ns)}; they are '
            f"{type(runs).__name__} {runs!r:.60}."
        )
    return runs
