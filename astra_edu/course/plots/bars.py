"""Figure: the bars of the tutorial's exercise 3, compute and exposed communication of several runs."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from astra_edu.course.plots.figure import Picture, checked, percent, text_table, time_axis, time_unit
from astra_edu.course.plots.looks import COMPUTE, EXPOSED
from astra_edu.run.result import Result


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
    unit = time_unit(max(result.total_ns for result in results.values()))
    figure = Figure(figsize=(9, 0.55 * len(results) + 1.3), layout="constrained")
    axes = figure.subplots()
    names = list(results)
    compute = [result.compute_ns / unit.ns for result in results.values()]
    exposed = [result.exposed_ns / unit.ns for result in results.values()]
    for look, widths, starts in ((COMPUTE, compute, [0.0] * len(names)), (EXPOSED, exposed, compute)):
        axes.barh(names, widths, 0.62, starts, facecolor=look.fill, edgecolor=look.colour, hatch=look.hatch)
    for place, result in enumerate(results.values()):
        end = (result.total_ns / unit.ns, place)
        axes.annotate(unit.named(result.total_ns), end, (4, 0), textcoords="offset points", va="center")
    axes.margins(x=0.16)
    axes.set(ylim=(len(names) - 0.5, -0.5), xlim=(0, None))
    time_axis(axes, unit)
    figure.legend(handles=[COMPUTE.patch(), EXPOSED.patch()], loc="outside upper center", ncols=2, frameon=False)
    rows: list[list[object]] = [
        [
            name,
            *map(unit.text, (result.compute_ns, result.exposed_ns, result.total_ns)),
            percent(result.exposed_ns / result.total_ns),
        ]
        for name, result in results.items()
    ]
    columns = [f"{word} ({unit.name})" for word in ("compute", "exposed", "total")]
    alt = "A bar for each run, compute first and then exposed communication. " + " ".join(
        f"{name}: {unit.named(result.total_ns)}, of which {unit.named(result.compute_ns)} compute and "
        f"{unit.named(result.exposed_ns)} exposed communication ({percent(result.exposed_ns / result.total_ns)})."
        for name, result in results.items()
    )
    return Picture(figure, alt, text_table(["run", *columns, "exposed share"], rows))
