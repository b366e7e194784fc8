"""Figure: the operations of one NPU as a graph, what waits for what from left to right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import format_ns
from astra_edu.course.plots.figure import Picture, TimeUnit, text_table, time_unit
from astra_edu.course.plots.kinds_of_run import Instead, no_figure_of
from astra_edu.course.plots.traces.boxes import drawn
from astra_edu.course.plots.traces.layout import Layout, chained, grouped, laid_out
from astra_edu.course.plots.traces.looks import KINDS, amount_of
from astra_edu.explain.path_of_nodes import nodes_on_path
from astra_edu.pipeline import PipelineRun
from astra_edu.run.result import Result
from astra_edu.run.trace_result import TraceResult
from astra_edu.traces import Node, Trace
from astra_edu.traces.builder import Builder
from astra_edu.traces.kinds import kind_of
from astra_edu.traces.ran import Ran

_NAMED, _NUMBERED, _GROUPED = 12, 36, 28  # levels at most: with names in the boxes, with numbers, in groups
_BOXES = 160  # boxes at most, before they are drawn in groups
_LISTED = 60  # nodes at most that the table lists


@dataclass(frozen=True)
class _Graph:
    """What is shown of a trace. ran: what the nodes have taken, by number, if they have run. path: the critical path.

    total_ns: of the run, None if there was none.
    """

    trace: Trace
    npu: int
    ran: Mapping[int, Ran]
    path: Sequence[Ran]
    total_ns: float | None

    @classmethod
    def of(cls, trace: Trace, npu: int, result: TraceResult | None) -> _Graph:
        if result is None:
            return cls(trace, npu, {}, [], None)
        ran = {one.node.id: one for one in result.ran_by(npu)}
        return cls(trace, npu, ran, nodes_on_path(result, npu), result.total_ns)

    @property
    def nodes(self) -> Sequence[Node]:
        """Those of the NPU."""
        return self.trace.nodes[self.npu]

    @property
    def critical(self) -> list[int]:
        """Its nodes on the critical path, by number."""
        return [one.node.id for one in self.path if one.npu == self.npu]

    def took_ns(self, numbers: Iterable[int]) -> float:
        """How long these nodes took together."""
        return sum(self.ran[number].end_ns - self.ran[number].start_ns for number in numbers if number in self.ran)


def trace_graph(what: Trace | Builder | TraceResult, npu: int = 0) -> Picture:
    """Draw the nodes of one NPU, each to the right of those it waits for, with a lane for each unit of the NPU.

    what: a trace, or what simulate has made of it: then times are those of the run, and what is on the critical path
    to this NPU's end has a thick frame; thick arrows say what it waited for (dashed: not for data, but because the NPU
    was busy). Of long chains one box stands for all, and of very large graphs for all that is near. Raises ConfigError
    for an NPU that isn't there.

    >>> trace = ae.traces.Builder(npus=2)
    >>> backward = trace.compute("backward", micros=50)
    >>> gradients = trace.all_reduce("gradients", "1 MiB", after=backward)
    >>> print(ae.plots.trace_graph(trace).table)
    node       name        kind    amount  waits for
    1      backward     compute     50 µs          -
    2     gradients  all-reduce  AR 1 MiB          1
    """
    trace = _trace_of(what)
    if type(npu) is not int or not 0 <= npu < trace.npus:
        raise ConfigError(f"npu is {npu!r}; the trace has NPUs 0 to {trace.npus - 1}.")
    if not trace.nodes[npu]:
        raise ConfigError(f"NPU {npu} has no nodes to draw.")
    graph = _Graph.of(trace, npu, what if isinstance(what, TraceResult) else None)
    figure = drawn(_fitting(laid_out(graph.nodes)), graph.ran, graph.path, npu, _NAMED)
    return Picture(figure, _alt(graph), _table(graph), _note(graph.nodes))


def _trace_of(what: Trace | Builder | TraceResult) -> Trace:
    if isinstance(what, TraceResult):
        return what.trace
    trace = what.build() if isinstance(what, Builder) else what
    if not isinstance(trace, Trace):
        raise no_figure_of(trace, "trace_graph", "a trace, or what simulate has made of one", _INSTEAD)
    return trace


_INSTEAD: Instead = {
    Result: ("ae.traces.from_workload makes one of a loop, and ae.plots.timeline draws what the loop has done"),
    PipelineRun: "ae.traces.from_pipeline makes one of a pipeline, and ae.plots.stages draws what its stages have done",
}


def _fitting(whole: Layout) -> Layout:
    """The graph in as much detail as there is room for."""
    chains = chained(whole)
    for layout, levels in ((whole, _NAMED), (chains, _NAMED), (whole, _NUMBERED), (chains, _NUMBERED)):
        if layout.levels <= levels and len(layout.boxes) <= _BOXES:
            return layout
    return grouped(whole, _GROUPED)


def _alt(graph: _Graph) -> str:
    kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(map(kind_of, graph.nodes)).items())
    trace, count = graph.trace, len(graph.nodes)
    whose = f"all {trace.npus} NPUs" if trace.alike and trace.npus > 1 else f"NPU {graph.npu}"
    words = f"Graph of the {count} nodes of {whose} ({kinds}), each to the right of those it waits for."
    if graph.total_ns is None:
        return words
    names = {node.id: node.name for node in graph.nodes}
    path = ", ".join(f"{number} {names[number]}" for number in graph.critical[:12])
    more = f" and {len(graph.critical) - 12} more" if len(graph.critical) > 12 else ""
    return f"{words} The run takes {format_ns(graph.total_ns)}; on its critical path are {path}{more}."


def _table(graph: _Graph) -> str:
    """A row for each node, or for each kind if there are too many nodes."""
    unit = time_unit(max((one.end_ns for one in graph.ran.values()), default=0))
    if len(graph.nodes) > _LISTED:
        return _of_kinds(graph, unit)
    critical = set(graph.critical)
    rows: list[list[object]] = []
    for node in graph.nodes:
        waits = ", ".join(map(str, sorted({*node.data_deps, *node.ctrl_deps}))) or "-"
        row: list[object] = [node.id, node.name, kind_of(node), amount_of(node) or "-", waits]
        if graph.ran:
            took = graph.ran.get(node.id)
            row += [unit.text(took.start_ns), unit.text(took.end_ns)] if took else ["-", "-"]
            row.append("yes" if node.id in critical else "-")
        rows.append(row)
    times = [f"start ({unit.name})", f"end ({unit.name})", "critical"] if graph.ran else []
    return text_table(["node", "name", "kind", "amount", "waits for", *times], rows)


def _of_kinds(graph: _Graph, unit: TimeUnit) -> str:
    critical = set(graph.critical)
    ids: dict[str, set[int]] = {}
    for node in graph.nodes:
        ids.setdefault(kind_of(node), set()).add(node.id)
    rows: list[list[object]] = []
    for kind in (kind for kind in KINDS if kind in ids):
        found = [unit.text(graph.took_ns(ids[kind])), len(ids[kind] & critical)] if graph.ran else []
        rows.append([kind, len(ids[kind]), *found])
    return text_table(["kind", "nodes", *([f"time ({unit.name})", "critical"] if graph.ran else [])], rows)


def _note(nodes: Sequence[Node]) -> str:
    if len(nodes) <= _LISTED:
        return ""
    return f"A row for each kind, as there are {len(nodes)} nodes; its time is the sum over its nodes."
