"""A clock for phases whose end is known when they start, in the order that following their messages would bring."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, NamedTuple

from astra_edu.clock.events import Action, Clock

WAITS = 3


class Known(NamedTuple):
    """How long a phase lasts, and the last waits of its last token, last first (ns).

    within: how many ns after its start something of it happens that an event in the same ns could come before, so that
    it would last longer, or less long. sent: with how many of the waits the last message is sent, as far as is known.
    """

    total_ns: int
    waits: tuple[int, ...]
    within: frozenset[int] = frozenset()
    sent: int = WAITS


class DisturbedError(Exception):
    """What isn't of a phase happens in a ns in which that could change how long the phase lasts."""


class ForeseenClock(Clock):
    """A clock for phases whose end is known when they start.

    What happens in the same ns happens in the order in which it was foreseen. As the waits inside a phase aren't
    followed, an event carries the last times at which its coming was foreseen. foreseen: those of what happens now;
    sent: at the end of a phase, how many of them there are back to the start of its last message, else 0. leader: the
    NPU that has its turn first in this ns; at the start that is NPU 0, and a message hands the lead on to its receiver.
    """

    def __init__(self) -> None:
        """A clock at 0 ns with nothing to do."""
        super().__init__()
        self.leader = 0
        self._heap: list[tuple[int, tuple[int, ...], int, int, Action, Any, int]] = []
        self._open: list[tuple[int, int, frozenset[int]]] = []
        self.foreseen: tuple[int, ...] = (0,)
        self.sent = 0
        self._count = 0

    def schedule(self, at_ns: int, do: Action, what: Any) -> None:
        """Do do(what) at `at_ns`; it is foreseen now."""
        self._push(at_ns, (self.now, *self.foreseen)[: WAITS + 1], self.leader, do, what, 0)

    def after_waits(self, known: Known, leader: int, action: Action, what: Any) -> None:
        """Do action(what) when a phase that starts now is over; then `leader` has its turn first."""
        foreseen, time = [], self.now + known.total_ns
        end = time
        for wait in known.waits:
            end -= wait
            foreseen.append(end)
        if known.within:
            self._open.append((self.now, time, known.within))
        self._push(time, (*foreseen, *self.foreseen)[: WAITS + 1], leader, action, what, known.sent)

    def run(self, watch: Callable[[], object] | None = None) -> None:
        """Go on until nothing is left to do; that takes no time worth watching.

        Raises DisturbedError where a phase may last longer, or less long, than was known when it started.
        """
        heap = self._heap
        while heap:
            time, self.foreseen, _, leader, action, what, self.sent = heappop(heap)
            if not self.sent and self._open:
                self._look(time)
            if time != self.now:
                self.now, self.leader = time, leader
            action(what)

    def _look(self, time: int) -> None:
        """Something happens at `time` that isn't of a phase."""
        self._open = [each for each in self._open if each[1] >= time]
        if any(time - start in within for start, _, within in self._open):
            raise DisturbedError

    def _push(self, time: int, foreseen: tuple[int, ...], leader: int, action: Action, what: Any, sent: int) -> None:
        self._count += 1
        heappush(self._heap, (time, foreseen, self._count, leader, action, what, sent))
