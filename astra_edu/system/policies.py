"""Where a chunk is put in a dimension's queue: ASTRA-sim's intra-dimension policies, one function each.

A chunk's priority is its collective's: with scheduling "LIFO" a later collective has a higher one, with "FIFO" a lower
one, with "EXPLICIT" (2.x) the trace says (see `priorities`).

A policy of your own is a function like these: give it as `intra_dimension`, or put it into QUEUE_POLICIES.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

from astra_edu.collectives import Collective

Chunk = Any
"""See queues.Chunk: it has a priority, a phase (its collective, chunk_bytes and final_bytes) and phases_left."""
Policy = Callable[[Sequence[Chunk], int, Chunk], int]
"""policy(queue, running, new): the place of the new chunk in a queue whose first `running` chunks have started."""


def fifo(queue: Sequence[Chunk], running: int, new: Chunk) -> int:
    """By priority; among equals, who came first."""
    priority = new.priority
    for place in range(running, len(queue)):
        if queue[place].priority < priority:
            return place
    return len(queue)


def fifo_only(queue: Sequence[Chunk], running: int, new: Chunk) -> int:
    """The same in a queue that knows no other policy and is therefore sorted."""
    if queue[-1].priority >= new.priority:
        return len(queue)
    return bisect_right(queue, -new.priority, lo=running, key=lambda waiting: -waiting.priority)


def smallest_chunk_first(queue: Sequence[Chunk], running: int, new: Chunk) -> int:
    """The smaller chunk first; among equals, who came last."""
    chunk_bytes = new.phase.chunk_bytes
    for place in range(running, len(queue)):
        if queue[place].phase.chunk_bytes >= chunk_bytes:
            return place
    return len(queue)


def fewest_phases_first(queue: Sequence[Chunk], running: int, new: Chunk) -> int:
    """Who has fewer phases still to come; among equals, who came last."""
    left = new.phases_left
    for place in range(running, len(queue)):
        if queue[place].phases_left >= left:
            return place
    return len(queue)


def alternate(queue: Sequence[Chunk], running: int, new: Chunk) -> int:
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


def smallest_before_or_after(queue: Sequence[Chunk], running: int, new: Chunk) -> int:
    """SCF in ASTRA-sim 2.x: the smaller chunk, before or after its phase; who has just one phase more to go, last."""
    if new.phases_left == 2:
        return len(queue)
    chunk_bytes = max(new.phase.chunk_bytes, new.phase.final_bytes)
    for place in range(running, len(queue)):
        phase = queue[place].phase
        if max(phase.chunk_bytes, phase.final_bytes) >= chunk_bytes:
            return place
    return len(queue)


def priorities(scheduling: str) -> Iterator[int]:
    """The priorities of collectives that begin one after the other: LIFO, the last in is the first out, or FIFO."""
    return count(0, 1 if scheduling == "LIFO" else -1)


QUEUE_POLICIES: dict[str, Policy] = {
    "FIFO": fifo_only,
    "SCF": smallest_chunk_first,
    "RG": alternate,
    "lessRemainingPhaseFirst": fewest_phases_first,
}
"""Every policy by its name in system files. Put your own in: QUEUE_POLICIES["mine"] = a function."""
_CHANGED_IN_2: dict[str, Policy] = {"SCF": smallest_before_or_after}


def queue_policy(policy: str | Policy, version: int) -> Policy:
    """The function behind a policy, as ASTRA-sim 1 or 2 has it."""
    if not isinstance(policy, str):
        return policy
    return _CHANGED_IN_2.get(policy, QUEUE_POLICIES[policy]) if version == 2 else QUEUE_POLICIES[policy]
