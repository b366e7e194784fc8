"""Chunks on their way through their phases, and the queues of the dimensions in which they wait.

A chunk enters the queue of its phase's dimension where the policy puts it, holds a place for as long as the phase
lasts, and goes on to the next. A phase that has begun is never interrupted. The policies themselves, FIFO, LIFO and
smallest chunk first, are in policies.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.base.native import mypyc_attr
from astra_edu.clock.events import Ns
from astra_edu.collectives import Collective
from astra_edu.system.policies import Policy, fifo, fifo_only
from astra_edu.system.settings import Settings

FIFO_ALWAYS = (Collective.ALL_REDUCE, Collective.ALL_TO_ALL)
"""Phases that are taken in FIFO order whatever the policy is."""

Npus = Sequence[int] | None
"""In which order NPUs go on, where they are followed one by one; None: each on its own."""


Phase = Any
"""What a chunk does on one dimension: plan_1.Phase, or plan_2.PhasePlan. Each has a collective, dimension and queue."""


class Chunk:
    """A piece of a collective on its way through its phases. Larger priority goes first.

    phase: the one it is in or waiting for; at: its number. tag: of its messages.
    """

    __slots__ = ("after", "at", "index", "issued", "phase", "phases", "priority", "queued_ns", "started_ns", "tag")

    def __init__(self, index: int, priority: int, phases: tuple[Phase, ...], issued: Issued, tag: int = 0) -> None:
        """A chunk that is about to be queued for its first phase."""
        self.index = index
        self.priority = priority
        self.phases = phases
        self.issued = issued
        self.tag = tag
        self.at = 0
        self.phase = phases[0]
        self.queued_ns: Ns = 0
        self.started_ns: Ns = 0
        self.after = -1

    @property
    def phases_left(self) -> int:
        """How many phases it still has to finish."""
        return len(self.phases) - self.at


@dataclass(slots=True, eq=False)
class Issued:
    """A collective on its way. chunks: how many of its pieces are not over.

    what: whatever the caller wants to find in the record. done: called at the end with the last chunk's phases.
    """

    what: Any
    done: Callable[[tuple[Phase, ...]], object] | None
    created_ns: Ns
    chunks: int = 0


class Stay(NamedTuple):
    """The record of one chunk in one phase: in the queue from queued_ns, in a place from start_ns to end_ns.

    npu: whose; NPU 0 may stand for all. after: the number, in the record, of the stay at whose end it was started, as a
    place was free or became so; -1 where it was started as its collective was issued. Where several stays of an NPU end
    in one ns, or a collective is issued in it, ASTRA-sim's order decides which of them is named; phases of a trace that
    are timed at once may name another of that ns, if it decides nothing else (everyone=True follows ASTRA-sim's).
    """

    issued: Issued
    chunk: int
    step: int
    phase: Phase
    queued_ns: Ns
    start_ns: Ns
    end_ns: Ns
    npu: int = 0
    after: int = -1

    @property
    def what(self) -> object:
        """What asked for the collective."""
        return self.issued.what


@mypyc_attr(allow_interpreted_subclasses=True)
@dataclass(slots=True, eq=False)
class Queue:
    """One queue of a dimension: the first `running` chunks have started, the others wait in the policy's order."""

    places: int
    policy: Policy
    chunks: list[Chunk] = field(default_factory=list)
    running: int = 0

    def insert(self, chunk: Chunk, now: Ns) -> None:
        """Queue a chunk at `now` ns."""
        chunk.queued_ns = now
        if self.running == len(self.chunks):
            self.chunks.append(chunk)
            return
        policy = self.policy
        if policy is not fifo_only and chunk.phase.collective in FIFO_ALWAYS:
            policy = fifo
        asked: Any = policy  # which may be anybody's
        place = asked(self.chunks, self.running, chunk)
        if type(place) is not int or not self.running <= place <= len(self.chunks):
            raise ConfigError(
                f"the queue policy {getattr(policy, '__name__', policy)} puts a chunk in place {place!r:.60}; it has "
                f"to be a whole number from {self.running}, as so many have started, to {len(self.chunks)}."
            )
        self.chunks.insert(place, chunk)

    def remove(self, chunk: Chunk) -> None:
        """Let a chunk go whose phase is over."""
        self.chunks.remove(chunk)
        self.running -= 1


@mypyc_attr(allow_interpreted_subclasses=True)
class Queues:
    """The queues of all dimensions, and how chunks go from one to the next. stays: the record, if one is kept."""

    def __init__(
        self,
        dimensions: int,
        system: Settings,
        policy: Policy,
        begin: Callable[[Queue, Chunk, Npus], object],
        npu: int = 0,
    ) -> None:
        """begin(queue, chunk, npus): starts a chunk's phase; `over` has to be called at its end."""
        self.npu = npu
        self.stays: list[Stay] | None = None
        self._leaves = -1
        """The number of the stay that is ending, while places that it leaves or makes use of are filled."""
        self._ending: Callable[[], Chunk] | None = None
        """What makes the chunk that is ending and has its place still, where nobody has followed it."""
        self._held: tuple[Queue, Chunk] | None = None
        self._begin = begin
        self._queues = [[Queue(system.places, policy) for _ in range(system.queues)] for _ in range(dimensions)]

    def add(self, chunk: Chunk, now: Ns) -> None:
        """Queue a chunk of a new collective for its first phase."""
        if self._ending is not None:
            self._hold(self._ending())
        queue = self._queues[chunk.phase.dimension][chunk.phase.queue]
        queue.insert(chunk, now)
        self.start(queue, now)

    def start(self, queue: Queue, now: Ns, npus: Npus = None) -> None:
        """Start as many chunks as there are places for."""
        while queue.running < queue.places and queue.running < len(queue.chunks):
            chunk = queue.chunks[queue.running]
            queue.running += 1
            chunk.started_ns = now
            chunk.after = self._leaves
            self._begin(queue, chunk, npus)

    def over(self, queue: Queue, chunk: Chunk, now: Ns, npus: Npus = None, others: Npus = None) -> None:
        """A chunk's phase has ended: it goes on to the next, or its collective may be done.

        npus: in which order they have finished it; others: in which order those of another dimension go on.
        """
        issued, phase, at = chunk.issued, chunk.phase, chunk.at
        if self.stays is not None:
            times = chunk.queued_ns, chunk.started_ns, now
            self.stays.append(Stay(issued, chunk.index, at, phase, *times, self.npu, chunk.after))
        number = len(self.stays) - 1 if self.stays is not None else -1
        chunk.at = at = at + 1
        if at == len(chunk.phases):
            issued.chunks -= 1
            if not issued.chunks and issued.done:
                done, issued.done = issued.done, None
                done(chunk.phases)
            queue.remove(chunk)
            self._leaves = number
            self.start(queue, now, npus)
            self._leaves = -1
            return
        queue.remove(chunk)
        chunk.phase = phase = chunk.phases[at]
        following = self._queues[phase.dimension][phase.queue]
        following.insert(chunk, now)
        self._leaves = number
        self.start(queue, now, npus)
        self.start(following, now, npus if following is queue else others)
        self._leaves = -1

    def end(self, last: Callable[[], Chunk], done: Callable[[], object]) -> None:
        """The end of a collective whose chunks nobody has followed. last: makes the last of them.

        That one has its place until all is done that done() begins.
        """
        self._ending = last
        done()
        self._ending = None
        if self._held is not None:
            queue, chunk = self._held
            self._held = None
            queue.remove(chunk)
            self.start(queue, chunk.queued_ns)

    def _hold(self, chunk: Chunk) -> None:
        self._ending = None
        queue = self._queues[chunk.phase.dimension][chunk.phase.queue]
        queue.chunks.append(chunk)
        queue.running += 1
        self._held = queue, chunk

    def waiting(self) -> Iterator[Chunk]:
        """The chunks that are in a queue or in a phase."""
        return (chunk for queues in self._queues for queue in queues for chunk in queue.chunks)
