"""The points that a search runs: each once, here or by an executor, until its budget is spent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, isnan
from time import monotonic
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.progress import Bar
from astra_edu.explore.points import Point, key_of
from astra_edu.explore.search.axis import Features, is_absent
from astra_edu.explore.search.goals import Goals, Miss, Row
from astra_edu.explore.search.space import Place, Space
from astra_edu.explore.store import Outcome, Store
from astra_edu.explore.sweep import seeded
from astra_edu.explore.task import Task


@dataclass(frozen=True)
class Tried:
    """A point that has run. values: its objectives, None where it has none; misses: the limits that it doesn't keep."""

    place: Place
    point: Point
    shown: Features
    found: Mapping[str, Any]
    error: str
    seconds: float
    values: tuple[float, ...] | None
    misses: tuple[Miss, ...]

    @property
    def kept(self) -> bool:
        """Whether it has run, has its objectives, and keeps all limits."""
        return self.values is not None and not self.misses

    @property
    def missed(self) -> float:
        """By how much it misses the limits, all together; in parts of each."""
        return sum(each.by for each in self.misses)

    @property
    def dollars(self) -> float:
        """What its network costs; infinite where that isn't known."""
        cost = self.found.get("network_cost")
        return cost if isinstance(cost, int | float) and not isnan(cost) else inf

    @property
    def words(self) -> str:
        """Its settings, without those that it hasn't."""
        return words_of({name: value for name, value in self.shown.items() if not is_absent(value)})

    @property
    def row(self) -> dict[str, Any]:
        """Its settings, as a run takes them, and its numbers."""
        return {**self.point, **self.found}


def words_of(named: Mapping[str, Any]) -> str:
    """Values by name, in one line."""
    return ", ".join(f"{name} {_written(value)}" for name, value in named.items())


def _written(value: Any) -> str:
    if type(value) is int:
        return f"{value:,}"
    return f"{value:,.6g}" if type(value) is float else str(value)


def best_of(kept: Sequence[Tried]) -> Tried | None:
    """That of the least objectives; of equal ones that of the least network_cost, then the first that was tried."""
    return min(kept, key=lambda each: (each.values or (), each.dollars), default=None)


@dataclass(eq=False)
class Trials:
    """What is run and what came of it. deadline: of `monotonic`, in s, if there is one."""

    space: Space
    task: Task
    goals: Goals
    seed: int
    budget: int
    deadline: float | None
    executor: Executor | None
    store: Store
    bar: Bar | None
    known: dict[Place, Tried] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """How many more may run; when the time is over, the first one still."""
        over = self.deadline is not None and monotonic() >= self.deadline
        return min(1, self.budget) * (not self.known) if over else self.budget - len(self.known)

    @cached_property
    def complete(self) -> bool:
        """Whether every point can be run."""
        return self.space.size is not None and self.space.size <= self.budget

    @property
    def kept(self) -> list[Tried]:
        """Those that keep all limits."""
        return [each for each in self.known.values() if each.kept]

    @property
    def best(self) -> Tried | None:
        """See best_of."""
        return best_of(self.kept)

    def run(self, places: Iterable[Place]) -> list[Tried]:
        """Those of the places that are new and within the budget."""
        new = [place for place in dict.fromkeys(places) if place not in self.known][: max(0, self.left)]
        points = [seeded(self.task.run, [self.space.point(place)], self.task.given, self.seed)[0] for place in new]
        keys = [key_of(point) for point in points]
        todo = [(key, point) for key, point in zip(keys, points, strict=True) if not self.store.knows(key)]
        run = self.task.here(todo) if self.executor is None else self.task.elsewhere(todo, self.executor)
        done = len(self.known) + len(new) - len(todo)
        for outcomes in run:
            self.store.add(outcomes)
            done += len(outcomes)
            if self.bar:
                self.bar.show(done)
            if self.deadline is not None and monotonic() >= self.deadline:
                break
        found = []
        for place, point, key in zip(new, points, keys, strict=True):
            if key in self.store.known:
                found.append(self._tried(place, point, self.store.known[key]))
        self.known |= {each.place: each for each in found}
        return found

    def _tried(self, place: Place, point: Point, outcome: Outcome) -> Tried:
        values: tuple[float, ...] | None = None
        misses: tuple[Miss, ...] = ()
        error = outcome.error
        if "kept" in outcome.found:
            raise ConfigError("the run gives 'kept', which is a column of a search's own; give it another name.")
        if not error:
            row: Row = {**point, **outcome.found}
            try:
                values, misses = self.goals.values(row), tuple(self.goals.misses(row))
            except ConfigError:
                raise
            except Exception as problem:  # whatever a stranger's function raises
                error = f"{type(problem).__name__}: {problem}"
        shown = self.space.shown(place)
        if "seed" in point and "seed" not in shown and not any(each.name == "seed" for each in self.space.axes):
            shown = {**shown, "seed": point["seed"]}
        return Tried(place, point, shown, outcome.found, error, outcome.seconds, values, misses)
