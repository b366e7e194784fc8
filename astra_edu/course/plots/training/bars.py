"""Figure: the bars of the tutorial's exercise 3, compute and exposed communication of several runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from matplotlib.figure import Figure

from astra_edu.base.bound import caveat, total_words
from astra_edu.base.run import Run
from astra_edu.course.plots.figure import WIDE, Picture, TimeUnit, checked, percent, text_table, time_axis, time_unit
from astra_edu.course.plots.looks import COMPUTE, Look
from astra_edu.course.plots.training.parts import Parts, looks_of, parts_of, without


@dataclass(frozen=True)
class _Runs:
    """What is shown: the parts of runs by their names."""

    parts: Mapping[str, Parts]
    unit: TimeUnit

    @property
    def looks(self) -> list[Look]:
        """Those of the time without compute."""
        return looks_of(self.parts.values())

    def share(self, name: str) -> str:
        """How much of a run is without compute, as text."""
        return percent(self.parts[name].without_ns / self.parts[name].total_ns)


def compute_and_exposed(results: Mapping[str, Run]) -> Picture:
    """Draw a bar for each run: its compute, then its exposed communication, and the total at the end.

    results: runs by their names, the first on top. Of a trace it is the NPU that finishes last; of a pipeline the mean
    of its stages, and then the bubble. Raises ConfigError if there is none.

    >>> work = ae.Workload.micro("all-reduce", 2**20)
    >>> runs = {name: ae.simulate(work, ae.preset(name)) for name in ("ring", "switch")}
    >>> print(ae.plots.compute_and_exposed(runs).table)
    run     compute (µs)  exposed (µs)  total (µs)  exposed share
    ring           0.000        45.681      45.681        100.0 %
    switch         0.000        58.449      58.449        100.0 %
    """
    results = checked(results)
    parts = {name: parts_of(result) for name, result in results.items()}
    runs = _Runs(parts, time_unit(max(each.total_ns for each in parts.values())))
    return Picture(_drawn(runs), _alt(runs), _table(runs))


def _drawn(runs: _Runs) -> Figure:
    unit, names, every = runs.unit, list(runs.parts), list(runs.parts.values())
    figure = Figure(figsize=(WIDE, 0.55 * len(every) + 1.3), layout="constrained")
    axes = figure.subplots()
    compute = [parts.compute_ns / unit.ns for parts in every]
    axes.barh(names, compute, 0.62, [0.0] * len(names), **COMPUTE.style)
    for look in runs.looks:
        rest = [parts.without_ns / unit.ns if parts.look is look else 0.0 for parts in every]
        axes.barh(names, rest, 0.62, compute, **look.style)
    for place, parts in enumerate(every):
        end = (parts.total_ns / unit.ns, place)
        axes.annotate(
            total_words(parts.total_ns, parts.bound_ns, unit.named),
            end,
            (4, 0),
            textcoords="offset points",
            va="center",
        )
    axes.margins(x=0.16)
    axes.set(ylim=(len(names) - 0.5, -0.5), xlim=(0, None))
    time_axis(axes, unit)
    handles = [look.patch() for look in (COMPUTE, *runs.looks)]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False)
    return figure


def _alt(runs: _Runs) -> str:
    named, rest = runs.unit.named, " or ".join(look.name for look in runs.looks)
    return f"A bar for each run, compute first and then {rest}. " + " ".join(
        f"{name}: {_total(parts, named)}, of which {named(parts.compute_ns)} compute and "
        f"{named(parts.without_ns)} {parts.look.name} ({runs.share(name)})."
        for name, parts in runs.parts.items()
    )


def _total(parts: Parts, named: Callable[[float], str]) -> str:
    total, bound = parts.total_ns, parts.bound_ns
    why = "" if bound is None else f" ({caveat(total, bound, named)})"
    return f"{total_words(total, bound, named)}{why}"


def _table(runs: _Runs) -> str:
    rows: list[list[object]] = [
        [name, *map(runs.unit.text, (parts.compute_ns, parts.without_ns, parts.total_ns)), runs.share(name)]
        for name, parts in runs.parts.items()
    ]
    rest = without(runs.parts.values())
    columns = [f"{word} ({runs.unit.name})" for word in ("compute", rest, "total")]
    head = ["run", *columns, f"{rest} share"]
    bounds = [parts.bound_ns for parts in runs.parts.values()]
    if any(bound is not None for bound in bounds):  # what leads stands first
        head.insert(1, f"at least ({runs.unit.name})")
        for row, bound in zip(rows, bounds, strict=True):
            row.insert(1, "-" if bound is None else runs.unit.text(bound))
    return text_table(head, rows)
