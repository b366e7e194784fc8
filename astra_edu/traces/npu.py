"""The workload layer of one NPU: it goes through its nodes as their parents are done and its hardware is free.

At most one CPU operation, one computation and one communication (a collective, a send, or a memory access) are on
their way; receives don't count. When something ends, all nodes whose parents are done are tried in the order of their
numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from heapq import heapify, heappop, heappush
from itertools import repeat
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.clock.events import Event, Ns
from astra_edu.system.trace_config import TraceSystem
from astra_edu.traces.backend import Backend
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


_UNITS = [Unit.COMMUNICATION] * len(NodeType)
_UNITS[NodeType.COMP_NODE], _UNITS[NodeType.COMM_RECV_NODE] = Unit.COMPUTE, Unit.RECEIVE


def unit_of(node: Node) -> Unit:
    """What carries out a node."""
    return Unit.CPU if node.is_cpu_op else _UNITS[node.type]


class Outline(NamedTuple):
    """What NPUs of a template have in common, by place: what carries a node out, how many it waits for, children."""

    units: list[int]
    waits: list[int]
    children: list[list[int] | None]


def outline_of(nodes: Sequence[Node]) -> Outline:
    """The outline of a template's nodes, or of one NPU's."""
    places = {node.id: place for place, node in enumerate(nodes)}
    children: list[list[int] | None] = [None] * len(nodes)
    waits = []
    for place, node in enumerate(nodes):
        parents = node.parents
        waits.append(len(parents))
        for parent in parents & places.keys() if parents else ():
            before = places[parent]
            own = children[before]
            if own is None:
                children[before] = [place]
            else:
                own.append(place)
    return Outline([int(unit_of(node)) for node in nodes], waits, children)


class Task(Event):
    """A node at its NPU; as an event it is over. waits_for: how many parents aren't. start_ns, end_ns: -1 before."""

    __slots__ = ("children", "end_ns", "id", "node", "npu", "start_ns", "unit", "waits_for")

    def __init__(self, npu: TraceNpu, node: Node, unit: int, waits_for: int, children: list[int] | None) -> None:
        """Nothing of it has begun. children: the places of the nodes that wait for it."""
        self.npu = npu
        self.node = node
        self.id = node.id
        self.unit = int(unit)
        self.waits_for = waits_for
        self.children = children
        self.start_ns: Ns = -1
        self.end_ns: Ns = -1

    def happen(self) -> None:
        """It is over."""
        self.npu.over(self)
        self.npu.go_on()


