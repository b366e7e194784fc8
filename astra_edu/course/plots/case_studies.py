"""Figures of case studies 1 and 2: how much of its bandwidth an all-reduce uses, and where an iteration's time goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from astra_edu.base.errors import ConfigError, choice
from astra_edu.base.units import format_bytes, format_ns
from astra_edu.course.plots.figure import COLOURS, MARKERS, Picture, percent, text_table, time_unit
from astra_edu.course.plots.looks import COMPUTE, EXPOSED
from astra_edu.course.plots.measured_collectives import size_axis
from astra_edu.course.studies.case_studies.collectives import SCHEDULERS, UNRELEASED, AllReduce
from astra_edu.run.trace_result import TraceResult

_HATCHES = ("", "//", "\\\\", "..", "xx", "--", "++")
_FILLS = ("#e8e8e8", "#93c8ee", "#f7b787", "#9fd8c3", "#e2b6d2", "#f3e79b", "#d6e6f2")
_DASHES = ("-", "--", ":", "-.")
_MOST = len(MARKERS)
Runs = Mapping[str, Mapping[str, TraceResult]]
"""For each workload a run on every system, by their names."""


def bandwidth_used(rows: Sequence[AllReduce]) -> Picture:
    """Draw the share of the bandwidth that an all-reduce uses over its size: a part for each scheduler, a line for each
    system. Raises ConfigError for no rows, for more systems than can be told apart, and for one size alone.

    >>> from astra_edu.studies.case_studies import all_reduces
    >>> rows = list(all_reduces(["W-2D"], ["baseline"], sizes=[2**20, 2**24], splits=8))
    >>> print(ae.plots.bandwidth_used(rows).table)
    bandwidth used  1 MiB  16 MiB
    W-2D, baseline    50%     51%
    """
    systems, schedulers = _names(rows)
    sizes = sorted({row.size for row in rows})
    if len(sizes) < 2:
        raise ConfigError(f"all rows are of {format_bytes(sizes[0])}; give two sizes or more, or use all_reduce_bars.")
    used = {(row.system, row.scheduler, row.size): row.used for row in rows}
    figure = Figure(figsize=(1.5 + 4 * len(schedulers), 4.2), layout="constrained")
    grid = figure.subplots(1, len(schedulers), sharey=True, squeeze=False)[0]
    for axes, scheduler in zip(grid, schedulers, strict=True):
        for i, system in enumerate(systems):
            points = [
                (size, 100 * used[system, scheduler, size]) for size in sizes if (system, scheduler, size) in used
            ]
            look = {"color": COLOURS[i], "marker": MARKERS[i], "ls": _DASHES[i % len(_DASHES)]}
            axes.plot(*zip(*points, strict=True), label=system, ms=9 - i, mfc="none", mew=1.5, **look)
        size_axis(axes, sizes)
        axes.set_title(scheduler, size=10)
        axes.tick_params(axis="x", labelrotation=45)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    grid[0].set(ylabel="bandwidth used (%)", ylim=(0, 104))
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside right upper", frameon=False)
    table: list[list[object]] = [
        [f"{system}, {scheduler}", *(_share(used.get((system, scheduler, size))) for size in sizes)]
        for scheduler in schedulers
        for system in systems
    ]
    alt = (
        f"Share of the bandwidth that an all-reduce uses, over its size from {format_bytes(sizes[0])} to "
        f"{format_bytes(sizes[-1])}, a part for each scheduler. "
        + " ".join(
            f"{scheduler}, {format_bytes(sizes[-1])}: "
            + ", ".join(f"{system} {_share(used.get((system, scheduler, sizes[-1])))}" for system in systems)
            + "."
            for scheduler in schedulers
        )
    )
    return Picture(figure, alt, text_table(["bandwidth used", *map(format_bytes, sizes)], table), _note(schedulers))


def all_reduce_bars(rows: Sequence[AllReduce]) -> Picture:
    """Draw the time of all-reduces of one size: a group of bars for each system, a bar for each scheduler.

    A line marks the least time that the system's bandwidth allows. Raises ConfigError for rows of several sizes.

    >>> from astra_edu.studies.case_studies import all_reduces
    >>> rows = list(all_reduces(["W-2D"], ["baseline", "Themis, SCF"], sizes=[2**24], splits=8))
    >>> print(ae.plots.all_reduce_bars(rows).table)
    system             time (µs)  least (µs)  bandwidth used
    W-2D, baseline       121.328      62.378          51.4 %
    W-2D, Themis, SCF     71.904      62.378          86.8 %
    """
    systems, schedulers = _names(rows)
    sizes = {row.size for row in rows}
    if len(sizes) > 1:
        raise ConfigError(f"the rows are of {len(sizes)} sizes; give those of one size, or use bandwidth_used.")
    unit = time_unit(max(row.total_ns for row in rows))
    height = 0.8 / len(schedulers)
    figure = Figure(figsize=(10, 0.32 * len(rows) + 1.5), layout="constrained")
    axes = figure.subplots()
    for row in rows:
        kind = schedulers.index(row.scheduler)
        place = systems.index(row.system) + (kind - (len(schedulers) - 1) / 2) * height
        axes.barh(
            place, row.total_ns / unit.ns, 0.9 * height, facecolor=_FILLS[kind], edgecolor="0.2", hatch=_HATCHES[kind]
        )
        axes.vlines(row.least_ns / unit.ns, place - height / 2, place + height / 2, color="black", lw=2)
        note = f"{unit.text(row.total_ns)} {unit.name}, {row.used:.0%} used"
        axes.annotate(note, (row.total_ns / unit.ns, place), (5, 0), textcoords="offset points", va="center", size=8)
    axes.set_yticks(range(len(systems)), systems)
    axes.set(ylim=(len(systems) - 0.5, -0.5), xlabel=f"all-reduce of {format_bytes(rows[0].size)} ({unit.name})")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axes.margins(x=0.2)
    axes.set_xlim(0, None)
    axes.spines[["top", "right"]].set_visible(False)
    entries = [
        Patch(facecolor=_FILLS[i], edgecolor="0.2", hatch=2 * _HATCHES[i], label=name)
        for i, name in enumerate(schedulers)
    ]
    least = axes.vlines([], 0, 1, color="black", lw=2, label="least time")
    figure.legend(handles=[*entries, least], loc="outside upper center", ncols=len(entries) + 1, frameon=False)
    table: list[list[object]] = [
        [f"{row.system}, {row.scheduler}", unit.text(row.total_ns), unit.text(row.least_ns), percent(row.used)]
        for row in rows
    ]
    alt = (
        f"Time of an all-reduce of {format_bytes(rows[0].size)}, a bar for each scheduler on each system. "
        + " ".join(
            f"{row.system}, {row.scheduler}: {unit.named(row.total_ns)}, {row.used:.0%} of the bandwidth used."
            for row in rows
        )
    )
    header = ["system", f"time ({unit.name})", f"least ({unit.name})", "bandwidth used"]
    return Picture(figure, alt, text_table(header, table), _note(schedulers))


def training_bars(runs: Runs, reference: str) -> Picture:
    """Draw compute and exposed communication of an iteration: a part for each workload, a bar for each run.

    Lengths are relative to the run called `reference` of the same workload. Raises ConfigError where that is missing.

    >>> from astra_edu.studies.case_studies import Job, suited, train
    >>> job = Job("VGG-16", ae.model("vgg16"), ae.Strategy(data=8))
    >>> networks = {name: suited((ae.Block(name, 8, 50, 500),)) for name in ("Ring", "Switch")}
    >>> runs = {job.name: {name: train(job, platform) for name, platform in networks.items()}}
    >>> print(ae.plots.training_bars(runs, "Ring").table)
    an iteration (ms)  compute  exposed   total  exposed share  relative
    VGG-16, Ring         0.735   12.621  13.356         94.5 %     1.000
    VGG-16, Switch       0.735   12.105  12.840         94.3 %     0.961
    """
    if not isinstance(runs, Mapping) or not runs or not all(isinstance(each, Mapping) for each in runs.values()):
        raise ConfigError('give runs by workload and name, such as {"GPT-3": {"W-2D": train(job, platform)}}.')
    for workload, results in runs.items():
        choice(f"reference of {workload}", reference, results)
    most = max(len(results) for results in runs.values())
    figure = Figure(figsize=(2 + 3.3 * len(runs), 0.34 * most + 1.5), layout="constrained")
    grid = figure.subplots(1, len(runs), squeeze=False)[0]
    for number, (axes, (workload, results)) in enumerate(zip(grid, runs.items(), strict=True)):
        _stack(axes, results, results[reference].total_ns)
        axes.set_title(workload, size=10)
        if number:
            axes.set_yticklabels([])
    grid[0].set_xlabel(f"time of an iteration ({reference} = 1)", loc="left")
    figure.legend(handles=[COMPUTE.patch(), EXPOSED.patch()], loc="outside upper center", ncols=2, frameon=False)
    table: list[list[object]] = []
    for workload, results in runs.items():
        base = results[reference].total_ns
        for name, result in results.items():
            compute, exposed, total = result.compute_ns[0], result.exposed_ns[0], result.total_ns
            share = percent(exposed / total)
            times = [f"{ns / 1e6:,.3f}" for ns in (compute, exposed, total)]
            table.append([f"{workload}, {name}", *times, share, f"{total / base:.3f}"])
    alt = f"Bars of compute and exposed communication, relative to {reference}. " + " ".join(
        f"{workload}: "
        + ", ".join(
            f"{name} {result.total_ns / results[reference].total_ns:.2f} ({format_ns(result.total_ns)}, "
            f"{percent(result.exposed_ns[0] / result.total_ns)} exposed)"
            for name, result in results.items()
        )
        + "."
        for workload, results in runs.items()
    )
    header = ["an iteration (ms)", "compute", "exposed", "total", "exposed share", "relative"]
    every = [result for results in runs.values() for result in results.values()]
    themis = any(result.platform.system.inter_dimension != "baseline" for result in every)
    return Picture(figure, alt, text_table(header, table), UNRELEASED if themis else "")


def _stack(axes: Axes, results: Mapping[str, TraceResult], base: float) -> None:
    names = list(results)
    compute = [result.compute_ns[0] / base for result in results.values()]
    exposed = [result.exposed_ns[0] / base for result in results.values()]
    for look, lengths, starts in ((COMPUTE, compute, [0.0] * len(names)), (EXPOSED, exposed, compute)):
        axes.barh(
            range(len(names)), lengths, 0.72, starts, facecolor=look.fill, edgecolor=look.colour, hatch=look.hatch
        )
    for place, result in enumerate(results.values()):
        end = (result.total_ns / base, place)
        axes.annotate(f"{end[0]:.2f}", end, (4, 0), textcoords="offset points", va="center", size=8)
    axes.set_yticks(range(len(names)), names)
    axes.margins(x=0.15)
    axes.set(ylim=(len(names) - 0.5, -0.5), xlim=(0, None))
    axes.spines[["top", "right"]].set_visible(False)


def _names(rows: Sequence[AllReduce]) -> tuple[list[str], list[str]]:
    """Systems and schedulers, in the order of the rows."""
    if not isinstance(rows, Sequence) or not rows or not all(isinstance(row, AllReduce) for row in rows):
        raise ConfigError("give rows such as all_reduces() returns.")
    systems, schedulers = list(dict.fromkeys(r.system for r in rows)), list(dict.fromkeys(r.scheduler for r in rows))
    if max(len(systems), len(schedulers)) > _MOST:
        raise ConfigError(
            f"{len(systems)} systems and {len(schedulers)} schedulers; at most {_MOST} can be told apart."
        )
    return systems, schedulers


def _note(schedulers: Sequence[str]) -> str:
    return UNRELEASED if any(SCHEDULERS.get(name, ("",))[0] == "themis" for name in schedulers) else ""


def _share(used: float | None) -> str:
    return "-" if used is None else f"{used:.0%}"
