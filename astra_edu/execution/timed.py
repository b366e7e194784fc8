"""Phases that nothing delays: their duration is known when they start, so no message needs to be followed.

That is so on the congestion-unaware network, and on the other one while a chunk is alone on its dimension's links.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, NamedTuple

from astra_edu.execution.clock import Action, Clock, Turns
from astra_edu.execution.config import TracePlatform
from astra_edu.execution.exchange import Exchange
from astra_edu.execution.folded import FoldedLinks, FoldedMessages
from astra_edu.execution.messages import first_way
from astra_edu.execution.moves import Moves
from astra_edu.execution.planning import PhasePlan
from astra_edu.network import Topology

WAITS = 3


class Known(NamedTuple):
    """How long a phase lasts, and the last waits of its last token, last first (ns)."""

    total_ns: int
    waits: tuple[int, ...]


class ForeseenClock(Clock):
    """A clock for phases whose end is known when they start.

    What happens in the same ns happens in the order in which it was foreseen. As the waits inside a phase aren't
    followed, an event carries the last times at which its coming was foreseen. leader: the NPU that has its turn first
    in this ns; at the start that is NPU 0, and a message hands the lead on to its receiver.
    """

    def __init__(self) -> None:
        """A clock at 0 ns with nothing to do."""
        super().__init__()
        self.leader = 0
        self._heap: list[tuple[int, tuple[int, ...], int, int, Action, Any]] = []
        self._foreseen: tuple[int, ...] = (0,)
        self._count = 0

    def at(self, time: int, action: Action, what: Any) -> None:
        """Do action(what) at `time` ns; it is foreseen now."""
        self._push(time, (self.now, *self._foreseen)[: WAITS + 1], self.leader, action, what)

    def after_waits(self, known: Known, leader: int, action: Action, what: Any) -> None:
        """Do action(what) when a phase that starts now is over; then `leader` has its turn first."""
        foreseen, time = [], self.now + known.total_ns
        end = time
        for wait in known.waits:
            end -= wait
            foreseen.append(end)
        self._push(time, (*foreseen, *self._foreseen)[: WAITS + 1], leader, action, what)

    def run(self, watch: Callable[[], object] | None = None) -> None:
        """Go on until nothing is left to do; that takes no time worth watching."""
        heap = self._heap
        while heap:
            time, self._foreseen, _, leader, action, what = heappop(heap)
            if time != self.now:
                self.now, self.leader = time, leader
            action(what)

    def _push(self, time: int, foreseen: tuple[int, ...], leader: int, action: Action, what: Any) -> None:
        self._count += 1
        heappush(self._heap, (time, foreseen, self._count, leader, action, what))


class Timed:
    """A phase at an NPU that stands for all: it is over when its time is."""

    __slots__ = ("clock", "known", "lead", "over")

    def __init__(
        self, clock: ForeseenClock, known: Known, lead: Callable[[int], int], over: Callable[[], object]
    ) -> None:
        """lead: from who leads the NPUs at the start to who leads them at the end. over: called at its end."""
        self.clock = clock
        self.known = known
        self.lead = lead
        self.over = over

    def start(self) -> None:
        """Begin."""
        self.clock.after_waits(self.known, self.lead(self.clock.leader), self._end, None)

    def _end(self, _: object) -> None:
        self.over()


def duration(moves: Moves, stride: int, clockwise: bool, platform: TracePlatform) -> Known:
    """How long a phase with these moves lasts when nothing else is on its links.

    stride: between neighbours. clockwise: in which direction NPUs are counted; the message to the other side of a ring
    goes clockwise all the same, so it meets others.
    """
    steps = list(zip(moves.ahead, moves.sizes, moves.reductions, strict=True))
    if moves.schedule.algorithm == "direct":
        if not _at_once(moves, stride, platform):
            return _followed(moves, stride, clockwise, platform)
        steps = steps[:: moves.window]
    endpoint = moves.endpoint_ns
    total, message = endpoint, 0
    for (distance, size, reduction), times in Counter(steps).items():
        message = _message_ns(size, distance * stride, platform)
        total += times * (message + endpoint + (reduction or 0))
    waits = (endpoint, message, endpoint)
    reduction = steps[-1][2]
    return Known(total, waits if reduction is None else (reduction, *waits)[:WAITS])


def handed_on(leader: int, moves: Moves, plan: PhasePlan, platform: TracePlatform) -> int:
    """Who has its turn first at the end of a phase if `leader` has it at its start.

    That is who gets the leader's first message, then who gets his, and so on; on a ring the farthest comes last.
    """
    lane, place = plan.lane, plan.lane.place(leader)
    block, _ = first_way(platform.blocks, 0, lane.stride)
    at_once = moves.window == lane.npus - 1
    steps = sum(moves.ahead[:: moves.window])
    if moves.exchanges:
        for distance in moves.ahead:
            place ^= distance
    else:
        if at_once and block.topology is Topology.RING and not platform.congestion_aware:
            steps = len(moves.schedule.groups) * (lane.npus // 2)
        place = (place + (steps if plan.clockwise else -steps)) % lane.npus
    return lane.ring_of(leader)[place]


def _at_once(moves: Moves, stride: int, platform: TracePlatform) -> bool:
    """Whether all messages of a step of direct leave together and take the same time."""
    block, _ = first_way(platform.blocks, 0, stride)
    if moves.window < moves.schedule.npus - 1 or moves.schedule.npus > block.npus or block.topology is Topology.RING:
        return False
    return not platform.congestion_aware or block.topology is Topology.FULLY_CONNECTED


def _message_ns(size: int, distance: int, platform: TracePlatform) -> int:
    block, hops = first_way(platform.blocks, 0, distance)
    return hops * block.crossing_ns(size) if platform.congestion_aware else block.message_ns(size, hops)


def _followed(moves: Moves, stride: int, clockwise: bool, platform: TracePlatform) -> Known:
    """Message by message."""
    clock = Clock()
    messages = FoldedLinks(clock, platform) if platform.congestion_aware else FoldedMessages(clock, platform)
    ends: list[int] = []
    npus = moves.schedule.npus
    places = [stride * (distance if clockwise else npus - distance) for distance in moves.ahead]
    Exchange(_BarePlace(clock, messages), moves, 0, places, places, lambda: ends.append(clock.now)).start()
    clock.run()
    return Known(ends[0], (moves.endpoint_ns,))


class _BarePlace:
    """As much of an endpoint as a single phase needs; see exchange.Place."""

    npu = 0
    bus = None

    def __init__(self, clock: Clock, messages: FoldedMessages) -> None:
        self.turns = Turns(clock)
        self.messages = messages
