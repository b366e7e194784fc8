"""What happens when, in whole ns: a heap of times, and for each time what happens then, in the order it was foreseen.

ASTRA-sim 2.x has one event for everything that one NPU does in a ns; it stands where the first of it was foreseen.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

Action = Callable[[Any], object]

WATCH_EVERY = 20_000


class Clock:
    """Runs actions at their time. now: the time, in ns."""

    def __init__(self) -> None:
        """A clock at 0 ns with nothing to do."""
        self.now = 0
        self._times: list[int] = []
        self._lists: dict[int, list[tuple[Action, Any]]] = {}

    def at(self, time: int, action: Action, what: Any) -> None:
        """Do action(what) at `time` ns, after everything else that is to happen then."""
        happening = self._lists.get(time)
        if happening is None:
            self._lists[time] = happening = []
            heappush(self._times, time)
        happening.append((action, what))

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

    def __init__(self, clock: Clock) -> None:
        """Nothing to do yet."""
        self.clock = clock
        self._waiting: dict[int, list[tuple[Action, Any]]] = {}

    def after(self, delay: int, action: Action, what: Any = None) -> None:
        """Do action(what) in `delay` ns, in this NPU's turn."""
        time = self.clock.now + delay
        waiting = self._waiting.get(time)
        if waiting is None:
            self._waiting[time] = waiting = []
            self.clock.at(time, self._turn, time)
        waiting.append((action, what))

    def _turn(self, time: int) -> None:
        for action, what in self._waiting[time]:  # which may grow on the way
            action(what)
        del self._waiting[time]
