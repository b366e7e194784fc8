"""A trace on a platform as colours, peers and rings of NPUs, from which refine.py finds who is alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from functools import cached_property
from math import prod

from astra_edu.run.roles.costs import Distances
from astra_edu.run.roles.parts import Channel, Parts, essence, parts_of, sketch
from astra_edu.run.roles.refine import Coloured, Ring, numbered
from astra_edu.system.plan_2 import KNOWN_DIMENSIONS
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import Trace

RingKey = tuple[int, ...]
"""A process group's members, or the first NPU, the stride and the number of NPUs of a ring along a dimension."""
_FEW = 4
"""With so few NPUs to a template, templates are compared with each other; else each is a colour of its own."""


class Structure:
    """What the NPUs of a trace have to do with each other.

    keys: of all rings, in their order, those of process groups first. names: of these groups.
    """

    def __init__(self, trace: Trace, platform: TracePlatform, fixed: bool) -> None:
        """Reads every template once. fixed: whether an algorithm isn't the same from every place of a ring."""
        self.trace = trace
        self.platform = platform
        self.npus = trace.npus
        self._fixed = fixed
        self._distances = Distances(platform.blocks)
        self.shared = shared = trace.templates
        steps = shared.steps or [{}] * len(shared.templates)
        self.parts = [
            parts_of(nodes, {number: step.tag for number, step in own.items()})
            for nodes, own in zip(shared.templates, steps, strict=True)
        ]
        self.keys: list[RingKey] = []
        self.names: list[str] = []
        self._marks: dict[Hashable, int] = {}

    @cached_property
    def alike(self) -> list[int]:
        """For each template the number of what its nodes are up to names."""
        templates = self.shared.templates
        if len(templates) * _FEW <= self.npus:
            return list(range(len(templates)))
        sketches = [sketch(nodes) for nodes in templates]
        count: defaultdict[Hashable, int] = defaultdict(int)
        for one in sketches:
            count[one] += 1
        return numbered(
            essence(nodes, parts) if count[one] > 1 else one
            for nodes, parts, one in zip(templates, self.parts, sketches, strict=True)
        )[0]

    @cached_property
    def peers(self) -> list[list[int]]:
        """For each slot the peer of each NPU; the number of NPUs where it has none."""
        none, shared = self.npus, self.shared
        columns = [[none] * self.npus for _ in range(max((len(parts.peers) for parts in self.parts), default=0))]
        for parts, first, members in zip(self.parts, shared.first, shared.members, strict=True):
            for peer, slot in parts.peers.items():
                column, by = columns[slot], peer - first
                for npu in members:
                    column[npu] = npu + by if shared.shifts else peer
        return columns

    def slot_of(self, npu: int, peer: int) -> int:
        """The number that an NPU has for a peer."""
        template = self.shared.of[npu]
        return self.parts[template].peers[peer - (npu - self.shared.first[template]) * self.shared.shifts]

    def coloured(self) -> Coloured:
        """All of it. What never changes is in the first colours."""
        of = self.shared.of
        columns: list[list[Hashable]] = [[self.alike[template] for template in of]]
        known: dict[tuple[int, int, int, int, int], Hashable] = {}
        for slot, column in enumerate(self.peers):
            columns.append([self._end(npu, slot, peer, known) for npu, peer in enumerate(column)])
        start, _ = numbered(zip(*columns, strict=True))
        found = Coloured(start, self.peers)
        self._add_groups(found)
        self._add_dimensions(found)
        return found

    def _end(self, npu: int, slot: int, peer: int, known: dict[tuple[int, int, int, int, int], Hashable]) -> Hashable:
        """How far away a peer is, which number it has for the NPU, and which of its channels meet which of ours."""
        if peer == self.npus:
            return None
        back = self.slot_of(peer, npu)
        ours, theirs = self.shared.of[npu], self.shared.of[peer]
        key = ours, slot, theirs, back, peer - npu
        end = known.get(key)
        if end is None:
            across = self._distances.across
            match = tuple(self._sent_as(npu, slot, peer, back).values())
            end = across(peer - npu), across(npu - peer), back, match
            steps = self.parts[ours].steps[slot] | self.parts[theirs].steps[back]
            if not self.shared.shifts or len(steps) < 2:
                known[key] = end
        return end

    def _sent_as(self, npu: int, slot: int, peer: int, back: int) -> dict[Channel, int]:
        """For each channel on which an NPU receives from a peer, in their order, which of the peer's it is."""
        sent = self.channels(peer, back, sending=True)
        return {channel: sent[channel] for channel in self.channels(npu, slot, sending=False)}

    def channels(self, npu: int, slot: int, sending: bool) -> dict[Channel, int]:
        """The channels between an NPU and a peer by their tags and bytes there."""
        template = self.shared.of[npu]
        parts = self.parts[template]
        by = npu - self.shared.first[template]
        own = (parts.sends if sending else parts.receives)[slot]
        step = max(parts.steps[slot], default=0)
        if not by or not step:
            return own
        if len(parts.steps[slot]) > 1:
            return _real(self.trace.nodes[npu], self.peers[slot][npu], sending)
        return {(tag + by * step, message_bytes): number for (tag, message_bytes), number in own.items()}

    def group_of(self, npu: int, name: str) -> str:
        """What an NPU calls a group of its template."""
        return self.shared.groups_of(npu).get(name, name)

    @property
    def _groups_are_rings(self) -> bool:
        """Whether members of a process group send to their neighbours only; see system.plan_2."""
        every = self.platform.system.implementations.values()
        return all(len(hows) > 1 or how.algorithm == "ring" for hows in every for how in hows)

    def _add_groups(self, found: Coloured) -> None:
        """A ring for each process group that is smaller than all NPUs, with a seat for each member that uses it."""
        rings: dict[str, int] = {}
        places: dict[str, dict[int, int]] = {}
        used: dict[str, dict[int, int]] = defaultdict(dict)
        slots = max((len(parts.groups) for parts in self.parts), default=0)
        columns: list[list[tuple[int, int] | None]] = [[None] * self.npus for _ in range(slots)]
        for npu, template in enumerate(self.shared.of):
            names = self.parts[template].groups
            if not names:
                continue
            renamed = self.shared.groups_of(npu)
            for name, slot in names.items():
                own = renamed.get(name, name)
                members = self.trace.groups[own]
                if len(members) == self.npus:
                    continue
                if own not in rings:
                    rings[own] = len(rings)
                    places[own] = {member: place for place, member in enumerate(members)}
                used[own][npu] = slot
                columns[slot][npu] = rings[own], places[own][npu]
        neighbours = self._groups_are_rings
        costs = self._distances.to_neighbours if neighbours else self._distances.to_all
        for name in rings:
            members = self.trace.groups[name]
            marks = [(used[name].get(npu, -1), cost) for npu, cost in zip(members, costs(members), strict=True)]
            numbers = tuple(self._marks.setdefault(mark, len(self._marks)) for mark in marks)
            found.rings.append(Ring(members, numbers, self._fixed and not neighbours))
            self.keys.append(members)
        self.names = list(rings)
        found.seats += columns

    def _add_dimensions(self, found: Coloured) -> None:
        """A ring along each dimension that a collective of all NPUs uses."""
        involved = set().union(*(parts.involved for parts in self.parts))
        if any(len(self.trace.groups[name]) == self.npus for parts in self.parts for name in parts.groups):
            involved.add(None)  # a group of all NPUs, which other NPUs may call otherwise
        if not involved:
            return
        if any(hows[0].flat for hows in self.platform.system.implementations.values() if hows):
            self._add_ring_of_all(found)
        uses = [(True,) * KNOWN_DIMENSIONS if one is None else one for one in involved]
        dims = self.platform.dims
        for d, npus in enumerate(dims):
            if not any(d < len(use) and use[d] for use in uses):
                continue
            stride, first = prod(dims[:d]), len(found.rings)
            mark = self._marks.setdefault(("dimension", d), len(self._marks))
            seats: list[tuple[int, int] | None] = []
            for npu in range(self.npus):
                ring = npu // (stride * npus) * stride + npu % stride
                seats.append((first + ring, npu // stride % npus))
            found.seats.append(seats)
            for ring in range(self.npus // npus):
                start = ring // stride * stride * npus + ring % stride
                members = tuple(range(start, start + stride * npus, stride))
                self.keys.append((start, stride, npus))
                found.rings.append(Ring(members, (mark,) * npus, self._fixed))

    def _add_ring_of_all(self, found: Coloured) -> None:
        members = tuple(range(self.npus))
        marks = [("all", cost) for cost in self._distances.to_all(members)]
        numbers = tuple(self._marks.setdefault(mark, len(self._marks)) for mark in marks)
        found.seats.append([(len(found.rings), npu) for npu in members])
        found.rings.append(Ring(members, numbers, self._fixed))
        self.keys.append((0, 1, self.npus))


def _real(nodes: Sequence[object], peer: int, sending: bool) -> dict[Channel, int]:
    parts: Parts = parts_of(nodes, {})  # type: ignore[arg-type]
    return (parts.sends if sending else parts.receives)[parts.peers[peer]]
