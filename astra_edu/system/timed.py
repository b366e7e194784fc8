"""ASTRA-sim 2.x: phases that nothing delays. Their duration is known when they start, so no message is followed.

That is so on the congestion-unaware network, and on the other one while a chunk is alone on its dimension's links.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from astra_edu.clock.events import Action, Event, Turns, happen
from astra_edu.clock.foreseen import WAITS, ForeseenClock, Known
from astra_edu.collectives import Op, Schedule
from astra_edu.network.folded import FoldedLinks, FoldedMessages
from astra_edu.network.unaware import Unaware, first_way
from astra_edu.system.at_once import AtOnce, at_once, leaves_at_once
from astra_edu.system.exchange import Exchange, OneEndpoint
from astra_edu.system.faithful import quirks
from astra_edu.system.faithful.gates import WatchedGate
from astra_edu.system.moves import Moves
from astra_edu.system.plan_2 import PhasePlan
from astra_edu.system.trace_config import TracePlatform


@dataclass(slots=True, eq=False)
class Timed:
    """A phase at an NPU that stands for all: it is over when its time is, and `over` called.

    lead: from who leads the NPUs at the start to who leads them at the end.
    """

    clock: ForeseenClock
    known: Known
    lead: Callable[[int], int]
    over: Callable[[], object]

    def start(self) -> None:
        """Begin."""
        self.clock.after_waits(self.known, self.lead(self.clock.leader), self._end, None)

    def _end(self, _: object) -> None:
        self.over()


def duration(moves: Moves, stride: int, clockwise: bool, platform: TracePlatform, strict: bool = True) -> Known:
    """How long a phase with these moves lasts when nothing else is on its links.

    stride: between neighbours. clockwise: in which direction NPUs are counted; the message to the other side of a ring
    goes clockwise all the same, so it meets others. strict: raise AmbiguousError where it matters which NPU has its
    turn first.
    """
    steps = list(zip(moves.ahead, moves.sizes, moves.reductions, strict=True))
    if moves.schedule.traits.windowed:
        if not _at_once(moves, stride, platform):
            return _followed(moves, stride, clockwise, platform, strict)
        steps = steps[:: moves.window]
    endpoint = moves.endpoint_ns
    total, message = endpoint, 0
    for (distance, message_bytes, reduction), times in Counter(steps).items():
        message = _message_ns(message_bytes, distance * stride, platform)
        total += times * (message + endpoint + (reduction or 0))
    waits = (endpoint, message, endpoint)
    reduction = steps[-1][2]
    return Known(total, waits if reduction is None else (reduction, *waits)[:WAITS], sent=2 if reduction is None else 3)


def steps_duration(
    schedule: Schedule, chunk_bytes: int, endpoint_ns: int, stride: int, platform: TracePlatform
) -> Known:
    """How long a phase lasts in which NPUs are alike and go step by step, on the congestion-unaware network."""
    total = endpoint_ns
    waits: tuple[int, ...] = (endpoint_ns,)
    for group in schedule.groups:
        adds_up = group.op is Op.REDUCE and group.carried is None
        for step, times in group.different_steps:
            ends = []
            for to, shards in group.messages(step, 0).items():
                message_bytes = quirks.message_bytes(schedule, group, shards, chunk_bytes)
                message = _message_ns(message_bytes, to * stride, platform)
                reduction = platform.system.reduction_ns(message_bytes) if adds_up else None
                ends.append((message + (reduction or 0), message, reduction))
            if not ends:
                continue
            longest, message, reduction = max(ends, key=lambda end: end[0])
            total += times * (longest + endpoint_ns)
            waits = (endpoint_ns, message) if reduction is None else (reduction, endpoint_ns, message)
    return Known(total, waits, sent=len(waits))


def handed_on(leader: int, moves: Moves, plan: PhasePlan, platform: TracePlatform) -> int:
    """Who has its turn first at the end of a phase if `leader` has it at its start.

    All NPUs do the same at the same time, but ASTRA-sim goes through them one after the other, and an arriving message
    makes its receiver the next to have a turn. So the lead goes to who gets the leader's first message, then to who
    gets that NPU's next one, and so on. On a ring of 4 in which NPU 1 leads, a reduce-scatter has three steps, each to
    the next NPU: the lead goes 1, 2, 3, 0. In halving-doubling partners are 1 and then 2 apart: 1, 0, 2. Direct sends
    all messages of a step at once, to the next NPU first; on an unaware ring the farthest comes last.
    """
    logical, place = plan.logical, plan.logical.place(leader)
    block, _ = first_way(platform.blocks, 0, logical.stride)
    at_once = moves.window == logical.npus - 1
    steps = sum(moves.ahead[:: moves.window])
    if moves.schedule.traits.exchanges:
        for distance in moves.ahead:
            place ^= distance
    else:
        if at_once and block.topology.goes_round and not platform.congestion_aware:
            steps = len(moves.schedule.groups) * (logical.npus // 2)
        place = (place + (steps if plan.clockwise else -steps)) % logical.npus
    return logical.ring_of(leader)[place]


def _at_once(moves: Moves, stride: int, platform: TracePlatform) -> bool:
    """Whether all messages of a step of direct leave together and take the same time."""
    block, _ = first_way(platform.blocks, 0, stride)
    if moves.window < moves.schedule.npus - 1 or moves.schedule.npus > block.npus or not block.topology.equidistant:
        return False
    return not platform.congestion_aware or block.topology.own_links


def _message_ns(message_bytes: int, distance: int, platform: TracePlatform) -> int:
    block, hops = first_way(platform.blocks, 0, distance)
    return (
        hops * block.crossing_ns(message_bytes) if platform.congestion_aware else block.message_ns(message_bytes, hops)
    )


def _followed(moves: Moves, stride: int, clockwise: bool, platform: TracePlatform, strict: bool) -> Known:
    """Message by message, where one may wait for another."""
    if not platform.congestion_aware and leaves_at_once(moves):
        sent = list(zip(moves.ahead, moves.sizes, strict=True))
        ways = {(apart, size): (0, _message_ns(size, apart * stride, platform)) for apart, size in {*sent}}
        times = at_once(moves, [ways[message] for message in sent])
        within = _within(moves, times) if strict else frozenset()
        return Known(int(times.total_ns), _last_waits(moves, times), within)
    blocks = platform.blocks
    network = _ForeseenLinks(blocks, strict) if platform.congestion_aware else _ForeseenUnaware(blocks)
    messages = FoldedMessages(network, platform.system.rendezvous)
    ends: list[tuple[int, ...]] = []
    npus = moves.schedule.npus
    places = [stride * (distance if clockwise else npus - distance) for distance in moves.ahead]
    endpoint = OneEndpoint(0, _ForeseenTurns(network), messages)
    job = moves, 0, places, places, lambda: ends.append((network.now, *network.foreseen))
    watched = strict and moves.gate
    phase = WatchedGate(network, endpoint, *job) if watched else Exchange(endpoint, *job)
    phase.start()
    network.run()
    return Known(ends[0][0], tuple(later - earlier for later, earlier in pairwise(ends[0])))


class _Foreseen(Event):
    """Something that happens, and the times at which it was foreseen, and what foresaw it was, the last first (ns)."""

    __slots__ = ("_clock", "_do", "_what", "times")

    def __init__(self, clock: _ForeseenUnaware | _ForeseenLinks, do: Action, what: Any) -> None:
        """It is foreseen now."""
        self._clock = clock
        self._do = do
        self._what = what
        self.times: tuple[int, ...] = (clock.now, *clock.foreseen)[:WAITS]

    def happen(self) -> None:
        """See Event."""
        self._clock.foreseen = self.times
        self._do(self._what)


class _ForeseenUnaware(Unaware):
    """The congestion-unaware network that knows what foresaw what."""

    foreseen: tuple[int, ...] = ()

    def schedule(self, at_ns: int, do: Action, what: Any) -> None:
        """See Clock."""
        self.add(at_ns, _Foreseen(self, do, what))


class _ForeseenLinks(FoldedLinks):
    """The congestion-aware network as NPU 0 sees it that knows what foresaw what."""

    foreseen: tuple[int, ...] = ()

    def schedule(self, at_ns: int, do: Action, what: Any) -> None:
        """See Clock."""
        self.add(at_ns, _Foreseen(self, do, what))


class _ForeseenTurns(Turns):
    """The NPU's turns; what it adds to one of them is foreseen then."""

    def __init__(self, clock: _ForeseenUnaware | _ForeseenLinks) -> None:
        super().__init__(clock)
        self._network = clock

    def add(self, delay: int, event: Event) -> None:
        """See Turns."""
        super().add(delay, _Foreseen(self._network, happen, event))


