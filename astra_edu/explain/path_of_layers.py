"""The critical path of a training loop: walk back from the end of a run through what each moment waited for.

The loop computes, takes a step, or waits for a collective. A collective ends with its last chunk. A chunk in a phase
waits for that phase; a chunk in a queue waits for the phase that holds the place. So at every moment of the path
something is at work, and the path covers the whole run without gaps.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from astra_edu.explain.segment import Segment
from astra_edu.run.result import Result
from astra_edu.system.queues import Stay
from astra_edu.workload.npu import Task

_LOOP_STEPS_NS = 3
"""How far before a moment a compute may have ended and still be what it waited for: the loop's own few ns."""


def path_of_layers(result: Result) -> tuple[Segment, ...]:
    """The segments from 0 to total_ns, in this order.

    Where a step of the loop and a collective that it doesn't wait for end in the same few ns, the path may follow
    the wrong one of the two: the record doesn't say what a loop waited for.
    """
    stays = result.stays
    computes = [end for _, _, end in result.computed]
    finished = _finished(stays)
    moments = [moment for moment, _ in finished]
    path: list[Segment] = []
    now, before = result.total_ns, len(stays)
    while now > 0:
        c = bisect_right(computes, now) - 1
        f = bisect_right(moments, now) - 1
        while f >= 0 and finished[f][1] >= before:
            f -= 1
        if c >= 0 and (f < 0 or computes[c] >= min(moments[f], now - _LOOP_STEPS_NS)):
            task, start, end = result.computed[c]
            _loop(path, end, now)
            path.append(Segment(start, end, "compute", task.layer, task.kind))
            now = start
        elif f >= 0:
            ended, last = finished[f]
            task = _task(stays[last])
            _loop(path, ended, now)
            if ended > stays[last].end_ns:
                path.append(Segment(stays[last].end_ns, ended, "update", task.layer, task.kind))
            now, before = _through_chunks(stays, last, path)
        else:
            _loop(path, 0, now)
            break
    return tuple(reversed(path))


def _finished(stays: Sequence[Stay]) -> list[tuple[float, int]]:
    """(when the loop learns of it, its last stay) of every collective, by time."""
    last = {id(stay.issued): index for index, stay in enumerate(stays)}
    return sorted((stays[index].end_ns + _task(stays[index]).update_ns, index) for index in last.values())


def _through_chunks(stays: Sequence[Stay], i: int, path: list[Segment]) -> tuple[float, int]:
    """Follow the chunk of stay i, and those it queued behind, to where one was issued: (this moment, its stay).

    Stays are in the order of their ends, so that whatever a stay waited for comes before it.
    """
    while True:
        stay = stays[i]
        task = _task(stay)
        lane = f"dimension {stay.phase.dimension}"
        path.append(Segment(stay.start_ns, stay.end_ns, lane, task.layer, task.kind, stay))
        queued = stay.start_ns > stay.queued_ns
        if not queued and stay.step == 0:
            return stay.issued.created_ns, i
        waited_for = _held_the_place if queued else _came_before
        i = next(k for k in range(i - 1, -1, -1) if waited_for(stays[k], stay))


def _held_the_place(other: Stay, stay: Stay) -> bool:
    same_queue = other.phase.dimension == stay.phase.dimension and other.phase.queue == stay.phase.queue
    return same_queue and bool(other.end_ns == stay.start_ns)


def _came_before(other: Stay, stay: Stay) -> bool:
    return other.issued is stay.issued and other.chunk == stay.chunk and other.step == stay.step - 1


def _loop(path: list[Segment], start: float, end: float) -> None:
    if end > start:
        path.append(Segment(start, end, "loop"))


def _task(stay: Stay) -> Task:
    assert isinstance(stay.issued.what, Task)
    return stay.issued.what
