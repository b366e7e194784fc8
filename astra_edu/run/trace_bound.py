"""What a run of a trace takes at least, where messages share links and nothing makes them wait."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from astra_edu.base.bound import exceeds
from astra_edu.collectives import ALGORITHMS, Collective, known_schedule
from astra_edu.collectives.schedule import Rounds
from astra_edu.network.block import Block
from astra_edu.network.links import route_of
from astra_edu.network.loads import Loads, Way, loads, way_in
from astra_edu.system.faithful import quirks
from astra_edu.system.implementation import Implementation
from astra_edu.system.plan_2 import LogicalRing, PhasePlan, Planner, Shared
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import Node, NodeType
from astra_edu.traces.outline import Unit
from astra_edu.traces.ran import Ran

if TYPE_CHECKING:
    from astra_edu.run.trace_result import TraceResult

MOST_MESSAGES = 200_000
"""A phase of more messages is looked at only where one NPU's stand for all."""

_Needs = dict[object, float]
_NOTHING = Loads({}, False, 0)


def trace_bound_ns(result: TraceResult) -> float | None:
    """The least time that the run's links allow, in ns; None where no messages share one.

    None, too, on the congestion-aware network, where they wait for each other, and on a network that was given to
    simulate, which answers for itself. They share one where messages of a step
    meet on a link, or where a link would carry more in the run's time than it can. The bound is never below
    ASTRA-sim's total, which has every message alone on its way, and it is the longest of: each link's bytes, on
    ASTRA-sim's routes, and the nodes one after the other with each collective taking no less than its own bytes need.
    Custom collectives aren't looked at; where a result shows some NPUs for all, only what these take part in is.
    """
    platform = result.platform
    if platform.congestion_aware or platform.system.replay_only or result.own_network:
        return None
    found = _Found(platform)
    last, everyone = result.last, platform.npus
    of_nodes: dict[int, float] = {}
    leaders = _leaders(result)
    for npu in sorted({last, *leaders.values()}):
        for ran, ring, plans in _planned(result, npu):
            needs = found.of(plans)
            if npu == last:
                of_nodes[ran.node.id] = max(needs.values(), default=0)
            if npu == (leaders[ring.members] if ring.members else last):
                found.add(needs)
    found.add(_sent(result))
    least = max(found.total.values(), default=0.0)
    if not found.shared and not exceeds(least, result.total_ns, found.messages + everyone):
        return None
    return max(result.total_ns, least, _path_ns(result.ran_by(last), of_nodes))


class _Found:
    """What was found of the phases so far. total: ns for which each link carries messages."""

    def __init__(self, platform: TracePlatform) -> None:
        self.platform = platform
        self.total: _Needs = defaultdict(float)
        self.shared = False
        self.messages = 0
        self._known: dict[PhasePlan, Loads] = {}

    def of(self, plans: list[tuple[PhasePlan, ...]]) -> _Needs:
        """ns for which each link carries what a collective sends."""
        needs: _Needs = defaultdict(float)
        for plan, times in Counter(plan._replace(queue=0) for phases in plans for plan in phases).items():
            each = self._known.get(plan)
            if each is None:
                each = self._known[plan] = loads_of(plan, self.platform)
            self.shared = self.shared or each.shared
            self.messages += times * each.messages
            for link, ns in each.of.items():
                needs[link] += times * ns
        return needs

    def add(self, needs: Mapping[object, float]) -> None:
        """Count what goes over the links."""
        for link, ns in needs.items():
            self.total[link] += ns


def _leaders(result: TraceResult) -> dict[tuple[int, ...], int]:
    """The NPU whose collectives are looked at, for each process group that is smaller than all: its first."""
    shown = result.npu_names if result.of_all is not None else None
    found = {}
    for members in result.trace.groups.values():
        here = members if shown is None else [npu for npu in members if npu in shown]
        if here and len(members) < result.platform.npus:
            found[members] = here[0]
    return found


def _planned(result: TraceResult, npu: int) -> Iterator[tuple[Ran, LogicalRing, list[tuple[PhasePlan, ...]]]]:
    """The collectives that an NPU has run, where they ran, and the phases of their chunks, planned once more."""
    platform, trace = result.platform, result.trace
    planner, stream = Planner(platform, Shared(platform)), 0
    for ran in sorted(result.ran_by(npu), key=lambda ran: ran.start_ns):
        node = ran.node
        collective = node.collective if node.type is NodeType.COMM_COLL_NODE else None
        if collective is None or _custom(node, collective, platform):
            continue
        members = trace.groups[node.group] if node.group else None
        if members is None or len(members) == platform.npus:
            rings = planner.rings(collective)
        else:
            rings = (planner.group_ring(collective, members),)
        planner.begin(0, ran.start_ns)
        involved = None if node.group else node.involved
        plans = planner.chunks(collective, node.number("comm_size"), involved, rings, stream)
        planner.begin(0, ran.start_ns)
        stream += len(plans)
        yield ran, rings[0], plans


