"""Case studies 1 and 2, a single all-reduce: what a system takes, and how much of its bandwidth is used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from astra_edu.base.errors import choice
from astra_edu.base.units import MIB, bytes_per_ns
from astra_edu.base.warned import quiet
from astra_edu.course.studies.case_studies.platforms import SYSTEMS, case_study_platform, npu_bandwidths
from astra_edu.run.run_trace import run_trace
from astra_edu.system import TracePlatform
from astra_edu.traces import collective

SCHEDULERS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "baseline": ("baseline", "FIFO"),
        "Themis, FIFO": ("themis", "FIFO"),
        "Themis, SCF": ("themis", "SCF"),
    }
)
"""(inter-dimension, intra-dimension scheduling) by name: FIFO, or the smallest chunk first ("smallestFirst").

No release of ASTRA-sim 2.x reads these keys, so it always runs the baseline; its code for Themis is there.
"""
UNRELEASED = "Themis is code of ASTRA-sim 2.x that no release switches on."
"""What to say wherever results with Themis stand."""
SIZES = tuple(MIB << power for power in range(11))
"""1 MiB to 1 GiB, in bytes."""


class AllReduce(NamedTuple):
    """An all-reduce of `size` bytes on a system: its time, and the least that its bandwidth allows, in ns.

    >>> from astra_edu.studies.case_studies import all_reduce, case_study_platform
    >>> run = all_reduce(case_study_platform("W-1D-350"), 2**20)
    >>> run.total_ns, f"{run.used:.0%}"
    (8512, '65%')
    """

    system: str
    scheduler: str
    size: int
    total_ns: int
    least_ns: float

    @property
    def used(self) -> float:
        """The share of the network's bandwidth that is used."""
        return self.least_ns / self.total_ns


def scheduled(platform: TracePlatform, scheduler: str) -> TracePlatform:
    """The platform with one of SCHEDULERS.

    >>> from astra_edu.studies.case_studies import case_study_platform, scheduled
    >>> scheduled(case_study_platform("Conv-3D"), "Themis, SCF").system.inter_dimension
    'themis'
    """
    inter, intra = SCHEDULERS[choice("scheduler", scheduler, SCHEDULERS)]
    return replace(platform, system=replace(platform.system, inter_dimension=inter, intra_dimension=intra))


def least_ns(platform: TracePlatform, size: int) -> float:
    """No all-reduce that leaves sums to the NPUs is faster, in ns: 2 (n − 1)/n of the bytes over all bandwidth."""
    share = 2 * (platform.npus - 1) / platform.npus
    return share * size / bytes_per_ns(sum(npu_bandwidths(platform)))


def all_reduce(platform: TracePlatform, size: int, system: str = "", scheduler: str = "") -> AllReduce:
    """One all-reduce of `size` bytes of every NPU. system, scheduler: what to call them.

    >>> from astra_edu.studies.case_studies import all_reduce, case_study_platform, scheduled
    >>> plain = case_study_platform("Conv-3D", splits=16)
    >>> for scheduler in ("baseline", "Themis, SCF"):
    ...     print(scheduler, all_reduce(scheduled(plain, scheduler), 2**24).total_ns, "ns")
    baseline 147392 ns
    Themis, SCF 107061 ns
    """
    with quiet():  # NPU 0 stands for all, also where Themis meets ties: the study compares sizes of effects
        total = run_trace(collective("all_reduce", size, platform.npus), platform).total_ns
    return AllReduce(system, scheduler, size, total, least_ns(platform, size))


def all_reduces(
    systems: Iterable[str] = tuple(SYSTEMS),
    schedulers: Iterable[str] = tuple(SCHEDULERS),
    sizes: Iterable[int] = SIZES,
    **settings: Any,
) -> tuple[AllReduce, ...]:
    """An all-reduce of every size on every system with every scheduler. settings: as case_study_platform's.

    >>> from astra_edu.studies.case_studies import all_reduces
    >>> for run in all_reduces(["W-1D-350", "W-1D-500"], ["baseline"], sizes=[2**20], splits=4):
    ...     print(run.system, run.total_ns, "ns")
    W-1D-350 5748 ns
    W-1D-500 4084 ns
    """
    schedulers, sizes = tuple(schedulers), tuple(sizes)
    return tuple(
        all_reduce(scheduled(platform, scheduler), size, system, scheduler)
        for system, platform in ((system, case_study_platform(system, **settings)) for system in systems)
        for scheduler in schedulers
        for size in sizes
    )
