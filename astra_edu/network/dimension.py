"""One network dimension and the time of one message on it: ASTRA-sim 1.0's analytical network.

A message takes hops × link latency + bytes / bandwidth. Nothing else is on the wire: no message ever waits for
another (the congestion-unaware model). That is exact where the algorithm fits the topology, and too good to be
true where many messages share a link.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from astra_edu.base.errors import ConfigError, choice, not_negative, positive, whole
from astra_edu.base.units import bytes_per_ns

SMALLEST, LARGEST = 1e-9, 1e15
KINDS = ("Tile", "Package", "Node", "Pod")


class Topology(StrEnum):
    """The building blocks of ASTRA-sim's hierarchical topologies, spelled as in its network files.

    >>> ae.Topology("Ring")
    <Topology.RING: 'Ring'>
    >>> ae.Dimension.of("FullyConnected", 4, 50, 500).topology
    <Topology.FULLY_CONNECTED: 'FullyConnected'>
    """

    RING = "Ring"
    FULLY_CONNECTED = "FullyConnected"
    SWITCH = "Switch"


@dataclass(frozen=True)
class Dimension:
    """One dimension of the network, the same for every NPU.

    npus: how many NPUs it connects. links: links of one NPU into this dimension. bandwidth: of one link, in
    "GB/s" as ASTRA-sim means it, 2**30 bytes per second. latency: of one link, in ns. nic: ns at each end of a
    message. router: ns in a switch. hbm_latency (ns), hbm_bandwidth (10**9 bytes/s) and hbm_scale: a memory
    time that a message can't undercut; a scale of 0 (the default) turns it off. kind: what it connects ("Tile",
    "Package", "Node" or "Pod"), which decides what its parts cost.

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
        set_(self, "topology", Topology(choice("topology", self.topology, list(Topology))))
        choice("kind", self.kind, KINDS)
        set_(self, "npus", whole("npus", self.npus, at_least=1))
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
        shape = Topology(choice("topology", topology, list(Topology)))
        n = whole("npus", npus, at_least=1)
        return cls(shape, n, _links_needed(shape, n) if links is None else links, bandwidth, latency)

    @property
    def links_to_one(self) -> int:
        """How many links carry one message: a ring uses both directions, a fully connected pair its own."""
        if self.topology is Topology.FULLY_CONNECTED:
            return self.links // self._links_needed
        return self.usable_links

    @property
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
        """Whether the network looks the same from every NPU: yes, in all three topologies."""
        return True

    @property
    def even(self) -> bool:
        """Whether all NPUs have the same distances to the others: yes, in all three topologies."""
        return True

    def path(self, source: int, destination: int) -> tuple[int, Dimension, int]:
        """(0, this dimension, places apart) of a message between two of its NPUs; see network.wires."""
        return 0, self, abs(destination - source)

    def hops(self, distance: int) -> int:
        """Links between two NPUs whose places differ by `distance` (a ring goes the shorter way round)."""
        match self.topology:
            case Topology.RING:
                return min(distance % self.npus, -distance % self.npus)
            case Topology.FULLY_CONNECTED:
                return 1
            case Topology.SWITCH:
                return 2

    def message_ns(self, size: int, distance: int = 1) -> float:
        """Time in ns of one message of `size` bytes between NPUs `distance` places apart.

        ASTRA-sim truncates to whole ns after every term, and so does this.
        """
        time = int(self.hops(distance) * self.latency)
        time = int(time + size / self.message_bandwidth)
        if self.nic:
            time = int(time + 2 * self.nic)
        if self.router and self.topology is Topology.SWITCH:
            time = int(time + self.router)
        if not self.hbm_scale:
            return time
        return max(time, (self.hbm_latency + size / self.hbm_bandwidth) * self.hbm_scale)

    @property
    def _links_needed(self) -> int:
        return _links_needed(self.topology, self.npus)


def _links_needed(topology: Topology, npus: int) -> int:
    match topology:
        case Topology.RING:
            return 2
        case Topology.FULLY_CONNECTED:
            return max(1, npus - 1)
        case Topology.SWITCH:
            return 1


def dimensions(network: Dimension | Iterable[Dimension]) -> tuple[Dimension, ...]:
    """One Dimension or several as a tuple. Raises ConfigError for anything else."""
    several = (network,) if isinstance(network, Dimension) else network
    found = tuple(several) if isinstance(several, Iterable) else ()
    if not found or not all(isinstance(dimension, Dimension) for dimension in found):
        raise ConfigError(f"network is {network!r}; give one Dimension or several.")
    return found
