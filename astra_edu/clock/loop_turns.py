"""The training loops' clock where every message is followed: one turn for everything that an NPU does in a ns.

What happens is kept in lists by its time, as in clock.events. The loops themselves are generators: what they wait for
is woken by this clock, and then they go on before anything else happens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import Any

from astra_edu.clock.events import Action, Ns
from astra_edu.clock.generators import Environment, Event
from astra_edu.clock.lookback import LoopClock

Done = Callable[[], object]
Watch = Callable[[Ns, Ns, Any], object]
"""watch(at_ns, now_ns, message): something is foreseen for at_ns, now; message: None for an NPU's turn."""


class LoopEnvironment(Environment):
    """A loop's environment on a TurnsClock: what is due now goes on at once, all else waits on the clock."""

    def __init__(self, clock: TurnsClock) -> None:
        """At the clock's time."""
        super().__init__()
        self._clock = clock

    @property
    def now(self) -> Ns:
        """The clock's time in ns, also between two whole ones."""
        return self._clock.exact

    def schedule(self, event: Event, priority: int = 1, delay: Ns = 0) -> None:
        """See Environment."""
        if delay:
            self._clock.at(self._clock.exact + delay, self._due, (event, priority))
        else:
            self._due((event, priority))

    def _due(self, what: tuple[Event, int]) -> None:
        event, priority = what  # mypyc hands over *what as one argument
        super().schedule(event, priority)
        self._clock.woke = True


class TurnsClock(LoopClock):
    """A clock that takes events of the same ns in the order in which they were foreseen, NPU by NPU.

    All that one NPU does in a ns is one event to ASTRA-sim; it stands where the first of it was foreseen.
    exact: the time in ns, also between two whole ones. woke: whether a loop can go on. zero: NPU 0's turns. lost:
    whether something was foreseen for what was over by then, and so never happened.
    """

    def __init__(self, watch: Watch | None = None) -> None:
        """A clock at 0 ns with nothing to do. watch: told of every turn and message that is foreseen."""
        super().__init__()
        self.exact: Ns = 0
        self.woke = self.lost = False
        self.watch = watch
        self.env = LoopEnvironment(self)
        self.zero = LoopTurns(self)
        self._times: list[Ns] = []
        self._lists: dict[Ns, list[tuple[Action, Any]]] = {}

    @property
    def now(self) -> int:
        """See LoopClock."""
        return int(self.exact)

    def timeout(self, delay: Ns) -> Event:
        """An event that comes in `delay` ns, in NPU 0's turn."""
        event = self.env.event()
        self.zero.after(delay, self.wake, event)
        return event

    def after(self, delay: Ns, action: Done) -> None:
        """Do `action` for NPU 0 in `delay` ns."""
        self.zero.after(delay, lambda _: action())

    def at(self, time: Ns, do: Action, what: Any) -> None:
        """Do do(what) at `time`, after everything else that is to happen then."""
        happening = self._lists.get(time)
        if happening is None:
            self._lists[time] = happening = []
            heappush(self._times, time)
        happening.append((do, what))

    def on_the_network(self, delay: Ns, do: Action, what: Any, message: object = None) -> None:
        """Do do(what) in `delay` ns, as an event of its own. message: what the watch is told of it."""
        time = self.exact + delay
        if self.watch:
            self.watch(time, self.exact, message)
        self.at(time, do, what)

    def run(self) -> None:
        """Go on until nothing is left to do.

        What is foreseen for a time that is over (a piece of 0 bytes on a shared bus, see faithful.quirks) is treated as
        in ASTRA-sim, which drops the earliest time when it is done with one: the earliest of the past is lost, and what
        else was foreseen for the past happens then.
        """
        times, lists = self._times, self._lists
        if self.woke:
            self.go_on()
        while times:
            self.exact = time = times[0]
            for do, what in lists[time]:  # which may grow on the way
                do(what)
                if self.woke:
                    self.go_on()
            earliest = heappop(times)
            if earliest != time:
                lists[time].clear()
                self.lost = True
            del lists[earliest]

    def go_on(self) -> None:
        """Let the loops go on that have been woken."""
        env = self.env
        while env.peek() < float("inf"):
            env.step()
        self.woke = False


class NpuClock(LoopClock):
    """A TurnsClock as the loop of one NPU among many sees it: what it waits for comes in its turns."""

    def __init__(self, clock: TurnsClock) -> None:
        """At the clock's time, with nothing to do."""
        self.turns = LoopTurns(clock)
        self.env = clock.env
        self._clock = clock

    @property
    def now(self) -> int:
        """See LoopClock."""
        return self._clock.now

    @property
    def lost(self) -> bool:
        """See TurnsClock."""
        return self._clock.lost

    def run(self) -> None:
        """See LoopClock; everybody's."""
        self._clock.run()

    def timeout(self, delay: Ns) -> Event:
        """An event that comes in `delay` ns, in the NPU's turn."""
        event = self.env.event()
        self.turns.after(delay, self.wake, event)
        return event

    def after(self, delay: Ns, action: Done) -> None:
        """Do `action` for the NPU in `delay` ns."""
        self.turns.after(delay, lambda _: action())


class LoopTurns:
    """What one NPU does, all of a ns in one turn of a TurnsClock.

    Also where times aren't whole: what an NPU foresees for 10.2 ns and for 10.7 ns is one turn, at the time of what was
    foreseen first.
    """

    __slots__ = ("_clock", "_done", "_take", "_waiting")

    def __init__(self, clock: TurnsClock) -> None:
        """Nothing to do yet."""
        self._clock = clock
        self._waiting: dict[Ns, list[tuple[Action, Any]]] = {}
        self._done = 0
        self._take = self._turn

    @property
    def left(self) -> Sequence[tuple[Action, Any]]:
        """What this NPU, whose turn it is, has yet to do in it."""
        return self._waiting.get(self._clock.now, ())[self._done :]

    @property
    def only(self) -> bool:
        """Whether this NPU, whose turn it is, does only one thing in it."""
        return len(self._waiting.get(self._clock.now, ())) == 1

    def after(self, delay: Ns, action: Action, what: Any = None) -> None:
        """Do action(what) in `delay` ns, in this NPU's turn."""
        clock, waiting = self._clock, self._waiting
        exact = clock.exact
        ns = int(exact) + delay
        if ns in waiting:
            waiting[ns].append((action, what))
            return
        waiting[ns] = [(action, what)]
        time = exact + delay
        if clock.watch:
            clock.watch(time, exact, None)
        clock.at(time, self._take, None)

    def _turn(self, _: object) -> None:
        """One action after the other, and between them, what the last one woke.

        Of the ns that it is now: what was foreseen just before its end may come in the next one by rounding, and then
        takes the turn of that, as in ASTRA-sim; its own is lost.
        """
        clock = self._clock
        ns = int(clock.exact)
        actions = self._waiting.get(ns)
        if actions is None:
            clock.lost = True
            return
        self._done = 0
        for action, what in actions:  # which may grow on the way
            self._done += 1
            action(what)
            if self._done == len(actions):
                del self._waiting[ns]
                self._done = 0
                if clock.woke:
                    clock.go_on()
                return
            if clock.woke:
                clock.go_on()
