"""Where the analytical model is too good to be true: messages that share links, and what the links allow.

To the model every message has its bandwidth to itself. That is exact as long as no two messages of a step use the
same link; this module finds the steps in which they do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import prod

from astra_edu.base.deprecated import renamed
from astra_edu.collectives import Schedule, counts
from astra_edu.collectives.schedule import Rounds
from astra_edu.network import Dimension
from astra_edu.network.shortest import LinkName


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
    alike = group.symmetric and dimension.symmetric
    npus = 1 if alike else schedule.npus
    pairs = {(t.source, t.destination) for npu in range(npus) for t in group.transfers(step, npu)}
    out = Counter(source for source, _ in pairs)
    into = out if alike else Counter(destination for _, destination in pairs)
    most = max([*out.values(), *into.values()], default=0)
    if most * dimension.links_to_one > dimension.usable_links:
        return True
    if dimension.topology.equidistant:
        return False
    stride = prod(schedule.dims[: group.dimension])
    if alike:
        return any(_hops(source, to, stride, dimension) > 1 for source, to in pairs)
    used = Counter(link for source, to in pairs for link in _links(source, to, stride, dimension))
    return max(used.values(), default=0) > 1


def _links(source: int, destination: int, stride: int, dimension: Dimension) -> Iterator[tuple[int, LinkName]]:
    """(a number of the NPU's group, link) of every link from source to destination."""
    here, there = source // stride % dimension.npus, destination // stride % dimension.npus
    for link in pairwise(dimension.topology.route(dimension.npus, here, there)):
        yield source - here * stride, link


def _hops(source: int, destination: int, stride: int, dimension: Dimension) -> int:
    """How many links of a dimension are on the way from one NPU to another."""
    return dimension.hops(dimension.apart(source // stride % dimension.npus, destination // stride % dimension.npus))


@renamed(size="collective_bytes")
def bandwidth_bound_ns(schedule: Schedule, network: Sequence[Dimension], collective_bytes: int) -> float:
    """A time that no network of these links can undercut, in ns.

    The busiest NPU's bytes must go over its own links, and everybody's bytes over all links, once a hop. Of
    several dimensions, the one that takes longest counts. The analytical model can undercut this, because to it
    every message has a bandwidth of its own; then messages meet, and the model is wrong. collective_bytes: as in
    `time_schedule`.
    """
    buffer = schedule.buffer_bytes(collective_bytes)
    bounds = []
    for d, dimension in enumerate(network):
        part = replace(schedule, groups=tuple(group for group in schedule.groups if group.dimension == d))
        moved = counts(part, buffer)
        over_links = _shard_hops(part, dimension, d) / schedule.npus * buffer / schedule.shards_per_buffer
        bounds.append(max(moved.sent, moved.received, over_links) / dimension.injection_bandwidth)
    return max(bounds)


def _shard_hops(schedule: Schedule, dimension: Dimension, d: int) -> int:
    """Shards that all NPUs send, each counted once for every link on its way, or once if switches forward it.

    (A switch's two hops are an NPU's way out and another's way in, which the busiest NPU's bytes cover.)
    """
    stride = prod(schedule.dims[:d])
    total = 0
    for group in schedule.groups:
        steps = 1 if group.uniform else group.count
        npus = 1 if group.symmetric and dimension.symmetric else schedule.npus
        transfers = (t for step in range(steps) for npu in range(npus) for t in group.transfers(step, npu))
        forwards = not dimension.topology.switched
        hops = sum(_hops(t.source, t.destination, stride, dimension) if forwards else 1 for t in transfers)
        total += hops * group.count // steps * schedule.npus // npus
    return total
