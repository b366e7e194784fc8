"""All that is on its way in phases on the congestion-aware network: whether it is as it was before, only later.

What happens next is decided by what is foreseen, in which order that was, how far each NPU is, what has come early, who
waits, and until when each link is taken. Where all of that is as it was some ns ago, the same happens again in as many
ns, unless something else comes in between: that is what isn't of a phase whose NPUs send one message after the other,
such as the end of a computation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from typing import Any, TypeAlias

from astra_edu.clock.events import Event, Ns, Several, Told, Turns
from astra_edu.clock.numbered import Numbered
from astra_edu.network.lanes import Channel
from astra_edu.network.timed_links import Hop, TimedLink, TimedLinks, Travel
from astra_edu.network.way import Way
from astra_edu.system.exchange import Added, Exchange

Name: TypeAlias = Any
"""What tells an event, or a message, from all others that are on their way; it is equal for the one in its place
later, and None for what isn't of a phase."""


class Underway:
    """What is on its way after all that happens in a ns. state: equal if the same is on its way in the same order.

    exchanges: the NPUs' phases. sent: how many messages each of them has sent. until_ns: when something else happens.
    known: whether all that phases have on their way is before that, and nothing else decides about it.
    """

    def __init__(self, links: TimedLinks, phases: Iterable[object]) -> None:
        """Of a run in which nothing more happens now. phases: all that have begun and aren't over."""
        self._links = links
        self._now = links.now
        self.known = True
        self.until_ns: Ns = inf
        self.exchanges: list[Exchange] = []
        self.sent: list[int] = []
        self._known: set[int] = set()
        self._wires: dict[int, TimedLink] = {}
        self._lanes: dict[int, Channel] = {}
        self._early: dict[int, Name] = {}
        self._events: list[tuple[Ns, list[Numbered]]] = []
        self._orders: list[int] = []
        at = [self._phase(phase) for phase in phases]
        lanes = [self._lane(lane) for lane in self._lanes.values()]
        events = self._foreseen()
        wires: dict[int, Name] = {}
        while len(wires) < len(self._wires):  # who waits for one of them may come over others
            wires |= {key: self._wire(self._wires[key]) for key in sorted(self._wires.keys() - wires.keys())}
        self._ranks = ranks = {order: rank for rank, order in enumerate(sorted(set(self._orders)))}
        order = tuple(map(ranks.__getitem__, self._orders))
        self.state = tuple(at), tuple(lanes), tuple(events), tuple(wires.values()), order

    @property
    def last_ns(self) -> Ns:
        """When the last of it is foreseen that has a place among what else happens then."""
        wires = self._wires.values()
        queued = [link.queue[-1].queued_ns for link in wires if link.queue]
        return max([self._now, *queued, *[link.free_ns for link in wires], *[ns for ns, _ in self._events[-1:]]])

    def later(self, ns: Ns) -> None:
        """Let all of it happen `ns` later, in the same order, as if it were foreseen now."""
        links, count = self._links, self._links.count
        orders = {order: count + rank for order, rank in self._ranks.items()}
        links.count += len(orders)
        moved: dict[Ns, Numbered | list[Numbered]] = {}
        for at_ns, listed in self._events:
            for _, event in listed:
                if isinstance(event, Turns):
                    event.waiting[at_ns + ns] = event.waiting.pop(at_ns)
            renumbered = [(orders[order], event) for order, event in listed]
            moved[at_ns + ns] = renumbered if len(renumbered) > 1 else renumbered[0]
        links.replace([at_ns for at_ns, _ in self._events], moved)
        for wire in self._wires.values():
            self._taken_later(wire, ns, orders)

    def _taken_later(self, link: TimedLink, ns: Ns, orders: Mapping[int, int]) -> None:
        """Let a link be taken `ns` later than is foreseen."""
        now = self._now
        if link.free_ns > now:
            link.free_ns += ns
            link.free_order = orders[link.free_order]
        if link.last_ns > now:
            link.last_ns += ns
        if link.until_ns > now:
            link.until_ns += ns
        for message in link.queue:
            message.queued_ns += ns
            message.queued_order = orders[message.queued_order]

    def _phase(self, phase: object) -> Name:
        """How far an NPU is in a phase."""
        progress = phase.progress if isinstance(phase, Exchange) else None
        if progress is None or not isinstance(phase, Exchange):
            self.known = False
            return None
        ahead, behind = phase.outward, phase.inward
        if not isinstance(ahead, Channel) or not isinstance(behind, Channel):  # or it hasn't sent yet
            self.known = False
            return None
        sent, others = progress
        self.exchanges.append(phase)
        self.sent.append(sent)
        self._known.add(id(phase))
        self._lanes[id(ahead)] = ahead
        self._lanes[id(behind)] = behind
        self._over(ahead.way)
        return id(phase), id(ahead), id(behind), others

    def _over(self, way: Way | None) -> None:
        """Messages of the phases come over these links."""
        while isinstance(way, Hop):
            self._wires[id(way.link)] = way.link
            way = way.next

    def _lane(self, lane: Channel) -> Name:
        """What has come early and who waits on a lane."""
        early, waiting = lane.early or (), lane.waiting or ()
        for place, message in enumerate(early):
            self._early[id(message)] = id(lane), place
        return id(lane), tuple([message.arrived for message in early]), tuple(map(id, waiting))

    def _foreseen(self) -> list[Name]:
        """What is foreseen, by ns."""
        found = []
        entries = self._links.entries
        for ns in sorted(entries):
            there = entries[ns]
            listed = there if isinstance(there, list) else [there]
            names = [self._event(event, ns) for _, event in listed]
            if None in names:
                self.until_ns = min(self.until_ns, ns)
                self.known = self.known and not any(names)
            else:
                self.known = self.known and ns < self.until_ns
                self._events.append((ns, listed))
                self._orders += [order for order, _ in listed]
                found.append((ns - self._now, tuple(names)))
        return found

    def _event(self, event: Event, ns: Ns) -> Name:
        if type(event) is Turns:
            inside = self._in_turn(event.waiting[ns])
            return inside and (id(event), inside)
        if type(event) is Travel:
            return self._message(event)
        if type(event) is TimedLink:
            self._wires[id(event)] = event
            return id(event)
        return self._exchange(event.receiver) if type(event) is Told else None

    def _in_turn(self, event: Event) -> Name:
        if type(event) is Several:
            names = [self._in_turn(one) for one in event.events]
            return None if None in names else tuple(names)
        if type(event) is Added:
            return self._exchange(event.exchange) and (id(event.exchange),)
        return self._exchange(event)

    def _exchange(self, one: object) -> Name:
        return id(one) if id(one) in self._known else None

    def _message(self, message: Travel) -> Name:
        if message.sent is not None:
            return None
        receiver = message.receiver
        name = self._early.get(id(message)) if receiver is None else self._exchange(receiver)
        self._over(message.ahead)
        return name and (name, id(message.ahead))

    def _wire(self, link: TimedLink) -> Name:
        """Until when a link is taken, and who waits for it."""
        now = self._now
        if link.free_ns > now:
            self._orders.append(link.free_order)
        waiting = []
        for message in link.queue:
            name = self._message(message)
            self.known = self.known and name is not None
            self._orders.append(message.queued_order)
            waiting.append((name, message.queued_ns - now))
        times = tuple(max(ns - now, 0) for ns in (link.free_ns, link.last_ns, link.until_ns))
        return id(link), times, link.comes, tuple(waiting)
