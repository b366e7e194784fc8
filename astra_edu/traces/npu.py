"""The workload layer of one NPU: it goes through its nodes as their parents are done and its hardware is free.

At most one CPU operation, one computation and one communication (a collective, a send, or a memory access) are on
their way; receives don't count. When something ends, all nodes whose parents are done are tried in the order of their
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from heapq import heapify, heappop, heappush
from typing import NamedTuple, Protocol

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective
from astra_edu.system.trace_config import TraceSystem
from astra_edu.traces.node import Node, NodeType


class Unit(IntEnum):
    """What carries out a node."""

    CPU = 0
    COMPUTE = 1
    COMMUNICATION = 2
    RECEIVE = 3


class Ran(NamedTuple):
    """A node that an NPU has carried out, from start_ns to end_ns."""

    npu: int
    node: Node
    unit: Unit
    start_ns: int
    end_ns: int


class Backend(Protocol):
    """What an NPU's operations are carried out by."""

    @property
    def now(self) -> int:
        """The time in ns."""

    def after(self, delay: int, action: Callable[[Node], object], node: Node) -> None:
        """Do action(node) in `delay` ns, in this NPU's turn."""

    def collective(
        self,
        node: Node,
        collective: Collective,
        collective_bytes: int,
        involved: Sequence[bool] | None,
        group: tuple[int, tuple[int, ...]] | None,
        priority: int,
        done: Callable[[], object],
    ) -> bool:
        """Begin a collective; False where it has nothing to do and never ends."""

    def send(self, node: Node, done: Callable[[Node], object]) -> None:
        """Send a message; done(node) when it has arrived."""

    def receive(self, node: Node, done: Callable[[Node], object]) -> None:
        """Be ready for a message; done(node) when it is here."""

    def access(self, node: Node, tensor_bytes: int, done: Callable[[Node], object]) -> None:
        """Load from or store to remote memory; done(node) when that is over."""


def unit_of(node: Node) -> Unit:
    """What carries out a node."""
    if node.is_cpu_op:
        return Unit.CPU
    match node.type:
        case NodeType.COMP_NODE:
            return Unit.COMPUTE
        case NodeType.COMM_RECV_NODE:
            return Unit.RECEIVE
        case _:
            return Unit.COMMUNICATION


class TraceNpu:
    """One NPU and its nodes. finished_ns: when its last node ended; None before. ran: what it has carried out."""

    def __init__(
        self,
        npu: int,
        nodes: Sequence[Node],
        groups: Mapping[str, tuple[int, ...]],
        system: TraceSystem,
        by: Backend,
        where: str,
    ) -> None:
        """by: what carries the nodes out. where: how error sentences call this NPU's nodes."""
        self.npu = npu
        self.where = where
        self.nodes = nodes
        self.groups = groups
        self.system = system
        self.by = by
        self.finished_ns: int | None = None
        self.ran: list[Ran] = []
        self._fresh: list[Node] = []
        self._children: dict[int, list[Node]] = {}
        self._parents: dict[int, int] = {}
        self._units: dict[int, Unit] = {}
        self._free: list[list[tuple[int, Node]]] = [[] for _ in Unit]
        self._busy = [False] * len(Unit)
        self._running: dict[int, int] = {}
        for node in nodes:
            self._units[node.id] = unit_of(node)
            parents = node.parents
            self._parents[node.id] = len(parents)
            for parent in parents:
                self._children.setdefault(parent, []).append(node)
            if not parents:
                self._free[self._units[node.id]].append((node.id, node))
        for heap in self._free:
            heapify(heap)

    def go_on(self) -> None:
        """Start every node that can be started, the lowest number first; note when nothing is left.

        What an INVALID or METADATA node sets free, which is over at once, is only looked at the next time.
        """
        for node in self._fresh:
            heappush(self._free[self._units[node.id]], (node.id, node))
        self._fresh = []
        while True:
            ready = [heap for heap, busy in zip(self._free, self._busy, strict=True) if heap and not busy]
            if not ready:
                break
            _, node = heappop(min(ready))
            try:
                self._issue(node)
            except ConfigError as error:
                raise ConfigError(f"{self.where}: {error}").with_traceback(None) from None
        if not any(self._free) and not self._fresh and not self._running and self.finished_ns is None:
            self.finished_ns = self.by.now

    def waiting(self) -> tuple[list[int], list[int]]:
        """(numbers of the nodes on their way, numbers of those that are never started)."""
        waiting = [number for number, count in self._parents.items() if count]
        return sorted(self._running), sorted([*waiting, *(node.id for node in self._fresh)])

    def _issue(self, node: Node) -> None:
        unit = self._units[node.id]
        if unit is not Unit.RECEIVE:
            self._busy[unit] = True
        self._running[node.id] = self.by.now
        if self.system.replay_only:
            self._replay(node)
            return
        match node.type:
            case NodeType.COMP_NODE:
                if self.system.roofline and unit is Unit.COMPUTE:
                    self._compute(node)
                else:
                    self._replay(node)
            case NodeType.COMM_COLL_NODE:
                self._communicate(node)
            case NodeType.COMM_SEND_NODE:
                self.by.send(node, self._done)
            case NodeType.COMM_RECV_NODE:
                self.by.receive(node, self._done)
            case NodeType.MEM_LOAD_NODE | NodeType.MEM_STORE_NODE:
                self.by.access(node, node.number("tensor_size"), self._done)
            case NodeType.METADATA_NODE | NodeType.INVALID_NODE:
                self._end(node)

    def _replay(self, node: Node) -> None:
        self.by.after(node.duration_micros * 1000 or 1, self._done, node)

    def _compute(self, node: Node) -> None:
        """The roofline: operations at the peak, or at what the memory can feed."""
        operations, size = node.number("num_ops"), node.number("tensor_size")
        system = self.system
        assert system.local_memory_bandwidth
        assert system.peak_performance
        if not size:
            raise ConfigError(
                f"{node.label}: tensor_size is 0, so the roofline has no operations "
                "per byte; ASTRA-sim skips such a node."
            )
        intensity = operations / size
        rate = min(system.local_memory_bandwidth * 1e9 * intensity, system.peak_performance * 1e12)
        self.by.after(int(operations / rate * 1e9) if operations else 0, self._done, node)

    def _communicate(self, node: Node) -> None:
        collective = node.collective
        if collective is None:
            self._replay(node)
            return
        group = (int(node.group), self.groups[node.group]) if node.group else None
        size, priority = node.number("comm_size"), node.number("comm_priority", 0)
        if not self.by.collective(node, collective, size, node.involved, group, priority, lambda: self._done(node)):
            if node.group:
                raise ConfigError(
                    f"{node.label}: process group {node.group} has only NPU {self.npu}; no other NPU "
                    "names it, or groups= lists no other."
                )
            raise ConfigError(
                f"{node.label}: involved_dim is {list(node.involved or ())}; this "
                "collective runs over no dimension of more than one NPU and never ends in ASTRA-sim."
            )

    def _done(self, node: Node) -> None:
        self._end(node)
        self.go_on()

    def _end(self, node: Node) -> None:
        unit = self._units[node.id]
        self._busy[unit] = False
        self.ran.append(Ran(self.npu, node, unit, self._running.pop(node.id), self.by.now))
        for child in self._children.get(node.id, ()):
            self._parents[child.id] -= 1
            if not self._parents[child.id]:
                self._fresh.append(child)
