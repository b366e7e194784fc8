"""The dimensions that collectives see: the network's, or one more where a model-parallel group breaks one in two."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective
from astra_edu.network import Dimension, Part, Row, Wires
from astra_edu.system.adds_up import check_adds_up
from astra_edu.system.config import Platform
from astra_edu.system.faithful.broken_dimensions import outer_part, shifted_rows, warn_of_misfit
from astra_edu.system.implementation import Implementation


class LogicalDimension(NamedTuple):
    """A dimension as collectives see it, and which of the network's it stands for."""

    wires: Wires
    physical: int

    @property
    def npus(self) -> int:
        """How many NPUs it connects."""
        return self.wires.npus

    @property
    def first_place(self) -> int:
        """Which of the network's dimensions is place 0 of its paths: its own, but a row counts them all."""
        return 0 if isinstance(self.wires, Row) else self.physical


class LogicalTopology(NamedTuple):
    """Where one kind of collective runs: a logical dimension and how it is carried out there."""

    dimension: LogicalDimension
    how: Implementation


def logical_dimensions(network: tuple[Dimension, ...], group: int = 1) -> tuple[tuple[LogicalDimension, ...], int]:
    """(the dimensions, how many of them, counted from 0, a model-parallel group of `group` NPUs takes).

    A group takes whole dimensions from the first one on. One that ends inside a dimension breaks it: its first part
    belongs to the group, its second to the others. On 4 x 8 NPUs a group of 8 takes dimension 0 and every two
    neighbours of dimension 1, whose 8 NPUs become 2 x 4:

    >>> network = (Dimension.of("Ring", 4, 50, 500), Dimension.of("Switch", 8, 25, 700))
    >>> dims, inside = logical_dimensions(network, group=8)
    >>> [(dimension.npus, dimension.physical) for dimension in dims], inside
    ([(4, 0), (2, 1), (4, 1)], 2)

    Raises ConfigError for a group that doesn't divide the number of NPUs. Warns where it doesn't fit the dimensions.
    """
    npus = prod(dimension.npus for dimension in network)
    if npus % group:
        raise ConfigError(f"model_parallel_NPU_group is {group}; it must divide the {npus} NPUs of the network.")
    dims = tuple(LogicalDimension(dimension, d) for d, dimension in enumerate(network))
    taken = 1
    for d, dimension in enumerate(network):
        if taken == group:
            return dims, d
        if taken * dimension.npus > group:
            inner, outer = Part(dimension, group // taken, 1), outer_part(network, d, group // taken)
            broken = LogicalDimension(inner, d), LogicalDimension(outer, d)
            later = dims[d + 1 :]
            if taken * inner.npus != group or inner.npus * outer.npus != dimension.npus:
                warn_of_misfit(network, d, group, inner.npus, outer.npus)
                later = tuple(LogicalDimension(row, k) for k, row in shifted_rows(network, d, taken, inner, outer))
            return (*dims[:d], *broken, *later), d + 1
        taken *= dimension.npus
    return dims, len(dims)


def logical_topologies(
    platform: Platform, dims: tuple[LogicalDimension, ...], collective: Collective
) -> tuple[LogicalTopology, ...]:
    """Where and how `collective` runs, one for each logical dimension; a broken dimension's parts share their how.

    Raises ConfigError for a number of implementations that doesn't fit the number of dimensions, and where a switch is
    to add up and there is none.
    """
    how = platform.system.implementations(collective)
    if how[0].flat:
        npus = prod(dimension.npus for dimension in dims)
        return (LogicalTopology(LogicalDimension(Row(platform.network, npus), 0), how[0]),)
    if any(implementation.flat for implementation in how):
        raise ConfigError(
            f"{collective} is {'_'.join(i.spelling for i in how)}; an implementation with 'one' in front takes all "
            f"NPUs at once and must come first."
        )
    if len(how) != len(platform.network):
        raise ConfigError(
            f"the platform has {len(platform.network)} dimensions, but {collective} has {len(how)} implementations "
            f"({'_'.join(i.spelling for i in how)}); give one a dimension."
        )
    for dimension in dims:
        if how[dimension.physical].traits.in_switch:
            check_adds_up(how[dimension.physical].algorithm, dimension.wires, dimension.physical)
    return tuple(LogicalTopology(dimension, how[dimension.physical]) for dimension in dims)
