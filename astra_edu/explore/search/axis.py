"""What a search may set: the values of one setting, told apart by features, so that near ones can be found."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from itertools import islice
from numbers import Real
from typing import Any, Protocol

from astra_edu.base.errors import ConfigError, flag, positive, shown
from astra_edu.explore.points import key_of, plain

Features = dict[str, Any]
"""What tells a value from the others of its setting: name -> number or text."""
MOST_VALUES = 50_000
"""Of one setting."""
NEAR = 24
"""So many of a value's nearest are tried."""


@dataclass(frozen=True)
class Range:
    """Numbers from low to high, both included, for ae.search.

    step: between two neighbours, or with log the factor between them; None takes every whole number if low and high are
    such, and anything between them if they are not (or with log). A range without a step is never searched exactly.
    Raises ConfigError for a range without numbers.

    >>> list(ae.Range(4, 10, step=2)), list(ae.Range(1, 64, step=4, log=True))
    ([4, 6, 8, 10], [1, 4, 16, 64])
    """

    low: float
    high: float
    step: float | None = None
    log: bool = False

    def __post_init__(self) -> None:
        flag("log", self.log)
        for name in ("low", "high"):
            value = getattr(self, name)
            huge = isinstance(value, int) and value.bit_length() > 256
            if isinstance(value, bool) or huge or not isinstance(value, Real) or not math.isfinite(value):
                raise ConfigError(f"{name} is {shown(value)}; give a finite number.")
        if self.high < self.low or (self.log and self.low <= 0):
            least = "above 0, as the range is one of factors" if self.log and self.low <= 0 else f"{self.low} or more"
            name = "low" if self.log and self.low <= 0 else "high"
            raise ConfigError(f"{name} is {shown(getattr(self, name))}; give {least}.")
        if self.step is not None:
            number = positive("step", self.step)
            if type(self.step) not in (int, float):
                object.__setattr__(self, "step", number)
            if self.log and self.step <= 1:
                raise ConfigError(f"step is {shown(self.step)}; with log it is a factor, so give more than 1.")

    @property
    def finite(self) -> bool:
        """Whether its values can be counted."""
        return self.step is not None or (not self.log and isinstance(self.low, int) and isinstance(self.high, int))

    def __iter__(self) -> Iterator[float]:
        if not self.finite:
            raise ConfigError(f"{self} has no step, so its values can't be listed; give one.")
        step = self.step or 1
        parts = math.log(self.high / self.low) / math.log(step) if self.log else (self.high - self.low) / step
        if parts >= MOST_VALUES:
            raise ConfigError(
                f"{self} has more than {MOST_VALUES:,} values, the most for one setting; take larger steps."
            )
        numbers = range(math.floor(parts + 1e-9) + 1)
        return iter([self.low * step**k if self.log else self.low + k * step for k in numbers])


class Described(Protocol):
    """Values that say themselves by what they are told apart; see spaces."""

    def described(self) -> Sequence[Features]:
        """Of each value."""


class _Absent(int):
    """Of a number that isn't there; 0 in tables and for samplers."""


ABSENT: tuple[Any, str] = (_Absent(), "-")
"""What stands for a number, for a text, that one value of a setting hasn't and others have."""


def is_absent(value: Any) -> bool:
    """Whether it stands for nothing."""
    return value is ABSENT[0] or value == ABSENT[1]


