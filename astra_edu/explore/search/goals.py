"""What a search wants: numbers that are to be small, and limits that a point must keep."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from astra_edu.base.errors import ConfigError, shown, suggestion

Row = Mapping[str, Any]
"""A point's settings and what its run gave, by name."""
Objective = str | Callable[[Row], Any]
Limit = float | tuple[float | None, float | None] | Callable[[Row], Any]


@dataclass(frozen=True)
class Miss:
    """By how much a limit isn't kept: what is wrong in words, and in parts of the limit."""

    words: str
    by: float


@dataclass(frozen=True)
class Goals:
    """objectives: names of numbers or functions of a row, all to be small. limits: by name; a function says yes."""

    objectives: tuple[Objective, ...]
    limits: Mapping[str, Limit]

    @property
    def names(self) -> list[str]:
        """What each objective's column is called."""
        return [each if isinstance(each, str) else _name(each) for each in self.objectives]

    def values(self, row: Row) -> tuple[float, ...] | None:
        """The objectives of a row; None where one is no finite number. Raises ConfigError for an unknown name."""
        found: list[Any] = []
        for each in self.objectives:
            value = _of(row, each, "objective") if isinstance(each, str) else each(row)
            if hasattr(value, "item"):
                value = value.item()
            if not _is_number(value) or value in (math.inf, -math.inf):
                return None
            found.append(value)
        return tuple(found)

    def misses(self, row: Row) -> list[Miss]:
        """The limits that a row doesn't keep. Raises ConfigError for an unknown name."""
        found = []
        for name, limit in self.limits.items():
            if callable(limit):
                if not limit(row):
                    found.append(Miss(f"doesn't keep {name!r}", 1.0))
                continue
            least, most = limit if isinstance(limit, tuple) else (None, limit)
            value: Any = _of(row, name, "constraint")
            if not _is_number(value):
                found.append(Miss(f"has {shown(value)} as {name}, which is no number", 1.0))
            elif most is not None and value > most:
                found.append(Miss(f"has {name} {value:,}, and {most:,} is the most", _part(value - most, most)))
            elif least is not None and value < least:
                found.append(Miss(f"has {name} {value:,}, and {least:,} is the least", _part(least - value, least)))
        return found


def goals_of(objective: Any, constraints: Any) -> Goals:
    """Both, checked. Raises ConfigError for what is no name, function or limit."""
    several = objective if isinstance(objective, Sequence) and not isinstance(objective, str) else [objective]
    for each in several:
        if not isinstance(each, str) and not callable(each):
            raise ConfigError(
                f"objective is {shown(each)}; give the name of a number, such as 'at_least_ns', a function of a row, "
                "or several of them."
            )
    if not several:
        raise ConfigError("there is no objective; give one such as 'at_least_ns'.")
    limits = {} if constraints is None else constraints
    if not isinstance(limits, Mapping) or not all(isinstance(name, str) for name in limits):
        raise ConfigError(f'constraints are {shown(limits)}; give name -> limit, such as {{"memory_bytes": 80e9}}.')
    goals = Goals(tuple(several), {name: _limit(name, limit) for name, limit in limits.items()})
    if len(set(goals.names)) < len(goals.names):
        raise ConfigError(f"two objectives are called {goals.names[0]!r}; give them different names.")
    return goals


def dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether it is nowhere worse, and better somewhere."""
    return all(a <= b for a, b in zip(one, other, strict=True)) and tuple(one) != tuple(other)


def frontier(values: Sequence[Sequence[float]]) -> list[int]:
    """Which of them none dominates, the smallest first value first; of equal ones the first."""
    kept: list[int] = []
    for k in sorted(range(len(values)), key=lambda k: (*values[k], k)):
        if not any(dominates(values[i], values[k]) or tuple(values[i]) == tuple(values[k]) for i in kept):
            kept.append(k)
    return kept


def _limit(name: str, limit: Any) -> Limit:
    if callable(limit):
        own: Limit = limit
        return own
    if _is_number(limit):
        return _python(limit)
    pair = list(limit) if isinstance(limit, Sequence) and not isinstance(limit, str) else []
    if len(pair) != 2 or not all(x is None or _is_number(x) for x in pair):
        raise ConfigError(
            f"the limit of {name} is {shown(limit)}; give the most, (the least, the most), or a function of a row."
        )
    least, most = (None if x is None else _python(x) for x in pair)
    if least is not None and most is not None and least > most:
        raise ConfigError(f"the limit of {name} is {shown(limit)}, whose least is above its most.")
    return least, most


def _of(row: Row, name: str, what: str) -> Any:
    if name in row:
        return row[name]
    numbers = [each for each, value in row.items() if isinstance(value, Real)]
    raise ConfigError(f"{what} is {name!r}, which no run gives. {suggestion(name, numbers)}")


def _is_number(value: Any) -> bool:
    if isinstance(value, int):  # of which some are larger than any float
        return not isinstance(value, bool)
    return isinstance(value, Real) and not math.isnan(value)


def _python(number: Any) -> float:
    """NumPy's numbers and fractions as Python's."""
    return int(number) if isinstance(number, Integral) else float(number)


def _part(by: float, limit: float) -> float:
    return by / abs(limit) if limit else by


def _name(objective: Callable[..., Any]) -> str:
    name = getattr(objective, "__name__", "") or type(objective).__name__
    return "objective" if name == "<lambda>" else name
