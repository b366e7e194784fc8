"""The critical path of a trace: a chain of nodes without a gap, from the end of the run back to its beginning."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import prod

from astra_edu.base.errors import ConfigError
from astra_edu.explain.segment import Segment, gapless
from astra_edu.run.trace_result import TraceResult
from astra_edu.run.trace_spans import LANES
from astra_edu.traces import NodeType
from astra_edu.traces.kinds import kind_of
from astra_edu.traces.npu import Ran, Unit

Key = tuple[int, int]
"""An NPU, and the number of one of its nodes."""


def path_of_nodes(result: TraceResult, npu: int | None = None) -> tuple[Segment, ...]:
    """The segments from 0 to when an NPU has finished; by default the one that finished last."""
    path = [_segment(ran) for ran in nodes_on_path(result, npu)]
    return gapless(path, result.finish_ns[result.last if npu is None else npu])


def nodes_on_path(result: TraceResult, npu: int | None = None) -> list[Ran]:
    """The nodes on the critical path, first to last, on whichever NPU they ran.

    Each began when the one before it ended: one of its parents, or what kept its NPU busy. Before a receive that had
    to wait comes its send, and before a collective the same one at the NPU that joined last. npu: the path to this
    NPU's end; by default to that of the NPU that finished last. Raises ConfigError for an NPU that isn't there.

    >>> from astra_edu.explain.path_of_nodes import nodes_on_path
    >>> trace = ae.traces.Builder(npus=2)
    >>> gradients = trace.all_reduce("gradients", "1 MiB", after=trace.compute("backward", micros=50))
    >>> ring = ae.TracePlatform(ae.Block("Ring", 2, 50, 500), ae.TraceSystem.of("ring"))
    >>> result = ae.simulate(trace.build(), ring, record=True)
    >>> [ran.node.name for ran in nodes_on_path(result)]
    ['backward', 'gradients']
    """
    npu = result.last if npu is None else npu
    if type(npu) is not int or not 0 <= npu < result.trace.npus:
        raise ConfigError(f"npu is {npu!r}; the run has the NPUs 0 to {result.trace.npus - 1}.")
    ended: dict[tuple[int, int], list[Ran]] = {}
    for ran in result.ran:
        ended.setdefault((ran.npu, ran.end_ns), []).append(ran)
    elsewhere = {} if result.one_for_all else _elsewhere(result)
    path: dict[Key, Ran] = {}
    current = max(result.ran_by(npu), key=lambda ran: (ran.end_ns, ran.start_ns), default=None)
    while current is not None and _key(current) not in path:
        path[_key(current)] = current
        mine = ended.get((current.npu, current.start_ns), ())
        current = elsewhere.get(_key(current)) or _before(current, mine)
    return list(path.values())[::-1]


def _segment(ran: Ran) -> Segment:
    name, work = ran.node.name or f"node {ran.node.id}", kind_of(ran.node)
    return Segment(ran.start_ns, ran.end_ns, LANES[ran.unit], name, work, None, ran.npu, ran.node.id)


def _key(ran: Ran) -> Key:
    return ran.npu, ran.node.id


def _before(ran: Ran, just_ended: Sequence[Ran]) -> Ran | None:
    """Of what ended on the same NPU when `ran` began: one of its parents, or what its unit was busy with."""
    parents = {*ran.node.data_deps, *ran.node.ctrl_deps}
    ended = [other for other in just_ended if other is not ran]
    waited = [other for other in ended if other.node.id in parents]
    busy = [other for other in ended if other.unit is ran.unit is not Unit.RECEIVE]
    return next(iter([*sorted(waited, key=lambda other: -other.start_ns), *busy]), None)


def _elsewhere(result: TraceResult) -> Mapping[Key, Ran]:
    """What a receive or a collective has waited for on another NPU: its send, or the member that joined last."""
    found: dict[Key, Ran] = {}
    sent: dict[Hashable, list[Ran]] = {}
    received: dict[Hashable, list[Ran]] = {}
    joined: dict[Hashable, list[Ran]] = {}
    count: dict[Hashable, int] = {}
    for ran in sorted(result.ran, key=lambda ran: (ran.start_ns, ran.node.id)):
        node = ran.node
        if node.type in (NodeType.COMM_SEND_NODE, NodeType.COMM_RECV_NODE):
            sends = node.type is NodeType.COMM_SEND_NODE
            ends = (ran.npu, node.number("comm_dst")) if sends else (node.number("comm_src"), ran.npu)
            message = (*ends, node.number("comm_tag", 0), node.number("comm_size", 0))
            (sent if sends else received).setdefault(message, []).append(ran)
        elif node.type is NodeType.COMM_COLL_NODE:
            members = _members(ran, result)
            number = count[ran.npu, members] = count.get((ran.npu, members), 0) + 1
            joined.setdefault((members, number), []).append(ran)
    for key, waiting in received.items():
        pairs = zip(waiting, sent.get(key, ()), strict=False)
        found |= {_key(one): send for one, send in pairs if one.end_ns > one.start_ns}
    for together in joined.values():
        last = max(together, key=lambda ran: ran.start_ns)
        found |= {_key(one): last for one in together if one.start_ns < last.start_ns}
    return found


def _members(ran: Ran, result: TraceResult) -> Hashable:
    """What all members of a collective have in common, and nobody else: its group, or their other dimensions."""
    involved = ran.node.involved
    if ran.node.group or involved is None:
        return ran.node.group
    sizes = result.platform.dims
    places = [ran.npu // prod(sizes[:d]) % sizes[d] for d in range(len(sizes))]
    uses = [*involved, *[False] * len(sizes)]
    return tuple(None if use else place for place, use in zip(places, uses, strict=False))
