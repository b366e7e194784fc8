"""ASTRA-sim 1.0 with every NPU followed, each with a loop, queues and a bus of its own; phases begin and end together.

A chunk's phase is over when the last of its NPUs is through. Those before it wait, in the order in which they came, and
go on in this order within the last one's turn; then it goes on itself. In boost mode only rings that NPU 0 is in do
anything: everybody else is through with a phase as it begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import prod

from astra_edu.base.errors import ConfigError
from astra_edu.clock.loop_turns import NpuClock, TurnsClock
from astra_edu.collectives import Collective
from astra_edu.system.config import Platform
from astra_edu.system.exchange import Exchange, OneEndpoint
from astra_edu.system.faithful.bus import SharedBus
from astra_edu.system.faithful.bus_rows import BusRows
from astra_edu.system.faithful.kth_messages import KthMessages
from astra_edu.system.faithful.shared_plans import SharedPlans, Stream
from astra_edu.system.inter_dimension import kind_of
from astra_edu.system.logical import LogicalDimension
from astra_edu.system.plan_1 import Phase, TimedPlanner
from astra_edu.system.policies import priorities, queue_policy
from astra_edu.system.queues import Chunk, Issued, Queue, Stay
from astra_edu.system.scheduler import HIGHEST_PRIORITY, Ended

FLAT_AND_NOT = (
    "on a shared bus, a collective over all NPUs at once ('one...') beside others that aren't isn't known; take "
    "implementations with an entry for each dimension."
)
MOST_WITH_THEMIS = 4096
"""Where so many NPUs ask Themis, also those are followed that only do that."""
NOT_BEGUN = -1
"""The number of the phase of a chunk that is in none yet."""


class AllNpus:
    """What the NPUs share: plans, chunks on their way and messages of phases that not all of a ring have begun."""

    def __init__(self, clock: TurnsClock, platform: Platform, dims: tuple[LogicalDimension, ...]) -> None:
        """dims: the logical dimensions, which have a place for every NPU."""
        self.clock, self.platform = clock, platform
        sizes = [dimension.npus for dimension in dims]
        self.strides = [prod(sizes[:d]) for d in range(len(sizes))]
        self.planner = TimedPlanner(platform, dims)
        self._rows = BusRows(platform, alike=False)
        self._messages: dict[tuple[int, int, int], list[KthMessages]] = {}
        self._flat: set[bool] = set()
        followed = self._followed(sizes)
        self.count = len(followed)
        self.plans = SharedPlans(self.planner, self.count)
        self.npus = [NpuScheduler(self, npu, len(sizes)) for npu in followed]

    def _followed(self, sizes: Sequence[int]) -> Sequence[int]:
        """NPUs that count: in boost mode those on NPU 0's rings, and those that ask Themis, as one may be first."""
        system, npus = self.platform.system, prod(sizes)
        kinds = system.all_reduce, system.all_gather, system.reduce_scatter, system.all_to_all
        flat = any(how.flat for hows in kinds for how in hows)
        asks = kind_of(system.inter_dimension).together and npus <= MOST_WITH_THEMIS
        if flat or asks or not system.boost:
            return range(npus)
        return sorted({k * stride for size, stride in zip(sizes, self.strides, strict=True) for k in range(size)})

    def place(self, npu: int, phase: Phase) -> tuple[int, int]:
        """(an NPU's place in a phase's ring, the ring's first NPU)."""
        if phase.logical.how.flat:
            return npu, 0
        stride = self.strides[phase.dimension]
        place = npu // stride % phase.logical.dimension.npus
        return place, npu - place * stride

    def begin(self, npu: NpuScheduler, chunk: Chunk) -> None:
        """Let an NPU begin a chunk's phase."""
        phase = chunk.phase
        rows, own = self._rows.of(phase)
        self._flat.add(phase.logical.how.flat)
        if len(self._flat) > 1:
            raise ConfigError(FLAT_AND_NOT)
        place, first = self.place(npu.npu, phase)
        key = chunk.tag, chunk.at, first
        to_begin = self._messages.get(key)
        if to_begin is None:
            messages = KthMessages(rows, lambda: self.clock.exact, self.clock.at)
            self._messages[key] = to_begin = [messages] * len(rows)
        messages = to_begin.pop()
        if not to_begin:
            del self._messages[key]
        ahead = [message.destination for message in rows[place]]
        endpoint = OneEndpoint(place, npu.clock.turns, messages, npu.bus)
        over = partial(npu.over, chunk.tag) if npu.npu else partial(npu.over_at_0, chunk.tag, messages, place)
        Exchange(endpoint, own, 0, ahead, ahead, over).start()


