"""The design space: a sweep's table as a Pareto frontier, parallel coordinates and a heat map, to click down into."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import traitlets

from astra_edu.base.errors import ConfigError, choice, function, instance_of, shown
from astra_edu.base.run import Run
from astra_edu.base.units import several
from astra_edu.course.widgets.bundle import script, style
from astra_edu.course.widgets.design_table import Column, checked, columns_of, payload, settings_of, there
from astra_edu.course.widgets.timeline_data import MOST_NPUS
from astra_edu.course.widgets.timeline_data import payload as timeline_payload
from astra_edu.course.widgets.view import View
from astra_edu.explore.frontier import frontier
from astra_edu.explore.given import arguments, check, column
from astra_edu.run.lanes import chosen_npus

if TYPE_CHECKING:
    import pandas as pd

VIEWS = ("pareto", "parallel", "heat")
WAYS = ("less", "more")
_WIDE = 40
"""Values of a setting that a heat map has room for."""
_SAID = 10
"""Points of the frontier that the summary lists."""


class DesignSpace(View):
    """The points of a table, such as ae.sweep returns, in three pictures.

    A Pareto frontier of two columns; parallel coordinates, on whose axes points are brushed; a heat map of a measure
    over two settings, in whose cells the best stands of the points that have both. A point says its settings and
    measures, and opens its timeline: it is run again, or its stored run is taken. What failed is said, and drawn
    nowhere.

    table: a row for each point, settings and measures in columns; a sentence in "error" where one failed. settings: the
    columns that are settings; a sweep's table says it itself. view: "pareto", "parallel" or "heat". x, y: of the Pareto
    frontier; across, down, measure: of the heat map. better: {column: "more"} where more is better; else less is. log:
    {column: whether its axis goes by powers}, by default where values differ by a factor of 50. units: {column: unit}
    where its name doesn't say it. A setting may be called as its sweep calls it, without its unit. run, given: as of
    the sweep, to run a point again; runs: {label of a row: its run}.

    selected: the rows that are selected, a DataFrame; assign labels, rows or None. The view and Python share it.

    Raises ConfigError for a table that can't be looked at, and for columns that it hasn't.

    >>> work, ring = ae.Workload.micro("all-reduce", 2**20), ae.preset("ring")
    >>> grid = {"platform.network[0].bandwidth": [25, 50], "platform.system.splits": [1, 4]}
    >>> given = {"workload": work, "platform": ring}
    >>> space = ae.DesignSpace(ae.sweep(ae.simulate, grid, given=given), run=ae.simulate, given=given)
    >>> space.selected = 2
    >>> space.selected["at_least_ns"].tolist()
    [24231]
    >>> space.open_timeline(2)
    <24.231 µs in all: compute 0 ns, exposed communication 24.231 µs; 1.75 MiB sent per NPU>
    """

    _use = "look at its points"
    _shared = ("data", "chosen", "rows", "opened", "stored", "can")
    _esm = script("design_space")
    _css = style("timeline", "design_space")
    data = traitlets.Dict().tag(sync=True)
    chosen = traitlets.Dict().tag(sync=True)
    rows = traitlets.List(traitlets.Int()).tag(sync=True)
    opened = traitlets.Dict().tag(sync=True)
    stored = traitlets.Dict().tag(sync=True)
    wanted = traitlets.Int(-1).tag(sync=True)
    can = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self,
        table: pd.DataFrame,
        view: str = "pareto",
        *,
        settings: Iterable[str] | None = None,
        x: str | None = None,
        y: str | None = None,
        across: str | None = None,
        down: str | None = None,
        measure: str | None = None,
        better: Mapping[str, str] = {},
        log: Mapping[str, bool] = {},
        units: Mapping[str, str] = {},
        run: Callable[..., Any] | None = None,
        given: Mapping[str, Any] = {},
        runs: Mapping[Any, Run] = {},
    ) -> None:
        """Draw the points of `table`."""
        self._table = checked(table).copy()
        self._places = {label: row for row, label in enumerate(table.index)}
        self._settings = settings_of(table, settings)
        self._columns = {each.name: each for each in columns_of(table, self._settings, _by_name("units", units))}
        if len(self._columns) < 1 or all(each.setting for each in self._columns.values()):
            raise ConfigError("the table has no measure: no column of numbers that isn't a setting.")
        self._run = None if run is None else function("run", run, "give the function that was swept")
        self._given = check(given)
        self._runs = {self._row(label): _checked_run(one) for label, one in _by_name("runs", runs).items()}
        swept = {name: column(name) for name in table.attrs.get("names", [])}
        names = {"x": x, "y": y, "across": across, "down": down, "measure": measure}
        chosen: dict[str, Any] = self._defaults() | {
            key: there(_known(swept, name), self._columns, key) for key, name in names.items() if name
        }
        ways = {
            there(_known(swept, name), self._columns, "better"): choice("better", way, WAYS)
            for name, way in _by_name("better", better).items()
        }
        logs = {there(_known(swept, name), self._columns, "log"): bool(on) for name, on in _by_name("log", log).items()}
        chosen |= {"view": choice("view", view, VIEWS), "better": ways, "log": logs, "where": {}}
        super().__init__(
            data=payload(table, list(self._columns.values())),
            chosen=chosen,
            stored={str(row): _timeline(one) for row, one in self._runs.items()},
            can=run is not None,
        )
        self.observe(self._open_wanted, "wanted")

    def _defaults(self) -> dict[str, str]:
        """What is drawn unless somebody says it: what something costs, or the second measure, and the first measure."""
        measures = [each for each in self._columns.values() if not each.setting]
        settings = [each for each in self._columns.values() if each.setting]
        varying = [each.name for each in [*measures, *settings] if _varies(each)] or [measures[0].name]
        y = varying[0]
        x = "network_cost" if "network_cost" in varying[1:] else next(iter(varying[1:]), y)
        most = sorted(settings, key=lambda each: -len(set(each.values)))
        fitting = [each for each in most if len(set(each.values)) <= _WIDE]
        across, down = [*dict.fromkeys(each.name for each in (*fitting, *most)), y, y][:2]
        return {"x": x, "y": y, "across": across, "down": down, "measure": measures[0].name}

    # ---- what is selected ----

    @property
    def selected(self) -> pd.DataFrame:
        """The selected rows; assign a label, several, rows of the table, or None. Raises ConfigError for others."""
        return self._table.iloc[list(self.rows)]

    @selected.setter
    def selected(self, what: Any) -> None:
        if what is None:
            self.rows = []
            return
        labels = what.index if hasattr(what, "iloc") else what
        several_labels = isinstance(labels, Iterable) and not isinstance(labels, str | tuple)
        self.rows = [self._row(label) for label in (labels if several_labels else [labels])]

    @property
    def frontier(self) -> pd.DataFrame:
        """The rows that no other beats in the two columns of the Pareto frontier, from the best of x on."""
        return self._table.iloc[self._frontier()]

    def _frontier(self) -> list[int]:
        x, y = (self._columns[self.chosen[axis]] for axis in "xy")
        failed = {row for row, _ in self.data["errors"]}
        drawn = [float("nan") if row in failed else value for row, value in enumerate(x.values)]
        more = tuple(self.chosen["better"].get(each.name) == "more" for each in (x, y))
        return frontier(drawn, y.values, (more[0], more[1]))

    def _row(self, label: Any) -> int:
        row = self._places.get(label) if isinstance(label, Hashable) else None
        if row is None:
            ends = f"{shown(self._table.index[0])} to {shown(self._table.index[-1])}"
            raise ConfigError(f"the table has no row {shown(label)}; its labels are {ends}.")
        return row

    # ---- the timeline of a point ----

    def open_timeline(self, label: Any) -> Run:
        """The run of a point, whose timeline is shown below: a stored one, or the point is run again.

        Raises ConfigError where there is neither, or no timeline, and whatever the run raises.
        """
        row = self._row(label)
        result = self._runs.get(row)
        if result is None:
            result = self._run_again(row)
        self.rows, self.opened = [row], {"row": row, "data": _timeline(result)}
        return result

    def _run_again(self, row: int) -> Run:
        if self._run is None:
            raise ConfigError("to open a point's timeline, give run=, the function that was swept, and its given=.")
        names = {column(name): name for name in self._table.attrs.get("names", [])}
        point = {names.get(name, name): _python(self._table[name].iloc[row]) for name in self._settings}
        return _checked_run(self._run(**arguments(self._given, point)))

    def _open_wanted(self, change: dict[str, Any]) -> None:
        """A click asks for a timeline; what goes wrong is said there."""
        row = change["new"]
        if row < 0:
            return
        self.wanted = -1
        try:
            self.open_timeline(self._table.index[row])
        except Exception as problem:  # whatever a stranger's function raises
            said = f"Point {self._table.index[row]} can't be opened: {type(problem).__name__}: {problem}"
            self.opened = {"row": row, "problem": said}

    # ---- in words ----

    def summary(self) -> str:
        """How many points there are, the frontier's, and what failed."""
        x, y = (self._columns[self.chosen[axis]] for axis in "xy")
        rows = self._frontier()
        ways = [f"{each.name}, {self.chosen['better'].get(each.name, 'less')} is better" for each in (x, y)]
        lines = [self.data["title"], f"frontier of {' and '.join(ways)}: {several(len(rows), 'point')}"]
        lines += [
            f"  {self._table.index[row]}: {x.name} {x.values[row]:,.6g}, {y.name} {y.values[row]:,.6g}"
            for row in rows[:_SAID]
            if x.words is None and y.words is None
        ]
        if self.data["errors"]:
            first = self.data["errors"][0][1]
            lines.append(f"{len(self.data['errors']):,} of {several(len(self._table), 'point')} failed: {first}")
        return "\n".join(lines)

    def state(self) -> dict[str, Any]:
        """Of a saved page, which has no Python to run a point again."""
        return super().state() | {"can": False, "data": self.data | {"saved": True}}

    def __repr__(self) -> str:
        return f"DesignSpace({self.data['title']})"


def _timeline(result: Run) -> dict[str, Any]:
    return timeline_payload(result, chosen_npus(result, None, MOST_NPUS))


def _checked_run(result: Any) -> Run:
    if not isinstance(result, Run):
        raise ConfigError(f"a timeline shows a run, such as ae.simulate(...) returns, not {shown(result, 80)}.")
    return result


def _varies(each: Column) -> bool:
    return len({value for value in each.values if value == value}) > 1


def _known(swept: Mapping[str, str], name: Any) -> Any:
    return swept.get(name, name) if isinstance(name, str) else name


def _by_name(name: str, value: Any) -> Mapping[Any, Any]:
    return instance_of(name, value, Mapping, "give values by name")


def _python(value: Any) -> Any:
    """A cell of a table as Python has it; where none is, None."""
    found = value.item() if hasattr(value, "item") else value
    return None if isinstance(found, float) and found != found else found
