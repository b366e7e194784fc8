"""The chunk scheduler: every dimension is a server with a few places and a queue in front of it.

A chunk enters the queue of its phase's dimension where the policy puts it, holds a place for as long as the
phase lasts, and goes on to the next. A phase that has begun is never interrupted. Runs on SimPy's clock, in ns.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from astra_edu.collectives import Collective
from astra_edu.system.config import Platform
from astra_edu.system.phases import Phase, chunk_phases, chunk_sizes

if TYPE_CHECKING:
    import simpy


@dataclass(eq=False)
class Chunk:
    """A piece of a collective on its way through its phases. Larger priority goes first."""

    label: str
    index: int
    priority: int
    phases: tuple[Phase, ...]
    done: Callable[[], object]
    at: int = 0
    queued_ns: float = 0
    started_ns: float = 0

    @property
    def phase(self) -> Phase:
        """The phase it is in or waiting for."""
        return self.phases[self.at]

    @property
    def phases_left(self) -> int:
        """How many phases it still has to finish."""
        return len(self.phases) - self.at


@dataclass(frozen=True)
class Span:
    """One chunk in one phase, from its start to its end in ns; it had waited since queued_ns."""

    label: str
    chunk: int
    collective: Collective
    dimension: int
    size: int
    queued_ns: float
    start_ns: float
    end_ns: float


Policy = Callable[[list[Chunk], int, Chunk], int]
"""policy(queue, running, new): the place of the new chunk in a queue whose first `running` chunks have started."""


def fifo(queue: list[Chunk], running: int, new: Chunk) -> int:
    """By priority; among equals, who came first."""
    return _first(queue, running, lambda waiting: waiting.priority < new.priority)


def fifo_only(queue: list[Chunk], running: int, new: Chunk) -> int:
    """The same in a queue that knows no other policy and is therefore sorted."""
    return bisect_right(queue, -new.priority, lo=running, key=lambda waiting: -waiting.priority)


def smallest_chunk_first(queue: list[Chunk], running: int, new: Chunk) -> int:
    """The smaller chunk first; among equals, who came last."""
    return _first(queue, running, lambda waiting: waiting.phase.size >= new.phase.size)


def fewest_phases_first(queue: list[Chunk], running: int, new: Chunk) -> int:
    """Who has fewer phases still to come; among equals, who came last."""
    return _first(queue, running, lambda waiting: waiting.phases_left >= new.phases_left)


def alternate(queue: list[Chunk], running: int, new: Chunk) -> int:
    """By priority, but not in between a reduce-scatter and an all-gather that follow each other ("RG").

    The first chunk that waits keeps its place when anything is running.
    """
    halves = {Collective.REDUCE_SCATTER, Collective.ALL_GATHER}
    place = min(running + 1, len(queue)) if running else 0
    while place < len(queue):
        pair = {waiting.phase.collective for waiting in queue[max(0, place - 1) : place + 1]}
        if queue[place].priority <= new.priority and pair != halves:
            break
        place += 1
    return place


def _first(queue: list[Chunk], running: int, gives_way: Callable[[Chunk], bool]) -> int:
    places = (place for place in range(running, len(queue)) if gives_way(queue[place]))
    return next(places, len(queue))


POLICIES: dict[str, Policy] = {
    "FIFO": fifo_only,
    "SCF": smallest_chunk_first,
    "RG": alternate,
    "lessRemainingPhaseFirst": fewest_phases_first,
}


@dataclass
class Server:
    """One dimension: `places` chunks at a time, the others in the order of `policy`."""

    env: simpy.Environment
    places: int
    policy: Policy
    finished: Callable[[Chunk], None]
    queue: list[Chunk] = field(default_factory=list)
    running: int = 0

    def insert(self, chunk: Chunk) -> None:
        """Queue a chunk. All-reduce and all-to-all phases are always taken in FIFO order."""
        whole = chunk.phase.collective in (Collective.ALL_REDUCE, Collective.ALL_TO_ALL)
        policy = fifo if whole and self.policy is not fifo_only else self.policy
        chunk.queued_ns = self.env.now
        self.queue.insert(policy(self.queue, self.running, chunk), chunk)

    def start(self) -> None:
        """Start as many chunks as there are places for."""
        while self.running < min(self.places, len(self.queue)):
            chunk = self.queue[self.running]
            self.running += 1
            chunk.started_ns = self.env.now
            over = self.env.timeout(chunk.phase.time.total_ns, chunk)
            over.callbacks.append(lambda event: self.finished(event.value))

    def remove(self, chunk: Chunk) -> None:
        """Let a chunk go whose phase is over."""
        self.queue.remove(chunk)
        self.running -= 1


class Scheduler:
    """Takes collectives, runs their chunks over the platform's dimensions, keeps a record of every phase."""

    def __init__(self, env: simpy.Environment, platform: Platform) -> None:
        """Start with empty queues at the environment's current time."""
        system = platform.system
        policy = POLICIES[system.intra_dimension]
        self.env = env
        self.platform = platform
        self.spans: list[Span] = []
        self.servers = [Server(env, system.active_chunks, policy, self._finished) for _ in platform.network]
        self._priorities = count(0, 1 if system.scheduling == "LIFO" else -1)

    def issue(self, label: str, collective: Collective, size: int) -> simpy.Event:
        """Begin a collective of `size` bytes now; the event comes when its last chunk is done."""
        finished = self.env.event()
        priority = next(self._priorities)
        sizes = chunk_sizes(size, self.platform.system.splits)
        left = count(len(sizes) - 1, -1)
        for index, chunk_size in enumerate(sizes):
            phases = chunk_phases(self.platform, collective, chunk_size)
            chunk = Chunk(label, index, priority, phases, lambda: next(left) or finished.succeed())
            self._server(chunk).insert(chunk)
            self._server(chunk).start()
        return finished

    def _finished(self, chunk: Chunk) -> None:
        server, phase = self._server(chunk), chunk.phase
        self.spans.append(
            Span(
                chunk.label,
                chunk.index,
                phase.collective,
                phase.dimension,
                phase.size,
                chunk.queued_ns,
                chunk.started_ns,
                self.env.now,
            )
        )
        server.remove(chunk)
        chunk.at += 1
        if chunk.phases_left:
            following = self._server(chunk)
            following.insert(chunk)
            server.start()
            following.start()
        else:
            chunk.done()
            server.start()

    def _server(self, chunk: Chunk) -> Server:
        return self.servers[chunk.phase.dimension]
