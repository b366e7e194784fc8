"""Where the analytical model is too good to be true: messages that share links, and what the links allow.

To the model every message has its bandwidth to itself. That is exact as long as no two messages of a step use the
same link; this module finds the steps in which they do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from astra_edu.collectives import Schedule, counts
from astra_edu.collectives.schedule import Rounds
from astra_edu.network import Dimension, Topology


def steps_that_meet(schedule: Schedule, network: Sequence[Dimension]) -> int:
    """In how many steps messages share a link, so that the analytical model lets them pass through each other.

    They share one when an NPU's messages want more links than it has (each is given `links_to_one` of them, on
    a ring both directions), or when two of them go the same way over one hop of a ring.
    """
    return sum(
        group.count if group.uniform else 1
        for group in schedule.groups
        for step in range(1 if group.uniform else group.count)
        if _meet(schedule, network[group.dimension], group, step)
    )


def _meet(schedule: Schedule, dimension: Dimension, group: Rounds, step: int) -> bool:
    npus = 1 if group.symmetric else schedule.npus
    pairs = {(t.source, t.destination) for npu in range(npus) for t in group.transfers(step, npu)}
    out = Counter(source for source, _ in pairs)
    into = out if group.symmetric else Counter(destination for _, destination in pairs)
    most = max([*out.values(), *into.values()], default=0)
    if most * dimension.links_to_one > dimension.usable_links:
        return True
    if dimension.topology is not Topology.RING:
        return False
    stride = prod(schedule.dims[: group.dimension])
    if group.symmetric:
        return any(dimension.hops(abs(to - source) // stride) > 1 for source, to in pairs)
    used = Counter(hop for source, to in pairs for hop in _hops(source, to, stride, dimension.npus))
    return max(used.values(), default=0) > 1


def _hops(source: int, destination: int, stride: int, n: int) -> Iterator[tuple[int, int]]:
    """(NPU, direction) of every ring link from source to destination, the shorter way round."""
    place = source // stride % n
    onward = (destination // stride - place) % n
    direction = 1 if onward <= n - onward else -1
    for hop in range(min(onward, n - onward)):
        yield source + ((place + direction * hop) % n - place) * stride, direction


def bandwidth_bound_ns(schedule: Schedule, network: Sequence[Dimension], size: int) -> float:
    """A time that no network of these links can undercut, in ns.

    The busiest NPU's bytes must go over its own links, and everybody's bytes over all links, once a hop. Of
    several dimensions, the one that takes longest counts. The analytical model can undercut this, because to it
    every message has a bandwidth of its own; then messages meet, and the model is wrong. size as in
    `time_schedule`.
    """
    buffer = schedule.buffer_bytes(size)
    bounds = []
    for d, dimension in enumerate(network):
        part = replace(schedule, groups=tuple(group for group in schedule.groups if group.dimension == d))
        moved = counts(part, buffer)
        over_links = _chunk_hops(part, dimension, d) / schedule.npus * buffer / schedule.chunks_per_buffer
        bounds.append(max(moved.sent, moved.received, over_links) / dimension.injection_bandwidth)
    return max(bounds)


def _chunk_hops(schedule: Schedule, dimension: Dimension, d: int) -> int:
    """Chunks that all NPUs send, each counted once for every ring link on its way, once elsewhere.

    (A switch's two hops are an NPU's way out and another's way in, which the busiest NPU's bytes cover.)
    """
    stride = prod(schedule.dims[:d])
    ring = dimension.topology is Topology.RING
    total = 0
    for group in schedule.groups:
        steps = 1 if group.uniform else group.count
        npus = 1 if group.symmetric else schedule.npus
        transfers = (t for step in range(steps) for npu in range(npus) for t in group.transfers(step, npu))
        hops = sum(dimension.hops(abs(t.destination - t.source) // stride) if ring else 1 for t in transfers)
        total += hops * group.count // steps * schedule.npus // npus
    return total
