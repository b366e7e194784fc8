"""What is to be said of a trace's collectives: how much they send in their time, and over which dimensions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod

from astra_edu.base.units import GIB, format_bytes, format_ns
from astra_edu.collectives import Collective
from astra_edu.collectives.counts import least_sent
from astra_edu.explain.phrases import NO_HOPS, dimensions
from astra_edu.run.trace_result import COMMUNICATES, TraceResult
from astra_edu.traces import COLLECTIVES, CommType, NodeType
from astra_edu.traces.ran import Ran

NEIGHBOURS = ("Ring", "FullyConnected")


def of_largest(result: TraceResult, ran: Sequence[Ran]) -> Iterator[str]:
    """The collectives of one kind that take most time: what an NPU sends in them at least, and what its links carry.

    ran: what one NPU has carried out.
    """
    times: Counter[tuple[Collective, int, int, tuple[int, ...]]] = Counter()
    count: Counter[object] = Counter()
    system = result.platform.system
    for one in ran:
        collective = _collective(one)
        if collective is None or not one.node.number("comm_size"):
            continue
        if one.node.id in system.custom_nodes or collective in system.custom:
            continue
        key = (collective, one.node.number("comm_size"), *_reach(result, one, collective))
        times[key] += one.end_ns - one.start_ns
        count[key] += 1
    if not times:
        return
    key, time = times.most_common(1)[0]
    collective, size, npus, dims = key
    if any(how.traits.in_switch for how in system.implementations.get(collective, ())):
        return  # what NPUs would have to send themselves says nothing here
    sent = count[key] * least_sent(collective, size, npus)
    many = f"{count[key]} {collective}s" if count[key] > 1 else f"the {collective}"
    text = f"Most of the communication is {many} of {format_bytes(size)} over {npus} NPUs: {format_ns(time)}, in which "
    text += f"an NPU sends {format_bytes(sent)} at least"
    rate = sent / time * 1e9 / GIB if time else 0
    blocks = [result.platform.blocks[d] for d in dims if result.platform.blocks]
    if blocks and rate:
        carried = sum(block.topology.ports(block.npus) * block.bandwidth for block in blocks)
        text += f', {_short(rate)} of the {_short(carried)} "GB/s" (2**30 bytes/s) of its links'
    yield f"{text}."


def _reach(result: TraceResult, ran: Ran, collective: Collective) -> tuple[int, tuple[int, ...]]:
    """(how many NPUs a collective reaches, over which dimensions; all of them where that isn't known)."""
    platform = result.platform
    every = tuple(range(len(platform.dims)))
    if (name := ran.node.group) and len(members := result.trace.groups[name]) < platform.npus:
        return len(members), every
    hows = platform.implementations(collective)
    if hows[0].flat:
        return platform.npus, every
    involved = ran.node.involved or (True,) * len(every)
    dims = tuple(d for d in range(len(hows)) if d < len(involved) and involved[d])
    return prod(platform.dims[d] for d in dims), dims


def of_dimensions(result: TraceResult) -> Iterator[str]:
    """The dimensions over which no collective runs, where all communication is collectives."""
    ran = [one for one in result.ran if one.node.type in COMMUNICATES and not replayed(one)]
    if not ran or result.platform.system.custom or result.platform.system.custom_nodes:
        return
    used: set[int] = set()
    for one in ran:
        collective = _collective(one)
        if collective is None:
            return
        used.update(_reach(result, one, collective)[1])
    for d, npus in enumerate(result.platform.dims):
        if d not in used:
            yield (
                f"Dimension {d}, of {npus} NPUs, carries nothing: no collective of the trace runs over it. Either the "
                "system file has no implementation for it, or involved_dim leaves it out."
            )


def of_sameness(result: TraceResult) -> Iterator[str]:
    """Which topologies are the same to the congestion-unaware network; what else changes nothing: independent_of."""
    platform, system = result.platform, result.platform.system
    ran = [one for one in result.ran if one.node.type in COMMUNICATES and not replayed(one)]
    if not ran or platform.congestion_aware or not platform.blocks:
        return
    if not any(block.latency for block in platform.blocks):
        yield NO_HOPS
        return
    collectives = {_collective(one) for one in ran}
    if None in collectives or system.custom or system.custom_nodes or any(one.node.group for one in ran):
        return
    hows = [platform.implementations(collective) for collective in collectives if collective]
    same = [
        d
        for d, block in enumerate(platform.blocks)
        if block.topology.value in NEIGHBOURS and block.latency
        if all(d < len(how) and how[d].algorithm == "ring" and not how[d].flat for how in hows)
    ]
    if same:
        yield (
            f"On {dimensions(same)} the ring algorithm sends to neighbours only, who are one hop away on a Ring and "
            "FullyConnected alike: these two take the same time."
        )


def replayed(ran: Ran) -> bool:
    """Whether a node is a broadcast, which takes its recorded time."""
    return ran.node.type is NodeType.COMM_COLL_NODE and ran.node.comm_type is CommType.BROADCAST


def _collective(ran: Ran) -> Collective | None:
    return COLLECTIVES.get(ran.node.comm_type) if ran.node.type is NodeType.COMM_COLL_NODE else None


def _short(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 1000 else f"{rate:.3g}"
