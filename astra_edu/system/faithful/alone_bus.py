"""Crossings of a shared bus that nothing disturbs: each kind is followed once, and then its time is known.

Where an NPU has one chunk at a time, in an algorithm with one message at a time, its bus carries one piece at a time.
How long a crossing takes is then decided by its kind, its bytes and how long ago each side has sent. Its waits, one
foreseen at the end of the other, are one event, but for the last of them: that is foreseen where it was, so that what
the crossing sets off has its place within its ns. Where the NPU does more in a turn in which the last wait begins, that
place isn't known, and it is noticed whether it matters.

A side that has yet to be set free when the other one is done is free before anything is to cross the other way, so that
it makes no difference when.

Times have to be whole: a turn between two of them would draw the waits of its ns to its own time (clock.loop_turns).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import Any, NamedTuple

from astra_edu.clock.events import Action, Ns
from astra_edu.network.folded import AmbiguousError
from astra_edu.system.faithful.bus import SENDING, Crossing, InTurn, SharedBus, Side
from astra_edu.system.settings import Bus

_NO_ROW = -1_000_000
"""How many pieces in a row a side has sent that says whether it has received one since."""


class _End(NamedTuple):
    """How a crossing leaves a side: `before` since `ns`, after `in_a_row` pieces more, or in all where it received."""

    side: int
    before: int
    ns: Ns
    received: bool
    in_a_row: int


class _Known(NamedTuple):
    """The waits of a crossing in ns, all but the last of them together, the last, and how the sides are left."""

    waits: tuple[int, ...]
    before_last: int
    last: int
    ends: tuple[_End, ...]


class _Steps:
    """A clock of a bus's own."""

    def __init__(self) -> None:
        self.now: Ns = 0
        self.waits: tuple[int, ...] = ()
        """The delays at whose end something happens now, each foreseen at the end of the one before it."""
        self._steps: list[tuple[Ns, int, tuple[int, ...], Action, Any]] = []
        self._count = 0

    def after(self, delay: int, action: Action, what: Any = None) -> None:
        """See InTurn."""
        self._count += 1
        heappush(self._steps, (self.now + delay, self._count, (*self.waits, delay), action, what))

    def run(self) -> None:
        """Until nothing is left to do."""
        while self._steps:
            self.now, _, self.waits, action, what = heappop(self._steps)
            action(what)


class Knows:
    """What is known of a bus with these settings."""

    def __init__(self, bus: Bus) -> None:
        """Nothing yet."""
        self.bus = bus
        self._known: dict[tuple[Crossing, int, tuple[Ns, ...]], _Known] = {}

    def of(self, how: Crossing, size: int, sides: tuple[Side, ...], now: Ns) -> _Known:
        """Of a crossing that begins now."""
        gaps: tuple[Ns, ...] = ()
        if self.bus.g > self.bus.o:
            gap = self.bus.g - self.bus.o
            gaps = tuple([min(now - s.last_ns, gap + 1) if s.before == SENDING else gap + 1 for s in sides])
        known = self._known.get((how, size, gaps))
        if known is None:
            known = self._known[how, size, gaps] = self._follow(how, size, gaps)
        return known

    def _follow(self, how: Crossing, size: int, gaps: tuple[Ns, ...]) -> _Known:
        steps, came = _Steps(), []
        shared = SharedBus.with_memory(self.bus, steps, steps)
        sides = sides_of(shared)
        for side, gap in zip(sides, gaps or [self.bus.g + 1] * len(sides), strict=True):
            side.before, side.last_ns, side.in_a_row = SENDING, -gap, _NO_ROW
        shared.cross(how, size, lambda _: came.append(steps.waits), None)
        steps.run()
        [waits] = came
        ends = [
            _End(k, side.before, side.last_ns, side.in_a_row >= 0, side.in_a_row % -_NO_ROW)
            for k, side in enumerate(sides)
            if side.last_ns >= 0
        ]
        return _Known(waits, sum(waits[:-1]), waits[-1], tuple(ends))


class AloneBus(SharedBus):
    """A bus as something sees it that has it for itself."""

    __slots__ = ("_knows", "_only", "_sides", "_turns")

    def __init__(self, shared: SharedBus, turns: InTurn, knows: Knows, only: Callable[[], bool]) -> None:
        """shared: the bus. turns: of its NPU. only: whether that does only one thing in its turn of this ns."""
        self._only = only
        self.near, self.far, self.time = shared.near, shared.far, shared.time
        self._sides = sides_of(shared)
        self._turns = turns
        self._knows = knows

    def cross(self, how: Crossing, message_bytes: int, action: Action, what: Any) -> None:
        """See SharedBus."""
        now = self.time.now
        sides = self._sides
        known = self._knows.of(how, message_bytes, sides, now)
        for k, before, ns, received, in_a_row in known.ends:
            side = sides[k]
            side.before = before
            side.last_ns = now + ns
            side.in_a_row = in_a_row if received else side.in_a_row + in_a_row
        if known.before_last:
            self._turns.after(known.before_last, self._wait_last, (known.last, action, what))
        else:
            self._wait((iter(known.waits), action, what))

    def _wait(self, then: tuple[Iterator[int], Action, Any]) -> None:
        waits, action, what = then
        delay = next(waits, None)
        if delay is None:
            action(what)
        else:
            self._turns.after(delay, self._wait, then)

    def _wait_last(self, last: tuple[int, Action, Any]) -> None:
        delay, action, what = last
        if self._only():
            self._turns.after(delay, action, what)
        else:
            self._turns.after(delay, self._after_others, (action, what))

    def _after_others(self, then: tuple[Action, Any]) -> None:
        """What else was in that turn may have foreseen more for this one, before or after the crossing did."""
        if not self._only():
            raise AmbiguousError
        action, what = then
        action(what)


def sides_of(shared: SharedBus) -> tuple[Side, ...]:
    """All four sides of a bus with memory."""
    inner = shared.near.inner
    assert inner
    return shared.near, shared.far, inner.near, inner.far
