"""All-reduces of measured sizes, simulated on one switch or on several, one inside the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from astra_edu.network import Block
from astra_edu.run.simulate import simulate
from astra_edu.system import TracePlatform, TraceSystem
from astra_edu.traces import collective


def simulated(
    network: Sequence[Block], sizes: Iterable[int], system: TraceSystem | None = None, *, aware: bool = False
) -> dict[int, float]:
    """µs of an all-reduce by its size, as ASTRA-sim 2.x has it.

    system: by default one ring for each level, one chunk, and adding up takes no time. aware: of congestion.

    >>> switch = ae.Block("Switch", 8, bandwidth=345.2, latency=936.25)  # GB/s of 2**30, ns
    >>> ae.measured.simulated([switch], [2**25, 2**30])
    {33554432: 184.782, 1073741824: 5095.884}
    """
    npus = prod(block.npus for block in network)
    rings = system or TraceSystem.of(["ring"] * len(network), optimization="localBWAware")
    on = TracePlatform(tuple(network), rings, congestion_aware=aware)
    traces = {size: collective("all_reduce", bytes=size, npus=npus) for size in sizes}
    return {size: simulate(trace, on, progress=False).total_ns / 1000 for size, trace in traces.items()}
