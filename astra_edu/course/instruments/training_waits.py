"""What an NPU waited for: every stretch without compute, the collective it waited for, and what went on meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from astra_edu.explain import critical_path
from astra_edu.run.result import Result
from astra_edu.system.queues import Stay
from astra_edu.workload.npu import Task

LOOP_NS = 3
"""What a training loop takes at most for its own steps from one computation to the next."""


@dataclass(frozen=True)
class Wait:
    """A stretch in which the NPU computes nothing and waits. Times in ns.

    task: whose collectives it waits for; None at the end of the run, when all must have come. meanwhile: the numbers of
    the stays on the critical path then, in turn: what the collective's last chunk was or waited for.
    """

    start_ns: float
    end_ns: float
    task: Task | None
    meanwhile: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """Iterations that were simulated, and every wait in them."""

    result: Result
    waits: tuple[Wait, ...]

    @cached_property
    def exposed(self) -> dict[str, float]:
        """{layer: ns that the NPU waited for its collectives}, as the report has it."""
        return {layer.name: sum(task.exposed_ns for task in layer.tasks) for layer in self.result.running}

    @cached_property
    def raw(self) -> dict[str, float]:
        """{layer: ns from the call of its collectives to their end}, added up, as the report has it."""
        return {layer.name: sum(task.communication_ns for task in layer.tasks) for layer in self.result.running}

    @property
    def end_ns(self) -> float:
        """What is exposed and no layer's: the wait at the end, and the loop's own steps."""
        return self.result.exposed_ns - sum(self.exposed.values())

    @property
    def unit(self) -> tuple[str, float]:
        """What its pictures count in, and how many ns that is."""
        return ("ms", 1e6) if self.result.total_ns >= 100e6 else ("µs", 1e3)

    @property
    def share(self) -> float:
        """Of the time that is exposed communication, in %."""
        return 100 * self.result.exposed_ns / self.result.total_ns

    def meanwhile(self, layer: str) -> dict[str, float]:
        """{layer: ns}: whose chunks were on the dimensions while the NPU waited for this one, the longest first."""
        found: dict[str, float] = {}
        for wait in self.waits:
            if wait.task is not None and wait.task.layer == layer:
                for number in wait.meanwhile:
                    stay = self.result.stays[number]
                    span = min(stay.end_ns, wait.end_ns) - max(stay.start_ns, wait.start_ns)
                    found[task_of(stay).layer] = found.get(task_of(stay).layer, 0) + span
        return dict(sorted(found.items(), key=lambda each: -each[1]))


def task_of(stay: Stay) -> Task:
    """Whose collective a chunk is of."""
    assert isinstance(stay.what, Task)
    return stay.what


def training_run(result: Result) -> TrainingRun:
    """The run with its waits."""
    number = {id(stay): k for k, stay in enumerate(result.stays)}
    path = [segment for segment in critical_path(result) if segment.stay is not None]

    def wait(task: Task | None, start: float, end: float) -> Wait:
        then = [number[id(segment.stay)] for segment in path if segment.start_ns < end and segment.end_ns > start]
        return Wait(start, end, task, tuple(then))

    found = [wait(*each) for each in result.waited if each[2] > each[1]]
    last = max([end for _, _, end in (*result.computed, *result.waited)], default=0.0)
    if result.total_ns - last > LOOP_NS:
        found.append(wait(None, last, result.total_ns))
    return TrainingRun(result, tuple(found))
