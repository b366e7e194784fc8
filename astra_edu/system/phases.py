"""From a collective to timed phases: how its data are split, and what each chunk does on which dimension."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from astra_edu.collectives import Collective, schedule
from astra_edu.errors import ConfigError
from astra_edu.system.config import Platform
from astra_edu.system.timing import ScheduleTime, time_schedule


@dataclass(frozen=True)
class Phase:
    """One chunk's stay on one dimension: the collective carried out there, its bytes and its time."""

    collective: Collective
    dimension: int
    size: int
    time: ScheduleTime


def chunk_sizes(size: int, splits: int) -> list[int]:
    """Cut `size` bytes into chunks of size // splits bytes, and one of what is left over.

    Raises ConfigError when there are fewer bytes than splits: ASTRA-sim would cut chunks of 0 bytes for ever.
    """
    if size < splits:
        raise ConfigError(
            f"a collective of {size} bytes can't be cut into preferred-dataset-splits = {splits} chunks; "
            f"it needs {splits} bytes at least."
        )
    whole_chunks, rest = divmod(size, size // splits)
    return [size // splits] * whole_chunks + ([rest] if rest else [])


def chunk_phases(platform: Platform, collective: Collective, size: int) -> tuple[Phase, ...]:
    """The phases that one chunk of `size` bytes goes through, in order.

    Raises ConfigError for a single NPU, and for several dimensions, which this version doesn't schedule yet.
    """
    if len(platform.network) != 1:
        raise ConfigError(
            f"the platform has {len(platform.network)} dimensions; this version times collectives on 1. "
            "(ae.time_schedule times a hierarchical schedule that is not split.)"
        )
    npus = platform.network[0].npus
    if npus == 1:
        raise ConfigError("the platform has 1 NPU, which has nobody to communicate with; it takes 2 or more.")
    phases = []
    for what in _order(platform, collective):
        phases.append(_phase(platform, collective, what, size))
        if what is Collective.REDUCE_SCATTER:
            size //= npus
        elif what is Collective.ALL_GATHER:
            size *= npus
    return tuple(phases)


def _order(platform: Platform, collective: Collective) -> list[Collective]:
    """Themis keeps the two halves of an all-reduce apart, so that each can go to another dimension."""
    themis = platform.system.inter_dimension in ("themis", "themisFlex")
    if collective is Collective.ALL_REDUCE and themis and platform.system.optimization == "localBWAware":
        return [Collective.REDUCE_SCATTER, Collective.ALL_GATHER]
    return [collective]


@cache
def _phase(platform: Platform, collective: Collective, what: Collective, size: int) -> Phase:
    dimension = platform.network[0]
    how = platform.system.implementations(collective)[0]
    plan = schedule(what, how.algorithm, dimension.npus)
    time = time_schedule(plan, [dimension], size, platform.system.endpoint_delay, how.window)
    return Phase(what, 0, size, time)
