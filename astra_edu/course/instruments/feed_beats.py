"""Feed the network, beat by beat: what NPU 0's two endpoints read, send, receive and write in each step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from astra_edu.collectives import Op, Schedule
from astra_edu.collectives.collective import REDUCING
from astra_edu.collectives.proof import initial, replay
from astra_edu.course.studies.endpoint import Access, accesses

NPU = 0
READING = frozenset({"own", "received", "load"})
Held = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Message:
    """A shard between NPU 0 and another. data: bit mask of the NPUs whose data are in it."""

    shard: int
    other: int
    op: Op
    data: int


@dataclass(frozen=True)
class Beat:
    """A part of a step of the schedule. did: what both endpoints read and write, by whether it is on chip.

    part: "start"; "read": what is sent is fetched; "send": messages go and come; then, where a sum is made that nobody
    sends, "add" and "keep". reads, writes: shards until then, by whether it is on chip; sent: likewise, of both.
    """

    step: int
    part: str
    did: Mapping[bool, tuple[Access, ...]]
    reads: Mapping[bool, int]
    writes: Mapping[bool, int]
    sent: int

    def of(self, on_chip: bool, *whats: str) -> list[int]:
        """The shards that this endpoint reads or writes now, of these kinds."""
        return [access.shard for access in self.did[on_chip] if access.what in whats]


@dataclass(frozen=True)
class Film:
    """All beats. going, coming: NPU 0's messages of each step. held: what it has of each shard before each step."""

    schedule: Schedule
    beats: tuple[Beat, ...]
    going: tuple[tuple[Message, ...], ...]
    coming: tuple[tuple[Message, ...], ...]
    held: Held

    @property
    def shards(self) -> list[int]:
        """Those that NPU 0 has anything to do with, or holds."""
        touched = {m.shard for step in (*self.going, *self.coming) for m in step}
        return sorted(touched | {shard for shard, data in enumerate(self.held[0]) if data})

    def look(self, data: int) -> str:
        """What these data of a shard look like."""
        if data == 1 << NPU:
            return "own data"
        if self.schedule.collective in REDUCING and data == (1 << self.schedule.npus) - 1:
            return "complete"
        return "partial sums" if data >> NPU & 1 else "received"


@lru_cache(maxsize=32)
def film(schedule: Schedule) -> Film:
    """Every beat of the schedule at NPU 0."""
    held, going, coming = [tuple(initial(schedule)[NPU])], [], []
    before = [list(row) for row in initial(schedule)]
    for step, after in replay(schedule):
        sent = [t for t in step.transfers if NPU in (t.source, t.destination)]
        messages = [(t, before[t.source][t.shard]) for t in sent]
        going.append(tuple(Message(t.shard, t.destination, step.op, d) for t, d in messages if t.source == NPU))
        coming.append(tuple(Message(t.shard, t.source, step.op, d) for t, d in messages if t.destination == NPU))
        before = [list(row) for row in after]
        held.append(tuple(after[NPU]))
    found = Film(schedule, (), tuple(going), tuple(coming), tuple(held))
    return Film(schedule, _beats(found), found.going, found.coming, found.held)


def _beats(found: Film) -> tuple[Beat, ...]:
    parts = {on_chip: _parts(found.schedule, on_chip) for on_chip in (False, True)}
    reads, writes, sent = {False: 0, True: 0}, {False: 0, True: 0}, 0
    beats = [Beat(-1, "start", {False: (), True: ()}, dict(reads), dict(writes), 0)]
    for step in range(len(found.going)):
        for part in ("read", "send", "add", "keep"):
            did = {on_chip: tuple(parts[on_chip][step, part]) for on_chip in parts}
            if part in ("add", "keep") and not any(did.values()):
                continue
            for on_chip, each in did.items():
                reads[on_chip] += sum(access.kind == "read" for access in each)
                writes[on_chip] += sum(access.kind == "write" for access in each)
            sent += len(found.going[step]) if part == "send" else 0
            beats.append(Beat(step, part, did, dict(reads), dict(writes), sent))
    return tuple(beats)


def _parts(schedule: Schedule, on_chip: bool) -> Mapping[tuple[int, str], Sequence[Access]]:
    """{(step, part of it): accesses}: reads before the arrival, all writes with it; a sum that stays comes later."""
    found: defaultdict[tuple[int, str], list[Access]] = defaultdict(list)
    arrived: set[tuple[int, int]] = set()
    for access in accesses(schedule, on_chip):
        if access.npu != NPU:
            continue
        late = (access.step, access.shard) in arrived
        if access.what == "arrival":
            arrived.add((access.step, access.shard))
        if access.kind == "read":
            found[access.step, "add" if late else "read"].append(access)
        else:
            found[access.step, "keep" if late else "send"].append(access)
    return found
