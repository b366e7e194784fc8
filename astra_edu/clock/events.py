"""What happens when, in whole ns: a heap of times, and for each time what happens then, in the order it was foreseen.

ASTRA-sim 2.x has one event for everything that one NPU does in a ns; it stands where the first of it was foreseen.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, Protocol, TypeAlias

from astra_edu.base.native import mypyc_attr

Action = Callable[[Any], object]
Ns: TypeAlias = Any
"""A time in ns: whole, but on ASTRA-sim 1.0's congestion-aware network, which doesn't round (system/congested.py)."""

WATCH_EVERY = 10_000
"""Between two calls of what watches a run there are so many different ns."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Event:
    """Something that happens at a time. What is on its way for long is one object, and an event again and again."""

    __slots__ = ()

    def happen(self) -> None:
        """Its time has come."""
        raise NotImplementedError


def happen(event: Any) -> None:
    """Let an event happen, for what calls a function."""
    event.happen()


@mypyc_attr(allow_interpreted_subclasses=True)
class Receiver(Event):
    """What waits for a message."""

    __slots__ = ()

    def received(self) -> None:
        """The message is here."""
        self.happen()

    def told(self, _: object) -> None:
        """The same, for what calls a function."""
        self.received()


class Call(Receiver):
    """An event that is a call of do(what)."""

    __slots__ = ("_do", "_what")

    def __init__(self, do: Action, what: Any) -> None:
        """It calls do(what)."""
        self._do = do
        self._what = what

    def happen(self) -> None:
        """See Event."""
        self._do(self._what)


class Told(Event):
    """An event at which a receiver gets its message."""

    __slots__ = ("receiver",)

    def __init__(self, receiver: Receiver) -> None:
        """See Receiver."""
        self.receiver = receiver

    def happen(self) -> None:
        """See Event."""
        self.receiver.received()


class Several(Event):
    """Events of the same time, one after the other; there may come more while they happen."""

    __slots__ = ("events",)

    def __init__(self, first: Event, second: Event) -> None:
        """The first two."""
        self.events = [first, second]

    def happen(self) -> None:
        """See Event."""
        for event in self.events:
            event.happen()


def join(events: dict[Ns, Event], time: Ns, event: Event) -> None:
    """Let an event happen after what happens at a time already."""
    there = events[time]
    if type(there) is Several:
        there.events.append(event)
    else:
        events[time] = Several(there, event)


class Schedules(Protocol):
    """What things happen by: a clock, or a network with a clock of its own. now: the time in ns."""

    @property
    def now(self) -> Ns:
        """The time in ns."""

    def schedule(self, at_ns: int, do: Action, what: Any) -> None:
        """Do do(what) at `at_ns`, after everything else that is to happen then."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Clock:
    """Runs actions at their time. now: the time, in ns."""

    def __init__(self) -> None:
        """A clock at 0 ns with nothing to do."""
        self.now: Ns = 0
        self._times: list[Ns] = []
        self._events: dict[Ns, Event] = {}

    def schedule(self, at_ns: Ns, do: Action, what: Any) -> None:
        """Do do(what) at `at_ns`, after everything else that is to happen then."""
        self.add(at_ns, Call(do, what))

    def add(self, at_ns: Ns, event: Event) -> None:
        """Let an event happen at `at_ns`, after everything else that is to happen then."""
        events = self._events
        if at_ns in events:
            join(events, at_ns, event)
        else:
            events[at_ns] = event
            heappush(self._times, at_ns)

    def run(self, watch: Callable[[], object] | None = None) -> None:
        """Go on until nothing is left to do. watch: called now and then."""
        times, events, count = self._times, self._events, 0
        while times:
            self.now = time = heappop(times)
            events.pop(time).happen()  # what comes for the same ns meanwhile is next
            if watch is not None:
                count += 1
                if count > WATCH_EVERY:
                    count = 0
                    watch()


def adds(clock: Schedules) -> Clock | None:
    """The same clock, where events may be added to it; None where its `schedule` is one's own, and has to be asked."""
    return clock if isinstance(clock, Clock) and type(clock).schedule is Clock.schedule else None


@mypyc_attr(allow_interpreted_subclasses=True)
class Turns(Event):
    """What one NPU does, all of a ns in one turn; the turn is the event. waiting: what is to happen in each ns."""

    def __init__(self, clock: Schedules) -> None:
        """Nothing to do yet."""
        self.clock = clock
        self._adds = adds(clock)
        self.waiting: dict[Ns, Event] = {}

    def after(self, delay: Ns, action: Action, what: Any = None) -> None:
        """Do action(what) in `delay` ns, in this NPU's turn."""
        self.add(delay, Call(action, what))

    def add(self, delay: Ns, event: Event) -> None:
        """Let an event happen in `delay` ns, in this NPU's turn."""
        clock, waiting = self._adds, self.waiting
        time = (self.clock.now if clock is None else clock.now) + delay
        if time in waiting:
            join(waiting, time, event)
            return
        waiting[time] = event
        if clock is None:
            self.clock.schedule(time, self._turn, time)
        else:
            clock.add(time, self)

    def is_last(self, event: Event) -> bool:
        """Whether the turn of this ns, which is being taken, has nothing but this event."""
        return self.waiting[self.clock.now] is event

    def happen(self) -> None:
        """Take the turn of this ns."""
        self._turn(self.clock.now)

    def _turn(self, time: Ns) -> None:
        waiting = self.waiting
        first = waiting[time]
        first.happen()
        turn = waiting.pop(time)
        if turn is not first:  # more has come meanwhile
            waiting[time] = turn
            self._go_on(turn)
            del waiting[time]

    @staticmethod
    def _go_on(turn: Event) -> None:
        """Take what has come to a turn since it began; there may come more."""
        assert type(turn) is Several
        at = 1
        while at < len(turn.events):
            turn.events[at].happen()
            at += 1
