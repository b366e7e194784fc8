"""Loops that are generators: they yield what they wait for, and go on when it comes.

It is as much of SimPy as training loops need, under SimPy's names. SimPy itself takes longer to import than most
training loops take to run.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from heapq import heappop, heappush
from typing import Any

from astra_edu.base.native import mypyc_attr
from astra_edu.clock.events import Ns


@mypyc_attr(native_class=False)
class NoEventError(TypeError):
    """A loop has yielded something that can't be waited for."""


class Event:
    """Something to wait for. callbacks: what is called with it when it comes, None afterwards. triggered: it will."""

    __slots__ = ("callbacks", "triggered")

    def __init__(self) -> None:
        """Something that may come or not, and nobody waits for yet."""
        self.callbacks: list[Callable[[Any], object]] | None = []
        self.triggered = False

    def __iter__(self) -> Iterator[Event]:
        """Raises NoEventError: an event is one thing to wait for."""
        raise NoEventError("`yield from` an event, for which it is `yield`")


class Process(Event):
    """A generator on its way; as an event, its end. is_alive: whether it hasn't ended yet."""

    __slots__ = ("_environment", "_generator", "is_alive")

    def __init__(self, environment: Environment, generator: Generator[Event, None, None]) -> None:
        """Begin in this ns, before what is to happen in it."""
        super().__init__()
        self._environment, self._generator, self.is_alive = environment, generator, True
        start = Event()
        start.callbacks = [self._go_on]
        environment.schedule(start, priority=0)

    def _go_on(self, _: Event) -> None:
        for event in self._generator:
            if not isinstance(event, Event):
                raise NoEventError(f'Invalid yield value "{event!s:.60}"')
            if event.callbacks is not None:
                event.callbacks.append(self._go_on)
                return
        self.is_alive = False
        self._environment.schedule(self)


class Environment:
    """Events and when they come."""

    def __init__(self) -> None:
        """At 0 ns, with nothing to come."""
        self._now: Ns = 0
        self._heap: list[tuple[Ns, int, int, Event]] = []
        self._count = 0

    @property
    def now(self) -> Ns:
        """The time, in ns."""
        return self._now

    def event(self) -> Event:
        """Something that a loop can wait for."""
        return Event()

    def process(self, generator: Generator[Event, None, None]) -> Process:
        """Let a generator run."""
        return Process(self, generator)

    def schedule(self, event: Event, priority: int = 1, delay: Ns = 0) -> None:
        """Let an event come in `delay` ns: lower priorities first, equal ones in the order of these calls."""
        event.triggered = True
        self._count += 1
        heappush(self._heap, (self._now + delay, priority, self._count, event))

    def peek(self) -> Ns:
        """When the next event comes; infinity where none does."""
        return self._heap[0][0] if self._heap else float("inf")

    def step(self) -> None:
        """The next event comes."""
        self._now, _, _, event = heappop(self._heap)
        callbacks, event.callbacks = event.callbacks or [], None
        for callback in callbacks:
            callback(event)

    def run(self) -> None:
        """Go on until nothing is left to come."""
        while self._heap:
            self.step()
