"""What one NPU sends and receives in a phase, read off the algorithm's schedule.

Every NPU does the same relative to its own place, so a phase is described once: the k-th message goes to the NPU
`ahead[k]` places on and the k-th to arrive comes from as far behind; in halving-doubling NPUs exchange, so there both
are the same partner.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from astra_edu.collectives import Collective, Schedule, Traits
from astra_edu.system.faithful import quirks
from astra_edu.system.faithful.bus import Crossing, crossing


@dataclass(frozen=True, slots=True)
class Moves:
    """The messages of one NPU in a phase.

    ahead: places to the receiver of each message; sizes: their bytes. crossings: what the endpoint does with the data
    before each of the first `window` messages and then after each message that has come in; a crossing's bytes are in
    crossing_sizes. reductions: for the k-th message to arrive, ns to add it up, or None where nothing is. window: how
    many messages are on their way at once. gate: how many must have arrived before more than these are sent (0: none).
    endpoint_ns: for each message. alike: for each message the number of the first after it that goes elsewhere or is of
    another size; singly: whether no two in a row are alike. adds_evenly: whether all that arrive take as long to add
    up. in_group: whether the NPUs are a process group's, whose messages cross no bus.
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
    in_group: bool
    alike: tuple[int, ...]
    singly: bool
    adds_evenly: bool


def moves(
    schedule: Schedule,
    chunk_bytes: int,
    endpoint_ns: int,
    window: int | None,
    reduction_ns: Callable[[int], int],
    in_group: bool = False,
) -> Moves:
    """The messages of each of a symmetric schedule's NPUs, which bring `chunk_bytes`.

    window: of a windowed algorithm; None: as many messages as there are others. reduction_ns: of a message's bytes.
    in_group: whether these are the NPUs of a process group, whose endpoints ASTRA-sim 2.x treats differently.
    """
    traits, peers = schedule.traits, schedule.npus - 1
    width = min(window or peers, peers) if traits.windowed else 1
    ahead: list[int] = []
    sizes: list[int] = []
    for group, shards, times in schedule.sent_by_0:
        known = {count: quirks.message_bytes(schedule, group, count, chunk_bytes) for count in set(shards.values())}
        ahead += [*shards] * times
        sizes += [known[count] for count in shards.values()] * times
    crossings = _crossings(schedule.collective, traits, schedule.npus, width, len(sizes), in_group)
    following = quirks.crossing_bytes(schedule, sizes)
    crossing_sizes = [following[0]] * width + following[1:]
    reductions = [
        reduction_ns(crossing_bytes) if crossing.adds_up else None
        for crossing, crossing_bytes in zip(crossings[width:], crossing_sizes[width:], strict=True)
    ]
    alike = _alike([*zip(ahead, sizes, strict=True)])
    return Moves(
        schedule,
        tuple(ahead),
        tuple(sizes),
        crossings,
        tuple(crossing_sizes),
        tuple(reductions),
        width,
        peers if traits.windowed and len(schedule.groups) > 1 else 0,
        endpoint_ns,
        in_group,
        alike,
        alike == tuple(range(1, len(alike) + 1)),
        len(set(reductions)) == 1,
    )


def _alike(messages: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """For each of them the number of the first after it that differs."""
    found, end = [0] * len(messages), len(messages)
    for k in range(len(messages) - 1, -1, -1):
        if messages[k] != messages[end - 1]:
            end = k + 1
        found[k] = end
    return tuple(found)


@lru_cache(maxsize=1000)
def _crossings(
    collective: Collective, traits: Traits, npus: int, window: int, messages: int, in_group: bool
) -> tuple[Crossing, ...]:
    return tuple(crossing(collective, traits, npus, window, k, in_group) for k in range(window + messages))
