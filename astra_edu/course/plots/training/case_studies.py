"""Figure of case studies 1 and 2: where an iteration's time goes, by system and workload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError, choice
from astra_edu.base.run import Run
from astra_edu.base.units import format_ns
from astra_edu.course.plots.axes import open_frame
from astra_edu.course.plots.figure import WIDE, Picture, checked, percent, text_table
from astra_edu.course.plots.looks import COMPUTE, Look
from astra_edu.course.plots.training.parts import Parts, looks_of, parts_of, without
from astra_edu.course.studies.case_studies.collectives import UNRELEASED
from astra_edu.run.trace_result import TraceResult

Runs = Mapping[str, Mapping[str, Run]]
"""For each workload a run on every system, by their names."""


@dataclass(frozen=True)
class _Bar:
    """An iteration's time, in ns. reference_ns: that of the run that all are compared with."""

    name: str
    parts: Parts
    reference_ns: float

    @classmethod
    def of(cls, name: str, result: Run, reference: Run) -> _Bar:
        return cls(name, parts_of(result), reference.total_ns)

    @property
    def total_ns(self) -> float:
        """The whole iteration."""
        return self.parts.total_ns

    @property
    def relative(self) -> float:
        """The total, in that of the reference."""
        return self.total_ns / self.reference_ns

    @property
    def exposed_share(self) -> str:
        """The share of the time without compute, as text."""
        return percent(self.parts.without_ns / self.total_ns)


Bars = Mapping[str, Sequence[_Bar]]
"""By workload."""


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
    _check(runs, reference)
    bars = {
        workload: [_Bar.of(name, result, results[reference]) for name, result in results.items()]
        for workload, results in runs.items()
    }
    every = [result for results in runs.values() for result in results.values()]
    themis = any(
        result.platform.system.inter_dimension != "baseline" for result in every if isinstance(result, TraceResult)
    )
    return Picture(_drawn(bars, reference), _alt(bars, reference), _table(bars), UNRELEASED if themis else "")


def _check(runs: Runs, reference: str) -> None:
    if not isinstance(runs, Mapping) or not runs or not all(isinstance(each, Mapping) for each in runs.values()):
        raise ConfigError('give runs by workload and name, such as {"GPT-3": {"W-2D": train(job, platform)}}.')
    for workload, results in runs.items():
        checked(results)
        choice(f"reference of {workload}", reference, results)


def _drawn(bars: Bars, reference: str) -> Figure:
    most = max(map(len, bars.values()))
    looks = looks_of(bar.parts for each in bars.values() for bar in each)
    figure = Figure(figsize=(min(WIDE, 2 + 3.3 * len(bars)), 0.34 * most + 1.5), layout="constrained")
    grid = figure.subplots(1, len(bars), squeeze=False)[0]
    for number, (axes, (workload, each)) in enumerate(zip(grid, bars.items(), strict=True)):
        _stack(axes, each, looks)
        axes.set_title(workload, size=10)
        if number:
            axes.set_yticklabels([])
    grid[0].set_xlabel(f"time of an iteration ({reference} = 1)", loc="left")
    handles = [look.patch() for look in (COMPUTE, *looks)]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False)
    return figure


def _stack(axes: Axes, bars: Sequence[_Bar], looks: Sequence[Look]) -> None:
    places = range(len(bars))
    compute = [bar.parts.compute_ns / bar.reference_ns for bar in bars]
    axes.barh(places, compute, 0.72, [0.0] * len(bars), **COMPUTE.style)
    for look in looks:
        rest = [bar.parts.without_ns / bar.reference_ns if bar.parts.look is look else 0.0 for bar in bars]
        axes.barh(places, rest, 0.72, compute, **look.style)
    for place, bar in enumerate(bars):
        end = (bar.relative, place)
        axes.annotate(f"{bar.relative:.2f}", end, (4, 0), textcoords="offset points", va="center", size=9)
    axes.set_yticks(places, [bar.name for bar in bars])
    axes.margins(x=0.15)
    axes.set(ylim=(len(bars) - 0.5, -0.5), xlim=(0, None))
    open_frame(axes)


def _alt(bars: Bars, reference: str) -> str:
    sentences = [f"{workload}: {', '.join(map(_words, each))}." for workload, each in bars.items()]
    rest = " or ".join(look.name for look in looks_of(bar.parts for each in bars.values() for bar in each))
    return f"Bars of compute and {rest}, relative to {reference}. {' '.join(sentences)}"


def _words(bar: _Bar) -> str:
    return f"{bar.name} {bar.relative:.2f} ({format_ns(bar.total_ns)}, {bar.exposed_share} {bar.parts.short})"


def _table(bars: Bars) -> str:
    rows: list[list[object]] = []
    for workload, each in bars.items():
        for bar in each:
            times = [f"{ns / 1e6:,.3f}" for ns in (bar.parts.compute_ns, bar.parts.without_ns, bar.total_ns)]
            rows.append([f"{workload}, {bar.name}", *times, bar.exposed_share, f"{bar.relative:.3f}"])
    rest = without(bar.parts for each in bars.values() for bar in each)
    return text_table(["an iteration (ms)", "compute", rest, "total", f"{rest} share", "relative"], rows)
