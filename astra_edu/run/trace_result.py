"""What a run of a trace has brought: when every node ran, on which NPU, and what was on the network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from astra_edu.base.errors import ConfigError, whole
from astra_edu.base.intervals import covered
from astra_edu.base.progress import Bar
from astra_edu.base.run import Run
from astra_edu.base.span import Span
from astra_edu.base.units import format_ns, several
from astra_edu.network.links import Use
from astra_edu.network.packets import Lost
from astra_edu.run.link_times import link_times
from astra_edu.run.local_memory import LocalMemory, local_memory_of
from astra_edu.run.roles.answers import RanOfAll
from astra_edu.run.trace_spans import counted_spans, idle_of, spans_of
from astra_edu.system.queues import Stay
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import NodeType, Trace
from astra_edu.traces.outline import Unit
from astra_edu.traces.ran import Ran

if TYPE_CHECKING:
    import pandas as pd

COMMUNICATES = (NodeType.COMM_COLL_NODE, NodeType.COMM_SEND_NODE, NodeType.COMM_RECV_NODE)
"""What ASTRA-sim counts as communication."""


@dataclass(frozen=True, eq=False)
class TraceResult(Run):
    """One run of a trace. Times in ns.

    finish_ns: when each NPU's last node ended. one_for_all: whether only NPU 0 was simulated, because all do the same;
    then `ran` and `stays` are NPU 0's. of_all: where one NPU was followed for each role, what all ran, made from that
    when it is asked for; then `ran` and `stays` may be of those NPUs only. ran: the nodes in the order in which they
    ended. stays: chunks in phases, and uses: messages on links, where they were recorded. lost: packets that found no
    room in a switch's buffer. statistics: what the network says, each network its own. own_network: whether it was
    given to simulate. interrupted: whether it was stopped at total_ns (see Interrupted).

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
    statistics: Mapping[str, Any] = field(default_factory=dict, repr=False)
    own_network: bool = False
    of_all: RanOfAll | None = field(default=None, repr=False)
    interrupted: bool = False

    @property
    def total_ns(self) -> int:
        """When the last NPU finished."""
        return max(self.finish_ns)

    @cached_property
    def bound_ns(self) -> float | None:
        """What the links allow at least, in ns, where messages share some; None where none do. See Run."""
        from astra_edu.run.trace_bound import trace_bound_ns  # here, because it is about TraceResults

        return None if self.interrupted else trace_bound_ns(self)

    @cached_property
    def timeline(self) -> tuple[Span, ...]:
        """Every node, and where recorded every chunk on a dimension and message on a link, by the time it ended."""
        return tuple(sorted(spans_of(self), key=lambda span: span.end_ns))

    @cached_property
    def idle(self) -> tuple[Span, ...]:
        """When each NPU computes nothing: exposed communication, and waiting for other NPUs."""
        return tuple(span for npu in self.npu_names for span in idle_of(self, npu))

    @cached_property
    def npu_names(self) -> Mapping[int, str]:
        """All NPUs, or those that were followed for others, where all would be too many to show."""
        if self.one_for_all:
            return {0: "NPU 0 (all NPUs do the same)"}
        if self._by_roles is not None:
            return {npu: f"NPU {npu}{_and_others(count)}" for npu, count in self._by_roles.counts.items()}
        return {npu: f"NPU {npu}" for npu in range(self.trace.npus)}

    @property
    def _by_roles(self) -> RanOfAll | None:
        """What all ran, where only those are shown that were followed for others."""
        return None if self.ran is self.of_all else self.of_all

    def count_of(self, npu: int | None) -> int:
        """For how many NPUs, itself included, one stands in the timeline and in `nodes`; 1 for a link (None)."""
        return 1 if npu is None or self._by_roles is None else self._by_roles.counts[npu]

    def shown_for(self, npu: int) -> int:
        """See Run."""
        return super().shown_for(npu) if self._by_roles is None else self._by_roles.stands_for[npu]

    @property
    def counted(self) -> Iterable[tuple[Span, int]]:
        """See Run."""
        return super().counted if self._by_roles is None else counted_spans(self, self._by_roles)

    @property
    def npus(self) -> int:
        """How many NPUs there are."""
        return self.trace.npus

    @property
    def title(self) -> str:
        """What has run on what, and how many NPUs are shown where others do the same as they."""
        nodes = len(self.ran if self.of_all is None else self.of_all)
        shown = "" if self._by_roles is None else f", shown by {len(self._by_roles.counts):,} that stand for all"
        return f"a trace of {several(nodes, 'node')} on {several(self.trace.npus, 'NPU')}{shown}"

    @property
    def times(self) -> str:
        """Compute and exposed communication of the NPU that finished last."""
        last = self.last
        where = "" if self.one_for_all else f" at NPU {last}, the last"
        exposed = format_ns(self.exposed_ns[last])
        return f"compute {format_ns(self.compute_ns[last])}, exposed communication {exposed}{where}"

    @property
    def last(self) -> int:
        """The NPU that finished last."""
        return max(range(self.trace.npus), key=self.finish_ns.__getitem__)

    def ran_by(self, npu: int) -> Sequence[Ran]:
        """The nodes that an NPU ran, by the time at which they ended."""
        npu = whole("npu", npu, at_least=0)
        if npu >= self.trace.npus:
            raise ConfigError(f"npu is {npu}; there are the NPUs 0 to {self.trace.npus - 1}.")
        if self.one_for_all:
            return RanOfAll(self.trace, (0,) * self.trace.npus, {0: self.ran}).of(npu)
        return self._by_npu[npu] if self.of_all is None else self.of_all.of(npu)

    def local_memory(self, npu: int = 0) -> LocalMemory:
        """The tensors in an NPU's local memory over time, and their peak; see run.local_memory.

        >>> ring = ae.TracePlatform(ae.Block("Ring", 2, bandwidth=50, latency=500), ae.TraceSystem.of("ring"))
        >>> tensors = {"inputs": ["x", "4096"], "outputs": ["y", "1024"]}
        >>> node = {"id": 1, "type": "COMP_NODE", "duration_micros": 5, "attr": tensors}
        >>> memory = ae.simulate(ae.traces.from_nodes([[node]] * 2), ring).local_memory()
        >>> memory.usage, memory.peak_bytes
        (((0, 5120), (5000, 1024)), 5120)
        """
        return local_memory_of(self.ran_by(npu))

    @cached_property
    def _by_npu(self) -> list[list[Ran]]:
        """The nodes that each NPU ran, where each was followed."""
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
        """A row for each node that ran: NPU, number, name, type, what carried it out, start, end and duration in ns.

        Where one NPU is shown for each role (see npu_names), a column "NPUs" says for how many each row stands.
        """
        import pandas as pd

        counted = self._by_roles is not None
        rows: list[dict[str, object]] = []
        with Bar("listing nodes", " NPUs", len(self.npu_names)) as bar:
            for done, npu in enumerate(self.npu_names):
                bar.show(done)
                rows += [
                    {
                        "NPU": ran.npu,
                        "node": ran.node.id,
                        "name": ran.node.name,
                        "type": ran.node.type.name,
                        "unit": ran.unit.name.lower(),
                        "start_ns": ran.start_ns,
                        "end_ns": ran.end_ns,
                        "duration_ns": ran.end_ns - ran.start_ns,
                        **({"NPUs": self.count_of(npu)} if counted else {}),
                    }
                    for ran in self.ran_by(npu)
                ]
        return pd.DataFrame(rows)

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

    def _each(self, measure: Callable[[list[Ran]], float]) -> tuple[int, ...]:
        if self.one_for_all:
            return (int(measure(list(self.ran))),) * self.trace.npus
        if self.of_all is not None:
            own = {npu: int(measure(list(rans))) for npu, rans in self.of_all.followed.items()}
            return tuple(own[npu] for npu in self.of_all.stands_for)
        return tuple(int(measure(rans)) for rans in self._by_npu)

    def __repr__(self) -> str:
        last = self.last
        alike = "all NPUs alike" if len(set(self.finish_ns)) == 1 else f"NPU {last} is the last"
        return (
            f"<{self.in_all} ({alike}): compute {format_ns(self.compute_ns[last])}, exposed "
            f"communication {format_ns(self.exposed_ns[last])}>"
        )


def _and_others(count: int) -> str:
    """How the name of an NPU that stands for several ends."""
    return f" ({count:,} NPUs do the same)" if count > 1 else ""
