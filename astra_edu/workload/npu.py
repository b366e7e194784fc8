"""What a training loop drives: one NPU that computes, asks for collectives and waits for them.

All NPUs do the same, so one tells the story. Everything that takes time is a SimPy generator: a loop says
`yield from npu.compute(layer.forward)`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from astra_edu.system.phases import Phase
from astra_edu.system.scheduler import Scheduler
from astra_edu.workload.layer import Work, Workload
from astra_edu.workload.parallelism import Involved, Options

if TYPE_CHECKING:
    import simpy

    from astra_edu.system.clock import Clock

Steps = Generator["simpy.Event", None, None]


@dataclass(eq=False)
class Task:
    """One of a layer's three kinds of work, and what has been counted of it so far, in ns.

    kind: "forward", "input gradient" or "weight gradient". exposed_ns: how long the loop waited for its collectives.
    communication_ns: how long these took, waiting in queues included.
    """

    layer: str
    kind: str
    work: Work
    involved: tuple[bool, ...]
    update_ns: int
    computed_ns: int = 0
    exposed_ns: float = 0
    communication_ns: float = 0
    in_flight: int = 0
    waiting: simpy.Event | None = None
    last_phases: tuple[Phase, ...] = ()


@dataclass(frozen=True, eq=False)
class RunningLayer:
    """A layer as a training loop sees it: its number, its name and its three tasks."""

    index: int
    name: str
    forward: Task
    input_gradient: Task
    weight_gradient: Task

    @property
    def tasks(self) -> tuple[Task, Task, Task]:
        """All three."""
        return self.forward, self.input_gradient, self.weight_gradient


@dataclass
class Npu:
    """NPU 0 at work. layers: in the order of the forward pass. passes: how many the loop is to run.

    options: the words of the workload's first line. one_more_finished: called after every collective. computed:
    (task, start_ns, end_ns) of all compute so far.
    """

    layers: Sequence[RunningLayer]
    passes: int
    options: Options
    clock: Clock
    scheduler: Scheduler
    one_more_finished: Callable[[], object] = lambda: None
    computed: list[tuple[Task, float, float]] = field(default_factory=list)
    in_flight: int = 0

    def compute(self, task: Task) -> Steps:
        """Compute for the task's compute_ns."""
        duration = task.work.compute_ns
        task.computed_ns += duration
        if duration:
            start = self.clock.now
            yield self.clock.timeout(duration)
            self.computed.append((task, start, self.clock.now))

    def issue(self, task: Task, urgent: bool = False) -> bool:
        """Begin the task's collective and go on; False if it has none. urgent: before all that wait already."""
        work = task.work
        if work.collective is None or not work.size:
            return False
        created = self.clock.now

        def finished(phases: tuple[Phase, ...]) -> None:
            task.last_phases = phases
            self.clock.after(task.update_ns, updated)

        def updated() -> None:
            task.communication_ns += self.clock.now - created
            task.in_flight -= 1
            self.in_flight -= 1
            self.one_more_finished()
            if task.waiting:
                waiting, task.waiting = task.waiting, None
                self.clock.wake(waiting)
            if self._over and not self.in_flight:
                self.clock.wake(self._over)

        if not self.scheduler.issue(task, work.collective, work.size, task.involved, finished, urgent):
            return False
        task.in_flight += 1
        self.in_flight += 1
        return True

    def wait(self, task: Task) -> Steps:
        """Wait until none of the task's collectives is on its way."""
        while task.in_flight:
            start = self.clock.now
            task.waiting = self.clock.env.event()
            yield task.waiting
            task.exposed_ns += self.clock.now - start
            self.scheduler.order.woken(task.last_phases)

    def communicate(self, task: Task) -> Steps:
        """Begin the task's collective and wait for it."""
        self.issue(task)
        yield from self.wait(task)

    def cycle(self) -> simpy.Event:
        """The one ns that ASTRA-sim's loops take from one state to the next: `yield npu.cycle()`."""
        return self.clock.timeout(1)

    def finish(self) -> Steps:
        """What every run ends with: wait for all that is on its way, as exposed time of the first layer."""
        if not self.in_flight:
            return
        first = self.layers[0].weight_gradient
        start = self.clock.now
        over = self._over = self.clock.env.event()
        if first.in_flight:
            first.waiting = self.clock.env.event()
            yield first.waiting
            first.exposed_ns += self.clock.now - start
        if self.in_flight or not over.triggered:
            yield over

    _over: simpy.Event | None = None


def running_layers(workload: Workload, involved: Sequence[Involved]) -> list[RunningLayer]:
    """The workload's layers, nothing counted yet."""
    return [
        RunningLayer(
            index,
            layer.name,
            Task(layer.name, "forward", layer.forward, over.forward, layer.update_ns),
            Task(layer.name, "input gradient", layer.input_gradient, over.input_gradient, layer.update_ns),
            Task(layer.name, "weight gradient", layer.weight_gradient, over.weight_gradient, layer.update_ns),
        )
        for index, (layer, over) in enumerate(zip(workload.layers, involved, strict=True))
    ]
