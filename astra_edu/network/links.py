"""The congestion-aware network: directed links that carry one message after the other, hop by hop.

A message waits in a link's queue until the link is free, occupies it for bytes / bandwidth, and has arrived at the
other end after the latency on top. Only then it is forwarded (store and forward).
How long that takes on one link is Block.crossing_ns (block.py).

Networks that change something of it build on `Links`. A platform's own is timed_links.py, the same with fewer events.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import heappush
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

from astra_edu.base.native import mypyc_attr
from astra_edu.clock.events import Action, Clock, Event, Ns, happen, join
from astra_edu.network.block import Block
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.shortest import LinkName, Node


class Use(NamedTuple):
    """A message of `size` bytes on a link: queued, first byte sent, link free again, last byte there (ns)."""

    link: LinkName
    size: int
    queued_ns: int
    start_ns: int
    free_ns: int
    end_ns: int


@dataclass(slots=True, eq=False)
class Link(Event):
    """One direction of a wire. times: (crossing, occupied) ns of a message by its size, as far as they are known.

    As an event it is free again. links: whose it is, from the first message on.
    """

    name: LinkName
    block: Block
    busy: bool = False
    queue: deque[Travel] = field(default_factory=deque)
    times: dict[int, tuple[Ns, Ns]] = field(default_factory=dict)
    links: Links | None = None

    def happen(self) -> None:
        """The message on it has left it."""
        assert self.links is not None
        self.links._free(self)


@dataclass(slots=True, eq=False)
class Travel(Event):
    """A message on its route: `at` is the number of the link it waits for or is on, queued_ns since when.

    As an event it is at the end of a link. arrived(what) is called when it has arrived.
    """

    arrived: Action
    what: Any
    route: list[Link]
    size: int
    destination: int
    at: int = 0
    queued_ns: Ns = 0

    def happen(self) -> None:
        """See Event."""
        links = self.route[self.at].links
        assert links is not None
        links._there(self)


@mypyc_attr(allow_interpreted_subclasses=True)
class Links(Clock):
    """The congestion-aware network. uses: what was on which link when, where it is a list."""

    def __init__(self, network: tuple[Block, ...] | GraphNetwork) -> None:
        """All links are free."""
        super().__init__()
        self.network = network
        self.uses: list[Use] | None = None
        self._own = type(self).schedule is not Clock.schedule
        self._links: dict[LinkName, Link] = {}
        self._routes: dict[tuple[int, int], list[Link]] = {}

    def send(self, source: int, destination: int, message_bytes: int, arrived: Action, what: Any) -> None:
        """See Network."""
        self._forward(Travel(arrived, what, self._route(source, destination), message_bytes, destination))

    def statistics(self) -> Mapping[str, Any]:
        """How many links were used."""
        return {"links_used": len(self._links)}

    def blocked(self) -> str:
        """Nothing ever is: every message is stored until its link is free."""
        return ""

    def _route(self, source: int, destination: int) -> list[Link]:
        route = self._routes.get((source, destination))
        if route is None:
            names = route_of(self.network, source, destination)
            route = self._routes[source, destination] = [self._link(name, block) for name, block in names]
        return route

    def _link(self, name: LinkName, block: Block) -> Link:
        link = self._links.get(name)
        if link is None:
            link = self._links[name] = Link(name, block)
        return link

    def _forward(self, travel: Travel) -> None:
        link = travel.route[travel.at]
        travel.queued_ns = self.now
        if link.busy:
            link.queue.append(travel)
        else:
            self._start(link, travel)

    def _start(self, link: Link, travel: Travel) -> None:
        link.busy = True
        link.links = self
        size, now = travel.size, self.now
        times = link.times.get(size)
        if times is None:
            block: Any = link.block  # whose ns aren't whole in ASTRA-sim 1.0
            times = link.times[size] = block.crossing_ns(size), block.occupied_ns(size)
        crossing, occupied = times
        events, there, free = self._events, now + crossing, now + occupied
        if self._own:
            self.schedule(there, happen, travel)
            self.schedule(free, happen, link)
        else:
            if there in events:
                join(events, there, travel)
            else:
                events[there] = travel
                heappush(self._times, there)
            if free in events:
                join(events, free, link)
            else:
                events[free] = link
                heappush(self._times, free)
        if self.uses is not None:
            self.uses.append(Use(link.name, size, travel.queued_ns, now, free, there))

    def _there(self, travel: Travel) -> None:
        travel.at += 1
        if travel.at == len(travel.route):
            travel.arrived(travel.what)
        else:
            self._forward(travel)

    def _free(self, link: Link) -> None:
        link.busy = False
        if link.queue:
            self._start(link, link.queue.popleft())


def route_of(network: tuple[Block, ...] | GraphNetwork, source: int, destination: int) -> list[tuple[LinkName, Block]]:
    """The links from one NPU to another, dimension by dimension, in each on its topology's route.

    A link is named by its two ends; see `named`. A graph has ways and names of its own.
    """
    if isinstance(network, GraphNetwork):
        return network.route(source, destination)
    here = source
    links: list[tuple[LinkName, Block]] = []
    for d, block in enumerate(network):
        stride = prod(b.npus for b in network[:d])
        place, goal = here // stride % block.npus, destination // stride % block.npus
        if place == goal:
            continue
        first = here - place * stride
        way = [
            first + node * stride if isinstance(node, int) else named(node, d, first, stride, block)
            for node in block.topology.route(block.npus, place, goal)
        ]
        links += [(link, block) for link in pairwise(way)]
        here = first + goal * stride
    return links


def named(node: Node, d: int, first: int, stride: int, block: Block) -> Node:
    """A node of dimension d's topology in the whole network, in the group of NPUs that begins with `first`.

    An NPU is its number; the switch of the g-th group is called "switch d.g".
    """
    if isinstance(node, int):
        return first + node * stride
    return f"{node} {d}.{first // (stride * block.npus) * stride + first % stride}"
