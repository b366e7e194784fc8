"""What a collective sees of the network: a dimension, a part of one, or NPUs in one row.

Each says how many NPUs there are and, with `path`, which dimension carries a message between two of them and how
far apart they are on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Protocol

from astra_edu.base.errors import ConfigError, instance_of
from astra_edu.network.dimension import Dimension


class Wires(Protocol):
    """Anything that NPUs numbered from 0 can send messages over."""

    @property
    def npus(self) -> int:
        """How many NPUs there are."""

    @property
    def symmetric(self) -> bool:
        """Whether the network looks the same from every NPU."""

    @property
    def even(self) -> bool:
        """Whether all NPUs have the same distances to the others, though perhaps to others in another order."""

    def path(self, source: int, destination: int) -> tuple[int, Dimension, int]:
        """(which of the dimensions, that dimension, how far apart) of a message between two of these NPUs."""


@dataclass(frozen=True)
class Part:
    """`npus` NPUs of one dimension, `spacing` places apart: what a model-parallel group makes of it.

    A part of a ring is a line: from its last NPU back to its first it is a long way. Raises ConfigError where parts
    would differ.
    """

    dimension: Dimension
    npus: int
    spacing: int

    def __post_init__(self) -> None:
        instance_of("dimension", self.dimension, Dimension, 'give one such as ae.Dimension.of("Ring", 8, 50, 500)')
        if not self.dimension.symmetric:
            raise ConfigError(
                f"a model-parallel group would end inside a dimension that is a {self.dimension.topology} of "
                f"{self.dimension.npus} NPUs; it can take whole ones only."
            )

    @property
    def symmetric(self) -> bool:
        """Whether the network looks the same from every NPU."""
        return self.dimension.topology.equidistant or self.npus * self.spacing == self.dimension.npus

    @property
    def even(self) -> bool:
        """Whether all NPUs have the same distances to the others."""
        return self.symmetric

    def path(self, source: int, destination: int) -> tuple[int, Dimension, int]:
        """See Wires."""
        return 0, self.dimension, self.dimension.apart(source * self.spacing, destination * self.spacing)


@dataclass(frozen=True)
class Row:
    """`npus` NPUs of a network, `stride` numbers apart, whatever dimensions lie between them.

    Numbers count along dimension 0 first. With a stride of 1 these are the NPUs of ASTRA-sim's "one..."
    implementations, which know no dimensions.
    """

    network: tuple[Dimension, ...]
    npus: int
    stride: int = 1

    @property
    def symmetric(self) -> bool:
        """Whether the network looks the same from every NPU."""
        return self.stride == 1 and sum(dimension.npus > 1 for dimension in self.network) <= 1 and self._plain

    @property
    def even(self) -> bool:
        """Whether all NPUs have the same distances to the others, though perhaps to others in another order."""
        return self._plain and self.npus == prod(dimension.npus for dimension in self.network)

    @property
    def _plain(self) -> bool:
        return all(dimension.symmetric for dimension in self.network)

    def path(self, source: int, destination: int) -> tuple[int, Dimension, int]:
        """See Wires. A message goes over the highest dimension in which the two differ, and over no other."""
        place, distance = 0, 0
        source, destination = source * self.stride, destination * self.stride
        for d, dimension in enumerate(self.network):
            source, here = divmod(source, dimension.npus)
            destination, there = divmod(destination, dimension.npus)
            if here != there:
                place, distance = d, dimension.apart(here, there)
        return place, self.network[place], distance
