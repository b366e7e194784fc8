"""The dimensions that collectives see: the network's, or one more where a model-parallel group breaks one in two."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from operator import mul

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective
from astra_edu.network import Dimension, Part, Row, Wires
from astra_edu.system.config import Platform
from astra_edu.system.implementation import Implementation


@dataclass(frozen=True)
class LogicalDimension:
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


@dataclass(frozen=True)
class Lane:
    """Where one kind of collective runs: a logical dimension and how it is carried out there."""

    dimension: LogicalDimension
    how: Implementation


def logical_dimensions(network: tuple[Dimension, ...], group: int = 1) -> tuple[tuple[LogicalDimension, ...], int]:
    """(the dimensions, how many of them, counted from 0, a model-parallel group of `group` NPUs takes).

    A group that ends inside a dimension breaks it: its first part belongs to the group, its second to the others.
    Raises ConfigError for a group that doesn't divide the number of NPUs. Warns where it doesn't fit the dimensions:
    ASTRA-sim then rounds both parts down and leaves NPUs out.
    """
    dims = [LogicalDimension(dimension, d) for d, dimension in enumerate(network)]
    npus = prod(dimension.npus for dimension in network)
    if npus % group:
        raise ConfigError(f"model_parallel_NPU_group is {group}; it must divide the {npus} NPUs of the network.")
    inside = 1
    for d, dimension in enumerate(network):
        if group == inside:
            return tuple(dims), d
        if inside * dimension.npus > group:
            first, second = group // inside, dimension.npus // (group // inside)
            if inside * first != group or first * second != dimension.npus:
                warnings.warn(
                    f"a model_parallel_NPU_group of {group} doesn't fit dimensions of "
                    f"{' x '.join(str(x.npus) for x in network)} NPUs; as in ASTRA-sim, dimension {d} is taken as "
                    f"{first} x {second} NPUs. Groups that fit are products of whole dimensions and a divisor of the "
                    "next one.",
                    stacklevel=3,
                )
            inner = LogicalDimension(Part(dimension, first, 1), d)
            outer = LogicalDimension(Part(dimension, second, first), d)
            later = dims[d + 1 :]
            if first * second != dimension.npus:  # the numbers of the NPUs have shifted
                strides = accumulate([inside * first * second, *(x.npus for x in network[d + 1 :])], mul)
                rows = [Row(network, x.npus, stride) for x, stride in zip(network[d + 1 :], strides, strict=False)]
                later = [LogicalDimension(row, d + 1 + k) for k, row in enumerate(rows)]
            return (*dims[:d], inner, outer, *later), d + 1
        inside *= dimension.npus
    return tuple(dims), len(dims)


def lanes(platform: Platform, dims: tuple[LogicalDimension, ...], collective: Collective) -> tuple[Lane, ...]:
    """Where and how `collective` runs, a lane for each logical dimension; a broken dimension's parts share their how.

    Raises ConfigError for a number of implementations that doesn't fit the number of dimensions.
    """
    how = platform.system.implementations(collective)
    if how[0].flat:
        npus = prod(dimension.npus for dimension in dims)
        return (Lane(LogicalDimension(Row(platform.network, npus), 0), how[0]),)
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
