"""Traces from a line of Python: one collective on every NPU, or nodes as plain dicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from astra_edu.base.errors import ConfigError, choice, shown
from astra_edu.base.units import parse_bytes
from astra_edu.traces.arguments import involved, npu_count
from astra_edu.traces.node import COLLECTIVES, Node, NodeType, attribute_of
from astra_edu.traces.plain import node_from_plain
from astra_edu.traces.trace import Trace

COMM_TYPES = {collective.value.replace("-", "_"): kind for kind, collective in COLLECTIVES.items()}


def collective(name: str, bytes: int | str, npus: int, involved_dim: Sequence[bool] | None = None) -> Trace:
    """A trace in which every NPU has one node, the collective `name`: "all_reduce", "all_gather", "reduce_scatter", ...

    bytes: an NPU's whole buffer, but its own block for an all-gather; a number or a text such as "1 MiB".
    involved_dim: for each dimension whether the collective runs over it (default: the first four).

    >>> trace = ae.traces.collective("all_reduce", "1 MiB", npus=4)
    >>> trace.npus, trace.nodes[0][0].name
    (4, 'all_reduce')
    """
    spelling = name.replace("-", "_") if isinstance(name, str) else name
    kind = COMM_TYPES[choice("collective", spelling, COMM_TYPES)]
    count = npu_count(npus)
    attributes: dict[str, Any] = {"is_cpu_op": False, "comm_type": int(kind), "comm_size": parse_bytes(bytes)}
    if involved_dim is not None:
        attributes["involved_dim"] = involved(name, involved_dim)
    found = {key: attribute_of(key, value) for key, value in attributes.items()}
    nodes = (Node(1, name, NodeType.COMM_COLL_NODE, attributes=found),)
    return Trace((nodes,) * count)


def from_nodes(
    nodes: Sequence[Sequence[Mapping[str, Any]]], groups: Mapping[Any, Sequence[int]] | None = None
) -> Trace:
    """A trace from dicts: for every NPU the list of its nodes.

    A node has id, name, type ("COMP_NODE", ...), duration_micros, data_deps, ctrl_deps and attr (name to value); all
    but id and type may be missing. groups: name to the NPUs of a process group, in the order of its ring; without them,
    a group has the NPUs that name it, in ascending order.

    Raises ConfigError for what makes no trace, naming the NPU and the node.

    >>> forward = {"id": 0, "name": "forward", "type": "COMP_NODE", "duration_micros": 5}
    >>> update = {"id": 1, "name": "update", "type": "COMP_NODE", "duration_micros": 2, "data_deps": [0]}
    >>> ae.traces.from_nodes([[forward, update]])
    <trace of 1 NPUs, 2 nodes each, all alike>
    """
    if not isinstance(nodes, Sequence) or isinstance(nodes, (str, bytes)) or not nodes:
        raise ConfigError("from_nodes takes a list with the nodes of every NPU; each of them is a list of dicts.")
    found: list[tuple[Node, ...]] = []
    seen: dict[int, tuple[Node, ...]] = {}
    for npu, listed in enumerate(nodes):
        if id(listed) not in seen:
            if not isinstance(listed, Sequence) or not all(isinstance(node, Mapping) for node in listed):
                raise ConfigError(f"NPU {npu}: its nodes are {shown(listed, 80)}; they should be a list of dicts.")
            places = (f"NPU {npu}, node number {k}" for k in range(len(listed)))
            seen[id(listed)] = tuple(map(node_from_plain, listed, places))
        found.append(seen[id(listed)])
    if groups is None:
        groups = groups_of(found)
    if not isinstance(groups, Mapping) or not all(isinstance(members, Iterable) for members in groups.values()):
        raise ConfigError(f'groups is {shown(groups, 80)}; give the NPUs of each by its name, such as {{"1": [0, 2]}}.')
    return Trace(tuple(found), {str(name): tuple(members) for name, members in groups.items()})


def groups_of(nodes: Sequence[Sequence[Node]]) -> dict[str, list[int]]:
    """The NPUs that name a process group, for each that is named."""
    found: dict[str, list[int]] = {}
    for npu, own in enumerate(nodes):
        for name in dict.fromkeys(node.group for node in own):
            if name:
                found.setdefault(name, []).append(npu)
    return found
