"""What a run of a training loop takes at least, where messages share links and ASTRA-sim 1.0's model doesn't see it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, cast

from astra_edu.base.bound import exceeds
from astra_edu.clock.lookback import LoopClock
from astra_edu.collectives import Collective, Schedule
from astra_edu.network import Dimension, Part, Row
from astra_edu.network.bound import bandwidth_bound_ns, steps_that_meet
from astra_edu.run.run_loop import go_through
from astra_edu.system.plan_1 import Phase
from astra_edu.system.scheduler import Ended
from astra_edu.workload.npu import Npu, Task, running_layers
from astra_edu.workload.parallelism import Involved, options

if TYPE_CHECKING:
    from astra_edu.run.result import Result
    from astra_edu.system.scheduler import Scheduler

MOST_UNLIKE = 256
"""Where NPUs differ, steps of no more of them are looked at."""

_Key = tuple[str, str]
_Needs = dict[int, float]


def loop_bound_ns(result: Result) -> float | None:
    """The least time that the run's links allow, in ns; None where no messages share one.

    They do where those of a step meet on a link of their dimension, or where a dimension's links would carry more in
    the run's time than they can, as with several chunks at once. The bound is never below ASTRA-sim's total, which has
    every message alone on its way, and it is the longest of: each dimension's bytes over its links, and the training
    loop with each collective taking no less than its own bytes need, on the dimension where that is longest. On a
    congestion-aware network messages wait for each other already.
    """
    if result.platform.congestion_aware:
        return None
    of_issued: dict[int, tuple[_Key, _Needs]] = {}
    every: _Needs = defaultdict(float)
    messages = 0
    known: dict[tuple[int, int, int], list[tuple[int, float]]] = {}
    for stay in result.stays:
        phase = stay.phase
        messages += phase.duration.messages
        task = stay.what
        assert isinstance(task, Task)
        _, own = of_issued.setdefault(id(stay.issued), (_key(task), defaultdict(float)))
        kind = id(phase.schedule), phase.dimension, phase.chunk_bytes
        if kind not in known:
            known[kind] = list(_needs(phase))
        for d, ns in known[kind]:
            every[d] += ns
            own[d] += ns
    least = max(every.values(), default=0.0)
    if not dimensions_that_meet(result) and not exceeds(least, result.total_ns, messages):
        return None
    of_task: dict[_Key, float] = {}
    for key, own in of_issued.values():
        of_task[key] = min(of_task.get(key, inf), max(own.values(), default=0.0))
    return max(result.total_ns, least, _loop_ns(result, of_task))


def dimensions_that_meet(result: Result) -> list[int]:
    """Dimensions of the network on which messages of one step share links.

    Looked for where NPUs are alike, or not too many. On a congestion-aware network they wait for each other: none.
    """
    if result.platform.congestion_aware:
        return []
    phases = {(id(stay.phase.schedule), stay.phase.dimension): stay.phase for stay in result.stays}
    found = set()
    for phase in phases.values():
        wires = phase.logical.dimension.wires
        quick = wires.npus <= MOST_UNLIKE or (phase.schedule.symmetric and wires.symmetric)
        if quick and steps_that_meet(phase.schedule, [wires], phase.logical.how.window):
            first = phase.logical.dimension.first_place
            found |= {first + place for place, sent in enumerate(phase.duration.sent) if sent}
    return sorted(found)


def _needs(phase: Phase) -> Iterator[tuple[int, float]]:
    """(dimension, ns that a phase's bytes need on its links)."""
    wires, first = phase.logical.dimension.wires, phase.logical.dimension.first_place
    if isinstance(wires, Dimension):
        yield first, _needed_ns(phase.schedule, wires, phase.chunk_bytes)
        return
    assert isinstance(wires, (Part, Row))
    for place, sent in enumerate(phase.duration.sent):
        if sent:
            dimension = wires.network[place] if isinstance(wires, Row) else wires.dimension
            yield first + place, sent / dimension.injection_bandwidth


@lru_cache(maxsize=1000)
def _needed_ns(schedule: Schedule, dimension: Dimension, chunk_bytes: int) -> float:
    return bandwidth_bound_ns(schedule, [dimension], chunk_bytes)


def _key(task: Task) -> _Key:
    return task.layer, task.kind


def _loop_ns(result: Result, of_task: Mapping[_Key, float]) -> float:
    """How long the training loop takes if each collective takes what is said of its task, whatever else is sent."""
    clock = LoopClock()
    over = [Involved(layer.forward.involved, layer.weight_gradient.involved) for layer in result.running]
    layers = running_layers(result.workload, over)
    scheduler = cast("Scheduler", _EachAlone(clock, of_task))
    go_through(result.workload.loop, Npu(layers, result.passes, options(result.workload), clock, scheduler), clock)
    return clock.now


class _EachAlone:
    """A scheduler whose collectives take a time that is known, and don't wait for each other."""

    def __init__(self, clock: LoopClock, of_task: Mapping[_Key, float]) -> None:
        self.clock = clock
        self._of_task = of_task

    def issue(
        self,
        task: Task,
        collective: Collective,
        collective_bytes: int,
        involved: Sequence[bool],
        done: Callable[[Ended], object],
        highest: bool = False,
    ) -> bool:
        """Begin a collective; False where its task has none."""
        ns = self._of_task.get(_key(task))
        if ns is not None:
            self.clock.after(ns, lambda: done(Ended()))
        return ns is not None

    def woken(self, ended: Ended, at_once: bool) -> None:
        """In which order NPUs go on makes no difference here."""
