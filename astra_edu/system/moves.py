"""What one NPU sends and receives in a phase, read off the algorithm's schedule.

Every NPU does the same relative to its own place, so a phase is described once: the k-th message goes to the NPU
`ahead[k]` places on and the k-th to arrive comes from as far behind; halving-doubling exchanges, so there both are the
same partner.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective, Schedule, schedule
from astra_edu.collectives.schedule import Rounds
from astra_edu.system.config import Implementation
from astra_edu.system.faithful import quirks
from astra_edu.system.faithful.bus import Crossing, crossing
from astra_edu.system.trace_config import TraceSystem

GROUP_ENDPOINT_NS = 10
"""In a process group the endpoint takes 10 ns for a message, whatever endpoint-delay says."""


@dataclass(frozen=True, slots=True)
class Moves:
    """The messages of one NPU in a phase.

    ahead: places to the receiver of each message; sizes: their bytes. crossings: what the endpoint does with the data
    before each of the first `window` messages and then after each message that has come in; a crossing's bytes are in
    crossing_sizes. reductions: for the k-th message to arrive, ns to add it up, or None where nothing is. window: how
    many messages are on their way at once. gate: how many must have arrived before more than these are sent (0: none).
    endpoint_ns: for each message. exchanges: who receives the k-th message sends his k-th back. in_group: whether the
    NPUs are a process group's.
    """

    schedule: Schedule
    ahead: tuple[int, ...]
    sizes: tuple[int, ...]
    crossings: tuple[Crossing, ...]
    crossing_sizes: tuple[int, ...]
    reductions: tuple[int | None, ...]
    window: int
    gate: int
    endpoint_ns: int
    exchanges: bool
    in_group: bool


def moves(
    collective: Collective, how: Implementation, npus: int, size: int, system: TraceSystem, in_group: bool = False
) -> Moves:
    """The messages of `collective` carried out by `how` over `npus` NPUs that bring `size` bytes each.

    in_group: whether these are the NPUs of a process group, whose endpoints ASTRA-sim treats differently.
    Raises ConfigError where the algorithm can't.
    """
    if how.algorithm == "halving-doubling" and npus & (npus - 1):
        raise ConfigError(
            f"halvingDoubling over {npus} NPUs never ends in ASTRA-sim: it needs a power of two, such as "
            f"{1 << npus.bit_length()}."
        )
    plan = _schedule(collective, how.algorithm, npus)
    peers = npus - 1
    direct = how.algorithm == "direct"
    window = min(how.window or peers, peers) if direct else 1
    ahead, sizes = [], []
    for group in plan.groups:
        for step, times in _different_steps(group):
            chunks = Counter(destination for destination, _ in group.rule(step, 0))
            ahead += [*chunks] * times
            sizes += [quirks.message_bytes(plan, group, count, size) for count in chunks.values()] * times
    crossings = _crossings(collective, how.algorithm, npus, window, len(sizes), in_group)
    following = quirks.crossing_bytes(plan, sizes)
    crossing_sizes = [following[0]] * window + following[1:]
    reductions = [
        system.reduction_ns(size) if crossing.adds_up else None
        for crossing, size in zip(crossings[window:], crossing_sizes[window:], strict=True)
    ]
    return Moves(
        plan,
        tuple(ahead),
        tuple(sizes),
        crossings,
        tuple(crossing_sizes),
        tuple(reductions),
        window,
        peers if direct and len(plan.groups) > 1 else 0,
        GROUP_ENDPOINT_NS if in_group else system.endpoint_delay,
        how.algorithm == "halving-doubling",
        in_group,
    )


_schedule = lru_cache(maxsize=1000)(schedule)


@lru_cache(maxsize=1000)
def _crossings(
    collective: Collective, algorithm: str, npus: int, window: int, messages: int, in_group: bool
) -> tuple[Crossing, ...]:
    return tuple(crossing(collective, algorithm, npus, window, k, in_group) for k in range(window + messages))


def _different_steps(group: Rounds) -> list[tuple[int, int]]:
    """(step, how many like it in a row) of a group."""
    return [(0, group.count)] if group.uniform else [(step, 1) for step in range(group.count)]
