"""Links between switches whose buffers end: messages as packets that are dropped or have to wait for room."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from astra_edu.base.errors import ConfigError
from astra_edu.clock.events import Action
from astra_edu.network.block import Block
from astra_edu.network.buffers import MOST_PACKETS, SwitchBuffers
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.links import Link, Links, Travel
from astra_edu.network.shortest import LinkName


class Lost(NamedTuple):
    """A packet of `size` bytes that found no room in front of a link at time_ns, and between which NPUs it goes."""

    link: LinkName
    size: int
    time_ns: int
    source: int
    destination: int


@dataclass(slots=True, eq=False)
class Room:
    """What is left of a buffer: free bytes. waiting: links whose first packet will be put in here."""

    free: int
    waiting: deque[BufferedLink] = field(default_factory=deque)


@dataclass(slots=True, eq=False)
class BufferedLink(Link):
    """A link with a buffer in front of it, if it leaves a switch. room: None without end.

    blocked: its first packet waits for room at the other end.
    """

    room: Room | None = field(kw_only=True)
    carries: Packet | None = None
    blocked: bool = False


@dataclass(slots=True, eq=False)
class Packet(Travel):
    """A piece of a message on its route. left: how many pieces of the message have not arrived, in a list of one."""

    source: int = field(kw_only=True)
    left: list[int] = field(kw_only=True)
    sent_ns: int = 0


class BufferedLinks(Links):
    """The congestion-aware network with SwitchBuffers. lost: the packets that were dropped, in their order."""

    def __init__(self, network: tuple[Block, ...] | GraphNetwork, buffers: SwitchBuffers) -> None:
        """All links are free and all buffers empty."""
        super().__init__(network)
        self.buffers = buffers
        self._credits = self.buffers.flow_control == "credit"
        self.lost: list[Lost] = []
        self._sent = 0

    def statistics(self) -> Mapping[str, Any]:
        """How many links were used, how often a packet was sent, and how often one was lost."""
        return {**super().statistics(), "packets_sent": self._sent, "packets_lost": len(self.lost)}

    def blocked(self) -> str:
        """See Network."""
        stuck = [link.name for link in self._links.values() if cast(BufferedLink, link).blocked]
        circle = [link for link in stuck if isinstance(link[0], str)]
        if not circle:
            return ""
        names = ", ".join(f"{tail} -> {head}" for tail, head in circle[:4])
        return f"packets wait for each other's room in a circle (deadlock): on {names}"

    def _link(self, name: LinkName, block: Block) -> Link:
        if name not in self._links:
            size = self.buffers.room(name[0])
            self._links[name] = BufferedLink(name, block, room=None if size is None else Room(size))
        return self._links[name]

    def send(self, source: int, destination: int, message_bytes: int, arrived: Action, what: Any) -> None:
        """See Network."""
        route = self._route(source, destination)
        sizes = self.buffers.packets(message_bytes)
        left = [len(sizes)]
        self._count(len(sizes))
        for piece in sizes:
            self._forward(Packet(arrived, what, route, piece, destination, source=source, left=left))

    def _forward(self, travel: Travel) -> None:
        link = cast(BufferedLink, travel.route[travel.at])
        travel.queued_ns = self.now
        if link.room is not None and not self._credits:
            if link.room.free < travel.size:
                self._drop(cast(Packet, travel), link)
                return
            link.room.free -= travel.size
        link.queue.append(travel)
        self._next(link)

    def _count(self, packets: int) -> None:
        self._sent += packets
        if self._sent > MOST_PACKETS:
            raise ConfigError(
                f"more than {MOST_PACKETS:,} packets would have to be followed ({len(self.lost):,} were lost so far); "
                "make packets larger or messages smaller."
            )

    def _drop(self, packet: Packet, link: Link) -> None:
        now = self.now
        self.lost.append(Lost(link.name, packet.size, now, packet.source, packet.destination))
        self._count(1)
        packet.at = 0
        self.schedule(max(now + 1, packet.sent_ns + self.buffers.timeout), self._forward, packet)

    def _next(self, link: BufferedLink) -> None:
        """Start the first packet that waits for a link, if the link is free and there is room at its end."""
        if link.busy or link.blocked or not link.queue:
            return
        packet = cast(Packet, link.queue[0])
        room = self._room_ahead(packet) if self._credits else None
        if room is not None:
            if room.free < packet.size:
                link.blocked = True
                room.waiting.append(link)
                return
            room.free -= packet.size
        link.queue.popleft()
        link.carries = packet
        if not packet.at:
            packet.sent_ns = self.now
        self._start(link, packet)

    @staticmethod
    def _room_ahead(packet: Packet) -> Room | None:
        if packet.at + 1 == len(packet.route):
            return None
        return cast(BufferedLink, packet.route[packet.at + 1]).room

    def _there(self, travel: Travel) -> None:
        packet = cast(Packet, travel)
        packet.at += 1
        if packet.at < len(packet.route):
            self._forward(packet)
            return
        packet.left[0] -= 1
        if not packet.left[0]:
            packet.arrived(packet.what)

    def _free(self, link: Link) -> None:
        own = cast(BufferedLink, link)
        own.busy = False
        packet = own.carries
        if own.room is not None and packet is not None:
            if self._credits:
                before = packet.route[packet.route.index(own) - 1]
                self.schedule(self.now + int(before.block.latency), self._credit, (own.room, packet.size))
            else:
                own.room.free += packet.size
        self._next(own)

    def _credit(self, what: tuple[Room, int]) -> None:
        """The news of room arrives: who has waited longest comes first."""
        room, size = what
        room.free += size
        while room.waiting and room.free >= room.waiting[0].queue[0].size:
            link = room.waiting.popleft()
            link.blocked = False
            self._next(link)
