"""How long a collective takes, by formulas that fit on a line.

Sizes in bytes, times in µs, bandwidths in 10⁹ bytes/s in one direction, as nccl-tests has them: 10⁹ bytes/s are 1,000
bytes a µs. (A "GB/s" of ASTRA-sim's network is 2**30 bytes/s: `as_astra_sim_reads`.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, inf, log2
from typing import NamedTuple

from astra_edu.base.errors import choice, not_negative, positive, whole
from astra_edu.base.units import GIB

BUS_FACTORS: dict[str, Callable[[int], float]] = {
    "all-reduce": lambda n: 2 * (n - 1) / n,
    "reduce-scatter": lambda n: (n - 1) / n,
    "all-gather": lambda n: (n - 1) / n,
    "all-to-all": lambda n: (n - 1) / n,
    "broadcast": lambda n: 1.0,
    "reduce": lambda n: 1.0,
}
"""What each NPU has to send, as a share of the buffer, if only NPUs add up (nccl-tests, doc/PERFORMANCE.md). The buffer
of an all-gather is the gathered one, that of a reduce-scatter the one to be scattered."""


def bus_factor(collective: str, npus: int) -> float:
    """Bus bandwidth / algorithm bandwidth. Raises ConfigError for an unknown collective or fewer than 2 NPUs.

    >>> ae.measured.bus_factor("all-reduce", 8), ae.measured.bus_factor("all-gather", 8)
    (1.75, 0.875)
    """
    return BUS_FACTORS[choice("collective", collective, BUS_FACTORS)](whole("npus", npus, at_least=2))


def bus_bandwidth(collective: str, npus: int, size: int, us: float) -> float:
    """What nccl-tests calls busbw: the speed of the links, if every byte that has to be sent is sent once.

    >>> ae.measured.bus_bandwidth("all-reduce", npus=8, size=2**30, us=10_000)
    187.9048192
    """
    return bus_factor(collective, npus) * size / positive("us", us) / 1000


def as_astra_sim_reads(bandwidth: float) -> float:
    """A bandwidth in 10⁹ bytes/s as the "GB/s" of ASTRA-sim's network, 2**30 bytes/s.

    >>> f"{ae.measured.as_astra_sim_reads(25):.2f}"
    '23.28'
    """
    return bandwidth * 1e9 / GIB


@dataclass(frozen=True)
class Line:
    """The alpha-beta model: a latency, and a time for each byte.

    >>> ring = ae.measured.Line(latency_us=20, us_per_byte=1e-5)
    >>> ring(10**6), round(ring.half_size)
    (30.0, 2000000)
    """

    latency_us: float
    us_per_byte: float

    def __call__(self, size: int) -> float:
        """The time in µs of `size` bytes."""
        return self.latency_us + size * self.us_per_byte

    def bandwidth(self, factor: float) -> float:
        """In 10⁹ bytes/s: the bus bandwidth for a bus factor, the algorithm bandwidth for 1."""
        return factor / self.us_per_byte / 1000 if self.us_per_byte else inf

    @property
    def half_size(self) -> float:
        """The bytes whose transfer takes as long as the latency: below, latency decides; above, bandwidth."""
        return self.latency_us / self.us_per_byte if self.us_per_byte else inf


def ring(npus: int, bandwidth: float, step_us: float = 0) -> Line:
    """All-reduce on a ring: 2 (n − 1) steps, each of step_us and 1/n of the bytes.

    >>> f"{ae.measured.ring(8, bandwidth=200, step_us=1)(2**20):.1f} µs"
    '23.2 µs'
    """
    factor = bus_factor("all-reduce", npus)
    return Line(2 * (npus - 1) * not_negative("step_us", step_us), factor / positive("bandwidth", bandwidth) / 1000)


def tree(npus: int, bandwidth: float, step_us: float = 0) -> Line:
    """All-reduce on two binary trees, each with half of the bytes, in many small pieces one behind the other.

    Up and down, 2 log₂ n steps; every NPU but a root sends everything up once and down once.

    >>> f"{ae.measured.tree(8, bandwidth=200, step_us=1)(2**20):.1f} µs"
    '16.5 µs'
    """
    steps = 2 * ceil(log2(whole("npus", npus, at_least=2)))
    return Line(steps * not_negative("step_us", step_us), 2 / positive("bandwidth", bandwidth) / 1000)


def in_switch(bandwidth: float, link_us: float = 0, switch_us: float = 0.1, pipelined: bool = True) -> Line:
    """All-reduce in the switch: everything goes up once, is added up there, and comes down once.

    pipelined: down while the rest still goes up, as links have two directions; else one after the other. switch_us: as
    ASTRA-sim's in-switch collective had it.

    >>> f"{ae.measured.in_switch(bandwidth=200)(2**20):.1f} µs"
    '5.3 µs'
    """
    latency = 2 * not_negative("link_us", link_us) + not_negative("switch_us", switch_us)
    return Line(latency, (1 if pipelined else 2) / positive("bandwidth", bandwidth) / 1000)


class Phases(NamedTuple):
    """The three phases of a hierarchical all-reduce, in µs.

    >>> phases = ae.measured.hierarchical(2**30, inside=(8, 220), between=(4, 25))
    >>> round(phases.in_turn_us), round(phases.overlapped_us)
    (16594, 8541)
    """

    reduce_scatter_us: float
    all_reduce_us: float
    all_gather_us: float

    @property
    def in_turn_us(self) -> float:
        """One after the other, as for a single chunk."""
        return sum(self)

    @property
    def overlapped_us(self) -> float:
        """At best, with many chunks: the busier of the two networks is always busy."""
        return max(self.reduce_scatter_us + self.all_gather_us, self.all_reduce_us)


def hierarchical(size: int, inside: tuple[int, float], between: tuple[int, float]) -> Phases:
    """Reduce-scatter inside the machines, all-reduce between them, all-gather inside, by their bytes alone.

    inside, between: NPUs of a group, and the bandwidth of an NPU in it.

    >>> ae.measured.hierarchical(10**9, inside=(8, 200), between=(4, 25))
    Phases(reduce_scatter_us=4375.0, all_reduce_us=7500.0, all_gather_us=4375.0)
    """
    (npus, fast), (machines, slow) = inside, between
    scatter = size * bus_factor("reduce-scatter", npus) / positive("bandwidth inside", fast) / 1000
    across = size / npus * bus_factor("all-reduce", machines) / positive("bandwidth between", slow) / 1000
    return Phases(scatter, across, scatter)
