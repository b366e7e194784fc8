"""What a training loop of ASTRA-sim 1.0 does, step by step: it is run without any time passing, and written down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

from astra_edu.base.errors import ConfigError
from astra_edu.workload import LOOPS, Workload
from astra_edu.workload.npu import Npu, Steps, Task, noted_until_run, running_layers
from astra_edu.workload.parallelism import Options, involved, options

if TYPE_CHECKING:
    from astra_edu.clock.generators import Event
    from astra_edu.workload.npu import RunningLayer

COMPUTE, ISSUE, WAIT = "compute", "issue", "wait"


class LoopStep(NamedTuple):
    """The loop computes a task, issues its collective, or waits for it. action: COMPUTE, ISSUE or WAIT."""

    action: str
    task: Task


def loop_steps(workload: Workload, dims: int, boundary: int, passes: int = 1) -> tuple[int, list[LoopStep]]:
    """(the number of layers, the steps of `passes` passes).

    dims: how many logical dimensions there are, boundary: how many of them a model-parallel group takes; tasks are
    told over which they run. Raises ConfigError for loops that need to know the time, or never end.
    """
    layers = running_layers(workload, involved(workload, dims, boundary))
    npu = _RecordingNpu(layers, passes, options(workload))
    steps = LOOPS[workload.loop](npu)
    if not hasattr(steps, "send"):
        raise ConfigError(f"the training loop {workload.loop} has no yield in it, so there is nothing to record.")
    for _ in steps:
        pass
    if npu.forgotten:
        raise ConfigError(f"{npu.forgotten[0]} was called without `yield from`, so it has done nothing.")
    return len(layers), npu.steps


class _RecordingNpu(Npu):
    """The NPU that a loop drives; this one only writes down what it is asked for."""

    def __init__(self, layers: Sequence[RunningLayer], passes: int, words: Options) -> None:
        super().__init__(layers, passes, words, cast(Any, _NO_TIME), cast(Any, _NO_TIME))
        self.steps: list[LoopStep] = []

    def issue(self, task: Task, urgent: bool = False) -> bool:
        """Begin the task's collective and go on."""
        self._idle_cycles = 0
        if task.work.collective is None or not task.work.size:
            return False
        self.steps.append(LoopStep(ISSUE, task))
        task.in_flight += 1
        return True

    def cycle(self) -> Event:
        """Nothing: no time passes."""
        self._one_more_cycle()
        return cast("Event", None)

    @noted_until_run
    def compute(self, task: Task) -> Steps:
        """Write down that the task is computed."""
        self._idle_cycles = 0
        self.steps.append(LoopStep(COMPUTE, task))
        yield from ()

    @noted_until_run
    def wait(self, task: Task) -> Steps:
        """Write down that the task's collectives are waited for."""
        if task.in_flight:
            self._idle_cycles = 0
            self.steps.append(LoopStep(WAIT, task))
            task.in_flight = 0
        yield from ()


class _NoTime:
    def __getattr__(self, name: str) -> NoReturn:
        raise ConfigError(
            f"the training loop asks the clock or the scheduler for {name}, but while a trace is made no time passes; "
            "it can only compute, communicate, issue, wait and cycle."
        )


_NO_TIME = _NoTime()
