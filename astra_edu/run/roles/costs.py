"""How far apart NPUs are on a congestion-unaware network whose dimensions look the same from every place."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from math import prod

from astra_edu.network import Block
from astra_edu.run.roles.rings import period

Cost = tuple[float, float]
"""Latency of all links that a message crosses in ns, and bytes per ns: messages of one cost take the same time."""
MOST_ROWS = 2_000_000
"""So many costs are looked at where the members of a ring differ in how far the others are; then only their steps."""


class Distances:
    """Between NPUs of a network of blocks with `topology.symmetric`."""

    def __init__(self, blocks: tuple[Block, ...]) -> None:
        """blocks: dimension 0 first."""
        self.blocks = blocks
        self.sizes = [block.npus for block in blocks]
        self.strides = [prod(self.sizes[:d]) for d in range(len(blocks))]
        self.across = lru_cache(maxsize=None)(self._across)
        self._numbers: dict[Hashable, int] = {}
        self._to_all: dict[tuple[int, ...], list[int]] = {}
        self._left = MOST_ROWS

    def _across(self, by: int) -> Cost:
        """What a message to the NPU costs that has the number larger by this.

        Only the first dimension counts in which the two differ (see network.unaware.first_way), and how far they do
        there follows from `by`.
        """
        for block, npus, stride in zip(self.blocks, self.sizes, self.strides, strict=True):
            places = by // stride % npus
            if places:
                hops = block.hops(block.topology.apart(npus, 0, places))
                return hops * block.latency, block.link_bandwidth
        return 0, 0

    def to_neighbours(self, members: Sequence[int]) -> list[int]:
        """For each member of a ring a number of what messages to the next one and to the one before cost."""
        across, following = self.across, _following(members)
        ahead = [across(there - here) for here, there in zip(members, following, strict=True)]
        behind = [across(here - there) for here, there in zip(members, following, strict=True)]
        return self._numbered(zip(ahead, [behind[-1], *behind[:-1]], strict=True))

    def to_all(self, members: Sequence[int]) -> list[int]:
        """For each member of a ring a number of what messages to all others cost, from the next one on.

        Where finding it would take too long, of how it gets to the next: equal lists mean equal costs, too.
        """
        steps = tuple(map(self._step, members, _following(members)))
        found = self._to_all.get(steps)
        if found is None:
            found = self._to_all[steps] = self._numbered(self._rows(members, steps))
        return found

    def _numbered(self, costs: Iterable[Hashable]) -> list[int]:
        return [self._numbers.setdefault(cost, len(self._numbers)) for cost in costs]

    def _rows(self, members: Sequence[int], steps: tuple[int, ...]) -> Sequence[Hashable]:
        """What to_all numbers: all costs, or one where they are equal; or the steps. steps: see _step."""
        n = len(members)
        differ = [
            d
            for d, (npus, stride) in enumerate(zip(self.sizes, self.strides, strict=True))
            if len({member // stride % npus for member in members}) > 1
        ]
        if len(differ) == 1 and self.blocks[differ[0]].topology.equidistant:
            return [self.across(members[1] - members[0])] * n
        repeats = period(steps)
        self._left -= repeats * n
        if self._left < 0:
            return steps
        twice, rows = [*members, *members], []
        for place, here in enumerate(members[:repeats]):
            row = tuple([self.across(there - here) for there in twice[place + 1 : place + n]])
            rows.append(row[0] if len(set(row)) == 1 else row)
        return rows * (n // repeats)

    def _step(self, here: int, there: int) -> int:
        """How many places further in each dimension, counted round, as one number."""
        return sum(
            (there // stride - here // stride) % npus * stride
            for npus, stride in zip(self.sizes, self.strides, strict=True)
        )


def _following(members: Sequence[int]) -> Sequence[int]:
    return [*members[1:], members[0]]
