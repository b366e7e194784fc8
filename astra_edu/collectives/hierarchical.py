"""Multi-phase collectives: one schedule a network dimension, put together into one schedule over all of them.

NPU numbers count along dimension 0 first, so NPU 5 of a 4 x 2 system is at (1, 1). A chunk is a cell of the
product of the dimensions' own chunks, and has a coordinate in each. Going up, phase d reduce-scatters along
dimension d what the phases before it left: the chunks whose lower coordinates are the NPU's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from astra_edu.base.errors import ConfigError
from astra_edu.collectives.collective import Collective
from astra_edu.collectives.schedule import Rounds, Rule, Schedule

Build = Callable[[Collective, str, int], Schedule]


def phase_order(collective: Collective, dims: int) -> list[tuple[Collective, int]]:
    """The phases of a collective over `dims` dimensions: (what happens, along which dimension), in order.

    All-reduce: reduce-scatter up, all-reduce on the last, all-gather down. All-gather goes down, the others up.

    >>> from astra_edu.collectives import Collective, phase_order
    >>> for what, dimension in phase_order(Collective.ALL_REDUCE, 3):
    ...     print(what, "on", dimension)
    reduce-scatter on 0
    reduce-scatter on 1
    all-reduce on 2
    all-gather on 1
    all-gather on 0
    """
    up, last = list(range(dims - 1)), dims - 1
    match collective:
        case Collective.ALL_REDUCE:
            return (
                [(Collective.REDUCE_SCATTER, d) for d in up]
                + [(Collective.ALL_REDUCE, last)]
                + [(Collective.ALL_GATHER, d) for d in reversed(up)]
            )
        case Collective.ALL_GATHER:
            return [(collective, d) for d in (last, *reversed(up))]
        case Collective.REDUCE_SCATTER | Collective.ALL_TO_ALL:
            return [(collective, d) for d in (*up, last)]
        case _:
            raise ConfigError(
                f"{collective} has no multi-phase form here; "
                "over several dimensions there are reduce-scatter, all-gather, all-reduce and all-to-all."
            )


@dataclass(frozen=True)
class Grid:
    """How NPUs and chunks are numbered over the dimensions: `npus` and `chunks` of each dimension."""

    npus: tuple[int, ...]
    chunks: tuple[int, ...]

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

    def chunk(self, coordinates: Sequence[int]) -> int:
        """The number of a chunk: first by its part, then by the block it belongs to (as in schedule.py)."""
        blocks = [c % n for c, n in zip(coordinates, self.npus, strict=True)]
        parts = [c // n for c, n in zip(coordinates, self.npus, strict=True)]
        part_counts = [max(1, c // n) for c, n in zip(self.chunks, self.npus, strict=True)]
        if any(c < n for c, n in zip(self.chunks, self.npus, strict=True)):
            return _number(coordinates, self.chunks)
        return _number(parts, part_counts) * prod(self.npus) + _number(blocks, self.npus)


def compose(collective: Collective, dims: list[tuple[str, int]], build: Build) -> Schedule:
    """One schedule from the (algorithm, size) of every dimension; `build` makes the one-dimensional ones."""
    sizes = tuple(size for _, size in dims)
    plan = [(build(what, dims[d][0], sizes[d]), d) for what, d in phase_order(collective, len(dims))]
    chunks = {d: local.chunks for local, d in plan}
    grid = Grid(sizes, tuple(chunks[d] for d in range(len(dims))))
    lift = _lift_all_to_all if collective is Collective.ALL_TO_ALL else _lift
    groups = tuple(lift(group, d, grid) for local, d in plan for group in local.groups)
    total = prod(sizes) ** 2 if collective is Collective.ALL_TO_ALL else prod(grid.chunks)
    names = "+".join(name for name, _ in dims) if len({name for name, _ in dims}) > 1 else dims[0][0]
    return Schedule(collective, names, prod(sizes), total, groups, dims=sizes)


def _lift(group: Rounds, d: int, grid: Grid) -> Rounds:
    """The rule of dimension d, applied to every chunk that an NPU still works on in that phase."""

    def rule(step: int, npu: int) -> list[tuple[int, int]]:
        address = grid.address(npu)
        below = [range(address[j], grid.chunks[j], grid.npus[j]) for j in range(d)]
        above = [range(count) for count in grid.chunks[d + 1 :]]
        return [
            (grid.npu([*address[:d], to, *address[d + 1 :]]), grid.chunk(coordinates))
            for to, chunk in group.rule(step, address[d])
            for coordinates in product(*below, [chunk], *above)
        ]

    return _on_dimension(group, d, rule)


def _lift_all_to_all(group: Rounds, d: int, grid: Grid) -> Rounds:
    """All-to-all along dimension d: chunks are already right below d and still where they started above it."""
    n, total = grid.npus[d], prod(grid.npus)

    def rule(step: int, npu: int) -> list[tuple[int, int]]:
        address = grid.address(npu)
        sends = []
        for to, chunk in group.rule(step, address[d]):
            origin, target = divmod(chunk, n)
            destination = grid.npu([*address[:d], to, *address[d + 1 :]])
            for low in product(*map(range, grid.npus[:d])):
                for high in product(*map(range, grid.npus[d + 1 :])):
                    source = grid.npu([*low, origin, *address[d + 1 :]])
                    goal = grid.npu([*address[:d], target, *high])
                    sends.append((destination, source * total + goal))
        return sends

    return _on_dimension(group, d, rule)


def _on_dimension(group: Rounds, d: int, rule: Rule) -> Rounds:
    return Rounds(group.phase, group.op, group.count, rule, group.symmetric, group.uniform, dimension=d)


def _number(digits: Sequence[int], sizes: Sequence[int]) -> int:
    number = 0
    for digit, size in zip(reversed(digits), reversed(sizes), strict=True):
        number = number * size + digit
    return number