class TraceNpu:
    """One NPU and its nodes. finished_ns: when its last node ended; None before."""

    def __init__(
        self,
        npu: int,
        nodes: Sequence[Node],
        groups: Mapping[str, tuple[int, ...]],
        system: TraceSystem,
        by: Backend,
        where: str,
        outline: Outline | None = None,
    ) -> None:
        """by: what carries the nodes out. where: how error sentences call this NPU's nodes. outline: of these."""
        self.npu = npu
        self.where = where
        self.nodes = nodes
        self.groups = groups
        self.system = system
        self.by = by
        self.finished_ns: Ns | None = None
        self._ended: list[Task] = []
        self._fresh: list[Task] = []
        self._free: list[list[tuple[int, Task]]] = [[] for _ in Unit]
        self._busy = [False] * len(Unit)
        self._running = 0
        units, waits, children = outline or outline_of(nodes)
        self._tasks = list(map(Task, repeat(self), nodes, units, waits, children))
        for task in self._tasks:
            if not task.waits_for:
                self._free[task.unit].append((task.id, task))
        for heap in self._free:
            heapify(heap)
        self._left = sum(map(len, self._free))  # how many are free and haven't been started

    @property
    def ran(self) -> list[Ran]:
        """What it has carried out, in the order in which that ended."""
        units = tuple(Unit)
        return [Ran(self.npu, task.node, units[task.unit], task.start_ns, task.end_ns) for task in self._ended]

    @property
    def ended(self) -> int:
        """How many nodes it has carried out."""
        return len(self._ended)

    def forget(self) -> None:
        """Let go of what it has carried out, as that knows this NPU and would wait for Python's collector of cycles."""
        self._ended = []
        self._tasks = []

    def go_on(self) -> None:
        """Start every node that can be started, the lowest number first; note when nothing is left.

        What an INVALID or METADATA node sets free, which is over at once, is only looked at the next time.
        """
        free, busy, fresh = self._free, self._busy, self._fresh
        if len(fresh) == 1 and not self._left and not busy[fresh[0].unit]:
            self._try(fresh.pop())
        elif fresh or self._left:
            for task in fresh:
                heappush(free[task.unit], (task.id, task))
            self._left += len(fresh)
            fresh.clear()
            while self._left:
                first: list[tuple[int, Task]] | None = None
                for unit, heap in enumerate(free):
                    if heap and not busy[unit] and (first is None or heap[0][0] < first[0][0]):
                        first = heap
                if first is None:
                    return
                self._left -= 1
                self._try(heappop(first)[1])
        if not self._running and not fresh and self.finished_ns is None:
            self.finished_ns = self.by.now

    def _try(self, task: Task) -> None:
        try:
            self._issue(task)
        except ConfigError as error:
            raise ConfigError(f"{self.where}: {error}").with_traceback(None) from None

    def waiting(self) -> tuple[list[int], list[int]]:
        """(numbers of the nodes on their way, numbers of those that are never started)."""
        running = [task.id for task in self._tasks if task.start_ns >= 0 > task.end_ns]
        waiting = [task.id for task in self._tasks if task.waits_for]
        return sorted(running), sorted([*waiting, *(task.id for task in self._fresh)])

    def over(self, task: Task) -> None:
        """A node has ended."""
        self._busy[task.unit] = False
        self._running -= 1
        task.end_ns = self.by.now
        self._ended.append(task)
        for place in task.children or ():
            child = self._tasks[place]
            child.waits_for -= 1
            if not child.waits_for:
                self._fresh.append(child)

    def _issue(self, task: Task) -> None:
        node, unit = task.node, task.unit
        self._busy[unit] = unit != Unit.RECEIVE
        self._running += 1
        task.start_ns = self.by.now
        if self.system.replay_only:
            self._replay(task)
            return
        match node.type:
            case NodeType.COMP_NODE:
                if self.system.roofline and unit == Unit.COMPUTE:
                    self._compute(task)
                else:
                    self._replay(task)
            case NodeType.COMM_COLL_NODE:
                self._communicate(task)
            case NodeType.COMM_SEND_NODE:
                self.by.send(node, task)
            case NodeType.COMM_RECV_NODE:
                self.by.receive(node, task)
            case NodeType.MEM_LOAD_NODE | NodeType.MEM_STORE_NODE:
                self.by.access(node, node.number("tensor_size"), task)
            case NodeType.METADATA_NODE | NodeType.INVALID_NODE:
                self.over(task)

    def _replay(self, task: Task) -> None:
        self.by.after(task.node.duration_micros * 1000 or 1, task.node, task)

    def _compute(self, task: Task) -> None:
        """The roofline: operations at the peak, or at what the memory can feed."""
        node, system = task.node, self.system
        operations, size = node.number("num_ops"), node.number("tensor_size")
        assert system.local_memory_bandwidth
        assert system.peak_performance
        if not size:
            raise ConfigError(
                f"{node.label}: tensor_size is 0, so the roofline has no operations "
                "per byte; ASTRA-sim skips such a node."
            )
        intensity = operations / size
        rate = min(system.local_memory_bandwidth * 1e9 * intensity, system.peak_performance * 1e12)
        self.by.after(int(operations / rate * 1e9) if operations else 0, node, task)

    def _communicate(self, task: Task) -> None:
        node = task.node
        collective = node.collective
        if collective is None:
            self._replay(task)
            return
        group = (int(node.group), self.groups[node.group]) if node.group else None
        size, priority = node.number("comm_size"), node.number("comm_priority", 0)
        if not self.by.collective(node, collective, size, node.involved, group, priority, task.happen):
            if node.group:
                raise ConfigError(
                    f"{node.label}: process group {node.group} has only NPU {self.npu}; no other NPU "
                    "names it, or groups= lists no other."
                )
            raise ConfigError(
                f"{node.label}: involved_dim is {list(node.involved or ())}; this "
                "collective runs over no dimension of more than one NPU and never ends in ASTRA-sim."
            )