@dataclass(frozen=True, eq=False)
class Axis:
    """One setting: its name and its values with their features, or a range of numbers that has no step."""

    name: str
    values: tuple[Any, ...]
    features: tuple[Features, ...]
    continuous: Range | None = None

    @property
    def size(self) -> int | None:
        """How many values; None where they can't be counted."""
        return None if self.continuous else len(self.values)

    def value(self, place: Any) -> Any:
        """At a place: a number of a value, or of a range the number itself."""
        return place if self.continuous else self.values[place]

    def shown(self, place: Any) -> Features:
        """What a table says of it."""
        return {self.name: place} if self.continuous else self.features[place]

    @cached_property
    def levels(self) -> dict[str, list[Any]]:
        """Of each feature that isn't the same everywhere, its values: numbers ascending, others as they come."""
        found = {}
        for name in self.features[0] if self.features else ():
            every = list(dict.fromkeys(each[name] for each in self.features))
            if len(every) > 1:
                found[name] = sorted(every) if is_ordered(every) else every
        return found

    @cached_property
    def ranks(self) -> list[tuple[float, ...]]:
        """Of each value and feature, which level it has."""
        numbers = [(name, {level: k for k, level in enumerate(levels)}) for name, levels in self.levels.items()]
        return [tuple(number[each[name]] for name, number in numbers) for each in self.features]

    @cached_property
    def tree(self) -> Any:
        """Places by the levels of their features, one after the other: tree[level of the first][of the second]..."""
        root: dict[Any, Any] = {}
        for place, (*ways, last) in enumerate(each or (0,) for each in self.ranks):
            here = root
            for rank in ways:
                here = here.setdefault(rank, {})
            here.setdefault(last, place)
        return root if self.levels else 0

    def near(self, place: Any) -> list[Any]:
        """Other places, the nearest first: fewest features that differ, then the smallest steps."""
        if self.continuous:
            return _near_number(self.continuous, place)
        own, ordered = self.ranks[place], [is_ordered(levels) for levels in self.levels.values()]

        def far(other: int) -> tuple[float, int]:
            pairs = zip(own, self.ranks[other], ordered, strict=True)
            return sum(abs(a - b) if steps else 1.5 * (a != b) for a, b, steps in pairs), other

        others = sorted(far(k) for k in range(len(self.values)) if k != place)
        return [k for _, k in others[:NEAR]]


def axis(name: str, values: Any) -> Axis:
    """A setting's values: a list, a Range, or what spaces makes. Raises ConfigError for anything else."""
    if isinstance(values, Range) and not values.finite:
        if values.low < values.high:
            return Axis(name, (), (), values)
        values = [values.low]
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ConfigError(
            f"{name} is {shown(values)}; give a list of its values, such as [{shown(values)}], or a Range."
        )
    size = getattr(values, "size", 0)
    if isinstance(size, int) and size > MOST_VALUES:
        has = f"{name} has {shown(values)}; {MOST_VALUES:,} is the most for one setting."
        raise ConfigError(has + _elsewhere(values))
    every = tuple(islice(values, MOST_VALUES + 1))
    if not every:
        raise ConfigError(f"{name} has no values.")
    if len(every) > MOST_VALUES:
        raise ConfigError(
            f"{name} has more than {MOST_VALUES:,} values, the most for one setting; of more numbers give a Range "
            "without a step, or take larger steps."
        )
    told = values.described() if hasattr(values, "described") else _features(every)
    features = tuple(
        {f"{name}{'.' * (not k.startswith('[') and bool(k))}{k}": v for k, v in each.items()} for each in told
    )
    seen: dict[str, int] = {}
    for k, value in enumerate(every):
        if (first := seen.setdefault(key_of({name: value}), k)) != k:
            raise ConfigError(f"values {first} and {k} of {name} are the same: {shown(value)}.")
    return Axis(name, every, features)


def _elsewhere(values: Any) -> str:
    """What plans can do however many there are."""
    if not hasattr(values, "by_micro_batches"):
        return ""
    return (
        " However many plans there are, they are searched for 'at_least_ns' alone with run=ae.estimate and no limit "
        "but one of memory_bytes; or give ae.fastest the plans, as run, and search what is beside them."
    )


def is_ordered(levels: Iterable[Any]) -> bool:
    """Whether they are numbers, so that one lies between two others."""
    return all(isinstance(level, Real) and not isinstance(level, bool) for level in levels)


def _features(values: Sequence[Any]) -> list[Features]:
    """Of objects of one kind the fields in which they differ; of others the value itself."""
    first = values[0]
    if is_dataclass(first) and all(type(value) is type(first) for value in values):
        names = [field.name for field in fields(first) if field.init]
        every = [{name: plain(getattr(value, name)) for name in names} for value in values]
        differing = [name for name in names if len({each[name] for each in every}) > 1]
        return [{name: each[name] for name in differing} for each in every]
    return [{"": plain(value)} for value in values]


def _near_number(numbers: Range, place: float) -> list[float]:
    """Steps to both sides, from a tenth of the range on, ever smaller."""
    low, high = numbers.low, numbers.high
    found = []
    for part in (0.1, 0.03, 0.01, 0.003, 0.001):
        for sign in (-1, 1):
            moved = place * (high / low) ** (sign * part) if numbers.log else place + sign * part * (high - low)
            if low <= moved <= high and moved != place:
                found.append(moved)
    return found
