"""The longest chain of computations in a trace: what it would take on a network that takes no time."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence

from astra_edu.base.errors import ConfigError
from astra_edu.traces.node import Node, NodeType
from astra_edu.traces.statistics import PathRow
from astra_edu.traces.trace import Trace

MOST_JOINED = 500_000
"""So many nodes are joined at most, in a few seconds; of larger traces the first NPU of each template is looked at."""
Vertex = Hashable
"""(NPU, number of a node), or what several NPUs share: a collective that they start together."""


def longest_chain(trace: Trace) -> tuple[tuple[PathRow, ...], bool]:
    """(the computations of the longest chain, whether the NPUs could be joined).

    Joined are a send and its receive, and the k-th collective of the same kind, size and group of all who start it, in
    the order of their nodes' numbers. Where that makes a circle, the chain is that of one NPU alone.
    """
    npus, whole = _followed(trace)
    ways = _Ways()
    for npu in npus:
        ways.add(npu, trace.nodes[npu], trace.nodes[npu], len(npus) > 1)
    found = ways.longest() if whole else None
    if found is not None:
        return found, True
    alone = []
    for npu in npus:
        ways = _Ways()
        ways.add(npu, trace.nodes[npu], trace.nodes[npu], False)
        alone.append(ways.longest() or ())
    return max(alone, key=lambda path: sum(row.duration_us for row in path)), False


def _followed(trace: Trace) -> tuple[Sequence[int], bool]:
    """(the NPUs that are looked at, whether they can be joined).

    All of them; NPU 0 where all do the same; where they are too many, the first of each template, if what these send
    goes to each other, and their groups have the first of each template that has a member.
    """
    if trace.alike:
        return [0], True
    shared = trace.templates
    if shared.total <= MOST_JOINED:
        return range(trace.npus), True
    first = dict.fromkeys(shared.first)
    groups = {
        shared.groups_of(npu).get(node.group, node.group)
        for npu, nodes in zip(shared.first, shared.templates, strict=True)
        for node in nodes
        if node.group
    }
    closed = all(
        shared.first[shared.of[npu]] in members
        for name in groups
        for members in (trace.groups.get(name, ()),)
        for npu in members
    ) and all(number in first for nodes in shared.templates for node in nodes for number in _ends(node))
    return tuple(first), closed


def _ends(node: Node) -> Iterator[int]:
    if node.type in (NodeType.COMM_SEND_NODE, NodeType.COMM_RECV_NODE):
        for name in ("comm_src", "comm_dst"):
            value = node.attributes.get(name)
            if value is not None and isinstance(value.value, int):
                yield value.value


def by_depth(nodes: Sequence[Node]) -> dict[int, int]:
    """For each node how many nodes the longest chain has that ends with it."""
    depths: dict[int, int] = {}
    for node in in_order(nodes):
        depths[node.id] = 1 + max((depths[parent] for parent in node.parents), default=0)
    return depths


def in_order(nodes: Sequence[Node]) -> list[Node]:
    """The nodes, parents first."""
    children: dict[int, list[Node]] = {}
    waits: dict[int, int] = {}
    for node in nodes:
        waits[node.id] = len(node.parents)
        for parent in node.parents:
            children.setdefault(parent, []).append(node)
    ready = deque(node for node in nodes if not waits[node.id])
    ordered = []
    while ready:
        node = ready.popleft()
        ordered.append(node)
        for child in children.get(node.id, ()):
            waits[child.id] -= 1
            if not waits[child.id]:
                ready.append(child)
    return ordered


class _Ways:
    """All that waits for something else, over the NPUs that were added."""

    def __init__(self) -> None:
        self._takes: dict[Vertex, int] = {}
        self._before: dict[Vertex, list[Vertex]] = {}
        self._what: dict[Vertex, tuple[int, Node]] = {}

    def add(self, npu: int, nodes: Sequence[Node], ordered: Iterable[Node], joins: bool) -> None:
        """The nodes of an NPU. joins: whether they wait for other NPUs."""
        times: Counter[Hashable] = Counter()
        names: dict[int, Vertex] = {}
        for node in sorted(ordered, key=lambda one: one.id):
            mark = _shared(npu, node) if joins else None
            if mark is None:
                names[node.id] = npu, node.id
                continue
            times[mark] += 1
            together: Vertex = (mark, times[mark])
            if node.type is NodeType.COMM_RECV_NODE:
                names[node.id] = npu, node.id
                self._before.setdefault((npu, node.id), []).append(together)
            else:
                names[node.id] = together
        for node in nodes:
            name = names[node.id]
            self._takes[name] = node.duration_micros if node.type is NodeType.COMP_NODE else 0
            self._what[name] = npu, node
            self._before.setdefault(name, []).extend(names[parent] for parent in node.parents)

    def longest(self) -> tuple[PathRow, ...] | None:
        """The computations of the longest chain; None where things wait for each other in a circle."""
        before = {name: [one for one in ones if one in self._takes] for name, ones in self._before.items()}
        after: dict[Vertex, list[Vertex]] = {}
        waits = {name: len(ones) for name, ones in before.items()}
        for name, ones in before.items():
            for one in ones:
                after.setdefault(one, []).append(name)
        ready = deque(name for name, count in waits.items() if not count)
        ends: dict[Vertex, int] = {}
        chosen: dict[Vertex, Vertex | None] = {}
        while ready:
            name = ready.popleft()
            last = max(before[name], key=ends.__getitem__, default=None)
            chosen[name] = last
            ends[name] = self._takes[name] + (ends[last] if last is not None else 0)
            for following in after.get(name, ()):
                waits[following] -= 1
                if not waits[following]:
                    ready.append(following)
        if len(ends) < len(before):
            return None
        return tuple(self._path(chosen, ends))

    def _path(self, chosen: dict[Vertex, Vertex | None], ends: dict[Vertex, int]) -> list[PathRow]:
        rows = []
        at = max(ends, key=ends.__getitem__, default=None)
        while at is not None:
            npu, node = self._what[at]
            if self._takes[at]:
                rows.append(PathRow(npu, node.id, node.name, node.duration_micros, ends[at]))
            at = chosen[at]
        return rows[::-1]


def _shared(npu: int, node: Node) -> Hashable | None:
    """What a node has in common with those of other NPUs that go with it; None for one that goes alone."""
    try:
        match node.type:
            case NodeType.COMM_SEND_NODE:
                return npu, node.number("comm_dst"), node.number("comm_tag", 0), node.number("comm_size")
            case NodeType.COMM_RECV_NODE:
                return node.number("comm_src"), npu, node.number("comm_tag", 0), node.number("comm_size")
            case NodeType.COMM_COLL_NODE if node.collective is not None and all(node.involved or ()):
                return node.group, node.comm_type, node.number("comm_size")
    except ConfigError:
        pass
    return None
