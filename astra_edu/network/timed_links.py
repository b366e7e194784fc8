"""The congestion-aware network as links.py has it, without an event for each link that is free again.

A link keeps when it is free, and with which number that was foreseen (clock/numbered.py). Only where a message finds it
busy does it become an event, at which the first of those that wait sets off.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from heapq import heappush
from typing import Any, ClassVar

from astra_edu.clock.events import Action, Call, Event, Ns
from astra_edu.clock.numbered import NumberedClock
from astra_edu.network.block import Block
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.links import Use, route_of
from astra_edu.network.shortest import LinkName
from astra_edu.network.way import InFlight, Way


class TimedLink(Event):
    """One direction of a wire. As an event it is free again, and the first of those that wait sets off.

    free_ns, free_order: when it is free, and the number of that event. comes: whether it does come, as an event.
    awaited: whether the last one that came had been waited for; then the next is added at once, which is cheaper than
    putting it in. queue: who waits.
    """

    __slots__ = ("awaited", "block", "comes", "free_ns", "free_order", "links", "name", "queue")

    def __init__(self, name: LinkName, block: Block, links: TimedLinks) -> None:
        """It is free."""
        self.name = name
        self.block = block
        self.links = links
        self.free_ns: Ns = -1
        self.free_order = -1
        self.comes = self.awaited = False
        self.queue: deque[Travel] | None = None

    def happen(self) -> None:
        """See Event."""
        self.comes = False
        if self.queue:
            travel = self.queue.popleft()
            self.start(travel, travel.queued_ns)
        else:
            self.awaited = False

    def wait(self, travel: Travel) -> None:
        """Queue a message; the first."""
        self.comes = self.awaited = True
        self.links.put(self.free_ns, self.free_order, self)
        if self.queue is None:
            self.queue = deque()
        self.queue.append(travel)

    def start(self, travel: Travel, queued_ns: Ns) -> None:
        """A message sets off, which is here since queued_ns."""
        hop, links = travel.ahead, self.links
        assert hop is not None
        travel.ahead = hop.next
        now, order, entries = links.now, links.count, links.entries
        links.count = order + 2
        there = now + hop.crossing_ns
        self.free_ns = free = now + hop.occupied_ns
        self.free_order = order + 1
        entry = entries.get(there)
        if entry is None:
            entries[there] = order, travel
            heappush(links.times, there)
        elif isinstance(entry, list):
            entry.append((order, travel))
        else:
            entries[there] = [entry, (order, travel)]
        if self.awaited:
            self.comes = True
            entry = entries.get(free)
            if entry is None:
                entries[free] = order + 1, self
                heappush(links.times, free)
            elif isinstance(entry, list):
                entry.append((order + 1, self))
            else:
                entries[free] = [entry, (order + 1, self)]
        if links.uses is not None:
            links.uses.append(Use(self.name, hop.size, queued_ns, now, free, there))


class Travel(InFlight):
    """A message on its way. ahead: the hop before which it is, or waits since queued_ns; None where it has arrived.

    As an event it is at the end of a link.
    """

    __slots__ = ("ahead", "queued_ns")
    ahead: Hop | None
    queued_ns: Ns

    def happen(self) -> None:
        """See Event."""
        hop = self.ahead
        if hop is None:
            self.arrived = True
            if self.sent is not None:
                self.sent.happen()
            if self.receiver is not None:
                self.receiver.received()
            return
        link = hop.link
        links, free_ns = link.links, link.free_ns
        now = links.now
        if free_ns < now or (free_ns == now and link.free_order < links.order):
            link.start(self, now)
            return
        self.queued_ns = now
        if link.comes and link.queue is not None:
            link.queue.append(self)
        else:
            link.wait(self)


class Hop(Way):
    """A link on a way of messages of one size: crossing_ns until they are over it, occupied_ns until it is free.

    next: the hop after it; None where this is the last. As a way it begins here.
    """

    __slots__ = ("crossing_ns", "link", "next", "occupied_ns", "size")
    makes: ClassVar[type[InFlight]] = Travel

    def __init__(self, link: TimedLink, size: int, times: tuple[Ns, Ns], following: Hop | None) -> None:
        """times: crossing_ns and occupied_ns."""
        self.link = link
        self.size = size
        self.crossing_ns, self.occupied_ns = times
        self.next = following

    def carry(self, message: InFlight) -> None:
        """See Way."""
        if not isinstance(message, Travel):  # of a network of somebody's own, around this one
            message = Travel(message.tag, message, None)
        message.ahead = self
        message.happen()


class TimedLinks(NumberedClock):
    """The congestion-aware network. uses: what was on which link when, where it is a list."""

    def __init__(self, network: tuple[Block, ...] | GraphNetwork) -> None:
        """All links are free."""
        super().__init__()
        self.network = network
        self.uses: list[Use] | None = None
        self._links: dict[LinkName, TimedLink] = {}
        self._routes: dict[tuple[int, int], list[TimedLink]] = {}
        self._hops: dict[tuple[TimedLink, int, Hop | None], Hop] = {}
        self._known_ns: dict[tuple[int, int], tuple[Ns, Ns]] = {}

    def send(self, source: int, destination: int, message_bytes: int, arrived: Action, what: Any) -> None:
        """See Network."""
        self._way(source, destination, message_bytes).carry(Travel(0, Call(arrived, what), None))

    def way(self, source: int, destination: int, message_bytes: int) -> Hop | None:
        """See HasWays. None for a subclass, whose `send` may be its own."""
        return self._way(source, destination, message_bytes) if type(self) is TimedLinks else None

    def _way(self, source: int, destination: int, message_bytes: int) -> Hop:
        """Ways that end alike have their last hops in common."""
        hops = self._hops
        hop: Hop | None = None
        for link in reversed(self._route(source, destination)):
            following: Hop | None = hop
            key = link, message_bytes, following
            hop = hops.get(key)
            if hop is None:
                hop = hops[key] = Hop(link, message_bytes, self._ns(link.block, message_bytes), following)
        assert hop is not None
        return hop

    def statistics(self) -> Mapping[str, Any]:
        """How many links were used."""
        return {"links_used": len(self._links)}

    def blocked(self) -> str:
        """Nothing ever is: every message is stored until its link is free."""
        return ""

    def _ns(self, block: Block, message_bytes: int) -> tuple[Ns, Ns]:
        """How long a message takes over a link, and how long it keeps the link."""
        key = id(block), message_bytes
        known = self._known_ns.get(key)
        if known is None:
            asked: Any = block  # whose ns aren't whole in ASTRA-sim 1.0
            known = self._known_ns[key] = asked.crossing_ns(message_bytes), asked.occupied_ns(message_bytes)
        return known

    def _route(self, source: int, destination: int) -> list[TimedLink]:
        route = self._routes.get((source, destination))
        if route is None:
            known, found = self._links, route_of(self.network, source, destination)
            for name, block in found:
                if name not in known:
                    known[name] = TimedLink(name, block, self)
            route = self._routes[source, destination] = [known[name] for name, _ in found]
        return route
