"""Figure: the operations of one NPU as a graph, what waits for what from left to right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import format_ns
from astra_edu.course.plots.figure import Picture, text_table, time_unit
from astra_edu.course.plots.trace_boxes import drawn
from astra_edu.course.plots.trace_layout import Layout, chained, grouped, laid_out
from astra_edu.course.plots.trace_looks import KINDS, amount_of
from astra_edu.explain.path_of_nodes import nodes_on_path
from astra_edu.run.trace_result import TraceResult
from astra_edu.traces import Node, Trace
from astra_edu.traces.builder import Builder
from astra_edu.traces.kinds import kind_of
from astra_edu.traces.npu import Ran

_NAMED, _NUMBERED, _GROUPED = 12, 36, 28  # levels at most: with names in the boxes, with numbers, in groups
_BOXES = 160  # boxes at most, before they are drawn in groups
_LISTED = 60  # nodes at most that the table lists


def trace_graph(what: Trace | Builder | TraceResult, npu: int = 0) -> Picture:
    """Draw the nodes of one NPU, each to the right of those it waits for, with a lane for each unit of the NPU.

    what: a trace, or what simulate has made of it: then times are those of the run, and what is on the critical path
    to this NPU's end has a thick frame; thick arrows say what it waited for (dashed: not for data, but because the NPU
    was busy). Of long chains one box stands for all, and of very large graphs for all that is near. Raises ConfigError
    for an NPU that isn't there.
    """
    result = what if isinstance(what, TraceResult) else None
    trace = what.trace if isinstance(what, TraceResult) else what.build() if isinstance(what, Builder) else what
    if not isinstance(trace, Trace):
        raise ConfigError(f"trace_graph draws a trace, or what simulate has made of one, not {trace!r:.60}.")
    if type(npu) is not int or not 0 <= npu < trace.npus:
        raise ConfigError(f"npu is {npu!r}; the trace has NPUs 0 to {trace.npus - 1}.")
    nodes = trace.nodes[npu]
    if not nodes:
        raise ConfigError(f"NPU {npu} has no nodes to draw.")
    whose = 0 if result is not None and result.one_for_all else npu
    ran = {one.node.id: one for one in result.ran if one.npu == whose} if result is not None else {}
    path = nodes_on_path(result, npu) if result is not None else []
    critical = [one.node.id for one in path if one.npu == whose]
    figure = drawn(_fitting(laid_out(nodes)), ran, path, whose, _NAMED)
    return Picture(figure, _alt(trace, npu, result, critical), _table(nodes, ran, critical), _note(nodes))


def _fitting(whole: Layout) -> Layout:
    """The graph in as much detail as there is room for."""
    chains = chained(whole)
    for layout, levels in ((whole, _NAMED), (chains, _NAMED), (whole, _NUMBERED), (chains, _NUMBERED)):
        if layout.levels <= levels and len(layout.boxes) <= _BOXES:
            return layout
    return grouped(whole, _GROUPED)


def _alt(trace: Trace, npu: int, result: TraceResult | None, critical: Sequence[int]) -> str:
    nodes = trace.nodes[npu]
    kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(map(kind_of, nodes)).items())
    whose = f"all {trace.npus} NPUs" if trace.alike and trace.npus > 1 else f"NPU {npu}"
    words = [f"Graph of the {len(nodes)} nodes of {whose} ({kinds}), each to the right of those it waits for."]
    if result is not None:
        names = {node.id: node.name for node in nodes}
        path = ", ".join(f"{number} {names[number]}" for number in critical[:12])
        more = f" and {len(critical) - 12} more" if len(critical) > 12 else ""
        words.append(f"The run takes {format_ns(result.total_ns)}; on its critical path are {path}{more}.")
    return " ".join(words)


def _table(nodes: Sequence[Node], ran: Mapping[int, Ran], critical: Sequence[int]) -> str:
    """A row for each node, or for each kind if there are too many nodes."""
    unit = time_unit(max((one.end_ns for one in ran.values()), default=0))
    if len(nodes) > _LISTED:
        return _of_kinds(nodes, ran, critical)
    rows: list[list[object]] = []
    for node in nodes:
        waits = ", ".join(map(str, sorted({*node.data_deps, *node.ctrl_deps}))) or "-"
        row: list[object] = [node.id, node.name, kind_of(node), amount_of(node) or "-", waits]
        if ran:
            took = ran.get(node.id)
            row += [unit.text(took.start_ns), unit.text(took.end_ns)] if took else ["-", "-"]
            row.append("yes" if node.id in critical else "-")
        rows.append(row)
    times = [f"start ({unit.name})", f"end ({unit.name})", "critical"] if ran else []
    return text_table(["node", "name", "kind", "amount", "waits for", *times], rows)


def _of_kinds(nodes: Sequence[Node], ran: Mapping[int, Ran], critical: Sequence[int]) -> str:
    unit = time_unit(max((one.end_ns for one in ran.values()), default=0))
    rows: list[list[object]] = []
    for kind in (kind for kind in KINDS if any(kind_of(node) == kind for node in nodes)):
        ids = {node.id for node in nodes if kind_of(node) == kind}
        took = sum(ran[number].end_ns - ran[number].start_ns for number in ids if number in ran)
        rows.append([kind, len(ids), *([unit.text(took), len(ids.intersection(critical))] if ran else [])])
    return text_table(["kind", "nodes", *([f"time ({unit.name})", "critical"] if ran else [])], rows)


def _note(nodes: Sequence[Node]) -> str:
    if len(nodes) <= _LISTED:
        return ""
    return f"A row for each kind, as there are {len(nodes)} nodes; its time is the sum over its nodes."
