"""Chunks on their way through their phases, and the queues of an NPU's dimensions in which they wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from astra_edu.collectives import Collective
from astra_edu.system.plan_2 import PhasePlan
from astra_edu.system.policies import Policy, fifo, fifo_only

_WHOLE = (Collective.ALL_REDUCE, Collective.ALL_TO_ALL)


class Chunk:
    """A piece of a collective on its way through its phases. Larger priority goes first."""

    __slots__ = ("at", "index", "issued", "phase", "phases", "priority", "queued_ns", "started_ns", "tag")

    def __init__(self, index: int, tag: int, priority: int, phases: tuple[PhasePlan, ...], issued: Issued) -> None:
        """A chunk that is about to be queued for its first phase."""
        self.index = index
        self.tag = tag
        self.priority = priority
        self.phases = phases
        self.issued = issued
        self.at = 0
        self.phase = phases[0]
        self.queued_ns = 0
        self.started_ns = 0

    @property
    def phases_left(self) -> int:
        """How many phases it still has to finish."""
        return len(self.phases) - self.at


class Issued:
    """A collective on its way. left: chunks that are not over; done: called when none is."""

    __slots__ = ("done", "left", "what")

    def __init__(self, what: object, chunks: int, done: Callable[[], object]) -> None:
        """what: asked for it; whatever the caller wants to find in the record."""
        self.what = what
        self.left = chunks
        self.done = done


class Stay(NamedTuple):
    """The record of one chunk in one phase at one NPU: queued from queued_ns, in a place from start_ns to end_ns."""

    npu: int
    what: object
    chunk: int
    step: int
    phase: PhasePlan
    queued_ns: int
    start_ns: int
    end_ns: int


class Queue:
    """One queue of a dimension: the first `running` chunks have started, the others wait in the policy's order."""

    __slots__ = ("chunks", "places", "policy", "running")

    def __init__(self, places: int, policy: Policy) -> None:
        """An empty queue."""
        self.places = places
        self.policy = policy
        self.chunks: list[Chunk] = []
        self.running = 0

    def insert(self, chunk: Chunk, now: int) -> None:
        """Queue a chunk. All-reduce and all-to-all phases are always taken in FIFO order."""
        chunk.queued_ns = now
        if self.running == len(self.chunks):
            self.chunks.append(chunk)
            return
        policy = self.policy
        if policy is not fifo_only and chunk.phase.collective in _WHOLE:
            policy = fifo
        self.chunks.insert(policy(self.chunks, self.running, chunk), chunk)

    def remove(self, chunk: Chunk) -> None:
        """Let a chunk go whose phase is over."""
        self.chunks.remove(chunk)
        self.running -= 1
