"""What a network of flits is made of: packets, virtual channels, links and routers."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from astra_edu.network.shortest import LinkName, Node


@dataclass(slots=True, eq=False)
class Packet:
    """A packet of `flits`: where it comes from and goes to, the way it takes, how far it is.

    path: for each link of the way (link, first virtual channel, one after the last). at: the number of the link that
    its head asks for next. made: the cycle in which it was made. got: flits that have arrived. adaptive: whether it is
    still free to leave its path. what: whatever the sender keeps.
    """

    source: int
    destination: int
    flits: int
    path: list[tuple[Link, int, int]]
    made: int
    what: Any = None
    at: int = 0
    got: int = 0
    adaptive: bool = False


@dataclass(slots=True, eq=False)
class Channel:
    """A virtual channel: the buffer at the end of its link, and what is known of it at the beginning.

    credits: room as it is known upstream. owner: the packet that has the channel, from when its head gets it until its
    tail is sent into it. count: flits in the buffer; of which packets, in their order; sent: of the first one, so far.
    out: the next channel on the first one's way, once it has it. asks_at: from which cycle on it may ask for one;
    ready: from which on a flit may be sent; since: since when the next flit waits.
    """

    link: Link
    number: int
    credits: int
    owner: Packet | None = None
    count: int = 0
    packets: deque[Packet] = field(default_factory=deque)
    sent: int = 0
    out: Channel | None = None
    asks_at: int = 0
    ready: int = 0
    since: int = 0


@dataclass(slots=True, eq=False)
class Link:
    """A link and the virtual channels at its end. period, latency: cycles of a flit on it.

    name: None for an NPU's own way in or out, and for the queue of packets in an NPU. source, sink: the routers at its
    ends; no source for a queue, no sink where flits leave the network. place: its number among the sink's.

    flits: in the buffers, now. free: when the next flit may be sent. turn, next_channel, input_turn: whose turn it is
    in the allocations; orders: of the channels, by whose turn it is. What is counted: sent flits, the longest queue,
    flit-cycles in buffers, cycles that flits waited longer than the pipeline takes.
    """

    name: LinkName | None
    source: Router | None
    sink: Router | None
    latency: int = 1
    period: float = 1.0
    channels: list[Channel] = field(default_factory=list)
    place: int = 0
    flits: int = 0
    free: float = 0.0
    turn: int = 0
    next_channel: int = 0
    input_turn: int = 0
    orders: list[tuple[Channel, ...]] = field(default_factory=list)
    asking: list[Channel] = field(default_factory=list)
    sent: int = 0
    most: int = 0
    held: int = 0
    stalled: int = 0

    def add(self, room: int, many: int) -> None:
        """Give it so many channels, with room for so many flits in each."""
        own = [Channel(self, k, room) for k in range(many)]
        self.channels = own
        self.orders = [(*own[k:], *own[:k]) for k in range(many)]


@dataclass(slots=True, eq=False)
class Router:
    """A router: its links in, and the channels whose first packet has no next channel yet.

    heads: those that have not asked for one; stuck: those for which none was free; freed: whether one has become free
    since.

    wait, lag, after: cycles from a head's arrival until it asks for a channel, from there until it asks for the switch,
    and from there until it is on the link.
    """

    name: Node
    wait: int
    lag: int
    after: int
    inputs: list[Link] = field(default_factory=list)
    heads: list[Channel] = field(default_factory=list)
    stuck: list[Channel] = field(default_factory=list)
    freed: bool = False
