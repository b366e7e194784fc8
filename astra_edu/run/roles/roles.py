"""The roles of a run: NPUs that behave alike, of whom one is followed for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from astra_edu.run.roles.fewest import too_many
from astra_edu.run.roles.parts import Channel
from astra_edu.run.roles.refine import Coloured, Partition, refined
from astra_edu.run.roles.structure import RingKey, Structure
from astra_edu.system.inter_dimension import kind_of
from astra_edu.system.plan_2 import LogicalRing
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import NodeType, Trace

Key = tuple[int, int, int, int]
"""Sender, receiver, tag and bytes of messages, as the sender who is followed has them."""
_MEMORY = (NodeType.MEM_LOAD_NODE, NodeType.MEM_STORE_NODE)


@dataclass(frozen=True)
class Roles:
    """Who plays which role.

    of: the role of each NPU, numbered from 0 on by their lowest NPUs. representatives: those lowest NPUs. stands_for:
    for each NPU the representative of its role. group_numbers: for each process group's name the number of the first
    one of its class; rings of one class behave alike. meets_itself: whether an NPU is in two rings of one class, so
    that one ring can't stand for all of them.

    >>> switch = ae.TracePlatform(ae.Block("Switch", 4, 50, 500), ae.TraceSystem.of("direct"))
    >>> trace = ae.traces.Builder(4)
    >>> sums = trace.all_reduce("sum", 4096, after=trace.compute("slow", [10, 10, 90, 10]))
    >>> roles = ae.roles(trace.build(), switch)
    >>> roles.count, roles.sizes, roles.representatives, roles.stands_for
    (2, (3, 1), (0, 2), (0, 0, 2, 0))
    """

    of: tuple[int, ...]
    representatives: tuple[int, ...]
    stands_for: tuple[int, ...]
    group_numbers: Mapping[str, int]
    structure: Structure
    classes: tuple[int, ...]
    meets_itself: bool = False

    @property
    def count(self) -> int:
        """How many roles there are."""
        return len(self.representatives)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many NPUs play each role."""
        counts = [0] * self.count
        for role in self.of:
            counts[role] += 1
        return tuple(counts)

    def ring_class(self, ring: LogicalRing, npu: int) -> tuple[bool, int]:
        """What rings that behave alike have in common: whether it is a process group's, and the number of its class."""
        if not ring.stride:
            return True, self._of_groups[ring.members]
        return False, self._of_dimensions[npu - ring.place(npu) * ring.stride, ring.stride, ring.npus]

    def rings_of_class(self, key: tuple[bool, int]) -> set[int]:
        """The numbers of the rings of a class."""
        return {number for number, one in enumerate(self.classes) if one == key[1]}

    @cached_property
    def _of_groups(self) -> dict[RingKey, int]:
        found: dict[RingKey, int] = {}
        for key, number in zip(self.structure.keys[: len(self.structure.names)], self.classes, strict=False):
            found[key] = min(number, found.get(key, number))  # two groups may have the same members
        return found

    @cached_property
    def _of_dimensions(self) -> dict[RingKey, int]:
        groups = len(self.structure.names)
        return dict(zip(self.structure.keys[groups:], self.classes[groups:], strict=True))

    def sent_as(self, npu: int, source: int) -> dict[Channel, Key]:
        """For each channel on which an NPU receives from another the same of who is followed for that one."""
        structure = self.structure
        slot, back = structure.slot_of(npu, source), structure.slot_of(source, npu)
        sent = structure.channels(source, back, sending=True)
        followed = self.stands_for[source]
        as_sent = list(structure.channels(followed, back, sending=True))
        to = structure.peers[back][followed]
        received = structure.channels(npu, slot, sending=False)
        return {channel: (followed, to, *as_sent[sent[channel]]) for channel in received}


def may_fold(trace: Trace, platform: TracePlatform) -> bool:
    """Whether NPUs can be followed by their roles: on a congestion-unaware network that looks alike from every place.

    Not where NPUs share something that serves one after the other (a bus, a memory), where the first NPU to ask decides
    for all (Themis), and where what happens within a collective has to be followed message by message.

    >>> from astra_edu.run.roles import may_fold
    >>> ring = ae.Block("Ring", 4, 50, 500)
    >>> trace = ae.traces.collective("all_reduce", 4096, npus=4)
    >>> [may_fold(trace, ae.TracePlatform(ring, ae.TraceSystem.of(how))) for how in ("ring", "doubleBinaryTree")]
    [True, False]
    """
    system = platform.system
    if platform.congestion_aware or not platform.blocks or system.bus or system.rendezvous:
        return False
    if system.custom or system.custom_nodes or kind_of(system.inter_dimension).together:
        return False
    if not all(block.topology.symmetric for block in platform.blocks):
        return False
    if any(how.traits.tree for hows in system.implementations.values() for how in hows):
        return False
    own_memory = platform.memory.kind == "PER_NPU_MEMORY_EXPANSION"
    return own_memory or not any(node.type in _MEMORY for nodes in trace.templates.templates for node in nodes)


def roles_of(
    trace: Trace, platform: TracePlatform, by_place: Iterable[int] = (), most: int | None = None
) -> Roles | None:
    """Who behaves like whom in a run; None where there would be more than `most` roles.

    by_place: numbers of rings in which places matter; see Roles.rings_with. The trace's communication must have been
    checked, and the platform be one that may_fold.

    >>> network = ae.Block("Switch", 2, 50, 500), ae.Block("Ring", 8, 50, 500)
    >>> platform = ae.TracePlatform(network, ae.TraceSystem.of("ring"))
    >>> trace = ae.traces.Builder(16)
    >>> sums = trace.all_reduce("sum", "1 MiB", group=[[npu, npu + 1] for npu in range(0, 16, 2)])
    >>> messages = [trace.message("to the next", 4096, npu, npu + 8, after=sums) for npu in range(8)]
    >>> from astra_edu.run.roles import roles_of
    >>> roles_of(trace.build(), platform).representatives
    (0, 8)
    """
    if most is not None and too_many(trace, most):
        return None
    structure = Structure(trace, platform, _fixed(platform))
    whole = set(by_place)
    coloured = structure.coloured()
    uneven = [number for number, ring in enumerate(coloured.rings) if len(set(ring.marks)) > 1]
    found = refined(coloured, whole.union(uneven), most)
    return None if found is None else _roles(structure, coloured, found)


def _fixed(platform: TracePlatform) -> bool:
    """Whether an algorithm isn't the same from every place of a ring."""
    hows = [how for hows in platform.system.implementations.values() for how in hows]
    return any(how.traits.exchanges or not how.traits.tokens for how in hows)


def _roles(structure: Structure, coloured: Coloured, found: Partition) -> Roles:
    lowest: dict[int, int] = {}
    for npu, colour in enumerate(found.colours):
        lowest.setdefault(colour, npu)
    representatives = tuple(lowest.values())
    first: dict[int, int] = {}
    for name, number in zip(structure.names, found.classes, strict=False):
        first[number] = min(first.get(number, int(name)), int(name))
    return Roles(
        tuple(found.colours),
        representatives,
        tuple(map(representatives.__getitem__, found.colours)),
        {name: first[number] for name, number in zip(structure.names, found.classes, strict=False)},
        structure,
        tuple(found.classes),
        any(_meets_itself(coloured, found.classes, npu) for npu in representatives),
    )


def _meets_itself(coloured: Coloured, classes: Sequence[int], npu: int) -> bool:
    rings = [seat[0] for seats in coloured.seats if (seat := seats[npu]) is not None]
    return len({classes[ring] for ring in rings}) < len(set(rings))
