"""The dimensions that collectives see: the network's, or one more where a model-parallel group breaks one in two."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.collectives import Collective
from astra_edu.errors import ConfigError
from astra_edu.network import Dimension, Flat, Part, Wires
from astra_edu.system.config import Implementation, Platform


@dataclass(frozen=True)
class LogicalDimension:
    """A dimension as collectives see it, and which of the network's it belongs to."""

    wires: Wires
    physical: int

    @property
    def npus(self) -> int:
        """How many NPUs it connects."""
        return self.wires.npus


@dataclass(frozen=True)
class Lane:
    """Where one kind of collective runs: a logical dimension and how it is carried out there."""

    dimension: LogicalDimension
    how: Implementation


def logical_dimensions(network: tuple[Dimension, ...], group: int = 1) -> tuple[tuple[LogicalDimension, ...], int]:
    """(the dimensions, how many of them, counted from 0, a model-parallel group of `group` NPUs takes).

    A group that ends inside a dimension breaks it: its first part belongs to the group, its second to the others.
    Raises ConfigError for a group that doesn't divide the dimension it ends in or is larger than the network.
    """
    dims = [LogicalDimension(dimension, d) for d, dimension in enumerate(network)]
    inside = 1
    for d, dimension in enumerate(network):
        if group == inside:
            return tuple(dims), d
        if inside * dimension.npus > group:
            first, rest = divmod(group, inside)
            if rest or dimension.npus % first:
                raise ConfigError(
                    f"model_parallel_NPU_group is {group}; it must be a product of whole dimensions and a divisor of "
                    f"the next one, and the dimensions are {' x '.join(str(x.npus) for x in network)}."
                )
            inner = LogicalDimension(Part(dimension, first, 1), d)
            outer = LogicalDimension(Part(dimension, dimension.npus // first, first), d)
            return (*dims[:d], inner, outer, *dims[d + 1 :]), d + 1
        inside *= dimension.npus
    if group != inside:
        raise ConfigError(f"model_parallel_NPU_group is {group}, but the network has only {inside} NPUs.")
    return tuple(dims), len(dims)


def lanes(platform: Platform, dims: tuple[LogicalDimension, ...], collective: Collective) -> tuple[Lane, ...]:
    """Where and how `collective` runs, a lane for each logical dimension; a broken dimension's parts share their how.

    Raises ConfigError for a number of implementations that doesn't fit the number of dimensions.
    """
    how = platform.system.implementations(collective)
    if how[0].flat:
        return (Lane(LogicalDimension(Flat(platform.network), 0), how[0]),)
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
    return tuple(Lane(dimension, how[dimension.physical]) for dimension in dims)
