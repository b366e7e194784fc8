"""The shared bus of 1.0 and 2.x: one all-reduce by three algorithms, and VGG-16."""

from __future__ import annotations

from pathlib import Path

import astra_edu as ae
from astra_edu.system import Bus
from astra_edu.traces import collective
from tools.bench_cpp.case import Case

BUS = Bus(G=0.0038)
VGG = Path(__file__).parents[2] / "exercises" / "inputs" / "asplos2022" / "ex3" / "vgg16.txt"


def all_reduce_1(how: str, npus: int) -> Case:
    """1.0: an all-reduce of 1 MiB."""
    platform = ae.Platform((ae.Dimension.of("Ring", npus, 50, 500),), ae.SystemConfig.of(how, splits=4, bus=BUS))
    return Case(f"{how} of {npus}", ae.Workload.micro("all-reduce", 2**20), platform)


def all_reduce_2(how: str, npus: int) -> Case:
    """2.x: the same."""
    platform = ae.TracePlatform(ae.Block("Ring", npus, 50, 500), ae.TraceSystem.of(how, splits=4, bus=BUS))
    return Case(f"{how} of {npus}", collective("all_reduce", 2**20, npus=npus), platform)


def vgg(npus: int = 32) -> Case:
    """1.0: an iteration of the tutorial's VGG-16."""
    platform = ae.Platform((ae.Dimension.of("Ring", npus, 50, 500),), ae.SystemConfig.of("ring", splits=4, bus=BUS))
    return Case(f"VGG-16 on {npus}", ae.load_workload(VGG), platform)
