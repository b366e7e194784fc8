"""From a collective to timed phases: how its data are split, and what each chunk does on which dimension."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from astra_edu.collectives import Collective, phase_order, schedule
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

    Raises ConfigError for a single NPU, for fewer implementations than dimensions, and for an order of several
    dimensions that this version doesn't know.
    """
    how = platform.system.implementations(collective)
    if len(how) != len(platform.network):
        raise ConfigError(
            f"the platform has {len(platform.network)} dimensions, but {collective} has {len(how)} implementations "
            f"({'_'.join(i.spelling for i in how)}); give one a dimension."
        )
    phases = []
    for what, d in _order(platform, collective):
        phases.append(_phase(platform, collective, what, d, size))
        if what is Collective.REDUCE_SCATTER:
            size //= platform.network[d].npus
        elif what is Collective.ALL_GATHER:
            size *= platform.network[d].npus
    if not phases:
        raise ConfigError("the platform has 1 NPU, which has nobody to communicate with; it takes 2 or more.")
    return tuple(phases)


def _order(platform: Platform, collective: Collective) -> list[tuple[Collective, int]]:
    """(what, on which dimension), in order; a dimension of one NPU is passed over.

    Themis keeps the two halves of an all-reduce apart, so that each can go to another dimension.
    """
    used = [d for d, dimension in enumerate(platform.network) if dimension.npus > 1]
    inter = platform.system.inter_dimension
    if len(used) > 1 and inter != "baseline":
        raise ConfigError(
            f"inter-dimension-scheduling is {inter!r}; over several dimensions this version knows 'baseline' only."
        )
    if collective is Collective.ALL_REDUCE and platform.system.optimization == "baseline":
        return [(collective, d) for d in used]
    if collective is Collective.ALL_REDUCE and inter in ("themis", "themisFlex"):
        return [(half, d) for half in (Collective.REDUCE_SCATTER, Collective.ALL_GATHER) for d in used]
    return [(what, used[place]) for what, place in phase_order(collective, len(used))] if used else []


@lru_cache(maxsize=10_000)
def _phase(platform: Platform, collective: Collective, what: Collective, d: int, size: int) -> Phase:
    dimension = platform.network[d]
    how = platform.system.implementations(collective)[d]
    plan = schedule(what, how.algorithm, dimension.npus)
    time = time_schedule(plan, [dimension], size, platform.system.endpoint_delay, how.window)
    return Phase(what, d, size, time)