class NpuScheduler:
    """One NPU's queues and chunks; see Scheduler."""

    def __init__(self, every: AllNpus, npu: int, dimensions: int) -> None:
        """Nothing to do yet."""
        system = every.platform.system
        assert system.bus
        self.npu = npu
        self.clock = NpuClock(every.clock)
        self.bus = SharedBus.with_memory(system.bus, self.clock.turns, every.clock)
        self.stays: list[Stay] = []
        self._every = every
        policy = queue_policy(system.intra_dimension, 1)
        self._queues = [[Queue(system.places, policy) for _ in range(system.queues)] for _ in range(dimensions)]
        self._priorities = priorities(system.scheduling)
        self._issued = 0
        self._chunks: dict[int, Chunk] = {}

    def issue(
        self,
        what: object,
        collective: Collective,
        collective_bytes: int,
        involved: Sequence[bool],
        done: Callable[[Ended], object],
        highest: bool = False,
    ) -> bool:
        """See Scheduler."""
        every = self._every
        priority = HIGHEST_PRIORITY if highest else next(self._priorities)
        now = every.clock.now
        issued = Issued(what, lambda phases: done(Ended(phases, len(self.stays) - 1)), now)
        if not self.npu:
            every.planner.inter.begin(now)
        planned = every.plans.asked(self._issued, collective, collective_bytes, involved)
        self._issued += 1
        issued.chunks = len(planned)
        for index, (number, phases) in enumerate(planned):
            chunk = self._chunks[number] = Chunk(index, priority, phases, issued, number)
            chunk.at = NOT_BEGUN
            every.plans.streams[number].may_go += 1
            self._go_on(number)
        return issued.chunks > 0

    @property
    def in_doubt(self) -> bool:
        """See Scheduler."""
        every = self._every
        return kind_of(every.platform.system.inter_dimension).together and every.count < every.platform.npus

    def woken(self, ended: Ended, at_once: bool) -> None:
        """The order of NPUs follows from itself here."""

    def waiting(self) -> Iterable[Chunk]:
        """See Scheduler."""
        return [chunk for queues in self._queues for queue in queues for chunk in queue.chunks]

    def over(self, number: int) -> None:
        """This NPU is through with a chunk's phase."""
        self._ready(self._every.plans.streams[number])
        self._go_on(number)

    def over_at_0(self, number: int, messages: KthMessages, place: int) -> None:
        """The same of NPU 0, whose record says how long it waited for a message; it counts whole ns."""
        own = [int(came.at_ns) - int(came.since_ns) for came in messages.arrivals if came.npu == place]
        chunk = self._chunks[number]
        chunk.phase = chunk.phase.waited(sum(own) / len(own))
        self.over(number)

    def _ready(self, stream: Stream) -> None:
        stream.ready += 1
        if stream.ready == self._every.count:
            stream.ready = 0
            stream.may_go = self._every.count

    def _go_on(self, number: int) -> None:
        """Go on with a chunk if all are through with its phase, after those who have waited."""
        stream = self._every.plans.streams[number]
        if not stream.may_go:
            stream.waiting.append(self)
            return
        stream.may_go -= 1
        if len(stream.waiting) == self._every.count - 1:
            others, stream.waiting = stream.waiting, []
            for other in others:
                other._go_on(number)
        chunk, now = self._chunks[number], self._every.clock.now
        before, left = None if chunk.at == NOT_BEGUN else chunk.phase, -1
        chunk.at += 1
        if chunk.at == len(chunk.phases):
            issued = chunk.issued
            issued.chunks -= 1
            left = self._leave(before, chunk, now)
            if not issued.chunks and issued.done:
                done, issued.done = issued.done, None
                done(chunk.phases)
            del self._chunks[number]
            self._every.plans.ended(number)
        else:
            left = self._leave(before, chunk, now)
            chunk.phase = chunk.phases[chunk.at]
            if self._takes_part(chunk.phase):
                self._queue(chunk.phase).insert(chunk, now)
            else:
                self._ready(stream)
                stream.waiting.append(self)
        if before:
            self._start(self._queue(before), left)
        if chunk.at < len(chunk.phases):
            self._start(self._queue(chunk.phase), left)

    def _takes_part(self, phase: Phase) -> bool:
        return not self._every.platform.system.boost or not self._every.place(self.npu, phase)[1]

    def _queue(self, phase: Phase) -> Queue:
        return self._queues[phase.dimension][phase.queue]

    def _leave(self, phase: Phase | None, chunk: Chunk, now: float) -> int:
        """The number, in NPU 0's record, of the stay that has ended; -1 where there is none."""
        if phase is None or not self._takes_part(phase):
            return -1
        self._queue(phase).remove(chunk)
        if self.npu:
            return -1
        times = chunk.queued_ns, chunk.started_ns, now
        self.stays.append(Stay(chunk.issued, chunk.index, chunk.at - 1, phase, *times, self.npu, chunk.after))
        return len(self.stays) - 1

    def _start(self, queue: Queue, left: int) -> None:
        while queue.running < queue.places and queue.running < len(queue.chunks):
            chunk = queue.chunks[queue.running]
            queue.running += 1
            chunk.started_ns = self._every.clock.now
            chunk.after = left
            self._every.begin(self, chunk)
