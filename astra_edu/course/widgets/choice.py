"""One setting of the explorer, and everything that is said about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod

from astra_edu.base.bound import caveat, total_words
from astra_edu.base.errors import ConfigError, whole
from astra_edu.base.errors import choice as allowed
from astra_edu.base.units import format_bytes, format_ns
from astra_edu.collectives import Collective, Schedule, counts, hierarchical
from astra_edu.network import Dimension
from astra_edu.network.bound import bandwidth_bound_ns, schedule_bound_ns, steps_that_meet
from astra_edu.run.simulate import simulate
from astra_edu.system import Implementation, Platform, ScheduleTime, SystemConfig, time_schedule
from astra_edu.system.formula import formula, message_formula
from astra_edu.system.plan_1 import chunk_sizes
from astra_edu.workload import Workload

UPDATE_NS = 1
ENDPOINT_NS = 10
MOST_NPUS = 4096
"""Of more, a setting takes too long to follow a slider; simulate and time_schedule take 65,536."""


@dataclass(frozen=True)
class Choice:
    """One setting of the explorer: what is asked, of which network."""

    collective: str
    algorithms: tuple[str, ...]
    network: tuple[Dimension, ...]
    size: int
    splits: int = 1

    @cached_property
    def schedule(self) -> Schedule:
        """What the player shows. Raises ConfigError also for more NPUs than can be counted at once."""
        npus = prod(d.npus for d in self.network)
        if npus > MOST_NPUS:
            raise ConfigError(
                f"{npus:,} NPUs are too many here; take {MOST_NPUS:,} at most. ae.time_schedule and ae.simulate take "
                "65,536."
            )
        collective = allowed("collective", self.collective, list(Collective))
        return _schedule(collective, self.algorithms, tuple(d.npus for d in self.network))

    @cached_property
    def sizes(self) -> list[int]:
        """The bytes of each chunk."""
        return chunk_sizes(self.size, whole("splits", self.splits, at_least=1))

    @cached_property
    def time(self) -> ScheduleTime:
        """The time of the first chunk, which is what the player shows."""
        return self._time(self.sizes[0])

    @cached_property
    def total_ns(self) -> float:
        """The time of all chunks: in turn on one dimension, overlapping on several, as ASTRA-sim has them."""
        if len(self.network) == 1:
            times = {size: self._time(size).total_ns for size in set(self.sizes)}
            return sum(times[size] for size in self.sizes) + UPDATE_NS
        how = tuple(Implementation(name, name) for name in self.algorithms)
        system = SystemConfig(how, how, how, how, splits=self.splits, endpoint_delay=ENDPOINT_NS)
        platform = Platform(self.network, system)
        return simulate(Workload.micro(self.collective, self.size, UPDATE_NS), platform).total_ns

    @cached_property
    def bound_ns(self) -> float | None:
        """What the links allow at least for all chunks, where messages of a step share some; None where none do."""
        return schedule_bound_ns(self.schedule, self.network, self.size, self.total_ns)

    def _time(self, size: int) -> ScheduleTime:
        return time_schedule(self.schedule, self.network, size, ENDPOINT_NS)


@lru_cache(maxsize=64)
def _schedule(collective: str, algorithms: tuple[str, ...], npus: tuple[int, ...]) -> Schedule:
    return hierarchical(collective, list(algorithms), list(npus))


def summary(choice: Choice) -> str:
    """The costs of a choice as text: time, bytes, steps, the sum behind the time, and what it leaves out."""
    schedule, time = choice.schedule, choice.time
    cost = counts(schedule, schedule.buffer_bytes(choice.size))
    total, shared = choice.total_ns, caveat(choice.total_ns, choice.bound_ns)
    moved = f"{format_bytes(cost.sent)} sent by the busiest NPU, {_several(len(choice.sizes), 'chunk')} of "
    moved += _several(cost.steps, "step")
    lines = [
        f"{total_words(total, choice.bound_ns)}: {shared or moved}",
        *([moved] if shared else []),
        f"sent by all NPUs: {format_bytes(cost.total)}; NPUs that send to one NPU at once: {cost.fan_in}",
    ]
    lines += formula(time, choice.network, ENDPOINT_NS) or [
        "(not a plain sum: the time is the longest chain of waiting)"
    ]
    if time.stretches:
        stretch = max(time.stretches, key=lambda s: s.steps * s.step_ns)
        lines.append(message_formula(choice.network[stretch.dimension], stretch))
    lines += [_all_chunks(choice), *_warning(choice)]
    return "\n".join(lines)


def _all_chunks(choice: Choice) -> str:
    """From the time of the chunk that the player shows to that of them all."""
    one, n = f"{choice.time.total_ns:,.0f}", len(choice.sizes)
    rest = f" + {UPDATE_NS} ns to use the result = {choice.total_ns:,.0f} ns"
    if len(choice.network) > 1:
        return (
            f"{_several(n, 'chunk')}, each dimension starting the next as soon as it is free, "
            f"and {UPDATE_NS} ns to use the result: {choice.total_ns:,.0f} ns"
        )
    if n == 1:
        return f"one chunk, which the player shows: {one}{rest}"
    if choice.sizes[-1] != choice.sizes[0]:
        last = choice.total_ns - UPDATE_NS - (n - 1) * choice.time.total_ns
        return f"{n} chunks in turn, the player shows the first: {n - 1} × {one} + {last:,.0f} for the rest{rest}"
    return f"{n} chunks in turn, the player shows the first: {n} × {one}{rest}"


def _warning(choice: Choice) -> list[str]:
    meet = steps_that_meet(choice.schedule, choice.network)
    if not meet:
        return []
    bound = bandwidth_bound_ns(choice.schedule, choice.network, choice.size)
    return [
        f"beware: in {meet} of {_several(choice.schedule.step_count, 'step')} messages share links, and this model "
        f"lets them pass through each other. Over the links there are, the bytes alone need {format_ns(bound)}."
    ]


def _several(n: int, thing: str) -> str:
    return f"{n:,} {thing}{'s' if n != 1 else ''}"
