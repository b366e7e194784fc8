"""The platforms on which exercise 5 asks whether Themis helps, and what they take with and without it."""

from __future__ import annotations

from dataclasses import replace

from astra_edu.base.units import GIB, KIB
from astra_edu.network import Dimension
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform, SystemConfig
from astra_edu.workload import Workload


def _switches(*bandwidths: float, npus: int = 8, latency: float = 1, splits: int = 64) -> Platform:
    network = tuple(Dimension.of("Switch", npus, bandwidth, latency) for bandwidth in bandwidths)
    return Platform(network, SystemConfig.of("_".join(["halvingDoubling"] * len(network)), splits=splits))


CASES = {
    "A": ("1 switch of 512 NPUs, 150 GB/s, 1 GiB", _switches(150, npus=512), GIB),
    "B": ("3 switches of 8, with 200, 100 and 50 GB/s, 1 GiB", _switches(200, 100, 50), GIB),
    "C": ("3 switches of 8, with 400, 50 and 6.25 GB/s, 1 GiB", _switches(400, 50, 6.25), GIB),
    "D": ("3 switches of 8, with 50 GB/s, 1 GiB, 1 chunk", _switches(50, 50, 50, splits=1), GIB),
    "E": ("3 switches of 8, with 50 GB/s and 500 ns, 64 KiB", _switches(50, 50, 50, latency=500), 64 * KIB),
    "F": ("2 switches of 16, with 150 and 6.25 GB/s, 1 GiB", _switches(150, 6.25, npus=16), GIB),
    "G": ("2 switches of 16, with 50 and 25 GB/s, 1 GiB", _switches(50, 25, npus=16), GIB),
}
"""letter: (words, platform, size in bytes) of all-reduces that Themis may make faster; 64 splits, but in D."""


def times_ns(platform: Platform, size: int) -> tuple[float, float]:
    """An all-reduce of `size` bytes in the baseline order, and with Themis and smallest chunk first."""
    themis = replace(platform.system, inter_dimension="themis", intra_dimension="SCF")
    work = Workload.micro("all-reduce", size)
    return simulate(work, platform).total_ns, simulate(work, replace(platform, system=themis)).total_ns
