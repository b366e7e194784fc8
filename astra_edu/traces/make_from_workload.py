"""A workload of ASTRA-sim 1.0 as an execution trace: its training loop is run once, and written down as a graph.

What ASTRA-sim 2.x makes of the trace is not what 1.0 makes of the workload, to the nanosecond:

- a trace has whole µs (`rounding`), unless its computations are given as operations (`peak_performance`);
- 1.0's loops take 1 ns from state to state, and the update time passes after each collective; a trace has neither;
- 2.x has one collective of an NPU on its way at a time, the lowest number first; 1.0 has several, the latest first
  under LIFO, and lets DLRM's embeddings overtake all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any

from astra_edu.base.errors import ConfigError, positive
from astra_edu.traces.builder import Builder
from astra_edu.traces.dimensions import Network, Space, sizes_of, with_group
from astra_edu.traces.loop_steps import COMPUTE, ISSUE, LoopStep, loop_steps
from astra_edu.traces.make import COMM_TYPES
from astra_edu.traces.operation import Operation
from astra_edu.traces.rounding import Rounding
from astra_edu.traces.trace import Trace
from astra_edu.workload import Workload
from astra_edu.workload.npu import Task
from astra_edu.workload.parallelism import options
from astra_edu.workload.passes import checked_passes


def from_workload(
    workload: Workload,
    network: Network,
    passes: int = 1,
    rounding: str = "carry",
    peak_performance: float | None = None,
) -> Trace:
    """The trace of `passes` passes of a workload.

    network: a platform, of 1.0 or 2.x, or the number of NPUs in each dimension, such as 8 or (8, 4): collectives run
    over the dimensions that the loop's parallelism gives them. A model-parallel group that ends inside a dimension
    makes process groups instead.

    rounding: how compute times become whole µs: "carry" (the sum of any that follow each other stays right to 1 µs),
    "nearest" (what is below 500 ns then takes ASTRA-sim's least, 1 ns) or "up". peak_performance: in 10**12
    operations/s; computations then have the operations that take their ns on a TraceSystem with roofline=True and
    this peak_performance, in place of µs.

    Raises ConfigError where the parallelism doesn't fit the network, for passes below 1, for a workload that does
    nothing, and for loops that can't be written down, because they ask for the time.

    >>> trace = ae.traces.from_workload(ae.Workload.micro("all-reduce", 2**20), (4, 2))
    >>> trace.npus, trace.nodes[0][0].comm_type
    (8, <CommType.ALL_REDUCE: 0>)
    """
    physical = sizes_of(network)
    logical, boundary = with_group(physical, options(workload).group)
    _, steps = loop_steps(workload, len(logical), boundary, checked_passes(passes, len(workload.layers)))
    trace = Builder(prod(physical))
    Player(trace, Space(logical, physical), rounding, peak_performance).play(steps)
    if not trace.operations:
        raise ConfigError(
            f"this workload does nothing: its loop, {workload.loop}, finds no compute time and no collective that runs "
            "over a dimension of more than 1 NPU."
        )
    return trace.build()


class Player:
    """Puts the steps of a loop into a trace. issued: the collectives that it has put in, and the task of each."""

    def __init__(
        self, trace: Builder, space: Space, rounding: str, peak_performance: float | None, npus: range | None = None
    ) -> None:
        """npus: whose loop it is, by default everybody's."""
        self.trace, self.space, self.npus = trace, space, npus
        self._rounding = Rounding(rounding)
        self._peak = None if peak_performance is None else positive("peak_performance", peak_performance)
        self._position: tuple[Operation, ...] = ()
        self.issued: list[tuple[Operation, Task]] = []
        self._on_the_way: dict[int, list[Operation]] = {}
        self._where: dict[tuple[bool, ...], dict[str, Any] | None] = {}

    def play(
        self, steps: Iterable[LoopStep], after: Sequence[Operation] = (), label: str = ""
    ) -> tuple[Operation, ...]:
        """Put steps into the trace, the first one after `after`; what follows them has to wait for what is returned.

        label: before their names.
        """
        self._position = tuple(after)
        for action, task in steps:
            name = f"{label}{task.layer} {task.kind}"
            if action == COMPUTE:
                self._compute(name, task.work.compute_ns)
            elif action == ISSUE:
                self._issue(name, task)
            else:
                self._wait(task)
        return self._position

    def _compute(self, name: str, duration_ns: int) -> None:
        if not duration_ns:
            return
        if self._peak is None:
            micros = self._rounding.micros(duration_ns)
            done = self.trace.compute(name, micros, after=self._position, on=self.npus)
        else:  # for half a ns more, so that truncated it is duration_ns
            count = round((duration_ns + 0.5) * self._peak * 1000)
            done = self.trace.compute(name, num_ops=count, tensor_size=1, after=self._position, on=self.npus)
        self._position = (done,)

    def _issue(self, name: str, task: Task) -> None:
        work = task.work
        if task.involved not in self._where:
            self._where[task.involved] = self.space.where(task.involved, self.npus)
        where = self._where[task.involved]
        if work.collective is None or where is None:
            return
        kind = work.collective.value
        if kind.replace("-", "_") not in COMM_TYPES:
            raise ConfigError(f"{name} asks for a {kind}, which ASTRA-sim 2.x doesn't carry out.")
        begin: Callable[..., Operation] = getattr(self.trace, kind.replace("-", "_"))
        done = begin(f"{name} {kind}", work.size, after=self._position, **where)
        self.issued.append((done, task))
        self._on_the_way.setdefault(id(task), []).append(done)

    def _wait(self, task: Task) -> None:
        waited = self._on_the_way.pop(id(task), [])
        before = {parent for one in waited for parent in one.after}
        self._position = (*(one for one in self._position if one not in before), *waited)
