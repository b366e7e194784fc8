"""Phases that are timed at once, when the last of their NPUs begins them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from astra_edu.system.joined.by_steps import all_wait_for_all, step_ends
from astra_edu.system.joined.clock import JoinedClock
from astra_edu.system.joined.not_joined import NotJoinedError
from astra_edu.system.joined.rings import MessageNs, Ring
from astra_edu.system.joined.times import Times, times
from astra_edu.system.joined.turns import Item, JoinedTurns
from astra_edu.system.joined.wholes import Planned, WholeAt, Wholes, in_step
from astra_edu.system.plan_2 import PhasePlan
from astra_edu.system.policies import fifo_only, queue_policy
from astra_edu.system.queues import FIFO_ALWAYS, Chunk
from astra_edu.system.trace_config import TracePlatform

if TYPE_CHECKING:
    from astra_edu.system.endpoint import Endpoint


_Whole = tuple[PhasePlan, object, Ring, int]
"""A collective: the phase of its chunks, what must be the same at all its NPUs, who these are, and how many chunks."""


class At:
    """A phase at one NPU, until it is over there."""

    __slots__ = ("chunk", "endpoint", "joins", "over", "phase", "stamp", "turns")
    phase: Phase
    stamp: tuple[int, int]

    def __init__(
        self, joins: Joins, endpoint: Endpoint, turns: JoinedTurns, chunk: Chunk, over: Callable[[], object]
    ) -> None:
        """over(): to be called at its end."""
        self.joins = joins
        self.endpoint = endpoint
        self.turns = turns
        self.chunk = chunk
        self.over = over

    def start(self) -> None:
        """The NPU is in; if it is the last, all ends are known."""
        self.joins.enter(self)


class Phase:
    """A phase of some NPUs: who is in, since when."""

    __slots__ = ("_in_step", "at", "kind", "left", "plan", "ring", "starts")

    def __init__(self, plan: PhasePlan, kind: object, ring: Ring) -> None:
        """Nobody is in."""
        n = len(ring.npus)
        self.plan = plan
        self.kind = kind
        self.ring = ring
        self.at: list[At | None] = [None] * n
        self.starts = [0] * n
        self.left = n
        self._in_step: dict[Phase, bool] = {}

    def in_step_with(self, other: Phase) -> bool:
        """Whether this phase is before the other in everything: both alike, begun in the same ns, and in this order."""
        found = self._in_step.get(other)
        if found is None:
            alike = self.kind == other.kind and self.ring is other.ring and self.starts == other.starts
            found = self._in_step[other] = alike and all(
                one.stamp[0] < two.stamp[0] and not (one.stamp[1] == two.stamp[1] != 0)
                for one, two in zip(self.at, other.at, strict=True)
                if one is not None and two is not None
            )
        return found


class Joins:
    """The phases of a run."""

    def __init__(self, platform: TracePlatform, message_ns: MessageNs, strict: bool = True) -> None:
        """strict: whether to raise OrderUnknownError where the order in a ns isn't known, or to go on in some order."""
        self.message_ns = message_ns
        self.clock = JoinedClock(message_ns, strict)
        self.begun: dict[tuple[int, Ring], Phase] = {}
        """Phases that some NPU hasn't begun."""
        self._rings: dict[object, Ring] = {}
        self._tags: set[tuple[int, int]] = set()
        self._count = 0
        self._all_wait: dict[object, bool] = {}
        self._fifo = queue_policy(platform.system.intra_dimension, 2) is fifo_only
        self._wholes = Wholes(self._times, platform.system.places, strict)
        self._planned: dict[int, tuple[Planned, _Whole | None]] = {}
        """What was planned last at each NPU."""

    def turns(self, npu: int) -> JoinedTurns:
        """The turns of an NPU."""
        return JoinedTurns(npu, self.clock, self.no_difference)

    def phase(self, endpoint: Endpoint, chunk: Chunk, over: Callable[[], object]) -> At:
        """A chunk's phase at one NPU."""
        assert isinstance(endpoint.turns, JoinedTurns)
        return At(self, endpoint, endpoint.turns, chunk, over)

    def enter(self, at: At) -> None:
        """An NPU begins a phase now."""
        plan: PhasePlan = at.chunk.phase
        npu, tag, turns = at.endpoint.npu, at.chunk.tag, at.turns
        ring, kind = self._ring(plan, npu), _kind(plan)
        phase = self.begun.get((tag, ring))
        if phase is None:
            phase = self.begun[tag, ring] = Phase(plan, kind, ring)
        elif phase.kind != kind:
            raise NotJoinedError
        if (npu, tag) in self._tags:
            raise NotJoinedError
        self._tags.add((npu, tag))
        self._count += 1
        at.phase, at.stamp = phase, (self._count, turns.joined.unordered)
        turns.open += 1
        self._enter(phase, at, npu)
        if not phase.left:
            del self.begun[tag, ring]
            self._time(phase, at.endpoint)

    def whole(self, endpoint: Endpoint, planned: Planned) -> _Whole | None:
        """What a collective of an NPU is, where it can be timed at once; None where its chunks have to be followed."""
        known = self._planned.get(endpoint.npu)
        if known is not None and known[0] is planned:
            return known[1]
        found = None
        if in_step(planned) and (self._fifo or planned[0][0].collective in FIFO_ALWAYS):
            plan = planned[0][0]
            found = plan, (*_kind(plan), len(planned)), self._ring(plan, endpoint.npu), len(planned)
        self._planned[endpoint.npu] = planned, found
        return found

    def begin(self, endpoint: Endpoint, what: _Whole, priority: int, tag: int, done: Callable[[], object]) -> None:
        """An NPU begins a collective now. what: it is; tag: of its first chunk. done: is called at its end."""
        plan, kind, ring, chunks = what
        assert isinstance(endpoint.turns, JoinedTurns)
        at = WholeAt(endpoint.turns, endpoint.queues, plan, priority, done)
        whole = self._wholes.enter(endpoint.npu, kind, ring, tag, at)
        if whole is not None:
            endpoint.messages.sent += chunks * self._messages(plan, endpoint)
            self._wholes.time(whole, plan, chunks, endpoint)

    def no_difference(self, items: Sequence[Item]) -> bool:
        """Whether it makes no difference in which order these ends of one NPU's phases come."""
        used: set[tuple[int, int]] = set()
        last: dict[object, int] = {}
        for item in items:
            if item.end is None or not isinstance(item.what, At):
                return False
            chunk: Chunk = item.what.chunk
            touched = {(phase.dimension, phase.queue) for phase in chunk.phases[chunk.at : chunk.at + 2]}
            if used & touched:
                return False
            used |= touched
            if chunk.phases_left == 1:
                last[chunk.issued] = last.get(chunk.issued, 0) + 1
                if last[chunk.issued] == chunk.issued.chunks and not self._fifo:
                    return False
        return True

    def _enter(self, phase: Phase, at: At, npu: int) -> None:
        place = phase.ring.place(npu)
        phase.at[place], phase.starts[place] = at, self.clock.now
        phase.left -= 1

    def _ring(self, plan: PhasePlan, npu: int) -> Ring:
        logical = plan.logical
        if logical.stride:
            first = npu - logical.place(npu) * logical.stride
            key: object = (first, logical.stride, logical.npus)
        else:
            key = (logical.members,)
        found = self._rings.get(key)
        if found is None:
            found = self._rings[key] = Ring(logical.ring_of(npu), self.message_ns)
        return found

    def _time(self, phase: Phase, endpoint: Endpoint) -> None:
        """All are in: foresee all ends."""
        starts = phase.starts
        first = starts[0]
        endpoint.messages.sent += self._messages(phase.plan, endpoint)
        if starts.count(first) == len(starts):
            known = phase.ring.same.get(phase.kind)
            if known is None:
                times = self._times(phase.plan, phase.ring, [0] * len(starts), endpoint)
                known = phase.ring.same[phase.kind] = times
            ends, expects = known.later(first)
        else:
            ends, expects = self._times(phase.plan, phase.ring, starts, endpoint)
        for place, ns, foreseen_ns in expects:
            expecting = phase.at[place]
            assert expecting is not None
            expecting.turns.expect(ns, foreseen_ns)
        for at, end in zip(phase.at, ends, strict=True):
            assert at is not None
            at.turns.over(end, self._over, at)

    @staticmethod
    def _messages(plan: PhasePlan, endpoint: Endpoint) -> int:
        """How many messages all NPUs send in a phase."""
        if plan.logical.how.traits.tokens:
            return plan.logical.npus * len(endpoint.moves_of(plan).sizes)
        return sum(len(step.sends) for own in endpoint.steps_of(plan).of for step in own)

    def _over(self, at: At) -> None:
        at.turns.open -= 1
        self._tags.discard((at.endpoint.npu, at.chunk.tag))
        at.over()

    def _times(self, plan: PhasePlan, ring: Ring, starts: list[int], endpoint: Endpoint) -> Times:
        if plan.logical.how.traits.tokens:
            return times(endpoint.moves_of(plan), ring, starts, plan.clockwise)
        moves = endpoint.steps_of(plan)
        key = plan.collective, plan.logical.how, plan.logical.npus
        wait = self._all_wait.get(key)
        if wait is None:
            wait = self._all_wait[key] = all_wait_for_all(moves)
        if not wait:
            raise NotJoinedError
        return Times(step_ends(starts, moves, ring.ns), [])


def _kind(plan: PhasePlan) -> tuple[object, ...]:
    """What must be the same at all NPUs of a phase."""
    clockwise = plan.clockwise or plan.logical.npus == 2
    if not clockwise:
        traits = plan.logical.how.traits
        clockwise = traits.exchanges or not traits.tokens
    return plan.collective, plan.logical.how, plan.chunk_bytes, clockwise
