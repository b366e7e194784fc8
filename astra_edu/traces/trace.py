"""A trace: for every NPU its nodes, and the process groups they name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError, instance_of, list_of, shown, text_of, whole
from astra_edu.system.custom import CustomStep
from astra_edu.system.trace_config import MOST_NPUS
from astra_edu.traces.custom_steps import custom_steps
from astra_edu.traces.node import Metadata, Node
from astra_edu.traces.nodes_checked import check_graph, check_nodes
from astra_edu.traces.shared_nodes import SharedNodes

if TYPE_CHECKING:
    from astra_edu.traces.statistics import TraceStatistics


@dataclass(frozen=True)
class Trace:
    """What every NPU does: `nodes[npu]` are the operations of one NPU, in no particular order.

    groups: name to the NPUs of a process group, in the order of its ring. files: for error sentences, where each
    NPU's nodes came from; empty for a trace made here. metadata: what each NPU's file said of itself, if there was one.
    NPUs that do the same may share one tuple of nodes; where they do the same up to names, `nodes` makes an NPU's when
    they are asked for, and what is kept are the templates of a few. `templates` is that of every trace.

    Raises ConfigError for a trace without NPUs, node numbers that occur twice, parents that aren't there, and nodes
    that wait for each other in a circle.

    >>> trace = ae.traces.collective("all_reduce", "1 MiB", npus=4)
    >>> trace
    <trace of 4 NPUs, 1 nodes each, all alike>
    >>> [node.name for node in trace.nodes[3]]
    ['all_reduce']
    """

    nodes: Sequence[tuple[Node, ...]]
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    files: tuple[str, ...] = field(default=(), compare=False)
    metadata: tuple[Metadata, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        right = "give the nodes of every NPU, as ae.traces.Builder or from_nodes make them"
        set_ = object.__setattr__
        if not isinstance(self.nodes, SharedNodes):
            set_(self, "nodes", list_of("nodes", self.nodes, right))
        if not self.nodes:
            raise ConfigError("a trace needs at least one NPU.")
        if len(self.nodes) > MOST_NPUS:
            raise ConfigError(f"the trace has {len(self.nodes):,} NPUs; {MOST_NPUS:,} is the most.")
        names = list_of("files", self.files, "give the name of each NPU's file, or ()")
        if len(names) not in (0, len(self.nodes)):
            raise ConfigError(f"files names {len(names)}, and there are {len(self.nodes)} NPUs.")
        set_(self, "files", tuple(text_of("the name of a file", name) for name in names))
        set_(self, "metadata", list_of("metadata", self.metadata, "give each NPU's Metadata, or ()"))
        for npu, nodes in zip(self.templates.first, self.templates.templates, strict=True):
            check_nodes(nodes, self.where(npu))
            check_graph(nodes, self.where(npu))
        self.templates.check()
        set_(self, "groups", check_groups(self.groups, len(self.nodes)))

    @property
    def npus(self) -> int:
        """How many NPUs the trace is for."""
        return len(self.nodes)

    @cached_property
    def templates(self) -> SharedNodes:
        """The nodes as those of a few NPUs, and how those of the others are made of them; see SharedNodes.

        >>> trace = ae.traces.collective("all_reduce", "1 MiB", npus=4096)
        >>> len(trace.templates), len(trace.templates.templates)
        (4096, 1)
        """
        return self.nodes if isinstance(self.nodes, SharedNodes) else SharedNodes.of_plain(self.nodes)

    def where(self, npu: int) -> str:
        """How an error sentence names the nodes of an NPU."""
        if not self.files:
            return f"NPU {shown(npu)}"
        return f"{self.files[whole('an NPU', npu, at_least=0) % self.npus]} (NPU {npu})"

    def custom_steps(self, rank: int) -> tuple[CustomStep, ...]:
        """What one NPU does where this trace carries out a collective. Raises ConfigError where it can't."""
        if whole("rank", rank, at_least=0) >= self.npus:
            raise ConfigError(f"rank is {rank}; the trace has the ranks 0 to {self.npus - 1}.")
        found = self._custom_steps.get(rank)
        if found is None:
            found = self._custom_steps[rank] = custom_steps(self.nodes[rank])
        return found

    @cached_property
    def _fine_on(self) -> set[tuple[int, ...]]:
        """Dimensions of networks for which the communication is known to be fine; (): for any."""
        return set()

    @cached_property
    def _custom_steps(self) -> dict[int, tuple[CustomStep, ...]]:
        return {}

    def describe(self) -> TraceStatistics:
        """What is in the trace, without running it: nodes, bytes, messages, computing, the critical path, what lacks.

        The critical path is the longest chain of computations where communication takes no time, an NPU computes any
        number of things at once, and NPUs wait for each other's messages and collectives, in the order of their nodes'
        numbers; collectives over some dimensions only don't join NPUs, as nobody says who they are. Times noted are
        counted; computations that have only num_ops count 0 µs. Nothing is raised for a faulty trace: `missing` says
        what is wrong with it.

        >>> pipeline = ae.traces.from_pipeline("gpipe", 2, 3, forward_micros=10, backward_micros=20, bytes=4096)
        >>> statistics = pipeline.describe()
        >>> statistics.critical_path_us, statistics.parallelism
        (120, 1.5)
        >>> statistics.messages[0]
        MessageRow(source=0, destination=1, sends=3, receives=3, bytes=12288)
        """
        from astra_edu.traces.describe import describe  # here, because it is about Traces

        return describe(self)

    @cached_property
    def alike(self) -> bool:
        """Whether all NPUs do the same, apart from the names and the numbers of their nodes."""
        shared = self.templates
        if shared.unlike:
            return False
        if len({(len(nodes), sum(node.duration_micros for node in nodes)) for nodes in shared.templates}) > 1:
            return False
        first, *others = shared.templates
        ours = _essence(first) if others else []
        return all(_essence(nodes) == ours for nodes in others)

    def __repr__(self) -> str:
        counts = sorted({len(nodes) for nodes in self.templates.templates})
        each = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        return f"<trace of {self.npus} NPUs, {each} nodes each{', all alike' if self.alike else ''}>"


def _essence(nodes: Sequence[Node]) -> list[tuple[object, ...]]:
    """What counts of nodes: in the order of their numbers, as that is the order in which they are tried."""
    ordered = sorted(nodes, key=lambda node: node.id)
    places = {node.id: place for place, node in enumerate(ordered)}
    return [
        (
            node.type,
            {places[parent] for parent in node.parents},
            node.duration_micros,
            sorted((name, attribute.value) for name, attribute in node.attributes.items()),
        )
        for node in ordered
    ]


def check_groups(groups: Mapping[str, Iterable[int]], npus: int) -> dict[str, tuple[int, ...]]:
    """The groups as tuples. Raises ConfigError for names that are no whole numbers and for NPUs that aren't there."""
    checked = {}
    instance_of("groups", groups, Mapping, 'give the NPUs of each by its name, such as {"1": [0, 2]}')
    for name, members in groups.items():
        if not str(name).isdecimal() or int(name) < 1:
            raise ConfigError(f"process group {name!r}: its name must be a whole number, 1 or more (0 means all NPUs).")
        listed = list_of(f"process group {name}", members, "give a list of its NPUs")
        for member in listed:
            if type(member) is not int or not 0 <= member < npus:
                raise ConfigError(f"process group {name}: {member!r} is no NPU; there are 0 to {npus - 1}.")
        if not listed or len(set(listed)) != len(listed):
            raise ConfigError(f"process group {name} is {list(listed)}; it must list at least one NPU, each once.")
        checked[str(name)] = listed
    return checked