def _custom(node: Node, collective: Collective, platform: TracePlatform) -> bool:
    return node.id in platform.system.custom_nodes or collective in platform.system.custom


def loads_of(plan: PhasePlan, platform: TracePlatform) -> Loads:
    """What one chunk's phase puts on the links: of its dimension, or of the whole network where it knows none."""
    ring, blocks = plan.logical, platform.blocks
    if ring.npus < 2:
        return _NOTHING
    if blocks and ring.stride and not ring.how.flat:
        return _of_block(
            plan.dimension,
            blocks[plan.dimension],
            ring.how,
            plan.collective,
            plan.chunk_bytes,
            plan.clockwise,
            plan.tree,
        )
    firsts = [0]
    if ring.stride:
        firsts = [npu for npu in range(platform.npus) if ring.place(npu) == 0]
    every = [_of_ring(plan, ring.ring_of(first) if ring.stride else ring.members, platform) for first in firsts]
    total: _Needs = defaultdict(float)
    for each in every:
        for link, ns in each.of.items():
            total[link] += ns
    return Loads(total, any(each.shared for each in every), max(each.messages for each in every))


def _of_ring(plan: PhasePlan, npus: Sequence[int], platform: TracePlatform) -> Loads:
    def way(source: int, destination: int) -> list[tuple[object, float, int]]:
        route = route_of(platform.network, npus[source], npus[destination])
        return [(link, block.link_bandwidth, 1) for link, block in route]

    return _loads(
        plan.logical.how, plan.logical.npus, plan.collective, plan.chunk_bytes, plan.clockwise, plan.tree, way
    )


@lru_cache(maxsize=1000)
def _of_block(
    d: int, block: Block, how: Implementation, collective: Collective, chunk_bytes: int, clockwise: bool, tree: int
) -> Loads:
    schedule = known_schedule(collective, how.algorithm, block.npus)
    topology, traits = block.topology, how.traits
    round_ring = traits.tokens and not traits.exchanges and topology.goes_round
    one = schedule.symmetric and topology.symmetric and (topology.equidistant or round_ring)
    found = _loads(how, block.npus, collective, chunk_bytes, clockwise, tree, way_in(block, one), one)
    return Loads({(d, link): ns for link, ns in found.of.items()}, found.shared, found.messages)


def _loads(
    how: Implementation,
    npus: int,
    collective: Collective,
    chunk_bytes: int,
    clockwise: bool,
    tree: int,
    way: Way,
    one: bool = False,
) -> Loads:
    traits = how.traits
    schedule = known_schedule(collective, traits.twin if tree and traits.twin else how.algorithm, npus)
    if not one and _messages(schedule.npus, how, collective) > MOST_MESSAGES:
        return _NOTHING
    mirrored = traits.tokens and not traits.exchanges and not clockwise

    def there(source: int, destination: int) -> Iterable[tuple[object, float, int]]:
        return way(-source % npus, -destination % npus) if mirrored else way(source, destination)

    def size(group: Rounds, shards: int) -> int:
        return quirks.message_bytes(schedule, group, shards, chunk_bytes)

    return loads(schedule, size, there, one, how.window)


@lru_cache(maxsize=1000)
def _messages(npus: int, how: Implementation, collective: Collective) -> int:
    """About how many messages all NPUs send."""
    groups = known_schedule(collective, ALGORITHMS[how.algorithm].name, npus).groups
    return sum(npus * group.count * len({to for to, _ in group.rule(0, 0)}) for group in groups)


def _sent(result: TraceResult) -> Mapping[object, float]:
    """ns for which each link carries the messages that NPUs send each other by themselves."""
    total: _Needs = defaultdict(float)
    for ran in result.ran:
        if ran.node.type is NodeType.COMM_SEND_NODE:
            size = ran.node.number("comm_size")
            for link, block in route_of(result.platform.network, ran.npu, ran.node.number("comm_dst")):
                total[link] += size / block.link_bandwidth
    return total


def _path_ns(rans: Sequence[Ran], of_nodes: Mapping[int, float]) -> float:
    """How long an NPU's nodes take, each after those that it waits for, if no collective is faster than its links."""
    ends: dict[int, float] = {}
    for ran in rans:  # in the order in which they ended, so parents come first
        start = max((ends.get(parent, 0.0) for parent in ran.node.parents), default=0.0)
        took = of_nodes.get(ran.node.id, 0.0 if ran.unit is Unit.RECEIVE else ran.end_ns - ran.start_ns)
        ends[ran.node.id] = start + took
    return max(ends.values(), default=0.0)
