"""The congestion-aware network as links.py has it, with about one event for each crossing of a link.

A link keeps when it is free, and with which number that was foreseen (clock/numbered.py). Only where a message finds it
busy does it become an event, at which the first of those that wait sets off. And a message that will find its next link
busy doesn't come there as an event: it is queued as it sets off, by the ns and the number with which it will come.

That it will wait is known where one that comes before it can't have left by then. Whatever else comes meanwhile makes
that one later, never earlier, so that the link is busy all the time in between. Where the message comes in the very ns
in which that one leaves at the earliest, it still comes first, if that one hasn't set off: the number of its leaving is
given out when it does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from heapq import heappush
from typing import Any, ClassVar

from astra_edu.base.native import mypyc_attr
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
    queue: who waits, or is known to have to, in the order in which they come. last_ns: when the last one comes of those
    that are known to; until_ns: when that one has left the link, at the earliest.
    """

    __slots__ = ("block", "comes", "free_ns", "free_order", "last_ns", "links", "name", "queue", "until_ns")

    def __init__(self, name: LinkName, block: Block, links: TimedLinks) -> None:
        """It is free."""
        self.name = name
        self.block = block
        self.links = links
        self.free_ns: Ns = -1
        self.last_ns: Ns = -1
        self.until_ns: Ns = -1
        self.free_order = -1
        self.comes = False
        self.queue: deque[Travel] = deque()

    def happen(self, travel: Travel | None = None) -> None:
        """It is free: a message sets off, the first that waits or the given one, which has come now."""
        links = self.links
        now, order, entries = links.now, links.count, links.entries
        if travel is None:
            self.comes = False
            travel = self.queue[0]
            came = travel.queued_ns
            if came > now or (came == now and travel.queued_order > links.order):
                return  # it will wait for one that hasn't come yet either
            self.queue.popleft()
        hop = travel.ahead
        assert hop is not None
        links.count = order + 2
        there = now + hop.crossing_ns
        self.free_ns = free = now + hop.occupied_ns
        self.free_order = order + 1
        if free > self.until_ns:
            self.until_ns = free
        if links.uses is not None:
            links.uses.append(Use(self.name, hop.size, travel.queued_ns, now, free, there))
        travel.ahead = ahead = hop.next
        if ahead is None or not ahead.foresees or not ahead.link.foresees(travel, there, order, ahead.occupied_ns):
            entry = entries.get(there)
            if entry is None:
                entries[there] = order, travel
                heappush(links.times, there)
            elif isinstance(entry, list):
                entry.append((order, travel))
            else:
                entries[there] = [entry, (order, travel)]
        if self.queue:
            self.comes = True
            entry = entries.get(free)
            if entry is None:
                entries[free] = order + 1, self
                heappush(links.times, free)
            elif isinstance(entry, list):
                entry.append((order + 1, self))
            else:
                entries[free] = [entry, (order + 1, self)]

    def wait(self, travel: Travel, occupied_ns: Ns) -> None:
        """Queue a message that has come now."""
        queue, links = self.queue, self.links
        travel.queued_ns, travel.queued_order = ns, order = links.now, links.order
        if not self.comes:
            self.comes = True
            links.put(self.free_ns, self.free_order, self)
        place = len(queue)
        while place:
            before = queue[place - 1]
            if before.queued_ns < ns or (before.queued_ns == ns and before.queued_order <= order):
                break
            place -= 1
        queue.insert(place, travel)
        if ns > self.last_ns:
            self.last_ns = ns
            self.until_ns += occupied_ns
        elif self.free_ns + occupied_ns > self.until_ns:
            self.until_ns = self.free_ns + occupied_ns

    def foresees(self, travel: Travel, there: Ns, order: int, occupied_ns: Ns) -> bool:
        """Whether a message that will come at `there`, with this number, is known to wait; then it is queued."""
        if there < self.last_ns:
            return False
        self.last_ns = there
        until = self.until_ns
        if there > until or (there == until and self.free_ns == until):
            self.until_ns = there + occupied_ns
            return False
        travel.queued_ns = there
        travel.queued_order = order
        self.queue.append(travel)
        self.until_ns = until + occupied_ns
        if not self.comes and until == self.free_ns:
            self.comes = True
            self.links.put(until, self.free_order, self)
        return True


class Travel(InFlight):
    """A message on its way. ahead: the hop before which it is, or waits since queued_ns; None where it has arrived.

    As an event it is at the end of a link. queued_order: the number of the event with which it came to the queue.
    """

    __slots__ = ("ahead", "queued_ns", "queued_order")
    ahead: Hop | None
    queued_ns: Ns
    queued_order: int

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
        hop.carry(self)


class Hop(Way):
    """A link on a way of messages of one size: crossing_ns until they are over it, occupied_ns until it is free.

    next: the hop after it; None where this is the last. foresees: whether its times are whole, so that sums of them are
    exact. As a way it begins here.
    """

    __slots__ = ("crossing_ns", "foresees", "link", "next", "occupied_ns", "size")
    makes: ClassVar[type[InFlight]] = Travel

    def __init__(self, link: TimedLink, size: int, times: tuple[Ns, Ns], following: Hop | None) -> None:
        """times: crossing_ns and occupied_ns."""
        self.link = link
        self.size = size
        self.crossing_ns, self.occupied_ns = times
        self.next = following
        self.foresees = isinstance(self.crossing_ns, int) and isinstance(self.occupied_ns, int)

    def carry(self, message: InFlight) -> None:
        """See Way."""
        if not isinstance(message, Travel):  # of a network of somebody's own, around this one
            message = Travel(message.tag, message, None)
        message.ahead = self
        link = self.link
        links, free_ns = link.links, link.free_ns
        now = links.now
        if free_ns < now or (free_ns == now and link.free_order < links.order):
            message.queued_ns = now
            link.happen(message)
        else:
            link.wait(message, self.occupied_ns)


@mypyc_attr(allow_interpreted_subclasses=True)
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
