"""Algorithms whose shards go up and down a tree, or two, are drawn as trees: the root on top, leaves below.

A double tree is drawn as two, side by side, each NPU once in each: there it is a leaf, here it has children.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from astra_edu.collectives import ProofError, Schedule
from astra_edu.course.widgets.layout import Layout, spread
from astra_edu.course.widgets.own_layout import HEIGHT, WIDTH, Point
from astra_edu.network.topologies import Topology

MOST_TREES, LEAST_LEVELS = 2, 3
TOP, SIDE, BOTTOM = 46.0, 26.0, 30.0
"""Room around the trees, px; on top for their names."""
Link = tuple[int, int]


@dataclass(frozen=True)
class Rooted:
    """A tree over all NPUs: the parent of each, None for the root."""

    parents: tuple[int | None, ...]

    @cached_property
    def children(self) -> list[list[int]]:
        """Of each NPU, by number."""
        found: list[list[int]] = [[] for _ in self.parents]
        for npu, parent in enumerate(self.parents):
            if parent is not None:
                found[parent].append(npu)
        return found

    @property
    def root(self) -> int:
        """Who has no parent."""
        return self.parents.index(None)

    def depth(self, npu: int) -> int:
        """How many levels are above."""
        parent = self.parents[npu]
        return 0 if parent is None else self.depth(parent) + 1

    @property
    def levels(self) -> int:
        """How many there are."""
        return max(map(self.depth, range(len(self.parents)))) + 1

    def columns(self) -> dict[int, float]:
        """Where NPUs stand from left to right: leaves one place apart, parents over the middle of their children."""
        found: dict[int, float] = {}
        leaves = 0

        def place(npu: int) -> float:
            nonlocal leaves
            if not self.children[npu]:
                found[npu], leaves = float(leaves), leaves + 1
            else:
                below = [place(child) for child in self.children[npu]]
                found[npu] = (below[0] + below[-1]) / 2
            return found[npu]

        place(self.root)
        return found


@dataclass(frozen=True)
class Trees:
    """The trees of a schedule. of: the number of each shard's tree."""

    trees: tuple[Rooted, ...]
    of: tuple[int, ...]


def trees_of(schedule: Schedule) -> Trees | None:
    """The tree, or the two, along which all shards of a schedule go; None where it is none, or a mere star."""
    if len(schedule.dims) > 1:
        return None
    ways: defaultdict[int, list[Link]] = defaultdict(list)
    try:
        for step in schedule.steps():
            for source, destination, shard in step.transfers:
                ways[shard].append((source, destination))
    except ProofError:
        return None
    if together := _rooted([link for links in ways.values() for link in links], schedule.npus):
        return Trees((together,), (0,) * schedule.shards)
    each = [_rooted(ways[shard], schedule.npus) for shard in range(schedule.shards)]
    different = tuple(dict.fromkeys(tree for tree in each if tree))
    if None in each or len(different) > MOST_TREES:
        return None
    return Trees(different, tuple(different.index(tree) for tree in each if tree))


def _rooted(links: list[Link], npus: int) -> Rooted | None:
    """The tree that these links make of all NPUs, its root where they lead to, or else come from."""
    pairs = {frozenset(link) for link in links}
    if len(pairs) != npus - 1 or not set().union(*pairs) <= set(range(npus)):
        return None
    first: dict[frozenset[int], Link] = {}
    for link in links:
        first.setdefault(frozenset(link), link)
    for parent in (1, 0):  # the first messages go up, or down
        parents: list[int | None] = [None] * npus
        for link in first.values():
            parents[link[1 - parent]] = link[parent]
        if parents.count(None) == 1 and _reaches_the_root(parents):
            tree = Rooted(tuple(parents))
            return tree if tree.levels >= LEAST_LEVELS else None
    return None


def _reaches_the_root(parents: list[int | None]) -> bool:
    def ends(npu: int) -> bool:
        at: int | None = npu
        for _ in parents:
            at = parents[at] if at is not None else None
        return at is None

    return all(map(ends, range(len(parents))))


def tree_layout(trees: Trees, schedule: Schedule, topology: tuple[Topology, ...]) -> Layout:
    """Where NPUs stand in each tree, and the wires between parents and children."""
    count = len(trees.trees)
    wide = WIDTH / count
    places = [_placed(tree, (k * wide + SIDE, (k + 1) * wide - SIDE)) for k, tree in enumerate(trees.trees)]
    radius = min(19.0, *(0.36 * spread(nodes) for nodes in places))
    wires = [
        f"M{nodes[npu][0]:.1f} {nodes[npu][1]:.1f}L{nodes[parent][0]:.1f} {nodes[parent][1]:.1f}"
        for tree, nodes in zip(trees.trees, places, strict=True)
        for npu, parent in enumerate(tree.parents)
        if parent is not None
    ]
    first, *more = map(tuple, places)
    names = [
        (nodes[tree.root][0], TOP - radius - 8, _shards(schedule, trees.of, k))
        for k, (tree, nodes) in enumerate(zip(trees.trees, places, strict=True))
        if more
    ]
    return Layout(schedule.dims, topology, (), first, radius, tuple(wires), (), (), tuple(more), trees.of, tuple(names))


def _shards(schedule: Schedule, of: tuple[int, ...], tree: int) -> str:
    """What travels in a tree: "for X0"."""
    mine = [schedule.shard_name(shard) for shard, other in enumerate(of) if other == tree]
    return f"for {', '.join(mine[:3])}{', …' if len(mine) > 3 else ''}"


def _placed(tree: Rooted, sides: tuple[float, float]) -> list[Point]:
    columns = tree.columns()
    last = max(columns.values()) or 1.0
    low, high = sides
    return [
        (
            low + columns[npu] / last * (high - low),
            TOP + tree.depth(npu) / (tree.levels - 1) * (HEIGHT - TOP - BOTTOM),
        )
        for npu in range(len(tree.parents))
    ]
