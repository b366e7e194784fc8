"""Small jobs made of data, every way to run them, and all that a run says of each NPU."""

from math import prod

import astra_edu as ae
from astra_edu.network.folded import AmbiguousError
from astra_edu.run.everyone import Everyone
from astra_edu.run.folds import folds
from astra_edu.run.joined import can_join, run_joined
from astra_edu.run.networks import network_of
from astra_edu.run.one_for_each import OneForEach
from astra_edu.run.roles.followed import run_by_roles
from astra_edu.traces.communication import check_communication


def job(network, operations, aware=False, how="ring", **settings):
    """(trace, platform). network: topology, NPUs, bandwidth and latency of each dimension.

    operations: (kind, size, where, numbers of the operations that it waits for). size: ns of a compute, else bytes.
    where: NPUs of a compute or load; (sender, receiver, tag) of a send or receive; of a collective None for all NPUs,
    groups, or whether it goes over each dimension.
    """
    blocks = tuple(ae.Block(*one) for one in network)
    npus = prod(block.npus for block in blocks)
    trace, made = ae.traces.Builder(npus), []
    for number, (kind, size, where, waits) in enumerate(operations):
        name, after, begin = f"{kind} {number}", [made[one] for one in waits] or None, getattr(trace, kind, None)
        if kind == "compute":
            made.append(trace.compute(name, num_ops=1000 * size, tensor_size=1, on=where, after=after))
        elif kind == "load":
            made.append(trace.load(name, size, on=where, after=after))
        elif kind == "send":
            made.append(trace.send(name, size, where[1], on=where[0], tag=where[2], after=after))
        elif kind == "receive":
            made.append(trace.receive(name, size, where[0], on=where[1], tag=where[2], after=after))
        elif where and isinstance(where[0], bool):
            made.append(begin(name, size, involved_dim=where, after=after))
        else:
            made.append(begin(name, size, group=where, after=after))
    plain = {"endpoint_delay": 1, "splits": 1, "active_chunks": 1, "queues": 1, "scheduling": "LIFO"}
    plain |= {"optimization": "baseline", "intra_dimension": "FIFO", "inter_dimension": "baseline"}
    roofline = {"local_memory_bandwidth": 1000, "peak_performance": 1, "roofline": True}
    system = ae.TraceSystem.of([how] * len(blocks) if isinstance(how, str) else how, **plain | roofline | settings)
    memory = ae.RemoteMemory("PER_NPU_MEMORY_EXPANSION", latency=1, bandwidth=1)
    return trace.build(), ae.TracePlatform(blocks, system, memory, congestion_aware=aware)


def everyone(trace, platform):
    """What following every message says of each NPU."""
    check_communication(trace, platform.dims)
    run = Everyone(trace, platform, network_of(platform), record=not platform.congestion_aware)
    run.run()
    return _said(run.npus, run.stays)


def shortcuts(trace, platform):
    """What each way of running it says of each NPU that is followed, by its name; or in a word why it can't be taken.

    Beside it, for each NPU who is followed for it.
    """
    if platform.congestion_aware:
        return {"one for each": _one_for_each(trace, platform)}
    by_roles = run_by_roles(trace, platform, record=True)
    found = {"roles": "everyone has to be followed"}
    if by_roles is not None:
        said = _said(by_roles.npus, by_roles.stays), by_roles.roles.stands_for
        found["roles"] = "the order decides" if by_roles.in_doubt else said
    joined = run_joined(trace, platform, record=True) if can_join(trace, platform) else None
    npus = tuple(range(trace.npus))
    found["joined"] = "the order decides" if joined is None else (_said(joined.npus, joined.stays), npus)
    return found


def _one_for_each(trace, platform):
    found = folds(trace, platform)
    if found is None:
        return "everyone has to be followed"
    run = OneForEach(trace, platform, found)
    try:
        run.run()
    except AmbiguousError:
        return "the order decides"
    return _said(run.npus, ()), run.stands_for


def _said(npus, stays):
    """Of each NPU its finish, when its nodes began and ended, on which unit, and its chunks' stays in phases."""
    found = {}
    for npu in npus:
        ran = [one[2:] for one in sorted(npu.ran, key=lambda one: one.node.id)]
        own = sorted(
            (stay.what.id, stay.chunk, stay.step, stay.queued_ns, stay.start_ns, stay.end_ns)
            for stay in stays
            if stay.npu == npu.npu
        )
        found[npu.npu] = npu.finished_ns, ran, own
    return found
