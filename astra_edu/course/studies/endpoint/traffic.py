"""What a collective costs the memory: its schedule replayed, with every access to HBM written down.

Only what moves counts here, so the unit is the schedule's shard. Two endpoints replay the same schedule:

Through memory (the usual one): what arrives is written to HBM. To send a shard, cores read it from there, and with it
whatever has arrived for it and isn't added yet; the sum goes straight to the network, and is written only if this NPU
needs it again. Every message is read for itself, also where one shard goes to several NPUs.

On chip (ACE: Rashidi et al., ISCA 2021, arXiv 2007.00156): a shard is loaded into SRAM once, stays there through all
phases, and is stored once if it has changed. That the SRAM is large enough isn't checked.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from astra_edu.base.deprecated import renamed_attributes
from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Op, Schedule, counts
from astra_edu.collectives.collective import held_after

MOST_TRANSFERS = 2_000_000
"""More than this many transfers would take too long to replay: a ring of 1,000 NPUs, for example."""

SEND = "send"

Kind = Literal["read", "write"]


@renamed_attributes(chunk="shard")
class Access(NamedTuple):
    """A shard that an NPU reads from HBM or writes to it.

    step: of the schedule, counted from 0. what: the NPU's "own" data or what was "received"; an "arrival" or a "sum"
    that is kept; on chip, the "load" and the "store".

    >>> from astra_edu.studies.endpoint import accesses
    >>> first = next(accesses(ae.schedule("all-reduce", "ring", 4)))
    >>> first.step, first.kind, first.what
    (0, 'read', 'own')
    """

    step: int
    npu: int
    shard: int
    kind: Kind
    what: str


@dataclass(frozen=True)
class Traffic:
    """What all NPUs together send, and read from HBM and write to it for that, in shards.

    >>> from astra_edu.studies.endpoint import traffic
    >>> counted = traffic(ae.schedule("all-reduce", "ring", 4))
    >>> counted.sent, counted.reads, counted.writes
    (24, 36, 28)
    """

    sent: int
    reads: int
    writes: int

    @property
    def reads_per_byte(self) -> float:
        """Bytes read from HBM for each byte that is sent."""
        return self.reads / self.sent

    @property
    def writes_per_byte(self) -> float:
        """Bytes written to HBM for each byte that is sent."""
        return self.writes / self.sent


def traffic(schedule: Schedule, on_chip: bool = False) -> Traffic:
    """Replay the schedule and count. on_chip: with ACE's SRAM, not through memory.

    Raises ConfigError for what is no schedule, and for one too large to replay.

    >>> from astra_edu.studies.endpoint import traffic
    >>> ring = ae.schedule("all-reduce", "ring", 4)
    >>> traffic(ring).reads_per_byte, traffic(ring, on_chip=True).reads_per_byte < 1
    (1.5, True)
    """
    found = Counter(access.kind for access in accesses(schedule, on_chip))
    return Traffic(_transfers(schedule), found["read"], found["write"])


def memory_reads_per_network_byte(schedule: Schedule, on_chip: bool = False) -> float:
    """Bytes that are read from HBM for each byte that is sent, the mean of all NPUs. Raises as traffic does.

    >>> from astra_edu.studies.endpoint import memory_reads_per_network_byte
    >>> ring = ae.schedule("all-reduce", "ring", 8)
    >>> round(memory_reads_per_network_byte(ring), 2), round(memory_reads_per_network_byte(ring, on_chip=True), 2)
    (1.5, 0.57)
    """
    return traffic(schedule, on_chip).reads_per_byte


def accesses(schedule: Schedule, on_chip: bool = False) -> Iterator[Access]:
    """Every access to HBM, one NPU's shard after the other. Raises as traffic does.

    >>> from astra_edu.studies.endpoint import accesses
    >>> for access in accesses(ae.schedule("all-gather", "ring", 2)):
    ...     print(f"step {access.step}, NPU {access.npu}: {access.kind} {access.what}")
    step 0, NPU 0: read own
    step 0, NPU 1: read own
    step 0, NPU 1: write arrival
    step 0, NPU 0: write arrival
    """
    if not isinstance(schedule, Schedule):
        raise ConfigError(f'{schedule!r:.60} is no schedule; give one such as ae.schedule("all-reduce", "ring", 8).')
    if any(group.carried for group in schedule.groups):
        raise ConfigError(f"{schedule.algorithm}: the switch adds up, not the endpoint; take ring or direct.")
    if (transfers := _transfers(schedule)) > MOST_TRANSFERS:
        raise ConfigError(
            f"{schedule!r} has {transfers:,} transfers; {MOST_TRANSFERS:,} is the most that can be replayed. "
            "Take fewer NPUs: the bytes for each byte that is sent hardly depend on their number."
        )
    replayed = _on_chip if on_chip else _through_memory
    for (npu, shard), events in _events(schedule).items():
        for step, kind, what in replayed(events, _kept(schedule, npu, shard)):
            yield Access(step, npu, shard, kind, what)


class _Event(NamedTuple):
    """What happens to one shard at one NPU: it is sent ("send"), or arrives to be added or kept (an Op)."""

    step: int
    what: str


_Accesses = Iterator[tuple[int, Kind, str]]


def _events(schedule: Schedule) -> dict[tuple[int, int], list[_Event]]:
    """What happens to each shard at each NPU, in order: in a step everything is sent before anything arrives."""
    found: defaultdict[tuple[int, int], list[_Event]] = defaultdict(list)
    for step in schedule.steps():
        for transfer in step.transfers:
            found[transfer.source, transfer.shard].append(_Event(step.index, SEND))
        for transfer in step.transfers:
            found[transfer.destination, transfer.shard].append(_Event(step.index, step.op))
    return found


def _through_memory(events: Sequence[_Event], kept: bool) -> _Accesses:
    waiting = 0  # arrivals that lie in memory and aren't added yet
    for event, after in zip(events, [*events[1:], None], strict=True):
        if event.what == SEND:
            needed = kept if after is None else after.what != Op.COPY
            yield from _added(event.step, waiting, needed)
            waiting = 0
        else:
            yield event.step, "write", "arrival"
            waiting = waiting + 1 if event.what == Op.REDUCE else 0
    if waiting and kept:
        yield from _added(events[-1].step, waiting, needed=True)


def _added(step: int, waiting: int, needed: bool) -> _Accesses:
    """Read a shard and what waits for it; write the sum if it is one, and needed."""
    yield step, "read", "own"
    for _ in range(waiting):
        yield step, "read", "received"
    if waiting and needed:
        yield step, "write", "sum"


def _on_chip(events: Sequence[_Event], kept: bool) -> _Accesses:
    if events[0].what != Op.COPY:
        yield events[0].step, "read", "load"
    if kept and any(event.what != SEND for event in events):
        yield events[-1].step, "write", "store"


def _kept(schedule: Schedule, npu: int, shard: int) -> bool:
    """Whether the NPU must hold the shard in the end."""
    block = shard % schedule.blocks
    return held_after(schedule.collective, schedule.npus, npu, block, schedule.root) is not None


def _transfers(schedule: Schedule) -> int:
    return int(counts(schedule, schedule.shards_per_buffer).total)
