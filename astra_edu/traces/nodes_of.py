"""One NPU's nodes, each made of its template's when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from astra_edu.traces.node import Node
from astra_edu.traces.renamed import MESSAGES, moved, renamed
from astra_edu.traces.shared_nodes import SharedNodes


class NodesOf(Sequence[Node]):
    """The nodes of an NPU that has another's up to names, numbers and peers. Only what is asked for is made.

    >>> trace = ae.traces.from_pipeline("gpipe", 4, 2, forward_micros=10, backward_micros=20, bytes=4096)
    >>> from astra_edu.traces.nodes_of import NodesOf
    >>> nodes = NodesOf(trace.templates, 2)
    >>> nodes[5] == trace.nodes[2][5], tuple(nodes) == trace.nodes[2], len(nodes) == len(trace.nodes[2])
    (True, True, True)
    """

    __slots__ = ("_by", "_ends", "_groups", "_npu", "_shared", "_steps", "_template")

    def __init__(self, shared: SharedNodes, npu: int) -> None:
        """Nothing is made."""
        template = shared.of[npu]
        self._shared = shared
        self._npu = npu
        self._template = shared.templates[template]
        self._by = npu - shared.first[template]
        self._ends = self._by if shared.shifts else 0
        self._steps = shared.steps[template] if shared.steps and self._by else {}
        self._groups = shared.groups_of(npu)

    def __len__(self) -> int:
        return len(self._template)

    @overload
    def __getitem__(self, place: int) -> Node: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Node, ...]: ...
    def __getitem__(self, place: int | slice) -> Node | tuple[Node, ...]:
        if isinstance(place, slice):
            return self._shared[self._npu][place]
        node, steps, by = self._template[place], self._steps, self._by
        numbers = {}
        if steps:
            for number in (node.id, *node.data_deps, *node.ctrl_deps):
                if number in steps:
                    numbers[number] = number + by * steps[number].number
        if self._groups and "pg_name" in node.attributes:
            node = renamed(node, self._groups)
        if numbers or (self._ends and node.type in MESSAGES):
            node = moved(node, self._ends, by, steps, numbers)
        return node

    def message(self, place: int, end: str) -> tuple[int, int, int]:
        """See message_of; no node is made for it."""
        node = self._template[place]
        tag = node.number("comm_tag", 0)
        step = self._steps.get(node.id)
        if step is not None and step.tag and "comm_tag" in node.attributes:
            tag += step.tag * self._by
        return node.number(end) + self._ends, tag, node.number("comm_size")

    def __iter__(self) -> Iterator[Node]:
        return iter(self._shared[self._npu])


def message_of(nodes: Sequence[Node], place: int, end: str) -> tuple[int, int, int]:
    """The other end, tag and bytes of a message whose nodes these are. end: "comm_dst" of a send, "comm_src" else."""
    if type(nodes) is NodesOf:
        return nodes.message(place, end)
    node = nodes[place]
    return node.number(end), node.number("comm_tag", 0), node.number("comm_size")


def nodes_of(shared: SharedNodes, npu: int) -> Sequence[Node]:
    """An NPU's nodes: its template's own where they are the same."""
    template = shared.of[npu]
    if npu == shared.first[template] or not (shared.moves(template) or shared.groups_of(npu)):
        return shared[npu]
    return NodesOf(shared, npu)
