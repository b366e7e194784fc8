"""The chunk scheduler: every dimension is a server with a few places and a queue in front of it.

A chunk enters the queue of its phase's dimension where the policy puts it, holds a place for as long as the
phase lasts, and goes on to the next. A phase that has begun is never interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from astra_edu.collectives import Collective
from astra_edu.system.config import Platform
from astra_edu.system.faithful.npu_order import NpuOrder, others_first
from astra_edu.system.logical import LogicalDimension
from astra_edu.system.plan_1 import Phase, Planner
from astra_edu.system.policies import POLICIES, Policy, fifo, fifo_only

if TYPE_CHECKING:
    from astra_edu.clock.lookback import Happening, LoopClock
    from astra_edu.system.faithful.bus_phases import BusPhases

_WHOLE = (Collective.ALL_REDUCE, Collective.ALL_TO_ALL)

HIGHEST_PRIORITY = 100_000_000
"""Of the embedding exchange in the DLRM loops: before everything else."""


class Chunk:
    """A piece of a collective on its way through its phases. Larger priority goes first.

    phase: the one it is in or waiting for; at: its number.
    """

    __slots__ = ("at", "index", "issued", "phase", "phases", "priority", "queued_ns", "started_ns")

    def __init__(self, index: int, priority: int, phases: tuple[Phase, ...], issued: Issued) -> None:
        """A chunk that is about to be queued for its first phase."""
        self.index = index
        self.priority = priority
        self.phases = phases
        self.issued = issued
        self.at = 0
        self.phase = phases[0]
        self.queued_ns: float = 0
        self.started_ns: float = 0

    @property
    def phases_left(self) -> int:
        """How many phases it still has to finish."""
        return len(self.phases) - self.at


@dataclass(eq=False, slots=True)
class Issued:
    """A collective on its way, in `chunks` pieces.

    what: whatever the caller wants to find in the record. done: called at the end with the last chunk's phases.
    """

    what: object
    done: Callable[[tuple[Phase, ...]], object]
    created_ns: float
    chunks: int = 0


class Stay(NamedTuple):
    """The record of one chunk in one phase: in the queue from queued_ns, in a place from start_ns to end_ns."""

    issued: Issued
    chunk: int
    step: int
    phase: Phase
    queued_ns: float
    start_ns: float
    end_ns: float


@dataclass(eq=False)
class Server:
    """One queue of a dimension: `places` chunks at a time, the others in the order of `policy`."""

    clock: LoopClock
    places: int
    policy: Policy
    finished: Callable[[Server, Chunk, Sequence[int]], None]
    messages: BusPhases | None = None
    queue: list[Chunk] = field(default_factory=list)
    running: int = 0

    def insert(self, chunk: Chunk, now: float) -> None:
        """Queue a chunk at `now` ns. All-reduce and all-to-all phases are always taken in FIFO order."""
        chunk.queued_ns = now
        if self.running == len(self.queue):
            self.queue.append(chunk)
            return
        policy = self.policy
        if policy is not fifo_only and chunk.phase.collective in _WHOLE:
            policy = fifo
        self.queue.insert(policy(self.queue, self.running, chunk), chunk)

    def start(self, now: float, order: NpuOrder | None = None, npus: Sequence[int] = ()) -> None:
        """Start as many chunks as there are places for, at `now` ns.

        order: of the NPUs, where each of them starts on its own. npus: else the order of those of this dimension.
        """
        while self.running < self.places and self.running < len(self.queue):
            chunk = self.queue[self.running]
            self.running += 1
            chunk.started_ns = now
            if self.messages:
                first = order.along(chunk.phase) if order else npus
                self.messages.begin(chunk.phase, first, partial(self.finished, self, chunk))
                continue
            duration = chunk.phase.duration
            rank = order.rank(chunk.phase) if order else 0
            self.clock.after_waits(duration.total_ns, duration.lookback, rank, self._over, chunk)

    def _over(self, event: Happening) -> None:
        self.clock.came(event)
        self.finished(self, event.what, ())  # type: ignore[arg-type]

    def remove(self, chunk: Chunk) -> None:
        """Let a chunk go whose phase is over."""
        self.queue.remove(chunk)
        self.running -= 1


class Scheduler:
    """Takes collectives, runs their chunks over the logical dimensions, keeps a record of every phase."""

    def __init__(
        self,
        clock: LoopClock,
        platform: Platform,
        dims: tuple[LogicalDimension, ...],
        messages: BusPhases | None = None,
    ) -> None:
        """Start with empty queues at the clock's current time. messages: what runs phases where there is a bus."""
        system = platform.system
        policy = POLICIES[system.intra_dimension]
        places = -(-system.active_chunks // system.queues)
        self.clock = clock
        self.stays: list[Stay] = []
        self.servers = [
            [Server(clock, places, policy, self._finished, messages) for _ in range(system.queues)] for _ in dims
        ]
        self.order = NpuOrder(len(dims), system.boost)
        self._planner = Planner(platform, dims)
        self._priorities = count(0, 1 if system.scheduling == "LIFO" else -1)

    def issue(
        self,
        what: object,
        collective: Collective,
        size: int,
        involved: Sequence[bool],
        done: Callable[[tuple[Phase, ...]], object],
        highest: bool = False,
    ) -> bool:
        """Begin a collective of `size` bytes now and call `done` when its last chunk is; False where it has none.

        what: for the record. involved: for each logical dimension, whether it runs over it.
        """
        priority = HIGHEST_PRIORITY if highest else next(self._priorities)
        now = self.clock.now
        issued = Issued(what, done, now)
        planned = self._planner.chunks(collective, size, involved, now, self.order.zero_leads)
        for index, phases in enumerate(planned):
            issued.chunks += 1
            server = self.servers[phases[0].dimension][phases[0].queue]
            server.insert(Chunk(index, priority, phases, issued), now)
            server.start(now, self.order)
        return issued.chunks > 0

    def waiting(self) -> Iterator[Chunk]:
        """The chunks that are in a queue or in a phase."""
        return (chunk for servers in self.servers for server in servers for chunk in server.queue)

    def _finished(self, server: Server, chunk: Chunk, npus: Sequence[int]) -> None:
        """npus: in the order in which they have finished, where they are followed one by one."""
        now = self.clock.now
        stay = Stay(chunk.issued, chunk.index, chunk.at, chunk.phase, chunk.queued_ns, chunk.started_ns, now)
        self.stays.append(stay)
        chunk.at += 1
        if chunk.at < len(chunk.phases):
            chunk.phase = phase = chunk.phases[chunk.at]
            server.remove(chunk)
            following = self.servers[phase.dimension][phase.queue]
            following.insert(chunk, now)
            server.start(now, npus=npus)
            following.start(now, npus=npus if server is following else others_first(phase) if npus else ())
            return
        chunk.issued.chunks -= 1
        if not chunk.issued.chunks:
            chunk.issued.done(chunk.phases)
        server.remove(chunk)
        server.start(now, npus=npus)
