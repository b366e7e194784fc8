"""Whether it decides anything in which order things happen to an NPU in the same ns; NPUs of a role could differ then.

All that an NPU does follows from its nodes, the times at which messages come in and collectives end, and the order of
what happens to it in one ns. What was foreseen earlier comes first, so the order is known where two things were
foreseen at different times, or both by the NPU itself, or both by one other NPU at once. It isn't where other NPUs
foresaw them in one ns: then it depends on which of these had its turn first, and that may be another one for each NPU
of the role. system.joined.clock notices all of these.

Mostly such an order decides nothing. It does where two things each start something, or one of them sets a unit free
that the other has work for; and where one belongs to a collective that goes on, and the other starts something.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate

from astra_edu.traces import Node, NodeType
from astra_edu.traces.npu import TraceNpu
from astra_edu.traces.outline import Unit
from astra_edu.traces.ran import Ran

_UNIT = -1
"""What a node waits for that has no parents left to wait for: its unit."""
_AT_ONCE = (NodeType.METADATA_NODE, NodeType.INVALID_NODE)


def doubts_matter(npus: Iterable[TraceNpu], doubts: Iterable[tuple[int, int]]) -> bool:
    """Whether any order that isn't known decides anything. doubts: (NPU, ns) of each."""
    times: defaultdict[int, list[int]] = defaultdict(list)
    for npu, ns in doubts:
        times[npu].append(ns)
    return any(npu.npu in times and order_matters(npu.ran, times[npu.npu]) for npu in npus)


def order_matters(ran: Sequence[Ran], times: Iterable[int]) -> bool:
    """Whether it decides anything for an NPU in which order things happened. ran: its nodes; times: ns of doubt."""
    tables = _Tables(ran)
    return any(tables.decides(time) for time in times)


class _Tables:
    """Children and times of an NPU's nodes."""

    def __init__(self, ran: Sequence[Ran]) -> None:
        self.ran = ran
        self.ends = {one.node.id: one.end_ns for one in ran}
        self.units = {one.node.id: one.unit for one in ran}
        self.children: dict[int, list[Node]] = {}
        self.started: dict[int, list[Ran]] = {}
        self.ended: dict[int, list[Ran]] = {}
        self.collectives = [one for one in ran if one.node.type is NodeType.COMM_COLL_NODE]
        self.waited: dict[Unit, tuple[list[int], list[int]]] = {}
        for one in ran:
            self.started.setdefault(one.start_ns, []).append(one)
            self.ended.setdefault(one.end_ns, []).append(one)
            for parent in one.node.parents:
                self.children.setdefault(parent, []).append(one.node)

        waits: dict[Unit, list[tuple[int, int]]] = {}
        for one in ran:
            ready = max((self.ends[parent] for parent in one.node.parents), default=-1)
            if ready < one.start_ns:
                waits.setdefault(one.unit, []).append((ready, one.start_ns))
        for unit, spans in waits.items():
            spans.sort()
            self.waited[unit] = [ready for ready, _ in spans], list(accumulate((until for _, until in spans), max))

    def _goes_on_waiting(self, unit: Unit, time: int) -> bool:
        """Whether a node could have had a unit for itself since before `time`, and gets it after it."""
        ready, latest = self.waited.get(unit, ([], []))
        place = bisect_left(ready, time)
        return place > 0 and latest[place - 1] > time

    def decides(self, time: int) -> bool:
        """Whether the order of what ended in one ns decides anything."""
        together = self.ended.get(time, [])
        ended = {one.node.id for one in together}
        by: dict[int, set[int]] = {}  # for each node that was set free, or started: because of which that ended
        for one in together:
            for child in self.children.get(one.node.id, ()):
                if max(self.ends[parent] for parent in child.parents) == time:
                    by.setdefault(child.id, set()).add(one.node.id)
        for one in self.started.get(time, ()):
            if one.node.id not in by and not (one.node.id in ended and one.node.type in _AT_ONCE):
                by[one.node.id] = {_UNIT}
        if by and any(self._goes_on_waiting(one.unit, time) for one in together):
            by[_UNIT] = {_UNIT}
        if len({frozenset(causes) for causes in by.values()}) > 1:
            return True
        if by and any(one.start_ns < time < one.end_ns for one in self.collectives):
            return True
        for one in together:
            busy = one.unit is not Unit.RECEIVE and one.node.type not in _AT_ONCE
            if busy and any(
                self.units.get(number) is one.unit and one.node.id not in causes for number, causes in by.items()
            ):
                return True
        return False
