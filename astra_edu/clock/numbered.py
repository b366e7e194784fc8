"""A clock that numbers what it foresees, so that something can be put in where it would stand had it been foreseen.

What happens in one ns happens in the order in which it was foreseen. Most of what could be foreseen decides nothing
(that a link is free again, where nobody waits for it): it only gets its number then. If it matters after all, the event
is put in with that number, among what was foreseen for that ns before and after it.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import TypeAlias

from astra_edu.base.native import mypyc_attr
from astra_edu.clock.events import WATCH_EVERY, Clock, Event, Ns

Numbered: TypeAlias = tuple[int, Event]
"""An event and its number: how much was foreseen before it."""


@mypyc_attr(allow_interpreted_subclasses=True)
class NumberedClock(Clock):
    """Runs events at their time. order: the number of the event that happens now. count: how much was foreseen."""

    def __init__(self) -> None:
        """A clock at 0 ns with nothing to do."""
        super().__init__()
        self.order = -1
        self.count = 0
        self.times: list[Ns] = []
        self.entries: dict[Ns, Numbered | list[Numbered]] = {}
        self._now: list[Numbered] = []

    def add(self, at_ns: Ns, event: Event) -> None:
        """Let an event happen at `at_ns`, after everything else that is to happen then."""
        order = self.count
        self.count = order + 1
        there = self.entries.get(at_ns)
        if there is None:
            self.entries[at_ns] = order, event
            heappush(self.times, at_ns)
        elif isinstance(there, list):
            there.append((order, event))
        else:
            self.entries[at_ns] = [there, (order, event)]

    def put(self, at_ns: Ns, order: int, event: Event) -> None:
        """Let an event happen at `at_ns`, where it stands by a number that was given out before."""
        there = self.entries.get(at_ns)
        if at_ns == self.now and self._now and order < self._now[-1][0]:
            insort(self._now, (order, event))
        elif there is None:
            self.entries[at_ns] = order, event
            heappush(self.times, at_ns)
        elif isinstance(there, list):
            insort(there, (order, event))
        else:
            self.entries[at_ns] = sorted([there, (order, event)])

    def replace(self, old_ns: Sequence[Ns], entries: Mapping[Ns, Numbered | list[Numbered]]) -> None:
        """Have these entries, by ns in which there are no others, in place of all that were foreseen for `old_ns`."""
        for ns in old_ns:
            del self.entries[ns]
        self.entries.update(entries)
        self.times[:] = self.entries  # the list itself, by which it runs
        heapify(self.times)

    @property
    def over(self) -> bool:
        """Whether nothing else is foreseen for this ns after the event that happens now."""
        return self.now not in self.entries and (not self._now or self._now[-1][0] == self.order)

    def run(self, watch: Callable[[], object] | None = None) -> None:
        """Go on until nothing is left to do. watch: called now and then."""
        times, entries, count = self.times, self.entries, 0
        while times:
            self.now = time = heappop(times)
            entry = entries[time]
            del entries[time]  # what comes for the same ns meanwhile is next
            if isinstance(entry, tuple):
                self.order, event = entry
                event.happen()
            else:
                self._now = entry
                for order, event in entry:
                    self.order = order
                    event.happen()
                self._now = []
            if watch is not None:
                count += 1
                if count > WATCH_EVERY:
                    count = 0
                    watch()
