"""How the network's dimensions were used: how long, and whether the model put more on their links than they carry."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.intervals import covered
from astra_edu.run.result import Result
from astra_edu.system.plan_1 import Phase


def overload(result: Result, busy: Sequence[float] | None = None) -> tuple[float, int]:
    """(How many times what its links carry was on a dimension while it was busy, that dimension), at the worst one.

    More than 1 is possible because the analytical model lets messages pass through each other. busy: of busy_ns,
    where it is known already. The links are NPU 0's.
    """
    found = [(0.0, 0)]
    sent = result.message_bytes_per_dimension
    for d, (dimension, count, time) in enumerate(
        zip(result.platform.network, sent, busy or busy_ns(result), strict=True)
    ):
        if time:
            found.append((count / (dimension.injection_bandwidth * time), d))
    return max(found)


def busy_ns(result: Result) -> list[float]:
    """For each of the network's dimensions, how long a chunk was on it."""
    stays: dict[int, tuple[Phase, list[tuple[float, float]]]] = {}  # chunks share their phases
    for stay in result.stays:
        stays.setdefault(id(stay.phase), (stay.phase, []))[1].append((stay.start_ns, stay.end_ns))
    busy: list[list[tuple[float, float]]] = [[] for _ in result.platform.network]
    for phase, intervals in stays.values():
        first, sent = phase.logical.dimension.first_place, phase.duration.sent
        for place, sent_bytes in enumerate(sent):
            if sent_bytes or len(sent) == 1:  # a phase takes its time even where its messages have no whole byte
                busy[first + place] += intervals
    return [covered(intervals) for intervals in busy]
