"""One network dimension and the time of one message on it: ASTRA-sim 1.0's analytical network.

A message takes hops × link latency + bytes / bandwidth. Nothing else is on the wire: no message ever waits for
another (the congestion-unaware model). That is exact where the algorithm fits the topology, and too good to be
true where many messages share a link.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import inf

from astra_edu.base.deprecated import renamed
from astra_edu.base.errors import ConfigError, choice, not_negative, positive, shown, whole
from astra_edu.base.units import bytes_per_ns
from astra_edu.network.topologies import Topology, find

SMALLEST, LARGEST = 1e-9, 1e15
KINDS = ("Tile", "Package", "Node", "Pod")


@dataclass(frozen=True)
class Dimension:
    """One dimension of the network, the same for every NPU.

    topology: how its NPUs are wired, by its name or as a Topology. npus: how many it connects. links: links of one
    NPU into this dimension. bandwidth: of one link, in "GB/s" as ASTRA-sim means it, 2**30 bytes per second.
    latency: of one link, in ns. nic: ns at each end of a message. router: ns in a switch. hbm_latency (ns),
    hbm_bandwidth (10**9 bytes/s) and hbm_scale: a memory time that a message can't undercut; a scale of 0 (the
    default) turns it off. kind: what it connects ("Tile", "Package", "Node" or "Pod"), which decides what its parts
    cost.

    Raises ConfigError for values that make no network: no NPU, too few links, a bandwidth of 0.

    >>> ring = ae.Dimension.of("Ring", 8, bandwidth=50, latency=500)
    >>> ring.links, ring.hops(1), ring.hops(5)
    (2, 1, 3)
    """

    topology: Topology
    npus: int
    links: int
    bandwidth: float
    latency: float
    nic: float = 0.0
    router: float = 0.0
    hbm_latency: float = 0.0
    hbm_bandwidth: float = 1.0
    hbm_scale: float = 0.0
    kind: str = "Node"

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "topology", find(self.topology))
        choice("kind", self.kind, KINDS)
        set_(self, "npus", whole("npus", self.npus, at_least=1))
        self.topology.check(self.npus)
        set_(self, "links", whole("links", self.links, at_least=1))
        set_(self, "bandwidth", positive("bandwidth", self.bandwidth))
        set_(self, "hbm_bandwidth", positive("hbm_bandwidth", self.hbm_bandwidth))
        for name in ("latency", "nic", "router", "hbm_latency", "hbm_scale"):
            set_(self, name, not_negative(name, getattr(self, name)))
        for name in ("bandwidth", "hbm_bandwidth", "latency", "nic", "router", "hbm_latency", "hbm_scale"):
            value = getattr(self, name)
            if value and not SMALLEST <= value <= LARGEST:
                raise ConfigError(f"{name} is {value:g}; {SMALLEST:g} to {LARGEST:g} can be calculated with.")
        if self.links < self._links_needed:
            raise ConfigError(
                f"links is {self.links}; a {self.topology} of {self.npus} NPUs needs at least "
                f"{self._links_needed} links per NPU (and uses whole multiples of it)."
            )

    @classmethod
    def of(cls, topology: str, npus: int, bandwidth: float, latency: float, links: int | None = None) -> Dimension:
        """A dimension with the fewest links its topology needs (ring 2, fully connected n - 1, switch 1)."""
        shape = find(topology)
        n = whole("npus", npus, at_least=1)
        shape.check(n)
        return cls(shape, n, shape.links_needed(n) if links is None else links, bandwidth, latency)

    @cached_property
    def links_to_one(self) -> int:
        """How many links carry one message: a ring uses both directions, a fully connected pair its own."""
        return self.topology.links_to_one(self.npus, self.usable_links)

    @cached_property
    def usable_links(self) -> int:
        """How many of an NPU's links are used: a whole multiple of what the topology needs."""
        return self.links - self.links % self._links_needed

    @cached_property
    def message_bandwidth(self) -> float:
        """Bytes per ns that one message gets."""
        return bytes_per_ns(self.bandwidth) * self.links_to_one

    @property
    def injection_bandwidth(self) -> float:
        """Bytes per ns that one NPU can send in all: what decides between topologies of equal links."""
        return bytes_per_ns(self.bandwidth) * self.usable_links

    @property
    def symmetric(self) -> bool:
        """Whether the network looks the same from every NPU."""
        return self.topology.symmetric

    @property
    def even(self) -> bool:
        """Whether all NPUs have the same distances to the others."""
        return self.topology.symmetric

    def path(self, source: int, destination: int) -> tuple[int, Dimension, int]:
        """(0, this dimension, how far apart) of a message between two of its NPUs; see network.wires."""
        return 0, self, self.apart(source, destination)

    def apart(self, source: int, destination: int) -> int:
        """How far apart two of its NPUs are: places, or links where the difference of places doesn't say."""
        return self.topology.apart(self.npus, source, destination)

    def hops(self, distance: int) -> int:
        """Links between two NPUs so far `apart` (a ring goes the shorter way round)."""
        return self.topology.hops(self.npus, distance)

    @renamed(size="message_bytes")
    def message_ns(self, message_bytes: int, distance: int = 1) -> float:
        """Time in ns of one message of `message_bytes` between NPUs that are `distance` apart.

        ASTRA-sim truncates to whole ns after every term, and so does this.
        """
        if not 0 <= message_bytes < inf:
            not_negative("message_bytes", message_bytes)
        hops = self.hops(distance)
        time = int(hops * self.latency)
        time = int(time + message_bytes / self.message_bandwidth)
        if self.nic:
            time = int(time + 2 * self.nic)
        if self.router and self.topology.switched:
            time = int(time + self.router * (hops - 1))
        if not self.hbm_scale:
            return time
        return max(time, (self.hbm_latency + message_bytes / self.hbm_bandwidth) * self.hbm_scale)

    @cached_property
    def _links_needed(self) -> int:
        return self.topology.links_needed(self.npus)


def dimensions(network: Dimension | Iterable[Dimension]) -> tuple[Dimension, ...]:
    """One Dimension or several as a tuple. Raises ConfigError for anything else."""
    several = (network,) if isinstance(network, Dimension) else network
    found = tuple(several) if isinstance(several, Iterable) else ()
    if not found or not all(isinstance(dimension, Dimension) for dimension in found):
        raise ConfigError(f"network is {shown(network)}; give one Dimension or several.")
    return found
