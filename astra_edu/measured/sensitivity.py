"""Every fitted parameter: what it is, what it was fitted to, and how much predictions depend on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose
from statistics import median
from typing import TYPE_CHECKING, Any

from astra_edu.base.errors import ConfigError, instance_of
from astra_edu.base.table import text_table
from astra_edu.measured.cells import records
from astra_edu.measured.fitting import Run, step_seconds
from astra_edu.measured.jobs import job_of
from astra_edu.measured.kept import logged_of
from astra_edu.measured.measured_time import usable
from astra_edu.measured.parameters import MEMORY_TABLE, TABLE, Meaning, MemoryParameters, Parameters
from astra_edu.measured.stored import Fitted, closest, every

if TYPE_CHECKING:
    from pandas import DataFrame

LARGER = 1.1
"""So many times as large a parameter becomes."""

DEPENDS = 1e-3
"""In %: a run whose prediction changes by less doesn't depend on that parameter."""

STOPPED = 0.005
"""As near to a limit, as a part of it, a value is at it: a fit begins this near, and rounds what it finds."""

BEGUN = 0.05
"""As near to where a fit begins, as a part of it, is a value that no run has moved."""

COLUMNS = (
    *("stack", "machines", "of", "parameter", "value", "unit", "meaning", "least", "most", "stopped", "fitted_to"),
    *("runs", "change", "depend", "comes_from"),
)

Some = Parameters | MemoryParameters


@dataclass(frozen=True)
class _Part:
    """Of a stack's parameters those of time, or those of memory. predicted: of each of its runs, by these."""

    of: str
    given: Some
    table: Mapping[str, Meaning]
    predicted: Callable[[Any], Sequence[float]]

    def changes(self, name: str) -> list[float]:
        """By how many % the prediction of each run changes if one parameter becomes 10 % larger."""
        value = getattr(self.given, name)
        first = value if LARGER * value <= self.table[name].most else value / LARGER
        now, then = (self.predicted(replace(self.given, **{name: each})) for each in (first, LARGER * first))
        return [100 * (b / a - 1) for a, b in zip(now, then, strict=True)]

    def effect(self, name: str) -> dict[str, Any]:
        """The columns change, depend and comes_from of a line."""
        found = self.changes(name)
        depend = sum(abs(each) > DEPENDS for each in found)
        began = getattr(type(self.given)(), name)
        if depend:
            came = f"fit, {depend:,} run{'s depend' if depend > 1 else ' depends'} on it"
        elif not found or not isclose(getattr(self.given, name), began, rel_tol=BEGUN):
            came = "fit, to other runs"
        else:
            came = "judgement, no run depends on it"
        return {"change": median(found) if found else float("nan"), "depend": depend, "comes_from": came}


def sensitivity(rows: DataFrame | None = None) -> DataFrame:
    """A line for each fitted parameter of each stack and machine: value, unit, meaning, the sources it is fitted to,
    between what it must be (least, most), at which of them the fit stopped ("" elsewhere), and change.

    change: by how many % the predicted time (of: time) or memory (of: memory) changes if the parameter becomes 10 %
    larger, or from a value that much smaller to its own where the larger one is beyond its limit; the median over the
    runs that take these parameters, of which there are `runs`; empty where none that ships does. depend: of how many
    of them the prediction changes at all. comes_from: the fit, to some of these runs or to others, or where none
    depends on it the judgement with which the fit began, as it stays there. rows: measured runs, instead of those that
    ship, for lines of the parameters that they take alone. Raises ConfigError for rows that are no DataFrame.

    >>> from astra_edu import measured
    >>> found = measured.sensitivity(measured.runs().query("source_id == 'simumax_b200'"))
    >>> matrix = found.set_index("parameter").loc["matrix"]
    >>> print(f"{matrix.value:.2f} is the {matrix.meaning}; 10 % more of it: {matrix.change:+.1f} % of time")
    0.43 is the share of the peak that a product of full tiles reaches; 10 % more of it: -6.8 % of time
    """
    import pandas as pd

    from astra_edu.measured.runs import runs, sources

    given = runs() if rows is None else instance_of("rows", rows, pd.DataFrame, "give a pandas DataFrame of runs")
    taken = _taken(given)
    ship = set(sources().index)
    lines = [
        {
            "stack": fitted.stack,
            "machines": ", ".join(fitted.machines),
            "of": part.of,
            "parameter": name,
            "value": (value := getattr(part.given, name)),
            "unit": meaning.unit,
            "meaning": meaning.words,
            "least": meaning.least,
            "most": meaning.most,
            "stopped": stopped(value, meaning),
            "fitted_to": ", ".join(each if each in ship else f"{each} (doesn't ship)" for each in fitted.sources),
            "runs": len(taken.get(fitted, ())),
            **part.effect(name),
        }
        for fitted in every()
        if rows is None or fitted in taken
        for part in _parts(fitted, taken.get(fitted, ()))
        for name, meaning in part.table.items()
    ]
    return pd.DataFrame(lines, columns=COLUMNS)


def stopped(value: float, meaning: Meaning) -> str:
    """At which limit a value is: "least", "most", or "" for neither.

    >>> from astra_edu.measured.parameters import TABLE
    >>> [stopped(value, TABLE["link"]) for value in (0.3, 0.75, 1.0)]
    ['least', '', 'most']
    """
    ends = {"least": meaning.least, "most": meaning.most}
    return next((name for name, end in ends.items() if isclose(value, end, rel_tol=STOPPED)), "")


def _taken(rows: DataFrame) -> dict[Fitted, list[Run]]:
    """For each stack's parameters the runs that take them."""
    found: dict[Fitted, list[Run]] = {}
    for row in records(rows):
        try:
            job = job_of(row) if usable(row) else None
        except ConfigError:
            continue
        if job and (fitted := closest(job.machine.name, job.stack.name)):
            found.setdefault(fitted, []).append(Run(job, None, None))
    return found


def _parts(fitted: Fitted, runs: Sequence[Run]) -> Iterator[_Part]:
    yield _Part("time", fitted.time, TABLE, lambda given: step_seconds(runs, given))
    if fitted.memory:
        yield _Part(
            "memory", fitted.memory, MEMORY_TABLE, lambda given: [logged_of(run.job, given).total for run in runs]
        )


def in_words(found: DataFrame) -> str:
    """The same for a terminal: a table for each stack and its machines."""
    parts = []
    for (stack, machines), each in found.groupby(["stack", "machines"], sort=False):
        first = each.iloc[0]
        head = f"{stack} on {machines}; fitted to {first.fitted_to}; {first.runs:,} runs"
        lines = [
            [
                row.of,
                row.parameter,
                f"{row.value:g}",
                row.unit,
                _change(float(str(row.change))),
                row.comes_from,
                row.stopped,
                row.meaning,
            ]
            for row in each.itertuples()
        ]
        columns = ["of", "parameter", "value", "unit", "10 % more", "comes from", "stopped at", "meaning"]
        parts.append(f"{head}\n{text_table(columns, lines, left=(0, 1, 3, 5, 6, 7))}")
    return "\n\n".join(parts)


def _change(percent: float) -> str:
    return "-" if percent != percent else f"{round(percent, 2) + 0.0:+.2f} %".replace("-", "−")
