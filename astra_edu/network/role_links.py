"""The congestion-aware network where one NPU stands for its role: links that only differ in folded dimensions are one.

A message from a representative goes over the links of its way, each of which stands for those of all NPUs that it may
be moved to. Several links of one way may be the same (on a ring). It arrives at the representative of its receiver.

Every result is that of a run of all NPUs as long as what meets at a link or an NPU in one ns comes in the same order
everywhere, or that order makes no difference. That is looked after here: see `met`. Two messages of the same size are
exchangeable where nothing tells them apart any more: the same phase of the same NPU takes them in, over the same links.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

from astra_edu.clock.causes import CausalClock, Cause
from astra_edu.clock.events import Action
from astra_edu.network.block import Block
from astra_edu.network.folded import AmbiguousError
from astra_edu.network.folding import Folding


class Touch(NamedTuple):
    """Something that has happened at a link or an NPU: what it was, and what may be exchanged for it."""

    cause: Cause
    shift: int
    like: Any


@dataclass(slots=True, eq=False)
class RoleLink:
    """The links of one kind of all NPUs of a role. count: how many they are.

    came: what came in the ns came_ns. freed: when it was last freed.
    """

    block: Block
    count: int
    busy: bool = False
    queue: deque[RoleTravel] = field(default_factory=deque)
    times: dict[int, tuple[int, int]] = field(default_factory=dict)
    came_ns: int = -1
    came: list[Touch] = field(default_factory=list)
    freed_ns: int = -1
    freed: Touch | None = None


class Way(NamedTuple):
    """A way through the network.

    shifts: for each link, what moves those that it stands for to those of the link before. to, back: the same for the
    receiver and for the sender, seen from the last link. source, destination: the receiver's representative, and who
    sends to that one what is sent here.
    """

    links: tuple[RoleLink, ...]
    shifts: tuple[int, ...]
    to: int
    back: int
    source: int
    destination: int


@dataclass(slots=True, eq=False)
class RoleTravel:
    """A message on its way: `at` is the number of the link it waits for or is on, since queued_ns."""

    arrived: Action
    what: Any
    way: Way
    size: int
    at: int = 0
    queued: Touch | None = None
    queued_ns: int = -1


class RoleLinks(CausalClock):
    """The network. strict: whether AmbiguousError is raised where an order matters and may not be the same."""

    def __init__(self, blocks: tuple[Block, ...], folding: Folding, strict: bool = True) -> None:
        """All links are free."""
        super().__init__(folding.move, folding.ahead_alike)
        self.blocks = blocks
        self.folding = folding
        self.strict = strict
        self.arriving: Way | None = None
        """The way of the message that arrives at the moment."""
        self._links: dict[object, RoleLink] = {}
        self._ways: dict[tuple[int, int], Way] = {}
        self._at: dict[int, tuple[int, list[Touch]]] = {}

    def send(self, source: int, destination: int, message_bytes: int, arrived: Action, what: Any) -> None:
        """See Network. source: a representative."""
        self.leave(self.way(source, destination), message_bytes, arrived, what)

    def leave(self, way: Way, message_bytes: int, arrived: Action, what: Any) -> None:
        """Send a message along a way."""
        self._forward(RoleTravel(arrived, what, way, message_bytes))

    def way(self, source: int, destination: int) -> Way:
        """The way from a representative to an NPU."""
        way = self._ways.get((source, destination))
        if way is None:
            way = self._ways[source, destination] = self._way(source, destination)
        return way

    def statistics(self) -> Mapping[str, Any]:
        """How many links were used, those of all NPUs."""
        return {"links_used": sum(link.count for link in self._links.values())}

    def blocked(self) -> str:
        """Nothing ever is: every message is stored until its link is free."""
        return ""

    def touch(self, npu: int, like: object) -> None:
        """The event that happens now does something at a representative. like: what makes no difference to it."""
        touch = Touch(self.cause, self.shift, like)
        before = self._at.get(npu)
        if before is not None and before[0] == self.now:
            self.met(before[1], touch)
            before[1].append(touch)
        else:
            self._at[npu] = self.now, [touch]

    def met(self, touches: list[Touch], touch: Touch) -> None:
        """One more thing has happened in a ns at one place. Raises AmbiguousError where the order may matter."""
        for other in touches:
            if other.cause is touch.cause and other.shift == touch.shift:
                continue
            if not self.ordered(other.cause, other.shift, touch.cause, touch.shift):
                if self.strict and (touch.like is None or touch.like != other.like):
                    raise AmbiguousError
                self.blur(other.cause, touch.cause)

    def beside(self, one: Touch, other: Touch) -> None:
        """Two things that come to the same in either order: what they set off may be set off by either then."""
        if not self.ordered(one.cause, one.shift, other.cause, other.shift):
            self.blur(one.cause, other.cause)

    def _forward(self, travel: RoleTravel) -> None:
        link = travel.way.links[travel.at]
        touch = Touch(self.cause, self.shift, self._like(travel))
        if link.came_ns == self.now:
            self.met(link.came, touch)
            link.came.append(touch)
        else:
            link.came_ns = self.now
            link.came = [touch]
        if link.busy:
            travel.queued, travel.queued_ns = touch, self.now
            link.queue.append(travel)
        else:
            if link.freed_ns == self.now:
                assert link.freed
                self.beside(link.freed, touch)
            self._start(link, travel)

    def _start(self, link: RoleLink, travel: RoleTravel) -> None:
        link.busy = True
        size, now = travel.size, self.now
        times = link.times.get(size)
        if times is None:
            times = link.times[size] = link.block.crossing_ns(size), link.block.occupied_ns(size)
        crossing, occupied = times
        self.schedule(now + crossing, self._there, travel)
        self.schedule(now + occupied, self._free, link)

    def _there(self, travel: RoleTravel) -> None:
        way = travel.way
        travel.at = at = travel.at + 1
        if at == len(way.links):
            self.arriving = way
            travel.arrived(travel.what)
        else:
            self.shift = way.shifts[at]
            self._forward(travel)

    def _free(self, link: RoleLink) -> None:
        link.busy = False
        link.freed_ns, link.freed = self.now, Touch(self.cause, 0, None)
        if link.queue:
            travel = link.queue.popleft()
            if travel.queued_ns == self.now:
                assert travel.queued
                self.beside(link.freed, travel.queued)
            self._start(link, travel)

    @staticmethod
    def _like(travel: RoleTravel) -> object:
        """What messages have in common that may be exchanged; None where one may not be exchanged for any other."""
        message = travel.what
        if message.sent is not None or message.received is None:
            return None
        at, way = travel.at, travel.way
        return travel.size, message.taker, way.links[at:], way.shifts[at + 1 :]

    def _way(self, source: int, destination: int) -> Way:
        """The links from one NPU to another, as links.route_of has them, each as the one that stands for it."""
        folding = self.folding
        links: list[RoleLink] = []
        moved: list[int] = []
        here = source
        for d, block in enumerate(self.blocks):
            step = prod(folding.dims[:d])
            place, goal = here // step % block.npus, destination // step % block.npus
            if place == goal:
                continue
            first = here - place * step
            way = block.topology.route(block.npus, place, goal)
            for tail, head in pairwise(way):
                end = tail if isinstance(tail, int) else head if isinstance(head, int) else 0
                by = folding.movement(first + end * step)
                ends = [folding.back(first + n * step, by) if isinstance(n, int) else n for n in (tail, head)]
                name = d, folding.back(first, by) if isinstance(tail, str) and isinstance(head, str) else -1, *ends
                link = self._links.get(name)
                if link is None:
                    link = self._links[name] = RoleLink(block, folding.npus // len(folding.roles))
                links.append(link)
                moved.append(by)
            here = first + goal * step
        shifts = [0, *(folding.back(before, after) for before, after in pairwise(moved))]
        by = folding.movement(destination)
        to = folding.back(moved[-1], by)
        return Way(tuple(links), tuple(shifts), to, moved[-1], folding.back(source, by), folding.back(destination, by))
