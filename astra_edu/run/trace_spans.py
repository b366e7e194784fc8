"""The spans of a trace's run: nodes in lanes of their NPU, chunks on dimensions and messages on links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from astra_edu.base.intervals import common, gaps, merged
from astra_edu.base.span import (
    COMMUNICATION,
    COMPUTE,
    CPU,
    EXPOSED,
    RECEIVES,
    WAITS,
    Span,
    dimension_lane,
    idle,
)
from astra_edu.network.links import Use
from astra_edu.run.link_times import link_name
from astra_edu.traces import COLLECTIVES, Node, NodeType
from astra_edu.traces.kinds import kind_of
from astra_edu.traces.outline import Unit
from astra_edu.traces.ran import Ran

if TYPE_CHECKING:
    from astra_edu.run.roles.answers import RanOfAll
    from astra_edu.run.trace_result import TraceResult

LANES = {Unit.COMPUTE: COMPUTE, Unit.CPU: CPU, Unit.COMMUNICATION: COMMUNICATION, Unit.RECEIVE: RECEIVES}
"""What the lane of each unit of an NPU is called."""


def spans_of(result: TraceResult) -> Iterator[Span]:
    """Every node on the NPU that ran it, and what was recorded of the network."""
    yield from map(_node, result.ran)
    yield from _recorded(result)


def counted_spans(result: TraceResult, of_all: RanOfAll) -> Iterator[tuple[Span, int]]:
    """Where one NPU is shown for each role: the spans of all by the names that they have, and for how many each stands.

    In the order in which they ended.
    """
    nodes = ((ran, count) for npu, count in of_all.named.items() for ran in of_all.of(npu))
    for ran, count in sorted(nodes, key=lambda one: one[0].end_ns):
        yield _node(ran), count
    for span in _recorded(result):
        yield span, result.count_of(span.npu)


def _recorded(result: TraceResult) -> Iterator[Span]:
    for stay in result.stays:
        assert isinstance(stay.what, Node)
        name, work, collective = _what(stay.what)
        lane, phase = dimension_lane(stay.phase.dimension), stay.phase
        times = (stay.queued_ns, stay.start_ns, stay.end_ns)
        where = (stay.npu, stay.what.id)
        yield Span(lane, name, work, collective, stay.chunk, phase.collective.value, phase.chunk_bytes, *times, *where)
    yield from map(_message, result.uses)


def idle_of(result: TraceResult, npu: int) -> Iterator[Span]:
    """When an NPU computes nothing: where it communicates that is exposed, else it waits for other NPUs."""
    mine = result.ran_by(npu)
    computes = [(one.start_ns, one.end_ns) for one in mine if one.unit in (Unit.COMPUTE, Unit.CPU)]
    communicates = [(one.start_ns, one.end_ns) for one in mine if one.unit is Unit.COMMUNICATION]
    free = gaps(computes, 0, result.finish_ns[npu])
    for start, end in common(free, communicates):
        yield idle(EXPOSED, EXPOSED, npu, start, end)
    silent, place = merged(gaps(communicates, 0, result.finish_ns[npu])), 0
    for start, end in free:
        while place < len(silent) and silent[place][1] <= start:
            place += 1
        for one in range(place, len(silent)):
            if silent[one][0] >= end:
                break
            yield idle(EXPOSED, WAITS, npu, max(start, silent[one][0]), min(end, silent[one][1]))


def _node(ran: Ran) -> Span:
    name, work, collective = _what(ran.node)
    size = ran.node.number("comm_size", ran.node.number("tensor_size", 0)) if ran.unit is not Unit.COMPUTE else 0
    times = (ran.start_ns, ran.start_ns, ran.end_ns)
    return Span(LANES[ran.unit], name, work, collective, None, work, size, *times, ran.npu, ran.node.id)


def _what(node: Node) -> tuple[str, str, str | None]:
    """(name, what it does, which collective it asks for) of a node."""
    collective = COLLECTIVES.get(node.comm_type) if node.type is NodeType.COMM_COLL_NODE else None
    return node.name or f"node {node.id}", kind_of(node), collective


def _message(use: Use) -> Span:
    lane = link_name(use.link)
    return Span(lane, "", MESSAGE, None, None, MESSAGE, use.size, use.queued_ns, use.start_ns, use.free_ns, None)


MESSAGE = "message"
