"""What the what-if instrument simulates: one run of a platform and a workload, and what can't be run, before it is."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective
from astra_edu.network import Dimension
from astra_edu.run.result import Result
from astra_edu.run.simulate import simulate
from astra_edu.system import Implementation, Platform, SystemConfig
from astra_edu.workload import Workload

FOR_ANY = ("ring", "direct")
"""Algorithms for any number of NPUs."""


@dataclass(frozen=True)
class Ran:
    """A run, and what was warned of meanwhile."""

    result: Result
    warned: tuple[str, ...]


@lru_cache(maxsize=12)  # some take 10 MiB; views keep what they have shown
def ran(workload: Workload, platform: Platform, passes: int) -> Ran:
    """Simulate, or take what was simulated before. Raises ConfigError for what can't be."""
    return _simulated(workload, platform, passes)


def _simulated(workload: Workload, platform: Platform, passes: int) -> Ran:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = simulate(workload, platform, passes, progress=False)
    return Ran(result, tuple(dict.fromkeys(str(warning.message) for warning in caught)))


def phases(workload: Workload, platform: Platform, passes: int) -> int:
    """About how many phases of chunks the run will have; rather more than fewer."""
    collectives = sum(
        work.collective is not None and work.size > 0
        for layer in workload.layers
        for work in (layer.forward, layer.input_gradient, layer.weight_gradient)
    )
    return passes * collectives * platform.system.splits * 2 * len(platform.network)


def messages(workload: Workload, platform: Platform) -> int:
    """About how many messages have to be followed one by one, as NPUs of a mesh, say, differ."""
    works = (work for layer in workload.layers for work in (layer.forward, layer.input_gradient, layer.weight_gradient))
    sizes = {(work.collective, work.size) for work in works if work.collective and work.size}
    return 2 * len(sizes) * sum(dim.npus * (dim.npus - 1) for dim in platform.network if not dim.even)


def check(workload: Workload, platform: Platform) -> None:
    """Raise ConfigError where a dimension can't carry out what the workload asks for, in less time than a run takes."""
    for collective in _asked(workload):
        how = platform.system.implementations(collective)
        for dimension, implementation in zip(platform.network, how, strict=False):
            if implementation.algorithm in FOR_ANY:
                continue
            if why := _refused(collective, dimension.topology.value, dimension.npus, implementation):
                raise ConfigError(why)


@lru_cache(maxsize=32)
def _asked(workload: Workload) -> tuple[Collective, ...]:
    works = (work for layer in workload.layers for work in (layer.forward, layer.input_gradient, layer.weight_gradient))
    return tuple(dict.fromkeys(work.collective for work in works if work.collective))


@lru_cache(maxsize=4096)
def _refused(collective: Collective, topology: str, npus: int, how: Implementation) -> str:
    """Why it can't be carried out on one dimension alone; "" where it can."""
    platform = Platform((Dimension.of(topology, npus, 1, 0),), SystemConfig((how,), (how,), (how,), (how,), splits=1))
    try:
        _simulated(Workload.micro(collective.value, 1024), platform, 1)
    except ConfigError as error:
        return str(error)
    return ""