def _within(moves: Moves, times: AtOnce) -> frozenset[int]:
    """When something happens of an all-reduce: its tokens wait for each other between its two steps (see at_once)."""
    if len(times.came) == moves.window:
        return frozenset()
    added = {0, *(reduction or 0 for reduction in moves.reductions)}
    back = {ns + endpoint + more for ns in times.came for endpoint in (0, moves.endpoint_ns) for more in added}
    return frozenset(int(ns) for ns in {0, *times.sent, *back} if ns < times.total_ns)


def _last_waits(moves: Moves, times: AtOnce) -> tuple[int, ...]:
    """The last waits of the token that is back last; of those that are at the same time the one that was sent last."""
    peers, endpoint = moves.window, moves.endpoint_ns
    first = sorted(zip(times.came[:peers], times.sent, strict=False))
    reductions = moves.reductions[:peers]
    if len(times.came) > peers:
        came, sent = max(zip(times.came[peers:], times.sent[peers:], strict=True))
        return endpoint, int(came - sent), reductions[-1] or endpoint
    _, came, sent, reduction = max(
        (came + (reduction or 0), came, sent, reduction)
        for (came, sent), reduction in zip(first, reductions, strict=True)
    )
    waits = endpoint, int(came - sent), endpoint
    return waits if reduction is None else (reduction, *waits)[:WAITS]
