"""The workload layer of one NPU: it goes through its nodes as their parents are done and its hardware is free.

At most one CPU operation, one computation and one communication (a collective, a send, or a memory access) are on
their way; receives don't count. When something ends, all nodes whose parents are done are tried in the order of their
numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.clock.events import Ns
from astra_edu.collectives import Collective
from astra_edu.system.trace_config import TraceSystem
from astra_edu.traces.backend import Backend, Begun
from astra_edu.traces.node import Node, NodeType
from astra_edu.traces.nodes_of import NodesOf, message_of
from astra_edu.traces.outline import Outline, Unit, outline_of, replayed_ns
from astra_edu.traces.ran import Ran, Record

_RECEIVE = int(Unit.RECEIVE)
_UNITS = len(Unit)


class Task(Begun):
    """A node on its way at an NPU, by its place; as an event it is over."""

    __slots__ = ("npu", "place")

    def __init__(self, npu: TraceNpu, place: int) -> None:
        """It has begun."""
        self.npu = npu
        self.place = place

    @property
    def node(self) -> Node:
        """The node itself."""
        return self.npu.nodes[self.place]

    def happen(self) -> None:
        """It is over."""
        self.npu.over(self.place)
        self.npu.go_on()


class Asked(NamedTuple):
    """What a node asks for. collective: None where its duration is replayed. group: its number and its members."""

    collective: Collective | None
    size: int = 0
    involved: tuple[bool, ...] | None = None
    group: tuple[int, tuple[int, ...]] | None = None
    priority: int = 0

    @classmethod
    def by(cls, node: Node, groups: Mapping[str, tuple[int, ...]]) -> Asked:
        """By a COMM_COLL_NODE."""
        collective, name = node.collective, node.group
        if collective is None:
            return cls(None)
        group = (int(name), groups[name]) if name else None
        size, priority = node.number("comm_size"), node.number("comm_priority", 0)
        return cls(collective, size, node.involved, group, priority)


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
        asked: dict[int, Asked] | None = None,
    ) -> None:
        """by: what carries the nodes out. where: how error sentences call this NPU's nodes. outline: of these.

        asked: what is known of nodes by the id of their attributes, which they share where they are equal.
        """
        self.npu = npu
        self.where = where
        self.nodes = nodes
        self.groups = groups
        self.system = system
        self.by = by
        self.finished_ns: Ns | None = None
        self._clock = by.clock
        self._after = by.after
        self._ids, self._kinds, self._units, waits, self._children, self._replays = outline or outline_of(nodes, system)
        self._asked = None if type(nodes) is NodesOf else {} if asked is None else asked
        self._waits = waits.copy()
        self._starts: list[Ns] = [-1] * len(waits)
        self._ends: list[Ns] = [-1] * len(waits)
        self._ended: list[int] = []
        self._fresh: list[int] = []
        self._free: list[list[tuple[int, int]]] = [[] for _ in range(_UNITS)]
        self._busy = [False] * _UNITS
        self._running = 0
        self._left = 0  # how many are free and haven't been started
        for place, count in enumerate(waits):
            if not count:
                self._free[self._units[place]].append((self._ids[place], place))
                self._left += 1
        for heap in self._free:
            heapify(heap)

    @property
    def record(self) -> Record:
        """What it has carried out."""
        return Record(self.npu, self.nodes, self._units, self._starts, self._ends, self._ended)

    @property
    def ran(self) -> list[Ran]:
        """The same node by node, in the order in which they ended."""
        return self.record.ran()

    @property
    def ended(self) -> int:
        """How many nodes it has carried out."""
        return len(self._ended)

    def go_on(self) -> None:
        """Start every node that can be started, the lowest number first; note when nothing is left.

        What an INVALID or METADATA node sets free, which is over at once, is only looked at the next time.
        """
        busy, fresh, units = self._busy, self._fresh, self._units
        if len(fresh) == 1 and not self._left and not busy[units[fresh[0]]]:
            self._start(fresh.pop())
            if self._running:
                return
        elif fresh or self._left:
            free = self._free
            for place in fresh:
                heappush(free[units[place]], (self._ids[place], place))
            self._left += len(fresh)
            fresh.clear()
            while self._left:
                first: list[tuple[int, int]] | None = None
                for unit, heap in enumerate(free):
                    if heap and not busy[unit] and (first is None or heap[0][0] < first[0][0]):
                        first = heap
                if first is None:
                    return
                self._left -= 1
                self._start(heappop(first)[1])
        if not self._running and not fresh and self.finished_ns is None:
            self.finished_ns = self._clock.now

    def waiting(self) -> tuple[list[int], list[int]]:
        """(numbers of the nodes on their way, numbers of those that are never started)."""
        numbers, places = [node.id for node in self.nodes], range(len(self.nodes))
        running = [numbers[place] for place in places if self._starts[place] >= 0 > self._ends[place]]
        waiting = [numbers[place] for place in places if self._waits[place]]
        return sorted(running), sorted([*waiting, *(numbers[place] for place in self._fresh)])

    def over(self, place: int) -> None:
        """A node has ended."""
        self._busy[self._units[place]] = False
        self._running -= 1
        self._ends[place] = self._clock.now
        self._ended.append(place)
        waits = self._waits
        for child in self._children[place] or ():
            left = waits[child] - 1
            waits[child] = left
            if not left:
                self._fresh.append(child)

    def _start(self, place: int) -> None:
        """Begin to carry out a node."""
        unit = self._units[place]
        self._busy[unit] = unit != _RECEIVE
        self._running += 1
        self._starts[place] = self._clock.now
        replayed_ns = self._replays[place]
        try:
            if replayed_ns < 0:
                self._issue(place)
            else:
                self._after(replayed_ns, Task(self, place))
        except ConfigError as error:
            raise ConfigError(f"{self.where}: {error}").with_traceback(None) from None

    def _issue(self, place: int) -> None:
        """Begin what isn't only replayed."""
        task, kind = Task(self, place), self._kinds[place]
        if kind is NodeType.COMM_SEND_NODE:
            self.by.send(message_of(self.nodes, place, "comm_dst"), task)
            return
        if kind is NodeType.COMM_RECV_NODE:
            self.by.receive(message_of(self.nodes, place, "comm_src"), task)
            return
        node = self.nodes[place]
        match kind:
            case NodeType.COMP_NODE:
                self._compute(task, node)
            case NodeType.COMM_COLL_NODE:
                self._communicate(task, node)
            case NodeType.MEM_LOAD_NODE | NodeType.MEM_STORE_NODE:
                self.by.access(node, node.number("tensor_size"), task)
            case NodeType.METADATA_NODE | NodeType.INVALID_NODE:
                self.over(place)

    def _compute(self, task: Task, node: Node) -> None:
        """The roofline: operations at the peak, or at what the memory can feed."""
        system = self.system
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
        self._after(int(operations / rate * 1e9) if operations else 0, task)

    def _communicate(self, task: Task, node: Node) -> None:
        collective, size, involved, group, priority = self._asks(node)
        if collective is None:
            self._after(replayed_ns(node), task)
            return
        if not self.by.collective(node, collective, size, involved, group, priority, task.happen):
            if node.group:
                raise ConfigError(
                    f"{node.label}: process group {node.group} has only NPU {self.npu}; no other NPU "
                    "names it, or groups= lists no other."
                )
            raise ConfigError(
                f"{node.label}: involved_dim is {list(node.involved or ())}; this "
                "collective runs over no dimension of more than one NPU and never ends in ASTRA-sim."
            )

    def _asks(self, node: Node) -> Asked:
        if self._asked is None:  # its attributes are gone when it is
            return Asked.by(node, self.groups)
        found = self._asked.get(id(node.attributes))
        if found is None:
            found = self._asked[id(node.attributes)] = Asked.by(node, self.groups)
        return found
