"""Multi-phase collectives: one schedule a network dimension, put together into one schedule over all of them.

NPU numbers count along dimension 0 first, so NPU 5 of a 4 x 2 system is at (1, 1). A shard is a cell of the
product of the dimensions' own shards, and has a coordinate in each. Going up, phase d reduce-scatters along
dimension d what the phases before it left: the shards whose lower coordinates are the NPU's own. An all-reduce made of
these is known as BlueConnect (M. Cho, U. Finkler, D. Kung, H. Hunter, "BlueConnect: Decomposing All-Reduce for Deep
Learning on Heterogeneous Network Hierarchy", MLSys 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.collectives.collective import Collective
from astra_edu.collectives.schedule import Carried, Rounds, Rule, Schedule
from astra_edu.collectives.traits import Traits

Build = Callable[[Collective, str, int], Schedule]

_MULTI_PHASE = (Collective.REDUCE_SCATTER, Collective.ALL_GATHER, Collective.ALL_REDUCE, Collective.ALL_TO_ALL)


def walk(
    collective: Collective, order: Sequence[int], halves: bool = False, one_each: bool = False
) -> list[tuple[Collective, int]]:
    """(what, along which dimension) of data that go through the dimensions in `order`.

    An all-reduce reduce-scatters up to the last dimension, all-reduces there and all-gathers back. halves: it
    reduce-scatters and all-gathers on the last one, too. one_each: it all-reduces on every dimension instead.

    >>> [f"{what} on {d}" for what, d in walk(Collective.ALL_REDUCE, [0, 1])]
    ['reduce-scatter on 0', 'all-reduce on 1', 'all-gather on 0']
    """
    if collective is not Collective.ALL_REDUCE or one_each:
        return [(collective, d) for d in order]
    up = [(Collective.REDUCE_SCATTER, d) for d in order]
    down = [(Collective.ALL_GATHER, d) for d in reversed(order)]
    if halves or not order:
        return up + down
    return [*up[:-1], (collective, order[-1]), *down[1:]]


@lru_cache(maxsize=100)
def natural_order(collective: Collective, dims: int) -> tuple[int, ...]:
    """The dimensions in the order in which a collective takes them by itself: an all-gather comes down."""
    order = tuple(range(dims))
    return order[::-1] if collective is Collective.ALL_GATHER else order


class Grid(NamedTuple):
    """How NPUs and shards are numbered over the dimensions: `npus` and `shards` of each dimension."""

    npus: tuple[int, ...]
    shards: tuple[int, ...]

    def address(self, npu: int) -> list[int]:
        """The NPU's coordinate in every dimension."""
        coordinates = []
        for size in self.npus:
            npu, coordinate = divmod(npu, size)
            coordinates.append(coordinate)
        return coordinates

    def npu(self, address: Sequence[int]) -> int:
        """The number of the NPU at `address`."""
        return _number(address, self.npus)

    def shard(self, coordinates: Sequence[int]) -> int:
        """The number of a shard: first by its part, then by the block it belongs to (as in schedule.py)."""
        blocks = [c % n for c, n in zip(coordinates, self.npus, strict=True)]
        parts = [c // n for c, n in zip(coordinates, self.npus, strict=True)]
        part_counts = [max(1, c // n) for c, n in zip(self.shards, self.npus, strict=True)]
        if any(c < n for c, n in zip(self.shards, self.npus, strict=True)):
            return _number(coordinates, self.shards)
        return _number(parts, part_counts) * prod(self.npus) + _number(blocks, self.npus)


def compose(collective: Collective, dims: list[tuple[str, int]], build: Build) -> Schedule:
    """One schedule from the (algorithm, size) of every dimension; `build` makes the one-dimensional ones."""
    if collective not in _MULTI_PHASE:
        raise ConfigError(
            f"{collective} has no multi-phase form here; "
            "over several dimensions there are reduce-scatter, all-gather, all-reduce and all-to-all."
        )
    sizes = tuple(size for _, size in dims)
    order = natural_order(collective, len(dims))
    plan = [(build(what, dims[d][0], sizes[d]), d) for what, d in walk(collective, order)]
    shards = {d: local.shards for local, d in plan}
    grid = Grid(sizes, tuple(shards[d] for d in range(len(dims))))
    lift = _lift_all_to_all if collective is Collective.ALL_TO_ALL else _lift
    groups = tuple(lift(group, d, grid) for local, d in plan for group in local.groups)
    total = prod(sizes) ** 2 if collective is Collective.ALL_TO_ALL else prod(grid.shards)
    alike = len({name for name, _ in dims}) == 1
    names = dims[0][0] if alike else "+".join(name for name, _ in dims)
    traits = plan[0][0].traits if alike else Traits()
    return Schedule(collective, names, prod(sizes), total, groups, dims=sizes, traits=traits)


def _lift(group: Rounds, d: int, grid: Grid) -> Rounds:
    """The rule of dimension d, applied to every shard that an NPU still works on in that phase."""

    def rule(step: int, npu: int) -> list[tuple[int, int]]:
        address = grid.address(npu)
        below = [range(address[j], grid.shards[j], grid.npus[j]) for j in range(d)]
        above = [range(count) for count in grid.shards[d + 1 :]]
        return [
            (grid.npu([*address[:d], to, *address[d + 1 :]]), grid.shard(coordinates))
            for to, shard in group.rule(step, address[d])
            for coordinates in product(*below, [shard], *above)
        ]

    times = prod(grid.shards[j] // grid.npus[j] for j in range(d)) * prod(grid.shards[d + 1 :])
    return _on_dimension(group, d, rule, times)


def _lift_all_to_all(group: Rounds, d: int, grid: Grid) -> Rounds:
    """All-to-all along dimension d: shards are already right below d and still where they started above it."""
    n, total = grid.npus[d], prod(grid.npus)

    def rule(step: int, npu: int) -> list[tuple[int, int]]:
        address = grid.address(npu)
        sends = []
        for to, shard in group.rule(step, address[d]):
            origin, target = divmod(shard, n)
            destination = grid.npu([*address[:d], to, *address[d + 1 :]])
            for low in product(*map(range, grid.npus[:d])):
                for high in product(*map(range, grid.npus[d + 1 :])):
                    source = grid.npu([*low, origin, *address[d + 1 :]])
                    goal = grid.npu([*address[:d], target, *high])
                    sends.append((destination, source * total + goal))
        return sends

    return _on_dimension(group, d, rule)


def _on_dimension(group: Rounds, d: int, rule: Rule, times: int = 1) -> Rounds:
    """times: as many shards as along the dimension alone."""
    carried = group.carried and Carried(*(times * shards for shards in group.carried))
    return Rounds(group.phase, group.op, group.count, rule, group.symmetric, group.uniform, d, carried)


def _number(digits: Sequence[int], sizes: Sequence[int]) -> int:
    number = 0
    for digit, size in zip(reversed(digits), reversed(sizes), strict=True):
        number = number * size + digit
    return number
