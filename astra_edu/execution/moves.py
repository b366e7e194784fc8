"""What one NPU sends and receives in a phase, read off the algorithm's schedule.

Every NPU does the same relative to its own place, so a phase is described once: the k-th message goes to the NPU
`ahead[k]` places on and the k-th to arrive comes from as far behind; halving-doubling exchanges, so there both are the
same partner.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from astra_edu.collectives import Collective, Schedule, schedule
from astra_edu.collectives.schedule import Rounds
from astra_edu.errors import ConfigError
from astra_edu.execution.config import TraceSystem
from astra_edu.system import reference
from astra_edu.system.config import Implementation

GROUP_ENDPOINT_NS = 10
"""In a process group the endpoint takes 10 ns for a message, whatever endpoint-delay says."""


@dataclass(frozen=True, slots=True)
class Moves:
    """The messages of one NPU in a phase.

    ahead: places to the receiver of each message; sizes: their bytes. reductions: for the k-th message to arrive, ns to
    add it up, or None where nothing is. window: how many messages are on their way at once. gate: how many must have
    arrived before more than these are sent (0: none). endpoint_ns: for each message. exchanges: who receives the k-th
    message sends his k-th back.
    """

    schedule: Schedule
    ahead: tuple[int, ...]
    sizes: tuple[int, ...]
    reductions: tuple[int | None, ...]
    window: int
    gate: int
    endpoint_ns: int
    exchanges: bool


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
    ahead, sizes, reductions = [], [], []
    for group in plan.groups:
        for step, times in _different_steps(group):
            chunks = Counter(destination for destination, _ in group.rule(step, 0))
            sent = [reference.message_bytes(plan, group, count, size) for count in chunks.values()]
            ahead += [*chunks] * times
            sizes += sent * times
            if not direct:
                reductions += [_reduction(plan, group, step, sent[0], system)] * times
    if direct:
        charged = [_charged(collective, window, npus, k, in_group) for k in range(len(sizes))]
        reductions = [system.reduction_ns(sizes[k]) if charged[k] else None for k in range(len(sizes))]
    return Moves(
        plan,
        tuple(ahead),
        tuple(sizes),
        tuple(reductions),
        window,
        peers if direct and len(plan.groups) > 1 else 0,
        GROUP_ENDPOINT_NS if in_group else system.endpoint_delay,
        how.algorithm == "halving-doubling",
    )


_schedule = lru_cache(maxsize=1000)(schedule)


def _different_steps(group: Rounds) -> list[tuple[int, int]]:
    """(step, how many like it in a row) of a group."""
    return [(0, group.count)] if group.uniform else [(step, 1) for step in range(group.count)]


def _reduction(plan: Schedule, group: Rounds, step: int, size: int, system: TraceSystem) -> int | None:
    """As in ASTRA-sim 1.0, halving-doubling pays for the message it sends next and not for the last one."""
    if not reference.is_charged(plan, group, step):
        return None
    return system.reduction_ns(size // 2 if plan.algorithm == "halving-doubling" else size)


def _charged(collective: Collective, window: int, npus: int, k: int, in_group: bool) -> bool:
    """Whether direct pays for adding up the k-th message to arrive, see system.reference.window_reduces.

    In a process group the lots are npus times as long, so an all-reduce pays for its all-gather, too.
    """
    if not in_group:
        return reference.window_reduces(collective, window, k)
    turn, place = divmod(window + k, npus * window)
    if place < window:
        return False
    return collective is Collective.REDUCE_SCATTER or (collective is Collective.ALL_REDUCE and turn % 2 == 0)
