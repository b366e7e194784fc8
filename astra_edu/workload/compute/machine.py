"""A machine: a device, and what connects it to others of its kind.

Up to so many NPUs are a scale-up domain: an HGX board with its NVSwitches, a rack, a TPU pod. Beyond it an NPU has its
network card. Both rates are of one NPU and one direction; makers' sheets often add up both directions.

Latencies are seldom published. Where nothing else is known, a link of a domain takes half of the 1,872.5 ns that
ASTRA-sim's authors measured through the NVSwitches of an HGX-H100, and one to a network's switch half of the 2.7 µs
that NCCL's own model has for a step of a ring over a network.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from math import prod

from astra_edu.base.errors import (
    ConfigError,
    choice,
    instance_of,
    list_of,
    not_negative,
    positive,
    shown,
    text_of,
    whole,
)
from astra_edu.network import Dimension
from astra_edu.system import Platform, SystemConfig
from astra_edu.system.implementation import suited
from astra_edu.workload.compute.device import Device
from astra_edu.workload.compute.formats import USUAL

NVSWITCH_NS, NETWORK_NS = 936.25, 1350.0
LARGEST = 10**6
WIRINGS = ("Switch", "FullyConnected", "Torus")
_GB = 2**30


@dataclass(frozen=True)
class Machine:
    """A device among others of its kind.

    node: NPUs of a scale-up domain. link_bytes_per_s: of all links of an NPU in it, one direction; nic_bytes_per_s: of
    its network card, one direction. source: of both. wiring: of the domain, "Switch", "FullyConnected" or "Torus".
    sides: of the torus that a whole domain is. tray: NPUs of one computer, where a domain has several. link_ns,
    nic_ns: latency of a link.

    >>> h100 = ae.machine("h100")
    >>> h100.node, h100.link_bytes_per_s / h100.nic_bytes_per_s, h100.peak(8) / 10**12
    (8, 9.0, 1978.9)
    """

    device: Device
    node: int
    link_bytes_per_s: float
    nic_bytes_per_s: float
    source: str
    wiring: str = "Switch"
    sides: tuple[int, ...] = ()
    tray: int | None = None
    link_ns: float = NVSWITCH_NS
    nic_ns: float = NETWORK_NS

    def __post_init__(self) -> None:
        instance_of("device", self.device, Device, 'give one such as ae.device("h100")')
        for what in ("memory_bytes_per_s", "memory_bytes", "units"):
            if getattr(self.device, what) is None:
                raise ConfigError(f"{self.name}: the device of a machine must have {what}.")
        object.__setattr__(self, "node", whole(f"{self.name}: node", self.node, at_least=1))
        if self.node > LARGEST:
            raise ConfigError(f"{self.name}: node is {shown(self.node)}; {LARGEST:,} NPUs in a domain are the most.")
        for what in ("link_bytes_per_s", "nic_bytes_per_s"):
            positive(f"{self.name}: {what}", getattr(self, what))
        for what in ("link_ns", "nic_ns"):
            not_negative(f"{self.name}: {what}", getattr(self, what))
        text_of(f"{self.name}: source", self.source)
        choice(f"{self.name}: wiring", self.wiring, WIRINGS)
        sides = list_of(f"{self.name}: sides", self.sides, "give the lengths of a torus such as (16, 16)")
        sides = tuple(sorted(whole(f"{self.name}: a side", side, at_least=1) for side in sides))
        object.__setattr__(self, "sides", sides)
        if (self.wiring == "Torus") != bool(sides) or (sides and prod(sides) != self.node):
            raise ConfigError(
                f"{self.name}: sides are {sides}, the wiring is {self.wiring} and a domain has {self.node} NPUs; a "
                "torus has the sides of all its NPUs, others have none."
            )
        if self.tray is not None:
            object.__setattr__(self, "tray", whole(f"{self.name}: tray", self.tray, at_least=1))
        if self.tray and self.node % self.tray:
            raise ConfigError(f"{self.name}: {self.node} NPUs can't be put into trays of {self.tray}.")

    @property
    def name(self) -> str:
        """The device's."""
        return self.device.name

    @property
    def units(self) -> int:
        """Of the device's processors."""
        return self.device.units or 0

    @property
    def memory_bytes_per_s(self) -> float:
        """Of the device's memory."""
        return self.device.memory_bytes_per_s or 0

    @property
    def memory_bytes(self) -> int:
        """Of the device's memory."""
        return self.device.memory_bytes or 0

    def peak(self, bits: int = USUAL) -> float:
        """The device's operations a second in so many bits. Raises ConfigError with the formats there are."""
        return self.device.peak(bits)

    def network(self, npus: int, per_node: int | None = None) -> tuple[Dimension, ...]:
        """So many NPUs as dimensions of a network: those of a domain, then one of the network cards.

        per_node: how many of a domain are used; by default all that there are. Those with equal places in their domains
        are on one switch, as in a rail-optimised network, or in a fat tree that is never short of links. A slice of a
        torus is as compact as can be, and all its rows are closed (in fact Google closes only those of a multiple of 4
        chips, of v6e only those of 16). Raises ConfigError for a number of NPUs that can't be had.

        >>> [(d.topology.value, d.npus) for d in ae.machine("h100").network(64)]
        [('Switch', 8), ('Switch', 8)]
        >>> [d.npus for d in ae.machine("gb200").network(512, per_node=64)]
        [64, 8]
        >>> [(d.topology.value, d.npus) for d in ae.machine("tpu-v4").network(128)]
        [('Ring', 4), ('Ring', 4), ('Ring', 8)]
        """
        npus = whole("npus", npus, at_least=1)
        used = min(npus, self.node) if per_node is None else whole("per_node", per_node, at_least=1)
        if used > self.node:
            raise ConfigError(f"per_node is {used}; {self.name} has {self.node} NPUs in a domain.")
        if npus % used:
            most = max(size for size in range(1, used + 1) if not npus % size)
            raise ConfigError(
                f"{npus} NPUs of {self.name} can't be divided into domains of {used}; the nearest that can: "
                f"{npus // used * used} and {-(-npus // used) * used}. Or use {most} of each: per_node={most}."
            )
        inside = self._domain(used)
        if npus == used:
            return inside
        return *inside, Dimension.of("Switch", npus // used, self.nic_bytes_per_s / _GB, self.nic_ns)

    def platform(self, npus: int, per_node: int | None = None, splits: int = 1) -> Platform:
        """A network of so many NPUs with the algorithms that suit it. splits: into how many chunks collectives are cut.

        NCCL doesn't overlap what it does inside of nodes with what it does between them, as one chunk doesn't.

        >>> work = ae.Workload.micro("all-reduce", 2**30)
        >>> f"{ae.simulate(work, ae.machine('h100').platform(64)).total_ns / 1e6:.1f} ms"
        '8.9 ms'
        """
        network = self.network(npus, per_node)
        return Platform(network, SystemConfig(**suited(network), splits=splits))

    def _domain(self, npus: int) -> tuple[Dimension, ...]:
        rate = self.link_bytes_per_s / _GB
        if npus == 1 or self.wiring == "Switch":
            return (Dimension.of("Switch", npus, rate, self.link_ns),)
        if self.wiring == "FullyConnected":  # each pair has links of its own
            return (Dimension.of("FullyConnected", npus, rate / (self.node - 1), self.link_ns),)
        each = rate / len(self.sides) / 2
        return tuple(Dimension.of("Ring", side, each, self.link_ns) for side in self._slice(npus) if side > 1)

    def _slice(self, npus: int) -> tuple[int, ...]:
        """Sides of the most compact slice of the torus with so many NPUs."""
        found = self._slices(npus)
        if not found:
            below = next(n for n in range(npus - 1, 0, -1) if self._slices(n))
            above = next((n for n in count(npus + 1) if n >= self.node or self._slices(n)), self.node)
            raise ConfigError(
                f"{self.name} has no slice of {npus} NPUs in a torus of {' × '.join(map(str, self.sides))}; the "
                f"nearest: {below} and {above}."
            )
        return min(found, key=sum)

    def _slices(self, npus: int) -> list[tuple[int, ...]]:
        return [sides for sides in _factors(npus, len(self.sides)) if all(map(int.__le__, sides, self.sides))]


def _factors(product: int, many: int, least: int = 1) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as so many factors, the smallest first."""
    if many == 1:
        if product >= least:
            yield (product,)
        return
    for first in range(least, int(product ** (1 / many) + 1e-9) + 1):
        if product % first == 0:
            yield from ((first, *rest) for rest in _factors(product // first, many - 1, first))
