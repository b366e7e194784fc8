"""What NPUs that do the same up to names have in common: who waits for whom, and what carries a node out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import IntEnum
from typing import NamedTuple

from astra_edu.system.trace_config import TraceSystem
from astra_edu.traces.node import Node, NodeType


class Unit(IntEnum):
    """What carries out a node."""

    CPU = 0
    COMPUTE = 1
    COMMUNICATION = 2
    RECEIVE = 3


_UNITS = [Unit.COMMUNICATION] * len(NodeType)
_UNITS[NodeType.COMP_NODE], _UNITS[NodeType.COMM_RECV_NODE] = Unit.COMPUTE, Unit.RECEIVE
_NUMBERS = [int(unit) for unit in _UNITS]


def unit_of(node: Node) -> Unit:
    """What carries out a node."""
    return Unit.CPU if node.is_cpu_op else _UNITS[node.type]


class Outline(NamedTuple):
    """What NPUs of a template have in common, by a node's place in it.

    ids: numbers in the template; another NPU's are in the same order. kinds: types. units: what carries a node out.
    waits: how many it waits for; children: the places of those that wait for it. replays: ns of one whose duration is
    replayed; -1 for all others.
    """

    ids: list[int]
    kinds: list[NodeType]
    units: list[int]
    waits: list[int]
    children: list[list[int] | None]
    replays: list[int]


def outline_of(nodes: Sequence[Node], system: TraceSystem) -> Outline:
    """The outline of a template's nodes, or of one NPU's. Raises ConfigError for nodes that nothing carries out."""
    ids = [node.id for node in nodes]
    kinds = [node.type for node in nodes]
    places = {number: place for place, number in enumerate(ids)}
    children: list[list[int] | None] = [None] * len(nodes)
    units, waits, replays = [], [], []
    rooflined, replays_all = int(Unit.COMPUTE) if system.roofline else -1, system.replay_only
    for place, node in enumerate(nodes):
        parents: Collection[int] = node.data_deps
        if node.ctrl_deps or len(parents) > 1:
            parents = node.parents
        waits.append(len(parents))
        for parent in parents:
            before = places.get(parent)
            if before is None:
                continue
            own = children[before]
            if own is None:
                children[before] = [place]
            else:
                own.append(place)
        kind = kinds[place]
        mark = node.attributes.get("is_cpu_op")
        unit = _NUMBERS[kind] if mark is None or mark.value is False or not node.is_cpu_op else int(Unit.CPU)
        units.append(unit)
        replayed = replays_all or (kind is NodeType.COMP_NODE and unit != rooflined)
        replays.append(replayed_ns(node) if replayed else -1)
    return Outline(ids, kinds, units, waits, children, replays)


def replayed_ns(node: Node) -> int:
    """For how long a node runs that only passes its time: no less than 1 ns."""
    return node.duration_micros * 1000 or 1
