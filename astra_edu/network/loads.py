"""What a schedule's messages put on the links of ASTRA-sim 2.x's networks, and whether those of a step share one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from astra_edu.collectives import Schedule
from astra_edu.collectives.schedule import Rounds
from astra_edu.network.block import Block
from astra_edu.network.shortest import LinkName, Node
from astra_edu.network.topologies import Topology

Way = Callable[[int, int], Iterable[tuple[object, float, int]]]
"""(link, its bytes per ns, how often) on the way from one place of a schedule to another."""


@dataclass(frozen=True)
class Loads:
    """ns for which each link carries messages, and whether messages of one step share a link.

    messages: how many an NPU sends, at most about.
    """

    of: Mapping[object, float]
    shared: bool
    messages: int


class Hop(NamedTuple):
    """A message of a step: who sends it to whom, its bytes, and those after its first link, if a switch adds up."""

    source: int
    destination: int
    size: float
    down: float


def loads(schedule: Schedule, size: Callable[[Rounds, int], float], way: Way, one: bool, window: int | None) -> Loads:
    """Of one run of a schedule. size(group, shards): bytes of a message of so many shards.

    one: whether only NPU 0's messages are looked at, and `way` names the links that are alike by one name. window: how
    many messages of a step an NPU of a windowed algorithm has on their way at once; None: all.
    """
    total: defaultdict[object, float] = defaultdict(float)
    shared, most = False, 0
    for group in schedule.groups:
        npus = range(1 if one else schedule.npus)
        for step, times in _steps(group, npus):
            of_npus = [list(_hops(group, step, npu, size)) for npu in npus]
            most += times * max(map(len, of_npus), default=0)
            for together in _at_once(of_npus, window if schedule.traits.windowed else None):
                count: Counter[object] = Counter()
                for source, destination, message, down in together:
                    for k, (link, speed, often) in enumerate(way(source, destination)):
                        count[link] += often
                        total[link] += often * times * (down if k else message) / speed
                shared = shared or max(count.values(), default=0) > 1
    return Loads(total, shared, most)


def _steps(group: Rounds, npus: range) -> list[tuple[int, int]]:
    """(step, how many like it): one for all where everybody sends to the same NPUs all the time."""

    def ends(step: int) -> list[set[int]]:
        return [{to for to, _ in group.rule(step, npu)} for npu in npus]

    if group.uniform and group.count > 1 and ends(0) == ends(1) == ends(group.count - 1):
        return [(0, group.count)]
    return [(step, 1) for step in range(group.count)]


def _hops(group: Rounds, step: int, npu: int, size: Callable[[Rounds, int], float]) -> Iterator[Hop]:
    for destination, shards in group.messages(step, npu).items():
        up, down = group.carried or (shards, shards)
        yield Hop(npu, destination, size(group, up), size(group, down))


def _at_once(of_npus: Sequence[Sequence[Hop]], window: int | None) -> Iterator[list[Hop]]:
    """The messages of a step that are on their way together."""
    if window is None:
        yield [hop for own in of_npus for hop in own]
        return
    for k in range(0, max(map(len, of_npus), default=0), window):
        yield [hop for own in of_npus for hop in own[k : k + window]]


def way_in(block: Block, one: bool) -> Way:
    """The way over a block's links; one: from NPU 0, where all links of one kind (see folded.py) have one name."""
    speed, npus = block.link_bandwidth, block.npus

    def way(source: int, destination: int) -> list[tuple[object, float, int]]:
        links = pairwise(block.topology.route(npus, source, destination))
        return [((folded(npus, *link) if one else link), speed, 1) for link in links]

    def round_a_ring(source: int, destination: int) -> list[tuple[object, float, int]]:
        ahead = (destination - source) % npus
        hops = block.hops(ahead)
        return [(("on", 1 if hops == ahead else npus - 1), speed, hops)]

    return round_a_ring if one and block.topology == Topology.RING else way


def folded(npus: int, tail: Node, head: Node) -> LinkName:
    """What all NPUs' links of this kind are called."""
    if isinstance(head, str):
        return head, "up"
    if isinstance(tail, str):
        return tail, "down"
    return "on", (head - tail) % npus
