"""All that a search may try: every combination of its settings' values, without making them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from random import Random
from typing import Any

from astra_edu.base.errors import ConfigError, shown
from astra_edu.explore.given import column, parts_of
from astra_edu.explore.points import TAKEN, Point, not_taken
from astra_edu.explore.search.axis import Axis, Features, axis

Place = tuple[Any, ...]
"""Of a point: for each axis the number of its value, or the number itself."""


@dataclass(frozen=True, eq=False)
class Space:
    """The axes. A point has a value of each."""

    axes: tuple[Axis, ...]

    @property
    def size(self) -> int | None:
        """How many points; None where they can't be counted."""
        sizes = [each.size for each in self.axes]
        return None if None in sizes else prod(size or 0 for size in sizes)

    def point(self, place: Place) -> Point:
        """The settings of a place, as a run takes them."""
        return {each.name: each.value(one) for each, one in zip(self.axes, place, strict=True)}

    def shown(self, place: Place) -> Features:
        """What a table says of a place: numbers and texts, with their units in the names."""
        told = (each.shown(one) for each, one in zip(self.axes, place, strict=True))
        return {column(name): value for each in told for name, value in each.items()}

    def places(self) -> Iterator[Place]:
        """All, in the order of sweep's points: the last axis changes fastest."""
        return product(*(range(len(each.values)) for each in self.axes))

    def near(self, place: Place) -> Iterator[Place]:
        """Those that differ in one axis, taking turns, the nearest of each axis first."""
        queues = [(k, iter(each.near(place[k]))) for k, each in enumerate(self.axes)]
        while queues:
            left = []
            for k, others in queues:
                if (other := next(others, None)) is not None:
                    yield (*place[:k], other, *place[k + 1 :])
                    left.append((k, others))
            queues = left

    def anywhere(self, dice: Random) -> Place:
        """A place that the dice choose."""
        return tuple(
            dice.uniform(each.continuous.low, each.continuous.high)
            if each.continuous
            else dice.randrange(len(each.values))
            for each in self.axes
        )

    def only(self, axes: Sequence[Axis]) -> Space:
        """The same with some of the axes."""
        return Space(tuple(axes))


def space_of(space: Any) -> Space:
    """Name -> values, checked. Raises ConfigError where there is nothing to choose, or a name is no setting's."""
    if isinstance(space, Space):
        return space
    if not isinstance(space, Mapping) or not all(isinstance(name, str) for name in space):
        raise ConfigError(
            f'space is {shown(space)}; give name -> values, such as {{"platform.system.splits": [1, 4]}}.'
        )
    if not space:
        raise ConfigError('there is nothing to search; give values such as {"platform.system.splits": [1, 4]}.')
    not_taken(space, "a setting", (*TAKEN, "kept"))
    for name in space:
        parts_of(name)
    return Space(tuple(axis(name, values) for name, values in space.items()))
