"""The settings of a network of flits, and the network that they make of a platform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from astra_edu.base.errors import ConfigError, choice, flag, whole
from astra_edu.base.units import KIB, parse_bytes

if TYPE_CHECKING:
    from astra_edu.network.block import Block
    from astra_edu.network.credits.network import CreditNetwork
    from astra_edu.network.graph import GraphNetwork

ROUTING = ("dimension-order", "adaptive")
SWITCHING = ("wormhole", "cut-through")
MOST = {"virtual_channels": 256, "router_delay": 1000, "credit_delay": 1000, "ports": 256}
"""Each channel is an object, and a router looks at its heads in every cycle."""


class Platform(Protocol):
    """As much of a TracePlatform as a network needs."""

    @property
    def network(self) -> tuple[Block, ...] | GraphNetwork:
        """The links."""

    @property
    def npus(self) -> int:
        """How many NPUs there are."""


@dataclass(frozen=True)
class Credits:
    """Routers with virtual channels, finite input buffers and credits, for ae.simulate(..., network=ae.Credits()).

    flit, packet: bytes; a message is cut into packets, the last of them shorter, a packet into flits. A cycle is the
    time of a flit on the fastest link. virtual_channels: of each link. buffer: flits for each of them; None: as many as
    a channel needs to use its link alone, or a packet if that is more. router_delay: cycles of a head in a router that
    nothing delays (3: virtual-channel allocation, switch allocation, crossbar). credit_delay: cycles from when a flit
    leaves a buffer until the news of it are on their way, on top of 1; they take the link's latency, too.

    routing: "dimension-order" takes the platform's ways (of a graph its shortest ones; of two directions of a ring that
    are as long a random one); "adaptive" at each router the short way with the most room, or else those ways on
    channels of their own. switching: "wormhole" sends a packet on as soon as there is room for a flit, "cut-through"
    when there is room for all of it. dateline: whether virtual channels are shared out so that no circle of packets
    can wait for itself. ports: ways of an NPU into its router and out of it, each a flit a cycle; None: as many as it
    has links. seed: of random choices.

    Raises ConfigError for what makes no network. A model of ours, compared with BookSim 2 in
    `python -m tools.booksim`.

    >>> torus = ae.TracePlatform([ae.Block("Ring", 4, 50, 500)] * 2, ae.TraceSystem.of(["ring", "ring"]))
    >>> trace = ae.traces.collective("all_reduce", "1 MiB", npus=16)
    >>> result = ae.simulate(trace, torus, network=ae.Credits(flit="1 KiB", packet="8 KiB"))
    >>> result.total_ns > ae.simulate(trace, torus).total_ns
    True
    >>> result.statistics["packets"]
    3840
    """

    flit: int | str = 256
    packet: int | str = 4 * KIB
    virtual_channels: int = 4
    buffer: int | None = None
    router_delay: int = 3
    credit_delay: int = 0
    routing: str = "dimension-order"
    switching: str = "wormhole"
    dateline: bool = True
    ports: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        for name in ("flit", "packet"):
            set_(self, name, whole(name, parse_bytes(getattr(self, name)), at_least=1))
        for name, least in (("virtual_channels", 1), ("router_delay", 1), ("credit_delay", 0), ("seed", 0)):
            set_(self, name, whole(name, getattr(self, name), at_least=least))
        for name in ("buffer", "ports"):
            if getattr(self, name) is not None:
                set_(self, name, whole(name, getattr(self, name), at_least=1))
        for name, most in MOST.items():
            if (getattr(self, name) or 0) > most:
                raise ConfigError(f"{name} is {getattr(self, name):,}; {most:,} is the most.")
        choice("routing", self.routing, ROUTING)
        choice("switching", self.switching, SWITCHING)
        flag("dateline", self.dateline)
        if self.packet_bytes < self.flit_bytes:
            raise ConfigError(f"a packet of {self.packet_bytes:,} bytes is less than a flit of {self.flit_bytes:,}.")
        if self.switching == "cut-through" and self.buffer is not None and self.buffer < self.packet_flits:
            raise ConfigError(
                f"a buffer of {self.buffer} flits never has room for a packet of {self.packet_flits}; with "
                'switching="cut-through" it has to.'
            )

    def __call__(self, platform: Platform) -> CreditNetwork:
        """The network for one run on a platform."""
        from astra_edu.network.credits.network import CreditNetwork  # here, because it is about Credits

        return CreditNetwork(self, platform.network, platform.npus)

    @property
    def flit_bytes(self) -> int:
        """Bytes of a flit."""
        return int(self.flit)

    @property
    def packet_bytes(self) -> int:
        """Bytes of a packet."""
        return int(self.packet)

    @property
    def packet_flits(self) -> int:
        """Flits of a whole packet."""
        return -(-self.packet_bytes // self.flit_bytes)

    def flits(self, message_bytes: int) -> list[int]:
        """How many flits each of a message's packets has.

        >>> ae.Credits(flit=64, packet=256).flits(600)
        [4, 4, 2]
        """
        whole_ones, rest = divmod(message_bytes, self.packet_bytes)
        last = [-(-rest // self.flit_bytes)] if rest else []
        return [self.packet_flits] * whole_ones + last or [1]

    def room(self, latency: int, period: float) -> int:
        """Flits in each buffer at the end of a link with these cycles of latency and for a flit."""
        if self.buffer is not None:
            return self.buffer
        round_trip = 3 + 2 * latency + self.credit_delay
        return max(self.packet_flits, -int(-round_trip // period))
