"""What happens when, in whole ns: a heap of times, and for each time what happens then, in the order it was foreseen.

ASTRA-sim 2.x has one event for everything that one NPU does in a ns; it stands where the first of it was foreseen.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, Protocol

Action = Callable[[Any], object]

WATCH_EVERY = 20_000


class Schedules(Protocol):
    """What things happen by: a clock, or a network with a clock of its own. now: the time in ns."""

    @property
    def now(self) -> int:
        """The time in ns."""

    def schedule(self, at_ns: int, do: Action, what: Any) -> None:
        """Do do(what) at `at_ns`, after everything else that is to happen then."""


class Clock:
    """Runs actions at their time. now: the time, in ns."""

    def __init__(self) -> None:
        """A clock at 0 ns with nothing to do."""
        self.now = 0
        self._times: list[int] = []
        self._lists: dict[int, list[tuple[Action, Any]]] = {}

    def schedule(self, at_ns: int, do: Action, what: Any) -> None:
        """Do do(what) at `at_ns`, after everything else that is to happen then."""
        happening = self._lists.get(at_ns)
        if happening is None:
            self._lists[at_ns] = happening = []
            heappush(self._times, at_ns)
        happening.append((do, what))

    def run(self, watch: Callable[[], object] | None = None) -> None:
        """Go on until nothing is left to do. watch: called now and then."""
        times, lists, events = self._times, self._lists, 0
        while times:
            self.now = time = heappop(times)
            happening = lists[time]
            for action, what in happening:  # which may grow on the way
                action(what)
            del lists[time]
            events += len(happening)
            if watch and events > WATCH_EVERY:
                events = 0
                watch()


class Turns:
    """What one NPU does, all of a ns in one turn."""

    def __init__(self, clock: Schedules) -> None:
        """Nothing to do yet."""
        self.clock = clock
        self._waiting: dict[int, list[tuple[Action, Any]]] = {}

    def after(self, delay: int, action: Action, what: Any = None) -> None:
        """Do action(what) in `delay` ns, in this NPU's turn."""
        time = self.clock.now + delay
        waiting = self._waiting.get(time)
        if waiting is None:
            self._waiting[time] = waiting = []
            self.clock.schedule(time, self._turn, time)
        waiting.append((action, what))

    def _turn(self, time: int) -> None:
        for action, what in self._waiting[time]:  # which may grow on the way
            action(what)
        del self._waiting[time]
