"""ns-3's simulator and the execution engine's clock as one: what happens when, on both sides, to the ns.

ns-3 counts in ps here. Before the engine does what is to happen in a ns, ns-3 has been brought to that ns; when a
message's last byte has been read within ns-3, it stops, and the engine is told at the next whole ns. Nothing of Python
runs inside ns-3's events, so that errors in it are ordinary ones.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop
from typing import Any, Protocol

from astra_edu.base.errors import ConfigError
from astra_edu.clock.events import Action, Clock
from astra_edu.network.block import Block
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.ns3.settings import Ns3
from astra_edu.network.ns3.statistics import statistics_of
from astra_edu.network.ns3.wiring import PS, Wiring, wiring

Rows = Sequence[Sequence[int]]


class Driver(Protocol):
    """What the engine asks of ns-3. Times in ps."""

    def way(self, nodes: list[int]) -> None:
        """Packets from the first of these nodes to the last go over the others."""

    def send(self, now_ps: int, source: int, destination: int, message_bytes: int, number: int) -> None:
        """Begin to send at `now_ps`."""

    def run(self, until_ps: int) -> tuple[bool, list[int]]:
        """(whether `until_ps` is reached or nothing is left to do, [number, ps, ...] of messages that have arrived).

        Goes on at most until then (-1: without end), and stops earlier when a message has arrived, or now and then.
        """

    def ports(self) -> Rows:
        """For each direction of each wire: packets, bytes, dropped, marked, most bytes queued."""

    def connections(self) -> Rows:
        """For each: from, to, bytes, opened and last read in ps, sent again, recoveries, timeouts, left, failed."""

    def events(self) -> int:
        """How many events there were."""


_newest: weakref.ref[Engine] | None = None


class Engine(Clock):
    """A network (see protocol.py) that is ns-3's."""

    def __init__(self, settings: Ns3, built: Wiring, driver: Driver) -> None:
        """Nothing is on the way."""
        super().__init__()
        self.settings = settings
        self.wiring = built
        self._driver = driver
        self._on_the_way: dict[int, tuple[Action, Any]] = {}
        self._sent = 0
        self._ways: set[tuple[int, int]] = set()
        global _newest
        _newest = weakref.ref(self)

    def send(self, source: int, destination: int, message_bytes: int, arrived: Action, what: Any) -> None:
        """See Network."""
        self._alone()
        if (source, destination) not in self._ways:
            for a, b in ((source, destination), (destination, source)):
                self._driver.way(self.wiring.way(a, b))
                self._ways.add((a, b))
        self._on_the_way[self._sent] = arrived, what
        self._driver.send(self.now * PS, source, destination, max(1, message_bytes), self._sent)
        self._sent += 1

    def run(self, watch: Callable[[], object] | None = None) -> None:
        """See Network."""
        self._alone()
        times, events = self._times, self._events
        while times or self._on_the_way:
            if self._on_the_way and not self._carried(times[0] * PS if times else -1):
                if watch:
                    watch()
                continue
            if not times:
                return  # ns-3 has nothing left to do, though messages are on the way
            self.now = time = heappop(times)
            events.pop(time).happen()

    def _carried(self, until_ps: int) -> bool:
        """Let ns-3 go on; whether it is as far as the engine."""
        reached, found = self._driver.run(until_ps)
        for number, ps in _pairs(found):
            arrived, what = self._on_the_way.pop(number)
            self.schedule(max(self.now, -(-ps // PS)), arrived, what)
        return reached

    def _alone(self) -> None:
        if _newest is None or _newest() is not self:
            raise ConfigError("ns-3 has one simulator in a process, and a newer network has it; make one for each run.")

    def blocked(self) -> str:
        """See Network."""
        for source, destination, *_, left, failed in self._driver.connections():
            if left and failed:
                return f"the TCP connection from NPU {source} to NPU {destination} was given up by ns-3"
        return ""

    def statistics(self) -> Mapping[str, Any]:
        """See statistics.py."""
        self._alone()
        driver = self._driver
        return statistics_of(self.wiring, driver.ports(), driver.connections(), driver.events(), self.now)


def _pairs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    return zip(numbers[::2], numbers[1::2], strict=True)


def engine(settings: Ns3, network: Sequence[Block] | GraphNetwork) -> Engine:
    """ns-3 with this network in it. Raises ConfigError where it isn't installed."""
    from astra_edu.network.ns3.inside import Inside

    built = wiring(network)
    return Engine(settings, built, Inside(settings, built))
