"""Over which NPUs a collective of a parallelism runs: dimensions of the network, or process groups in their place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

from astra_edu.base.errors import ConfigError, whole
from astra_edu.system import Platform, TracePlatform
from astra_edu.traces.arguments import Rings

KNOWN_DIMENSIONS = 4
"""Without involved_dim, a collective runs over the first four dimensions."""


Network = Platform | TracePlatform | int | Sequence[int]
"""A platform, or the number of NPUs in each dimension."""


def sizes_of(network: Network) -> list[int]:
    """The number of NPUs in each dimension."""
    dims = getattr(network, "dims", getattr(network, "network", network))
    given = list(dims) if isinstance(dims, Iterable) and not isinstance(dims, str) else [dims]
    return [whole("a dimension's NPUs", getattr(one, "npus", one), at_least=1) for one in given]


def with_group(sizes: list[int], group: int) -> tuple[list[int], int]:
    """(dimensions, how many of them a group of `group` NPUs takes); one of the network's may have to break in two.

    Raises ConfigError for a group that can't be cut out of the dimensions.
    """
    inside = 1
    for d, npus in enumerate(sizes):
        if inside == group:
            return sizes, d
        if inside * npus > group:
            first = group // inside
            if inside * first != group or npus % first:
                raise ConfigError(
                    f"model_parallel_NPU_group is {group}, which doesn't fit dimensions of "
                    f"{' x '.join(map(str, sizes))} NPUs: it must be a product of whole dimensions, from the first on, "
                    "and a divisor of the next one."
                )
            return [*sizes[:d], first, npus // first, *sizes[d + 1 :]], d + 1
        inside *= npus
    if inside != group:
        raise ConfigError(f"model_parallel_NPU_group is {group}; it must divide the {inside} NPUs of the network.")
    return sizes, len(sizes)


def npus_along(sizes: Sequence[int], uses: Sequence[bool]) -> list[list[int]]:
    """The NPUs that differ only in the dimensions used, group after group, each ascending.

    >>> npus_along([2, 3], [False, True])
    [[0, 2, 4], [1, 3, 5]]
    """

    def numbers(used: bool) -> list[int]:
        ways = [range(0, prod(sizes[: d + 1]), prod(sizes[:d])) for d, use in enumerate(uses) if use is used]
        return [sum(way) for way in product(*reversed(ways))]

    return [[first + further for further in numbers(True)] for first in numbers(False)]


@dataclass(frozen=True)
class Space:
    """NPUs counted along logical dimensions, the first one fastest.

    logical, physical: NPUs in each logical dimension and in each of the network's. Where a logical dimension isn't one
    or several of the network's, process groups stand for all of them.
    """

    logical: Sequence[int]
    physical: Sequence[int]

    @cached_property
    def _groups(self) -> dict[tuple[tuple[bool, ...], range | None], Rings]:
        """The process groups over logical dimensions, everybody's or some NPUs', that were asked for so far."""
        return {}

    def where(self, uses: Sequence[bool], npus: range | None = None) -> dict[str, Any] | None:
        """What tells a Builder's collective to run over these logical dimensions; None where it has nobody to talk to.

        npus: whose collective it is, by default everybody's.
        """
        if prod(size for size, use in zip(self.logical, uses, strict=True) if use) == 1:
            return None
        if all(use or size == 1 for size, use in zip(self.logical, uses, strict=True)):
            return {} if len(self.physical) <= KNOWN_DIMENSIONS else {"involved_dim": [True] * len(self.physical)}
        owners = self._owners()
        if owners is None:
            return {"group": self._rings(tuple(uses), npus)}
        dims = [owner is not None and uses[owner] for owner in owners]
        return {"involved_dim": dims, "on": npus}

    def _rings(self, uses: tuple[bool, ...], npus: range | None) -> Rings:
        found = self._groups.get((uses, npus))
        if found is None:
            every = npus_along(self.logical, uses) if npus is None else self._rings(uses, None)
            found = self._groups[uses, npus] = Rings(tuple(one) for one in every if npus is None or one[0] in npus)
        return found

    def _owners(self) -> list[int | None] | None:
        """The logical dimension of each of the network's (None for one of 1 NPU); None where one would have two."""
        owners: list[int | None] = []
        d, left = 0, self.logical[0]
        for size in self.physical:
            if size == 1:
                owners.append(None)
                continue
            while left == 1:
                d += 1
                left = self.logical[d]
            if left % size:
                return None
            owners.append(d)
            left //= size
        return owners
