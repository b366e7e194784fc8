"""Where a chunk is put in a dimension's queue: ASTRA-sim's intra-dimension policies, one function each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from astra_edu.collectives import Collective

Chunk = Any
"""Anything with a priority, a phase (its collective and size) and phases_left."""
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
    size = new.phase.size
    for place in range(running, len(queue)):
        if queue[place].phase.size >= size:
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


POLICIES: dict[str, Policy] = {
    "FIFO": fifo_only,
    "SCF": smallest_chunk_first,
    "RG": alternate,
    "lessRemainingPhaseFirst": fewest_phases_first,
}
