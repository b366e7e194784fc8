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
from astra_edu.collectives import Schedule
from astra_edu.collectives.schedule import Rounds
from astra_edu.network import Dimension, Part, Row, Wires
from astra_edu.network.shortest import LinkName


def steps_that_meet(schedule: Schedule, network: Sequence[Wires], window: int | None = None) -> int:
    """In how many steps messages share a link, so that the analytical model lets them pass through each other.

    They share one when an NPU's messages want more links than it has (each is given `links_to_one` of them, on
    a ring both directions), or when two of them go the same way over one hop of a ring. network: what each of the
    schedule's dimensions runs over. window: how many messages of a step an NPU has on their way at once (None: all).

    >>> from astra_edu.network.bound import steps_that_meet
    >>> switch = ae.Dimension.of("Switch", 8, 50, 500)
    >>> steps_that_meet(ae.schedule("all-reduce", "direct", 8), [switch])
    2
    >>> steps_that_meet(ae.schedule("all-reduce", "ring", 8), [switch])
    0
    """
    return sum(
        times
        for group in schedule.groups
        for step, times in group.different_steps
        if _meet(schedule, network[group.dimension], group, step, window)
    )


def _meet(schedule: Schedule, wires: Wires, group: Rounds, step: int, window: int | None) -> bool:
    stride = prod(schedule.dims[: group.dimension])
    alike = group.symmetric and wires.symmetric
    most = window if window is not None and schedule.traits.windowed else schedule.npus
    pairs = {(npu, to) for npu in _senders(schedule, alike) for to in group.messages(step, npu)}
    if alike and isinstance(wires, Dimension) and min(len(pairs), most) > _at_once(wires):
        return True
    ways = [(*pair, *_way(wires, stride, *pair)) for pair in pairs]
    out = Counter((source, place) for source, _, place, _, _ in ways)
    into = out if alike else Counter((to, place) for _, to, place, _, _ in ways)
    limits = {place: _at_once(dimension) for _, _, place, dimension, _ in ways}
    if any(min(count, most) > limits[place] for ends in (out, into) for (_, place), count in ends.items()):
        return True
    far = [way for way in ways if not way[3].topology.equidistant]
    if alike or isinstance(wires, Row):
        return any(dimension.hops(apart) > 1 for *_, dimension, apart in far)
    used = Counter(link for source, to, *_ in far for link in _links(source, to, stride, wires))
    return max(used.values(), default=0) > 1


def _at_once(dimension: Dimension) -> int:
    """How many messages of an NPU its links carry."""
    return dimension.usable_links // dimension.links_to_one


def _senders(schedule: Schedule, alike: bool) -> range:
    return range(1 if alike else schedule.npus)


def _way(wires: Wires, stride: int, source: int, destination: int) -> tuple[int, Dimension, int]:
    """The path of a message between two of a schedule's NPUs; see Wires."""
    return wires.path(source // stride % wires.npus, destination // stride % wires.npus)


def _links(source: int, destination: int, stride: int, wires: Wires) -> Iterator[tuple[int, LinkName]]:
    """(a number of the NPU's group, link) of every link from source to destination."""
    dimension, spacing = (wires.dimension, wires.spacing) if isinstance(wires, Part) else (wires, 1)
    assert isinstance(dimension, Dimension)
    here, there = source // stride % wires.npus, destination // stride % wires.npus
    for link in pairwise(dimension.topology.route(dimension.npus, here * spacing, there * spacing)):
        yield source - here * stride, link


def _hops(source: int, destination: int, stride: int, dimension: Dimension) -> int:
    """How many links of a dimension are on the way from one NPU to another."""
    return dimension.hops(dimension.apart(source // stride % dimension.npus, destination // stride % dimension.npus))


def schedule_bound_ns(
    schedule: Schedule,
    network: Sequence[Dimension],
    collective_bytes: int,
    total_ns: float,
    window: int | None = None,
) -> float | None:
    """The least time that the links allow a schedule that takes total_ns in the model; None where none are shared.

    >>> from astra_edu.network.bound import schedule_bound_ns
    >>> switch = ae.Dimension.of("Switch", 8, 50, 500)
    >>> round(schedule_bound_ns(ae.schedule("all-reduce", "direct", 8), [switch], 2**20, 6912))
    34180
    """
    if not steps_that_meet(schedule, network, window):
        return None
    return max(total_ns, bandwidth_bound_ns(schedule, network, collective_bytes))


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
        over_links = _shard_hops(part, dimension, d) / schedule.npus * buffer / schedule.shards_per_buffer
        bounds.append(max(_busiest_bytes(part, buffer), over_links) / dimension.injection_bandwidth)
    return max(bounds)


def _busiest_bytes(schedule: Schedule, buffer: int) -> float:
    """What the busiest NPU sends, or receives; 0 where all NPUs' bytes over all links are no less."""
    if schedule.symmetric and all(group.carried is None for group in schedule.groups):
        return 0.0
    from astra_edu.collectives.counts import counts  # here, as few runs need it

    moved = counts(schedule, buffer)
    return max(moved.sent, moved.received)


def _shard_hops(schedule: Schedule, dimension: Dimension, d: int) -> int:
    """Shards that all NPUs send, each counted once for every link on its way, or once if switches forward it.

    (A switch's two hops are an NPU's way out and another's way in, which the busiest NPU's bytes cover.)
    """
    stride = prod(schedule.dims[:d])
    total = 0
    for group in schedule.groups:
        npus = 1 if group.symmetric and dimension.symmetric else schedule.npus
        forwards = not dimension.topology.switched
        for step, times in group.different_steps:
            ways = [(npu, to) for npu in range(npus) for to in group.messages(step, npu).elements()]
            hops = sum([_hops(*way, stride, dimension) for way in ways]) if forwards else len(ways)
            total += hops * times * schedule.npus // npus
    return total
