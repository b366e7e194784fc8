"""All that is on its way in phases on the congestion-aware network: whether it is as it was before, only later.

What happens next is decided by what is foreseen, in which order that was, how far each NPU is, what has come early, who
waits, and until when each link is taken. Where all of that is as it was some ns ago, the same happens again in as many
ns, unless something else comes in between: that is what isn't of a phase whose NPUs send one message after the other,
such as the end of a computation.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, TypeAlias

from astra_edu.clock.events import Event, Ns, Several, Told, Turns
from astra_edu.clock.numbered import Numbered
from astra_edu.network.lanes import Channel
from astra_edu.network.messages import Messages
from astra_edu.network.timed_links import Hop, TimedLink, TimedLinks, Travel
from astra_edu.system.exchange import Added, Exchange

Name: TypeAlias = Any
"""What tells an event, or a message, from all others that are on their way; it is equal for the one that is in its place
later, and None for what isn't of a phase."""


class Underway:
    """What is on its way after all that happens in a ns. state: equal if the same is on its way in the same order.

    exchanges: the NPUs' phases, by their ids, in an order of its own. sent: how many messages each of them has sent.
    until_ns: when something else happens. known: whether all that phases have on their way is before that.
    """

    def __init__(self, messages: Messages, links: TimedLinks) -> None:
        """Of a run in which nothing more happens now."""
        self._links = links
        self._now = links.now
        self.known = True
        self.until_ns: Ns = inf
        self._exchanges: dict[int, Exchange] = {}
        self._progress: dict[int, tuple[int, tuple[int, int, int]]] = {}
        self._early: dict[int, Name] = {}
        self._orders: list[int] = []
        lanes = self._lanes(messages)
        self._events: list[tuple[Ns, list[Numbered]]] = []
        events = self._foreseen()
        self.exchanges = [self._exchanges[key] for key in sorted(self._exchanges)]
        self.sent = [self._progress[id(one)][0] for one in self.exchanges]
        at = [(id(one), id(one.outward), self._progress[id(one)][1]) for one in self.exchanges]
        self._wires = self._wires_of()
        wires = [self._wire(wire) for wire in self._wires]
        ranks = {order: rank for rank, order in enumerate(sorted(set(self._orders)))}
        self._ranks = ranks
        self.state = tuple(lanes), tuple(events), tuple(at), tuple(wires), tuple(map(ranks.__getitem__, self._orders))

    @property
    def last_ns(self) -> Ns:
        """When the last of it is foreseen."""
        return self._events[-1][0] if self._events else self._now

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
        for wire in self._wires:
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

    def _lanes(self, messages: Messages) -> list[Name]:
        """What has come early and who waits, on each lane."""
        found = []
        for channel in messages.channels.values():
            early, waiting = channel.early or (), channel.waiting or ()
            for place, message in enumerate(early):
                self._early[id(message)] = id(channel), place
            for receiver in waiting:
                if isinstance(receiver, Exchange):
                    self._exchange(receiver)
            if early or waiting:
                found.append((id(channel), [message.arrived for message in early], [*map(id, waiting)]))
        return [(key, tuple(arrived), tuple(receivers)) for key, arrived, receivers in found]

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
            return id(event) if all(self._message(message) for message in event.queue) else None
        return self._exchange(event.receiver) if type(event) is Told else None

    def _in_turn(self, event: Event) -> Name:
        if type(event) is Several:
            names = [self._in_turn(one) for one in event.events]
            return None if None in names else tuple(names)
        if type(event) is Added:
            return self._exchange(event.exchange) and (id(event.exchange),)
        return self._exchange(event)

    def _exchange(self, one: object) -> Name:
        if not isinstance(one, Exchange):
            return None
        if id(one) not in self._exchanges:
            progress = one.progress
            if progress is None:
                return None
            self._exchanges[id(one)] = one
            self._progress[id(one)] = progress
        return id(one)

    def _message(self, message: Travel) -> Name:
        if message.sent is not None:
            return None
        receiver = message.receiver
        name = self._early.get(id(message)) if receiver is None else self._exchange(receiver)
        return name and (name, id(message.ahead))

    def _wires_of(self) -> list[TimedLink]:
        """All links that messages of the phases come over."""
        found: dict[int, TimedLink] = {}
        for one in self.exchanges:
            hop = one.outward.way if isinstance(one.outward, Channel) else None
            self.known = self.known and isinstance(hop, Hop)
            while isinstance(hop, Hop):
                found[id(hop.link)] = hop.link
                hop = hop.next
        for _, listed in self._events:
            for _, event in listed:
                if isinstance(event, TimedLink):
                    found[id(event)] = event
        return [found[key] for key in sorted(found)]

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
