"""What a run of a trace has brought: when every node ran, on which NPU, and what was on the network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from astra_edu.base.intervals import covered
from astra_edu.base.units import format_ns
from astra_edu.network.links import Use
from astra_edu.network.packets import Lost
from astra_edu.run import views
from astra_edu.run.chrome_trace_2 import save_chrome_trace_2
from astra_edu.run.link_times import link_times
from astra_edu.system.queues import Stay
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import NodeType, Trace
from astra_edu.traces.npu import Ran, Unit

if TYPE_CHECKING:
    import pandas as pd

COMMUNICATES = (NodeType.COMM_COLL_NODE, NodeType.COMM_SEND_NODE, NodeType.COMM_RECV_NODE)
"""What ASTRA-sim counts as communication."""


@dataclass(frozen=True, eq=False)
class TraceResult:
    """One run of a trace. Times in ns.

    finish_ns: when each NPU's last node ended. one_for_all: whether only NPU 0 was simulated, because all do the same;
    then `ran` and `stays` are NPU 0's. ran: the nodes in the order in which they ended. stays: chunks in phases, and
    uses: messages on links, where they were recorded. lost: packets that found no room in a switch's buffer.

    >>> ring = ae.TracePlatform(ae.Block("Ring", 4, bandwidth=50, latency=500), ae.TraceSystem.of("ring"))
    >>> result = ae.simulate(ae.traces.collective("all_gather", "1 MiB", npus=4), ring)
    >>> result
    <60.133 µs in all (all NPUs alike): compute 0 ns, exposed communication 60.133 µs>
    >>> result.total_ns, result.communication_ns[0]
    (60133, 60133)
    """

    trace: Trace
    platform: TracePlatform
    finish_ns: tuple[int, ...]
    ran: Sequence[Ran] = field(repr=False)
    stays: Sequence[Stay] = field(default=(), repr=False)
    uses: Sequence[Use] = field(default=(), repr=False)
    lost: Sequence[Lost] = field(default=(), repr=False)
    one_for_all: bool = False

    @property
    def total_ns(self) -> int:
        """When the last NPU finished."""
        return max(self.finish_ns)

    @cached_property
    def _by_npu(self) -> list[list[Ran]]:
        """The nodes that each NPU ran."""
        if self.one_for_all:
            return [list(self.ran)] * self.trace.npus
        found: list[list[Ran]] = [[] for _ in range(self.trace.npus)]
        for ran in self.ran:
            found[ran.npu].append(ran)
        return found

    @cached_property
    def compute_ns(self) -> tuple[int, ...]:
        """For each NPU the sum of its computations; the CPU's don't count."""
        return self._each(lambda rans: sum(r.end_ns - r.start_ns for r in rans if r.unit is Unit.COMPUTE))

    @cached_property
    def communication_ns(self) -> tuple[int, ...]:
        """For each NPU the time in which at least one collective, send or receive was on its way."""
        return self._each(lambda rans: covered([(r.start_ns, r.end_ns) for r in rans if r.node.type in COMMUNICATES]))

    @cached_property
    def exposed_ns(self) -> tuple[int, ...]:
        """For each NPU all its time but that of its computations, as ASTRA-sim counts "exposed communication"."""
        return tuple(finish - compute for finish, compute in zip(self.finish_ns, self.compute_ns, strict=True))

    @cached_property
    def nodes(self) -> pd.DataFrame:
        """A row for each node that ran: NPU, number, name, type, what carried it out, start, end and duration in ns."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "NPU": ran.npu,
                    "node": ran.node.id,
                    "name": ran.node.name,
                    "type": ran.node.type.name,
                    "unit": ran.unit.name.lower(),
                    "start_ns": ran.start_ns,
                    "end_ns": ran.end_ns,
                    "duration_ns": ran.end_ns - ran.start_ns,
                }
                for rans in ([self.ran] if self.one_for_all else self._by_npu)
                for ran in rans
            ]
        )

    @cached_property
    def links(self) -> pd.DataFrame:
        """A row for each link that was used: messages, bytes, how long it was busy, and the longest wait for it (ns).

        The busiest first. Raises ConfigError unless simulate(..., record=True) ran on the congestion-aware network.
        """
        import pandas as pd

        times = link_times(self)
        return pd.DataFrame(
            [
                {
                    "from": time.link[0],
                    "to": time.link[1],
                    "messages": time.messages,
                    "bytes": time.size,
                    "busy_ns": time.busy_ns,
                    "utilisation": time.share,
                    "longest_wait_ns": time.longest_wait_ns,
                }
                for time in times
            ]
        )

    def explain(self, changes: bool = True) -> Any:
        """What bounds this run, in words; changes: and what twice the bandwidth or half the latencies would bring."""
        return views.EXPLAINERS[type(self)](self, changes)

    def save_chrome_trace(self, path: str | Path) -> Path:
        """Write all nodes (and what was recorded) for Perfetto or chrome://tracing and return the path."""
        return save_chrome_trace_2(self, path)

    def _each(self, measure: Callable[[list[Ran]], float]) -> tuple[int, ...]:
        if self.one_for_all:
            return (int(measure(list(self.ran))),) * self.trace.npus
        return tuple(int(measure(rans)) for rans in self._by_npu)

    def __repr__(self) -> str:
        last = max(range(self.trace.npus), key=self.finish_ns.__getitem__)
        alike = "all NPUs alike" if len(set(self.finish_ns)) == 1 else f"NPU {last} is the last"
        return (
            f"<{format_ns(self.total_ns)} in all ({alike}): compute {format_ns(self.compute_ns[last])}, exposed "
            f"communication {format_ns(self.exposed_ns[last])}>"
        )
