"""How far apart NPUs are on a congestion-unaware network whose dimensions look the same from every place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from astra_edu.network import Block


class Distances:
    """Between NPUs of a network of blocks with `topology.symmetric`."""

    def __init__(self, blocks: tuple[Block, ...]) -> None:
        """blocks: dimension 0 first."""
        self.blocks = blocks
        self.sizes = [block.npus for block in blocks]
        self.strides = [prod(self.sizes[:d]) for d in range(len(blocks))]
        self.across = lru_cache(maxsize=None)(self._across)

    def _across(self, by: int) -> tuple[int, int]:
        """(dimension, hops) of a message to the NPU with the number that is larger by this.

        With equal ones two pairs are equally far apart, for any number of bytes. Only the first dimension counts in
        which the two differ (see network.unaware.first_way), and how far they do there follows from `by`.
        """
        for d, (npus, stride) in enumerate(zip(self.sizes, self.strides, strict=True)):
            places = by // stride % npus
            if places:
                block = self.blocks[d]
                return d, block.hops(block.topology.apart(npus, 0, places))
        return -1, 0

    def steps(self, members: Sequence[int]) -> list[int]:
        """For each member of a ring how it gets to the next: equal lists mean equal distances between all members.

        Where all members are in one dimension whose NPUs are equally far from each other, all steps are the same.
        """
        differ = [
            d
            for d, (npus, stride) in enumerate(zip(self.sizes, self.strides, strict=True))
            if len({member // stride % npus for member in members}) > 1
        ]
        if len(differ) == 1 and self.blocks[differ[0]].topology.equidistant:
            return [-1 - differ[0]] * len(members)
        following = [*members[1:], members[0]]
        return [self._step(here, there) for here, there in zip(members, following, strict=True)]

    def _step(self, here: int, there: int) -> int:
        """How many places further in each dimension, counted round, as one number."""
        return sum(
            (there // stride - here // stride) % npus * stride
            for npus, stride in zip(self.sizes, self.strides, strict=True)
        )
