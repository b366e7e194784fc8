"""What a training loop drives: one NPU that computes, asks for collectives and waits for them.

All NPUs do the same, so one tells the story. Everything that takes time is a generator: a loop says
`yield from npu.compute(layer.forward)`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, TypeVar

from astra_edu.base.errors import ConfigError
from astra_edu.clock.generators import Event
from astra_edu.system.scheduler import Ended, RunsCollectives
from astra_edu.workload.layer import Work, Workload
from astra_edu.workload.parallelism import Involved, Options

if TYPE_CHECKING:
    from astra_edu.clock.lookback import LoopClock

Steps = Generator[Event, None, None]
N = TypeVar("N", bound="Npu")

MOST_IDLE_CYCLES = 100_000
"""How many cycles in a row a loop may take without doing anything else."""


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
    waiting: list[Event] = field(default_factory=list)
    ended: Ended = field(default_factory=Ended)


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


def _task(name: str, task: Task) -> Task:
    if not isinstance(task, Task):
        raise ConfigError(
            f"npu.{name}({task!r:.40}): give one of a layer's tasks, such as layer.forward or layer.weight_gradient."
        )
    return task


def noted_until_run(method: Callable[[N, Task], Steps]) -> Callable[[N, Task], Steps]:
    """The method with a note in npu.forgotten until its steps are run: a call without `yield from` does nothing."""
    name = method.__name__

    @wraps(method)
    def begin(npu: N, task: Task) -> Steps:
        call = f"npu.{name}(...) of {_task(name, task).layer}, {task.kind}"
        npu.forgotten.append(call)

        def run() -> Steps:
            npu.forgotten.remove(call)
            yield from method(npu, task)

        return run()

    return begin


@dataclass(eq=False)
class Npu:
    """NPU 0 at work. layers: in the order of the forward pass. passes: how many the loop is to run.

    options: the words of the workload's first line. one_more_finished: called after every collective. computed:
    (task, start_ns, end_ns) of all compute so far; waited: the same of all waiting for a task's collectives.
    """

    layers: Sequence[RunningLayer]
    passes: int
    options: Options
    clock: LoopClock
    scheduler: RunsCollectives
    one_more_finished: Callable[[], object] = lambda: None
    computed: list[tuple[Task, float, float]] = field(default_factory=list)
    waited: list[tuple[Task, float, float]] = field(default_factory=list)
    in_flight: int = field(default=0, init=False)
    forgotten: list[str] = field(default_factory=list, init=False)
    _over: Event | None = field(default=None, init=False)
    _idle_cycles: int = field(default=0, init=False)

    @noted_until_run
    def compute(self, task: Task) -> Steps:
        """Compute for the task's compute_ns: `yield from npu.compute(layer.forward)`."""
        duration = task.work.compute_ns
        if duration:
            self._idle_cycles = 0
            start = self.clock.now
            yield self.clock.timeout(duration)
            task.computed_ns += duration
            self.computed.append((task, start, self.clock.now))

    @noted_until_run
    def wait(self, task: Task) -> Steps:
        """Wait until none of the task's collectives is on its way: `yield from npu.wait(layer.weight_gradient)`."""
        while task.in_flight:
            self._idle_cycles = 0
            yield from self._one_of(task)
            self.scheduler.woken(task.ended, at_once=not task.update_ns)

    @noted_until_run
    def communicate(self, task: Task) -> Steps:
        """Begin the task's collective and wait for it: `yield from npu.communicate(layer.forward)`."""
        self.issue(task)
        yield from self.wait(task)

    def cycle(self) -> Event:
        """The one ns that ASTRA-sim's loops take from one state to the next: `yield npu.cycle()`.

        Raises ConfigError for a loop that does nothing else any more.
        """
        self._one_more_cycle()
        return self.clock.timeout(1)

    def issue(self, task: Task, urgent: bool = False) -> bool:
        """Begin the task's collective and go on; False if it has none. urgent: before all that wait already."""
        work = _task("issue", task).work
        self._idle_cycles = 0
        if work.collective is None or not work.size:
            return False
        created = self.clock.now

        def finished(ended: Ended) -> None:
            task.ended = ended
            self.clock.after(task.update_ns, updated)

        def updated() -> None:
            task.communication_ns += self.clock.now - created
            task.in_flight -= 1
            self.in_flight -= 1
            self.one_more_finished()
            for event in task.waiting:
                self.clock.wake(event)
            task.waiting.clear()
            if self._over and not self.in_flight:
                self.clock.wake(self._over)

        if not self.scheduler.issue(task, work.collective, work.size, task.involved, finished, urgent):
            return False
        task.in_flight += 1
        self.in_flight += 1
        return True

    def finish(self) -> Steps:
        """What every run ends with: wait for all that is on its way, as exposed time of the first layer."""
        if not self.in_flight:
            return
        first = self.layers[0].weight_gradient
        over = self._over = self.clock.env.event()
        if first.in_flight:
            yield from self._one_of(first)
        if self.in_flight or not over.triggered:
            yield over

    def _one_more_cycle(self) -> None:
        self._idle_cycles += 1
        if self._idle_cycles > MOST_IDLE_CYCLES:
            raise ConfigError(
                f"the training loop never ends: it has taken {MOST_IDLE_CYCLES:,} cycles in a row without computing or "
                "communicating."
            )

    def _one_of(self, task: Task) -> Steps:
        """Wait for one of the task's collectives."""
        start = self.clock.now
        event = self.clock.env.event()
        task.waiting.append(event)
        yield event
        task.exposed_ns += self.clock.now - start
        self.waited.append((task, start, self.clock.now))


def running_layers(workload: Workload, involved: Sequence[Involved]) -> list[RunningLayer]:
    """The workload's layers, nothing counted yet."""
    return [
        RunningLayer(
            index,
            layer.name,
            Task(layer.name, "forward", layer.forward, over.activations, layer.update_ns),
            Task(layer.name, "input gradient", layer.input_gradient, over.activations, layer.update_ns),
            Task(layer.name, "weight gradient", layer.weight_gradient, over.gradients, layer.update_ns),
        )
        for index, (layer, over) in enumerate(zip(workload.layers, involved, strict=True))
    ]
