"""One dimension of an ASTRA-sim 2.x network: links that are all alike, and how many of them a message crosses.

Unlike 1.0's dimensions (see dimension.py), a link's bandwidth is what one message gets: a ring doesn't use both
directions for one message, and there is no number of links to choose.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import inf

from astra_edu.base.deprecated import renamed
from astra_edu.base.errors import ConfigError, not_negative, positive, shown, whole
from astra_edu.base.units import bytes_per_ns
from astra_edu.network.dimension import LARGEST, SMALLEST
from astra_edu.network.topologies import Topology, find


@dataclass(frozen=True)
class Block:
    """A building block: `npus` NPUs in a ring, fully connected, around a switch, or wired in any other way.

    bandwidth: of one link in one direction, in "GB/s" as ASTRA-sim's network means it, 2**30 bytes per second.
    latency: of one link, in ns.

    Raises ConfigError for values that make no network.

    >>> ring = ae.Block("Ring", 8, bandwidth=50, latency=500)
    >>> ring.message_ns(2**20, hops=1), ring.message_ns(2**20, hops=3)
    (20031, 21031)
    """

    topology: Topology
    npus: int
    bandwidth: float
    latency: float

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "topology", find(self.topology))
        set_(self, "npus", whole("npus", self.npus, at_least=2))
        self.topology.check(self.npus)
        set_(self, "bandwidth", positive("bandwidth", self.bandwidth))
        set_(self, "latency", not_negative("latency", self.latency))
        for name in ("bandwidth", "latency"):
            value = getattr(self, name)
            if value and not SMALLEST <= value <= LARGEST:
                raise ConfigError(f"{name} is {value:g}; {SMALLEST:g} to {LARGEST:g} can be calculated with.")

    @cached_property
    def link_bandwidth(self) -> float:
        """Bytes per ns over one link."""
        return bytes_per_ns(self.bandwidth)

    def hops(self, distance: int) -> int:
        """Links between two NPUs so far apart (a ring goes the shorter way round); see Topology.apart."""
        return self.topology.hops(self.npus, distance)

    @renamed(size="message_bytes")
    def message_ns(self, message_bytes: int, hops: int) -> int:
        """Time of a message that nothing delays: all links' latencies, and its bytes once. Truncated to whole ns."""
        if not 0 <= message_bytes < inf:
            not_negative("message_bytes", message_bytes)
        return int(hops * self.latency + message_bytes / self.link_bandwidth)

    def crossing_ns(self, message_bytes: int) -> int:
        """Time from a message's first byte on one link until all of it is at the other end."""
        return int(self.latency + message_bytes / self.link_bandwidth)

    def occupied_ns(self, message_bytes: int) -> int:
        """How long a message keeps one link from sending the next."""
        return int(message_bytes / self.link_bandwidth)


def checked_blocks(
    network: Block | Iterable[Block], right: str = "give a Block for each dimension"
) -> tuple[Block, ...]:
    """One Block or several as a tuple. Raises ConfigError for anything else, saying what would be `right`."""
    blocks = (network,) if isinstance(network, Block) else tuple(network) if isinstance(network, Iterable) else ()
    if not blocks or not all(isinstance(block, Block) for block in blocks):
        raise ConfigError(f"network is {shown(network, 80)}; {right}.")
    return blocks
