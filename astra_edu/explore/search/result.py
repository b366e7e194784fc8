"""What a search has found: the best point, the frontier, all that was run, and how far from a bound that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from astra_edu.base.errors import ConfigError
from astra_edu.explore.search.goals import Goals, frontier
from astra_edu.explore.search.trials import Tried, best_of, words_of

if TYPE_CHECKING:
    import pandas as pd


class Best(dict[str, Any]):
    """A point's settings, as a run takes them, and its numbers, by name; shown in one line."""

    def __init__(self, row: Mapping[str, Any], tried: Tried) -> None:
        """row: what it holds. tried: the point, for its words."""
        super().__init__(row)
        self._words = f"<{tried.words}: {words_of(tried.found)}>"

    def __repr__(self) -> str:
        return self._words


@dataclass(frozen=True, eq=False, repr=False)
class Search:
    """All points that a search ran, in the order in which it ran them.

    size: how many points the space has; None where they can't be counted. exact: whether no other point can be better.
    how: by which method, in words. lower_bound: what the objective can't be below, whatever the point; None where
    nothing is known, and where there are several objectives.

    >>> work, platform = ae.Workload.micro("all-reduce", 2**20), ae.preset("ring")
    >>> found = ae.search({"platform.system.splits": [1, 4, 16]}, given={"workload": work, "platform": platform})
    >>> found
    <at_least_ns 24,231 at platform.system.splits 1: the optimum, as all 3 points were run>
    >>> found.best["total_ns"], found.evaluations, found.gap
    (24231, 3, 0.0)
    """

    goals: Goals
    tried: Sequence[Tried]
    size: int | None
    exact: bool
    how: str
    lower_bound: float | None

    @property
    def best(self) -> dict[str, Any]:
        """The settings of the best point, as a run takes them, and its numbers, by name; of several objectives, the
        first counts. Of points that tie, the one of the least "network_cost", where the run gives that, else the first.
        Raises ConfigError where no point keeps the constraints, naming the one that does most nearly.
        """
        return Best(self._best.row, self._best)

    @property
    def ties(self) -> int:
        """How many of the points that were run are as good as the best; itself included."""
        values = self._best.values
        return sum(each.values == values for each in self._kept)

    @property
    def evaluations(self) -> int:
        """How many points were run, failed ones included."""
        return len(self.tried)

    @property
    def gap(self) -> float | None:
        """How far the best is above the lower bound, as a part of the bound; None where there is no bound above 0."""
        if self.lower_bound is None:
            return None
        value = (self._best.values or (0.0,))[0]
        if value <= self.lower_bound:
            return 0.0
        return value / self.lower_bound - 1 if self.lower_bound > 0 else None

    @property
    def table(self) -> pd.DataFrame:
        """A row for each point: settings, numbers, "kept" (whether it keeps the constraints), "error", "seconds"."""
        return _table(self.tried, self.goals)

    @property
    def frontier(self) -> pd.DataFrame:
        """The rows that no other is better than in every objective, the best of the first objective first."""
        kept = self._kept
        return _table([kept[k] for k in frontier([each.values or () for each in kept])], self.goals)

    @property
    def _kept(self) -> list[Tried]:
        return [each for each in self.tried if each.kept]

    @property
    def _best(self) -> Tried:
        if best := best_of(self._kept):
            return best
        raise ConfigError(self._nothing())

    def _nothing(self) -> str:
        """Why there is no best point."""
        usable = [each for each in self.tried if each.values is not None]
        if usable:
            near = min(usable, key=lambda each: each.missed)
            words = " and ".join(miss.words for miss in near.misses)
            return f"none of {self._points()} keeps the constraints; the nearest, {near.words}, {words}."
        if wrong := [each for each in self.tried if each.error]:
            return f"none of {self._points()} could be used; {wrong[0].words}: {wrong[0].error}"
        if not self.tried:
            return "no point was run, as " + ("their bounds leave none." if self.exact else "there was no time.")
        names = " and ".join(self.goals.names)
        return f"none of {self._points()} gives a finite {names}; {self.tried[0].words} was the first."

    def _points(self) -> str:
        all_of_them = self.size is not None and self.size == self.evaluations
        what = "point" if self.evaluations == 1 else "points"
        return f"{self.evaluations:,} {what}" + ("" if all_of_them else " that were run")

    def __repr__(self) -> str:
        if not self._kept:
            return f"<{self._nothing().removesuffix('.')}>"
        best = self._best
        values = zip(self.goals.names, best.values or (), strict=True)
        said = ", ".join(f"{name} {value:,}" for name, value in values)
        if len(self.goals.objectives) > 1:
            return f"<{len(self.frontier):,} points on the frontier, from {said} at {best.words} on: {self._how()}>"
        return f"<{said} at {best.words}{self._tied()}: {self._how()}>"

    def _tied(self) -> str:
        """That others that were run are as good."""
        if (others := self.ties - 1) == 0:
            return ""
        said = f", as at {others:,} other{'s' * (others > 1)} that {'were' if others > 1 else 'was'} run"
        return said + (", none with a cheaper network" if self._best.dollars < inf else "")

    def _how(self) -> str:
        if self.exact:
            return f"the optimum, {self.how}"
        whole = f"{self.size:,}" if self.size is not None and self.size < 10**9 else "uncountably many"
        whole = f"{self.size:.1e}" if self.size is not None and self.size >= 10**9 else whole
        said = f"the best of {self.evaluations:,} of {whole} points, {self.how}"
        if self.gap is None:
            return f"{said}; how much better others are isn't known"
        return f"{said}; at most {self.gap:.1%} above what is possible (at least {self.lower_bound:,.0f})"


def _table(tried: Sequence[Tried], goals: Goals) -> pd.DataFrame:
    import pandas as pd

    own = [name for name, each in zip(goals.names, goals.objectives, strict=True) if not isinstance(each, str)]
    shown = dict.fromkeys(name for each in tried for name in each.shown)
    found = dict.fromkeys(name for each in tried for name in each.found)
    columns: dict[str, list[Any]] = {name: [each.shown.get(name) for each in tried] for name in shown}
    columns |= {name: [each.found.get(name) for each in tried] for name in found}
    for name in own:
        k = goals.names.index(name)
        columns[name] = [each.values[k] if each.values is not None else None for each in tried]
    columns["kept"] = [each.kept for each in tried]
    columns |= {"error": [each.error for each in tried], "seconds": [each.seconds for each in tried]}
    table = pd.DataFrame(columns)
    table.attrs |= {"settings": list(shown), "names": list(tried[0].point) if tried else []}  # as a sweep's
    return table
