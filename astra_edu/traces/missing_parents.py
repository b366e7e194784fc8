"""Nodes that wait for others which their file hasn't got."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from astra_edu.traces.node import Node


def without_missing(nodes: Sequence[tuple[Node, ...]]) -> tuple[tuple[Node, ...], ...]:
    """The nodes of each NPU, which wait only for what is there. NPUs that share nodes go on to do so."""
    made: dict[int, tuple[Node, ...]] = {}
    for own in nodes:
        if id(own) not in made:
            there = {node.id for node in own}
            made[id(own)] = tuple(_waits(node, there) for node in own)
    return tuple(made[id(own)] for own in nodes)


def _waits(node: Node, there: Collection[int]) -> Node:
    if all(parent in there for parent in node.parents):
        return node
    data, control = (tuple(one for one in deps if one in there) for deps in (node.data_deps, node.ctrl_deps))
    return replace(node, data_deps=data, ctrl_deps=control)
