"""Collectives whose chunks all do the same one phase, timed at once when the last of their NPUs begins.

As an NPU has one collective on its way at most, only the collective's own chunks wait in its queues. Taken in FIFO
order, as many as have places begin and end together, then the next do: a phase after the other, each beginning with
the ends of the one before. (In another order it matters whether the chunk before, which is just ending, has its place.)
When and in which order the NPU goes on with its chunks decides nothing but when they end; only the last end meets what
else the NPU does, with the times of its last waits. Phases whose members are late by the same as before end alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import methodcaller
from typing import TYPE_CHECKING, NamedTuple

from astra_edu.system.joined.ends import End
from astra_edu.system.joined.not_joined import NotJoinedError, OrderUnknownError
from astra_edu.system.joined.rings import Ring
from astra_edu.system.joined.times import Expects, Times
from astra_edu.system.joined.turns import JoinedTurns, WholeItem
from astra_edu.system.plan_2 import PhasePlan
from astra_edu.system.queues import Chunk, Issued, Queues

if TYPE_CHECKING:
    from astra_edu.system.endpoint import Endpoint

Done = Callable[[], object]
Planned = Sequence[tuple[PhasePlan, ...]]
KEPT = 8
"""The ends of so many collectives of a ring are kept, those that were needed last."""


def in_step(planned: Planned) -> bool:
    """Whether all chunks of a collective do the same one phase."""
    return bool(planned) and len(planned[0]) == 1 and planned.count(planned[0]) == len(planned)


class Known(NamedTuple):
    """How a collective ends whose first NPU begins at 0 ns. ends: by place, with the ns and its turn's (see End)."""

    ends: list[tuple[int, int, End]]
    expects: Expects


class WholeAt:
    """A collective at one NPU, until it is over there."""

    __slots__ = ("done", "plan", "priority", "queues", "turns")

    def __init__(self, turns: JoinedTurns, queues: Queues, plan: PhasePlan, priority: int, done: Done) -> None:
        """done(): to be called at its end."""
        self.turns = turns
        self.queues = queues
        self.plan = plan
        self.priority = priority
        self.done = done

    def over(self) -> None:
        """It is over."""
        self.turns.open -= 1
        self.queues.end(self._last, self.done)

    def _last(self) -> Chunk:
        """Its last chunk."""
        chunk = Chunk(0, self.priority, (self.plan,), Issued(None, None, 0))
        chunk.queued_ns = self.turns.clock.now
        return chunk


_over = methodcaller("over")


class Whole:
    """A collective of some NPUs: who is in, since when."""

    __slots__ = ("at", "kind", "left", "ring", "starts")

    def __init__(self, kind: object, ring: Ring) -> None:
        """Nobody is in."""
        self.kind = kind
        self.ring = ring
        self.left = len(ring.npus)
        self.starts = [0] * self.left
        self.at: list[WholeAt | None] = [None] * self.left


class Wholes:
    """The collectives of a run that are timed at once."""

    def __init__(
        self, times: Callable[[PhasePlan, Ring, list[int], Endpoint], Times], places: int, strict: bool
    ) -> None:
        """times: of a phase. places: so many chunks of a collective are on their way at once. strict: see Joins."""
        self._times = times
        self._places = places
        self._strict = strict
        self._begun: dict[tuple[int, Ring], Whole] = {}

    def enter(self, npu: int, kind: object, ring: Ring, tag: int, at: WholeAt) -> Whole | None:
        """An NPU begins a collective now; tag: of its first chunk. If it is the last, it comes back, to be timed."""
        whole = self._begun.get((tag, ring))
        if whole is None:
            whole = self._begun[tag, ring] = Whole(kind, ring)
        elif whole.kind != kind:
            raise NotJoinedError
        place, turns = ring.place(npu), at.turns
        if whole.at[place] is not None:
            raise NotJoinedError
        whole.at[place] = at
        whole.starts[place] = turns.clock.now
        whole.left -= 1
        turns.open += 1
        if whole.left:
            return None
        del self._begun[tag, ring]
        return whole

    def time(self, whole: Whole, plan: PhasePlan, chunks: int, endpoint: Endpoint) -> None:
        """All are in: foresee all ends."""
        first = min(whole.starts)
        late = [start - first for start in whole.starts]
        key = whole.kind, *late
        kept = whole.ring.wholes
        known = kept.pop(key, None)
        if known is None:
            known = self._known(whole.ring, plan, late, chunks, endpoint)
            if len(kept) >= KEPT:
                del kept[next(iter(kept))]
        kept[key] = known
        ends, expects = known
        for place, ns, foreseen_ns in expects:
            expecting = whole.at[place]
            assert expecting is not None
            expecting.turns.expect(first + ns, first + foreseen_ns)
        for at, (ns, turn_ns, end) in zip(whole.at, ends, strict=True):
            assert at is not None
            at.turns.whole_over(first + ns, first + turn_ns, WholeItem(end, first, _over, at))

    def _known(self, ring: Ring, plan: PhasePlan, starts: list[int], chunks: int, endpoint: Endpoint) -> Known:
        expected: Expects = []
        ends: list[End] = []
        for begun in range(0, chunks, self._places):
            ends, expects = self._times(plan, ring, starts, endpoint)
            if expects and self._strict and min(self._places, chunks - begun) > 1:  # see JoinedTurns.expect
                raise OrderUnknownError
            expected += expects
            starts = [end.ns for end in ends]
        return Known([(end.ns, end.turn_ns, end) for end in ends], expected)
