"""Figure: training iterations with several endpoints, compute and exposed communication."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from astra_edu.base.errors import ConfigError
from astra_edu.base.run import Run
from astra_edu.course.plots.figure import WIDE, Picture, TimeUnit, percent, text_table, time_axis
from astra_edu.course.plots.kinds_of_run import Instead, no_figure_of
from astra_edu.course.plots.looks import COMPUTE, EXPOSED
from astra_edu.course.plots.stacked import by_name
from astra_edu.course.studies.endpoint import ACE, speed_up
from astra_edu.run.result import Result

MS = TimeUnit("ms", 1_000_000)
Parts = tuple[float, float]
"""Compute and exposed communication of one iteration, in ms."""


@dataclass(frozen=True)
class _Panel:
    """A workload. parts: by the endpoints' names. faster: how many times as fast ACE is as the fastest baseline."""

    workload: str
    parts: Mapping[str, Parts]
    faster: float

    @classmethod
    def of(cls, workload: str, found: Mapping[str, Result]) -> _Panel:
        parts = {
            name: (result.compute_ns / result.passes / MS.ns, result.exposed_ns / result.passes / MS.ns)
            for name, result in found.items()
        }
        return cls(workload, parts, speed_up(found))


def endpoint_times(runs: Mapping[str, Mapping[str, Result]]) -> Picture:
    """Draw a panel for each workload, with a bar for each endpoint: compute, then exposed communication, of one pass.

    runs: runs[workload][endpoint], the endpoints by their names. Over each panel: how many times as fast as the fastest
    baseline ACE is. Raises ConfigError if there is nothing to draw, or a speed-up can't be had.

    >>> from astra_edu.studies.endpoint import ACE, COMM_OPT, iteration
    >>> runs = {each.name: iteration("vgg16", each, dims=(4, 2, 2), passes=1) for each in (COMM_OPT, ACE)}
    >>> print(ae.plots.endpoint_times({"VGG-16": runs}).table)
    one iteration (ms)  compute  exposed  in all
    VGG-16, CommOpt      36.937    0.000  36.937
    VGG-16, ACE          30.200    0.000  30.200
    """
    if not isinstance(runs, Mapping) or not runs:
        raise ConfigError(f"runs are {runs!r:.60}; give {{'DLRM': {{'ACE': iteration('dlrm', ACE), …}}}}.")
    for found in runs.values():
        _check(found)
    panels = [_Panel.of(workload, found) for workload, found in runs.items()]
    return Picture(_drawn(panels), " ".join(_sentences(panels)), _table(panels))


def _check(found: Mapping[str, Result]) -> None:
    other = [run for run in found.values() if isinstance(run, Run) and not isinstance(run, Result)] if found else []
    if other:
        raise no_figure_of(other[0], "endpoint_times", "iterations with endpoints such as ACE", _INSTEAD)
    by_name(found, Result, "{'ACE': iteration('dlrm', ACE)}")


_INSTEAD: Instead = {Run: "this run has no such endpoint: ae.plots.compute_and_exposed draws bars of any run"}


def _drawn(panels: Sequence[_Panel]) -> Figure:
    most = max(len(panel.parts) for panel in panels)
    figure = Figure(figsize=(WIDE, 0.36 * most + 1.5), layout="constrained")
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        _bars(axes, panel)
    figure.legend(handles=[COMPUTE.patch(), EXPOSED.patch()], loc="outside upper center", ncols=2, frameon=False)
    return figure


def _bars(axes: Axes, panel: _Panel) -> None:
    parts, places = list(panel.parts.values()), range(len(panel.parts))
    for column, look in enumerate((COMPUTE, EXPOSED)):
        lefts = [sum(each[:column]) for each in parts]
        axes.barh(places, [each[column] for each in parts], 0.66, lefts, **look.style)
    for place, each in enumerate(parts):
        at = (sum(each), place)
        axes.annotate(f"{sum(each):,.3f}", at, (4, 0), textcoords="offset points", va="center", size=9)
    axes.set_yticks(places, list(panel.parts))
    axes.set(ylim=(len(parts) - 0.5, -0.5), xlim=(0, 1.35 * max(map(sum, parts))))
    axes.set_title(f"{panel.workload}: {ACE.name} × {panel.faster:.2f}", size=10, loc="left")
    time_axis(axes, MS)
    axes.xaxis.set_major_locator(MaxNLocator(4))


def _sentences(panels: Sequence[_Panel]) -> Iterator[str]:
    yield "A panel for each workload, with a bar for each endpoint: compute first, then exposed communication."
    for panel in panels:
        said = "; ".join(
            f"{name} {sum(each):,.3f} ms, {percent(each[1] / sum(each))} exposed" for name, each in panel.parts.items()
        )
        yield f"{panel.workload}, {ACE.name} {panel.faster:.2f} times as fast as the best baseline: {said}."


def _table(panels: Sequence[_Panel]) -> str:
    rows: list[list[object]] = [
        [f"{panel.workload}, {name}", *(f"{ms:,.3f}" for ms in (*each, sum(each)))]
        for panel in panels
        for name, each in panel.parts.items()
    ]
    return text_table(["one iteration (ms)", "compute", "exposed", "in all"], rows)
