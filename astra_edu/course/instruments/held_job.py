"""What is held against measurements: the systems, what the simulator is told of each, and the same in Python."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from astra_edu.base.units import format_bytes
from astra_edu.course.instruments.setting import Values
from astra_edu.measured import Line, Sweep, as_astra_sim_reads, judged, simulated, sweep
from astra_edu.network import Block, Topology
from astra_edu.system import TraceSystem

LINK_NS = 936.25
"""The latency of a link in ASTRA-sim's files for its validation on HGX H100."""
MOST_SIZES = 10
LINKS, LARGEST, FITTED, AS_FILE, CONVERTED, COPIED = "links", "measured", "fitted", "file", "converted", "copied"
BANDWIDTHS = {LINKS: "of the links", LARGEST: "largest measured", FITTED: "fitted to half"}
LATENCIES = {AS_FILE: f"{LINK_NS / 1000:.2f} µs a link", FITTED: "fitted to half"}
UNITS = {COPIED: "copied", CONVERTED: "converted"}


@dataclass(frozen=True)
class System:
    """A machine whose all-reduces were measured. dims: NPUs and what a link carries (10⁹ bytes/s), for each level."""

    called: str
    dims: tuple[tuple[int, float], ...]


SYSTEMS = {
    "hgx-h100-2": System("2 H100", ((2, 450),)),
    "hgx-h100-4": System("4 H100", ((4, 450),)),
    "hgx-h100-8": System("8 H100", ((8, 450),)),
    "a100-8": System("8 A100", ((8, 300),)),
    "h200-8": System("8 H200", ((8, 450),)),
    "v100-64": System("8 × 8 V100", ((8, 150), (8, 12.5))),
}
"""By the names of their sweeps."""


@dataclass(frozen=True)
class Point:
    """A size (bytes) with the measured and the simulated time. fitted: whether the simulator was fitted to it."""

    size: int
    measured_us: float
    simulated_us: float
    fitted: bool

    @property
    def percent(self) -> float:
        """By how many percent of the measured time the simulated one is longer."""
        return 100 * (self.simulated_us / self.measured_us - 1)

    @property
    def called(self) -> str:
        """Its size."""
        return format_bytes(self.size)


def told(values: Values) -> tuple[tuple[float, ...], float]:
    """What the simulator is told: the bandwidth of each level in 10⁹ bytes/s, and the latency of a link in ns."""
    known, dims = sweep(values["system"]), SYSTEMS[values["system"]].dims
    line, at_peak = _line(known), _us_per_byte(dims)
    size, us = known.points[-1]
    share = {LINKS: 1.0, LARGEST: at_peak * size / us, FITTED: at_peak / line.us_per_byte}[values["bandwidth"]]
    links = sum(2 * (npus - 1) * 2 for npus, _ in dims)
    latency = LINK_NS if values["latency"] == AS_FILE else 1000 * line.latency_us / links
    return tuple(share * rate for _, rate in dims), latency


def read(values: Values) -> tuple[float, ...]:
    """The bandwidths as they stand in the simulator's file, which reads them in 2**30 bytes/s."""
    rates, _ = told(values)
    return rates if values["unit"] == COPIED else tuple(as_astra_sim_reads(rate) for rate in rates)


def points(values: Values) -> tuple[Point, ...]:
    """The sizes on show: all, or every other one, that nothing is fitted to, where they are many."""
    known = sweep(values["system"])
    fitted = {point.size for point in known.halves[0]} if FITTED in (values["bandwidth"], values["latency"]) else set()
    shown = known.points if len(known.points) <= MOST_SIZES else known.halves[1]
    npus = tuple(npus for npus, _ in SYSTEMS[known.name].dims)
    chunks = int(values["chunks"]) if len(npus) > 1 else 1
    _, latency = told(values)
    return tuple(
        Point(size, us, _simulated(npus, read(values), latency, chunks, size), size in fitted) for size, us in shown
    )


def code(values: Values) -> str:
    """The same in Python."""
    known, dims = sweep(values["system"]), SYSTEMS[values["system"]].dims
    latency = told(values)[1]
    blocks = ", ".join(
        f'ae.Block("Switch", {npus}, {rate!r}, {latency!r})' for (npus, _), rate in zip(dims, read(values), strict=True)
    )
    network = blocks if len(dims) == 1 else f"({blocks})"
    system = 'ae.TraceSystem.of("ring")'
    if len(dims) > 1:
        system = f'ae.TraceSystem.of(["ring", "ring"], splits={values["chunks"]}, optimization="localBWAware")'
    return f"""on = ae.TracePlatform({network}, {system})
for size, us in ae.measured.sweep("{known.name}").points:
    work = ae.traces.collective("all_reduce", bytes=size, npus={known.npus})
    print(size, us, ae.simulate(work, on).total_ns / 1000)"""


def _line(known: Sweep) -> Line:
    found = judged(known).model
    assert isinstance(found, Line)
    return found


def _us_per_byte(dims: tuple[tuple[int, float], ...]) -> float:
    """How long a byte of an all-reduce takes at the links' speed, one phase after the other."""
    found, left = 0.0, 1
    for npus, rate in dims:
        found += 2 * (npus - 1) / npus / left / rate / 1000
        left *= npus
    return found


@lru_cache(maxsize=4096)
def _simulated(npus: tuple[int, ...], rates: tuple[float, ...], latency: float, chunks: int, size: int) -> float:
    blocks = [Block(Topology.SWITCH, n, rate, latency) for n, rate in zip(npus, rates, strict=True)]
    rings = TraceSystem.of(["ring"] * len(npus), splits=chunks, optimization="localBWAware")
    return simulated(blocks, (size,), rings)[size]
