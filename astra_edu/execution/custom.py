"""A collective carried out by a trace of its own: sends, receives and computations, as fast as their parents allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from astra_edu.errors import ConfigError
from astra_edu.traces import Node, NodeType

if TYPE_CHECKING:
    from astra_edu.execution.endpoint import Endpoint


class CustomExchange:
    """One NPU in a collective that a trace describes. No endpoint delay and no reduction is added to it."""

    __slots__ = ("children", "endpoint", "left", "nodes", "npus", "over", "parents")

    def __init__(
        self, endpoint: Endpoint, nodes: Sequence[Node], npus: Sequence[int], over: Callable[[], object]
    ) -> None:
        """npus: who has each rank of the trace. Raises ConfigError for nodes of other types."""
        self.endpoint = endpoint
        self.nodes = nodes
        self.npus = npus
        self.over = over
        self.left = len(nodes)
        self.parents = {node.id: len({*node.data_deps, *node.ctrl_deps}) for node in nodes}
        self.children: dict[int, list[Node]] = {}
        for node in nodes:
            for parent in {*node.data_deps, *node.ctrl_deps}:
                self.children.setdefault(parent, []).append(node)

    def start(self) -> None:
        """Everything without parents begins."""
        for node in sorted(self.nodes, key=lambda node: node.id):
            if not self.parents[node.id]:
                self._issue(node)

    def _issue(self, node: Node) -> None:
        endpoint, messages = self.endpoint, self.endpoint.messages
        tag, size = node.number("comm_tag", 0), node.number("comm_size", 0)
        match node.type:
            case NodeType.COMM_SEND_NODE:
                to = self._npu(node, node.number("comm_dst"))
                messages.send(endpoint.npu, to, tag, size, self._done, node)
            case NodeType.COMM_RECV_NODE:
                source = self._npu(node, node.number("comm_src"))
                messages.receive(endpoint.npu, source, tag, size, self._done, node)
            case NodeType.COMP_NODE:
                endpoint.turns.after(node.duration_micros * 1000 or 1, self._done, node)
            case _:
                raise ConfigError(
                    f"node {node.id} ({node.name}) of a custom collective is a {node.type.name}; it can have sends, "
                    "receives and computations."
                )

    def _npu(self, node: Node, rank: int) -> int:
        if rank >= len(self.npus):
            raise ConfigError(
                f"node {node.id} ({node.name}) of a custom collective names rank {rank}; it runs over "
                f"{len(self.npus)} NPUs."
            )
        if self.npus[rank] == self.endpoint.npu:
            raise ConfigError(f"node {node.id} ({node.name}) of a custom collective names its own rank, {rank}.")
        return self.npus[rank]

    def _done(self, node: Node) -> None:
        self.left -= 1
        ready = []
        for child in self.children.get(node.id, ()):
            self.parents[child.id] -= 1
            if not self.parents[child.id]:
                ready.append(child)
        for child in sorted(ready, key=lambda child: child.id):
            self._issue(child)
        if not self.left:
            self.over()
