"""The critical path of a trace: a chain of nodes without a gap, from the end of the run back to its beginning."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from math import prod
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.explain.segment import Segment, gapless
from astra_edu.run.trace_result import TraceResult
from astra_edu.run.trace_spans import LANES
from astra_edu.traces import NodeType
from astra_edu.traces.kinds import kind_of
from astra_edu.traces.outline import Unit
from astra_edu.traces.ran import Ran

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
    elsewhere = _Elsewhere(result)
    path: dict[Key, Ran] = {}
    current = max(result.ran_by(npu), key=lambda ran: (ran.end_ns, ran.start_ns), default=None)
    while current is not None and _key(current) not in path:
        path[_key(current)] = current
        current = elsewhere.waited_for(current) or _before(current, elsewhere.of(current.npu).ended(current.start_ns))
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


class _OfNpu:
    """What an NPU ran, by when it ended, and its messages and collectives in the order in which they started."""

    def __init__(self, ran: Sequence[Ran], result: TraceResult) -> None:
        self._ended: dict[int, list[Ran]] = {}
        for one in ran:
            self._ended.setdefault(one.end_ns, []).append(one)
        self.started: dict[Hashable, list[Ran]] = {}
        self.numbers: dict[int, tuple[Hashable, int]] = {}
        for one in sorted(ran, key=lambda one: (one.start_ns, one.node.id)):
            what = _shared(one, result)
            if what is not None:
                listed = self.started.setdefault(what, [])
                self.numbers[one.node.id] = what, len(listed)
                listed.append(one)

    def ended(self, at_ns: int) -> Sequence[Ran]:
        """What ended at a time."""
        return self._ended.get(at_ns, ())

    def same(self, what: Hashable, number: int) -> Ran | None:
        """The number-th of its nodes that are this."""
        listed = self.started.get(what, ())
        return listed[number] if number < len(listed) else None


class _Elsewhere:
    """What receives and collectives have waited for on other NPUs; only the NPUs on the path are looked at."""

    def __init__(self, result: TraceResult) -> None:
        self.result = result
        self._known: dict[int, _OfNpu] = {}

    def of(self, npu: int) -> _OfNpu:
        """What one NPU ran."""
        found = self._known.get(npu)
        if found is None:
            found = self._known[npu] = _OfNpu(self.result.ran_by(npu), self.result)
        return found

    def waited_for(self, ran: Ran) -> Ran | None:
        """A receive's send, if it had to wait for it; the same collective at the member that joined last, if later."""
        result = self.result
        if result.one_for_all:
            return None
        what, number = self.of(ran.npu).numbers.get(ran.node.id, (None, 0))
        if ran.unit is Unit.RECEIVE and ran.end_ns > ran.start_ns and isinstance(what, _Message):
            return self.of(what.source).same(what._replace(sends=True), number)
        if ran.node.type is not NodeType.COMM_COLL_NODE:
            return None
        together = [self.of(npu).same(what, number) for npu in _one_of_each(_who(ran, result), result)]
        last = max((one for one in together if one is not None), key=_joined)
        return last if ran.start_ns < last.start_ns else None


def _joined(ran: Ran) -> tuple[int, int, int, int]:
    """The largest joined last; of those that joined at once, the lowest number is taken."""
    return ran.start_ns, -ran.node.id, -ran.end_ns, -ran.npu


class _Message(NamedTuple):
    """What makes a send and a receive one message, and which of the two it is."""

    source: int
    destination: int
    tag: int
    message_bytes: int
    sends: bool


def _shared(ran: Ran, result: TraceResult) -> Hashable:
    """What a node has in common with those on other NPUs that it belongs to; None for what is the NPU's own."""
    node = ran.node
    if node.type in (NodeType.COMM_SEND_NODE, NodeType.COMM_RECV_NODE):
        sends = node.type is NodeType.COMM_SEND_NODE
        ends = (ran.npu, node.number("comm_dst")) if sends else (node.number("comm_src"), ran.npu)
        return _Message(*ends, node.number("comm_tag", 0), node.number("comm_size", 0), sends)
    return _members(ran, result) if node.type is NodeType.COMM_COLL_NODE else None


def _who(ran: Ran, result: TraceResult) -> Iterable[int]:
    """Who takes part in a collective."""
    if ran.node.group:
        return result.trace.groups[ran.node.group]
    involved = ran.node.involved
    if involved is None:
        return range(result.trace.npus)
    dims = result.platform.dims
    uses = (*involved, *[False] * len(dims))[: len(dims)]
    found = [ran.npu]
    for d, use in enumerate(uses):
        if use:
            stride = prod(dims[:d])
            first = [npu - npu // stride % dims[d] * stride for npu in found]
            found = [npu + place * stride for place in range(dims[d]) for npu in first]
    return sorted(found)


def _one_of_each(npus: Iterable[int], result: TraceResult) -> Iterable[int]:
    """Of NPUs that do the same one is enough."""
    if result.of_all is None:
        return npus
    stands_for = result.of_all.stands_for
    return list({stands_for[npu]: npu for npu in reversed(list(npus))}.values())


def _members(ran: Ran, result: TraceResult) -> Hashable:
    """What all members of a collective have in common, and nobody else: its group, or their other dimensions."""
    involved = ran.node.involved
    if ran.node.group or involved is None:
        return ran.node.group
    sizes = result.platform.dims
    places = [ran.npu // prod(sizes[:d]) % sizes[d] for d in range(len(sizes))]
    uses = [*involved, *[False] * len(sizes)]
    return tuple(None if use else place for place, use in zip(places, uses, strict=False))
