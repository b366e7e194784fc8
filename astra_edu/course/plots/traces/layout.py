"""Where the nodes of a graph are drawn: a level from left to right for each wait, a lane for each unit of the NPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from astra_edu.traces import Node
from astra_edu.traces.outline import Unit, unit_of


class Box(NamedTuple):
    """One node, or several drawn as one. row: in its lane, from the top."""

    nodes: tuple[Node, ...]
    level: int
    lane: Unit
    row: int


@dataclass(frozen=True)
class Layout:
    """Boxes, and which (first) must be over before which (second), by their places in `boxes`."""

    boxes: Sequence[Box]
    edges: Sequence[tuple[int, int]]

    @property
    def levels(self) -> int:
        """How many levels there are."""
        return max(box.level for box in self.boxes) + 1

    @property
    def rows(self) -> Mapping[Unit, int]:
        """How many rows each lane has that has any."""
        return {
            lane: max(box.row for box in self.boxes if box.lane is lane) + 1
            for lane in Unit
            if any(box.lane is lane for box in self.boxes)
        }


def laid_out(nodes: Sequence[Node]) -> Layout:
    """A box for each node, one level after the last one that it waits for.

    What waits for nothing stands just before the first that waits for it.
    """
    parents = {node.id: sorted({*node.data_deps, *node.ctrl_deps}) for node in nodes}
    boxes = _in_rows({node.id: node for node in nodes}, parents, _levels(parents))
    place = {box.nodes[0].id: k for k, box in enumerate(boxes)}
    return Layout(boxes, [(place[parent], place[number]) for number in parents for parent in parents[number]])


def _levels(parents: Mapping[int, Sequence[int]]) -> Mapping[int, int]:
    """The level of each node, by its number; parents: the numbers of those that it waits for."""
    children = _children(parents)
    level: dict[int, int] = {}
    missing = {number: len(waits) for number, waits in parents.items()}
    free = [number for number, count in missing.items() if not count]
    while free:
        number = free.pop()
        level[number] = 1 + max((level[parent] for parent in parents[number]), default=-1)
        for child in children[number]:
            missing[child] -= 1
            if not missing[child]:
                free.append(child)
    for number, waits in parents.items():
        if not waits and children[number]:
            level[number] = min(level[child] for child in children[number]) - 1
    return level


def _children(parents: Mapping[int, Sequence[int]]) -> Mapping[int, Sequence[int]]:
    """Which nodes wait for each node, by their numbers."""
    children: dict[int, list[int]] = {number: [] for number in parents}
    for number, waits in parents.items():
        for parent in waits:
            children[parent].append(number)
    return children


def _in_rows(
    by_id: Mapping[int, Node], parents: Mapping[int, Sequence[int]], level: Mapping[int, int]
) -> Sequence[Box]:
    """Boxes from left to right, each in the row of what it waits for in its lane, or else in the first free one."""
    boxes: list[Box] = []
    row_of: dict[int, int] = {}
    taken: set[tuple[int, Unit, int]] = set()
    for number in sorted(by_id, key=lambda number: (level[number], number)):
        lane = unit_of(by_id[number])
        wanted = [row_of[parent] for parent in parents[number] if unit_of(by_id[parent]) is lane]
        rows = [*wanted, *range(len(by_id))]
        row_of[number] = row = next(row for row in rows if (level[number], lane, row) not in taken)
        taken.add((level[number], lane, row))
        boxes.append(Box((by_id[number],), level[number], lane, row))
    return boxes


def chained(layout: Layout) -> Layout:
    """The same with one box for all nodes that follow one another with nothing else before, between or after them."""
    chain_of, members = _chains(layout)
    waits: dict[int, set[int]] = {}
    for a, b in layout.edges:
        if chain_of[a] != chain_of[b]:
            waits.setdefault(members[chain_of[b]][0].id, set()).add(members[chain_of[a]][0].id)
    nodes = [replace(m[0], data_deps=tuple(sorted(waits.get(m[0].id, ()))), ctrl_deps=()) for m in members]
    whole = {m[0].id: tuple(m) for m in members}
    placed = laid_out(nodes)
    return Layout([box._replace(nodes=whole[box.nodes[0].id]) for box in placed.boxes], placed.edges)


def _chains(layout: Layout) -> tuple[Mapping[int, int], Sequence[Sequence[Node]]]:
    """The number of the chain that each box is in, by its place; and the nodes of each chain."""
    following: dict[int, list[int]] = {}
    before: dict[int, list[int]] = {}
    for a, b in layout.edges:
        following.setdefault(a, []).append(b)
        before.setdefault(b, []).append(a)
    chain_of: dict[int, int] = {}
    members: list[list[Node]] = []
    for k in sorted(range(len(layout.boxes)), key=lambda k: layout.boxes[k].level):
        box, previous = layout.boxes[k], before.get(k, [])
        if len(previous) == 1 and len(following[previous[0]]) == 1 and layout.boxes[previous[0]].lane is box.lane:
            chain_of[k] = chain_of[previous[0]]
            members[chain_of[k]] += box.nodes
        else:
            chain_of[k] = len(members)
            members.append([*box.nodes])
    return chain_of, members


def grouped(layout: Layout, columns: int) -> Layout:
    """The same with one box for all nodes of a lane in levels that stand together, in `columns` columns at most."""
    together = -(-layout.levels // columns)
    members: dict[tuple[int, Unit], list[Node]] = {}
    for box in layout.boxes:
        members.setdefault((box.level // together, box.lane), []).extend(box.nodes)
    keys = {key: k for k, key in enumerate(members)}
    boxes = [Box(tuple(nodes), level, lane, 0) for (level, lane), nodes in members.items()]
    of = [keys[box.level // together, box.lane] for box in layout.boxes]
    edges = dict.fromkeys((of[a], of[b]) for a, b in layout.edges if of[a] != of[b])
    return Layout(boxes, list(edges))
