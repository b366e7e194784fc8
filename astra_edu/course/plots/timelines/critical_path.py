"""What the end of a run has waited for: a chain of nodes without a gap, back to the beginning."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import prod

from astra_edu.run.trace_result import TraceResult
from astra_edu.traces import NodeType
from astra_edu.traces.npu import Ran, Unit

Key = tuple[int, int]
"""An NPU, and the number of one of its nodes."""


def critical_path(result: TraceResult, npu: int | None = None) -> list[Ran]:
    """The nodes on the critical path, first to last, on whichever NPU they ran.

    Each began when the one before it ended: one of its parents, or what kept its NPU busy. Before a receive that had
    to wait comes its send, and before a collective the same one at the NPU that joined last. npu: the path to this
    NPU's end; by default to that of the NPU that finished last.

    >>> trace = ae.traces.Builder(npus=2)
    >>> gradients = trace.all_reduce("gradients", "1 MiB", after=trace.compute("backward", micros=50))
    >>> ring = ae.TracePlatform(ae.Block("Ring", 2, 50, 500), ae.TraceSystem.of("ring"))
    >>> result = ae.simulate(trace.build(), ring, record=True)
    >>> [ran.node.name for ran in ae.plots.critical_path(result)]
    ['backward', 'gradients']
    """
    if npu is None:
        npu = max(range(result.trace.npus), key=result.finish_ns.__getitem__)
    by_npu: dict[int, list[Ran]] = {}
    for ran in result.ran:
        by_npu.setdefault(ran.npu, []).append(ran)
    elsewhere = {} if result.one_for_all else _elsewhere(result)
    path: dict[Key, Ran] = {}
    mine = by_npu.get(0 if result.one_for_all else npu, ())
    current = max(mine, key=lambda ran: (ran.end_ns, ran.start_ns), default=None)
    while current is not None and _key(current) not in path:
        path[_key(current)] = current
        current = elsewhere.get(_key(current)) or _before(current, by_npu[current.npu])
    return list(path.values())[::-1]


def _key(ran: Ran) -> Key:
    return ran.npu, ran.node.id


def _before(ran: Ran, mine: Sequence[Ran]) -> Ran | None:
    """What ended when `ran` began, on the same NPU: one of its parents, or what its unit was busy with."""
    parents = {*ran.node.data_deps, *ran.node.ctrl_deps}
    ended = [other for other in mine if other.end_ns == ran.start_ns and other is not ran]
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
