"""What a run has brought: its times, its bytes, its cost, and views of them as tables.

Everything is taken from what the run recorded: the stays of chunks in phases and the NPU's compute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from astra_edu.base.intervals import covered, gaps
from astra_edu.base.run import Intervals, Run
from astra_edu.base.span import COMPUTE, EXPOSED, Span, dimension_lane, idle
from astra_edu.base.units import MIB, format_ns, several
from astra_edu.network.cost import network_cost
from astra_edu.system import Platform
from astra_edu.system.logical import LogicalDimension
from astra_edu.system.queues import Stay
from astra_edu.workload import Workload
from astra_edu.workload.npu import RunningLayer, Task

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Result(Run):
    """One simulated run. Times in ns.

    compute_ns: the sum of all compute. exposed_ns: the rest of total_ns, when the NPU waited. passes: how many the
    workload ran. running: its layers with what was counted for them; stays: every chunk in every phase, in the order
    in which they ended; computed: (task, start, end) of all compute; waited: the same of all waiting for the
    collectives of one task. interrupted: whether it was stopped at total_ns (see Interrupted).

    >>> result = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    >>> result
    <45.681 µs in all: compute 0 ns, exposed communication 45.681 µs; 1.75 MiB sent per NPU>
    >>> result.total_ns, result.exposed_ns, result.message_bytes
    (45681, 45681, 1835008)
    """

    workload: Workload
    platform: Platform
    passes: int
    total_ns: float
    running: Sequence[RunningLayer]
    logical: tuple[LogicalDimension, ...]
    stays: Sequence[Stay]
    computed: Sequence[tuple[Task, float, float]]
    waited: Sequence[tuple[Task, float, float]] = ()
    interrupted: bool = False

    @cached_property
    def compute_ns(self) -> int:
        """The sum of all compute."""
        return sum(task.computed_ns for layer in self.running for task in layer.tasks)

    @property
    def exposed_ns(self) -> float:
        """The time without compute, when the NPU waits for communication."""
        return self.total_ns - self.compute_ns

    @cached_property
    def bound_ns(self) -> float | None:
        """What the links allow at least, in ns, where messages share some; None where none do. See Run."""
        from astra_edu.run.loop_bound import loop_bound_ns  # here, because it runs loops, whose Results these are

        return None if self.interrupted else loop_bound_ns(self)

    @cached_property
    def message_bytes_per_dimension(self) -> list[int]:
        """Bytes that NPU 0 sent over each of the network's dimensions."""
        sent = [0] * len(self.platform.network)
        for stay in self.stays:
            phase = stay.phase
            for place, count in enumerate(phase.duration.sent):
                sent[phase.logical.dimension.first_place + place] += count
        return sent

    @property
    def message_bytes(self) -> int:
        """Bytes that NPU 0 sent."""
        return sum(self.message_bytes_per_dimension)

    @property
    def network_cost(self) -> float:
        """What the network's links, switches and NICs cost, in US dollars, by ASTRA-sim's cost model."""
        return network_cost(self.platform.network)

    @cached_property
    def timeline(self) -> tuple[Span, ...]:
        """All compute and every phase of every chunk, by the time at which they ended."""
        spans = [
            Span(COMPUTE, task.layer, task.kind, None, None, COMPUTE, 0, start, start, end)
            for task, start, end in self.computed
        ]
        lanes = list(map(dimension_lane, range(len(self.logical))))
        for issued, chunk, _, phase, queued, start, end, *_ in self.stays:
            task = issued.what
            assert isinstance(task, Task)
            lane, collective = lanes[phase.dimension], task.work.collective
            name = phase.collective.value
            spans.append(
                Span(lane, task.layer, task.kind, collective, chunk, name, phase.chunk_bytes, queued, start, end)
            )
        return tuple(sorted(spans, key=lambda span: span.end_ns))

    @cached_property
    def idle(self) -> tuple[Span, ...]:
        """The time without compute: exposed communication."""
        computed = [(start, end) for _, start, end in self.computed]
        return tuple(idle(EXPOSED, EXPOSED, 0, *gap) for gap in gaps(computed, 0.0, self.total_ns))

    @property
    def own_lanes(self) -> tuple[str, ...]:
        """Compute, exposed communication, and every dimension."""
        return (COMPUTE, EXPOSED, *map(dimension_lane, range(len(self.logical))))

    @property
    def npus(self) -> int:
        """How many NPUs there are; they all do the same."""
        return self.platform.npus

    @property
    def title(self) -> str:
        """What has run on what."""
        passes, layers = several(self.passes, "pass"), several(len(self.running), "layer")
        return f"{passes} of a {self.workload.loop} workload with {layers} on {self.platform.npus:,} NPUs"

    @property
    def times(self) -> str:
        """Compute and exposed communication."""
        return f"compute {format_ns(self.compute_ns)}, exposed communication {format_ns(self.exposed_ns)}"

    @cached_property
    def layers(self) -> pd.DataFrame:
        """A row for each layer; compute, exposed and all communication of its three kinds of work, in ns.

        Communication is counted from the call to the end, with the waiting in queues; exposed, while the loop waited.
        """
        import pandas as pd

        rows = {}
        for layer in self.running:
            row: dict[str, float] = {}
            for task in (layer.forward, layer.input_gradient, layer.weight_gradient):
                row[f"{task.kind} compute"] = task.computed_ns
                row[f"{task.kind} exposed"] = task.exposed_ns
                row[f"{task.kind} communication"] = task.communication_ns
            rows[layer.index, layer.name] = row
        table = pd.DataFrame.from_dict(rows, orient="index")
        table.index = pd.MultiIndex.from_tuples(rows, names=["number", "layer"])
        return table

    @cached_property
    def dimensions(self) -> pd.DataFrame:
        """A row for each logical dimension: its chunks, their mean time and waiting in ns, bytes, how well it was used.

        Where a model-parallel group breaks a dimension in two, both parts have a row and one "network dimension".
        utilisation: bytes sent over what its bandwidth could have carried in all the time; above 1 it is more than the
        links can carry, as messages that share one know nothing of each other (see explain). busy: the share of the
        time in which a chunk was on it.
        """
        import pandas as pd

        rows = []
        for d, dimension in enumerate(self.logical):
            physical = self.platform.network[dimension.physical]
            stays = [stay for stay in self.stays if stay.phase.dimension == d]
            sent = sum(sum(stay.phase.duration.sent) for stay in stays)
            could = physical.injection_bandwidth * self.total_ns
            rows.append(
                {
                    "dimension": d,
                    "network dimension": dimension.physical,
                    "topology": physical.topology.value,
                    "NPUs": dimension.npus,
                    "chunks": len(stays),
                    "chunk latency": self.chunk_latency_ns(d),
                    "queueing": _mean([stay.start_ns - stay.queued_ns for stay in stays]),
                    "bytes": sent,
                    "utilisation": sent / could,
                    "busy": covered(self._intervals(d)) / self.total_ns,
                }
            )
        return pd.DataFrame(rows).set_index("dimension")

    def presence(self) -> dict[str, dict[int | None, Intervals]]:
        """{dimension: {0: when it had a chunk, waiting or running}}."""
        return {dimension_lane(d): {0: self._intervals(d, queued=True)} for d in range(len(self.logical))}

    def chunk_latency_ns(self, dimension: int = 0) -> float:
        """Mean time of a chunk's phase on one logical dimension, without its waiting; nan where it had none."""
        return _mean([int(s.end_ns) - int(s.start_ns) for s in self.stays if s.phase.dimension == dimension])

    def _intervals(self, d: int, queued: bool = False) -> Intervals:
        return [(s.queued_ns if queued else s.start_ns, s.end_ns) for s in self.stays if s.phase.dimension == d]

    def __repr__(self) -> str:
        return (
            f"<{self.in_all}: compute {format_ns(self.compute_ns)}, exposed communication "
            f"{format_ns(self.exposed_ns)}; {self.message_bytes / MIB:,.6g} MiB sent per NPU>"
        )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")
