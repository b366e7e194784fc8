"""Figure: the bars of the tutorial's exercise 3, compute and exposed communication of several runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.figure import Figure

from astra_edu.course.plots.figure import Picture, TimeUnit, checked, percent, text_table, time_axis, time_unit
from astra_edu.course.plots.looks import COMPUTE, EXPOSED
from astra_edu.run.result import Result


@dataclass(frozen=True)
class _Runs:
    """What is shown: runs by their names."""

    results: Mapping[str, Result]
    unit: TimeUnit

    def share(self, name: str) -> str:
        """How much of a run is exposed communication, as text."""
        return percent(self.results[name].exposed_ns / self.results[name].total_ns)


def compute_and_exposed(results: Mapping[str, Result]) -> Picture:
    """Draw a bar for each run: its compute, then its exposed communication, and the total at the end.

    results: runs by their names, the first on top. Raises ConfigError if there is none.

    >>> work = ae.Workload.micro("all-reduce", 2**20)
    >>> runs = {name: ae.simulate(work, ae.preset(name)) for name in ("ring", "switch")}
    >>> print(ae.plots.compute_and_exposed(runs).table)
    run     compute (µs)  exposed (µs)  total (µs)  exposed share
    ring           0.000        45.681      45.681        100.0 %
    switch         0.000        58.449      58.449        100.0 %
    """
    results = checked(results)
    runs = _Runs(results, time_unit(max(result.total_ns for result in results.values())))
    return Picture(_drawn(runs), _alt(runs), _table(runs))


def _drawn(runs: _Runs) -> Figure:
    unit, names, results = runs.unit, list(runs.results), list(runs.results.values())
    figure = Figure(figsize=(9, 0.55 * len(results) + 1.3), layout="constrained")
    axes = figure.subplots()
    compute = [result.compute_ns / unit.ns for result in results]
    axes.barh(names, compute, 0.62, [0.0] * len(names), **COMPUTE.style)
    axes.barh(names, [result.exposed_ns / unit.ns for result in results], 0.62, compute, **EXPOSED.style)
    for place, result in enumerate(results):
        end = (result.total_ns / unit.ns, place)
        axes.annotate(unit.named(result.total_ns), end, (4, 0), textcoords="offset points", va="center")
    axes.margins(x=0.16)
    axes.set(ylim=(len(names) - 0.5, -0.5), xlim=(0, None))
    time_axis(axes, unit)
    figure.legend(handles=[COMPUTE.patch(), EXPOSED.patch()], loc="outside upper center", ncols=2, frameon=False)
    return figure


def _alt(runs: _Runs) -> str:
    named = runs.unit.named
    return "A bar for each run, compute first and then exposed communication. " + " ".join(
        f"{name}: {named(result.total_ns)}, of which {named(result.compute_ns)} compute and "
        f"{named(result.exposed_ns)} exposed communication ({runs.share(name)})."
        for name, result in runs.results.items()
    )


def _table(runs: _Runs) -> str:
    rows: list[list[object]] = [
        [name, *map(runs.unit.text, (result.compute_ns, result.exposed_ns, result.total_ns)), runs.share(name)]
        for name, result in runs.results.items()
    ]
    columns = [f"{word} ({runs.unit.name})" for word in ("compute", "exposed", "total")]
    return text_table(["run", *columns, "exposed share"], rows)
