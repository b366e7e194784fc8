"""Why a run doesn't depend on the orders in which chunks and collectives are taken: from what it recorded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from astra_edu.collectives import Collective
from astra_edu.system.queues import Stay

ONE_DIMENSION = "only one dimension is used"
ONE_EACH = "no collective uses several dimensions"
ONE_COLLECTIVE = "there is one collective"
ONE_AT_ONCE = "no two collectives are under way at once"
ONE_WAITS = "no two chunks wait for the same dimension at once"
WHOLE = "whole all-reduces and all-to-alls are always taken in the order of their collectives"


def of_dimensions(stays: Sequence[Stay]) -> str:
    """Why chunks go through the same dimensions in whatever order; "" where it isn't known."""
    if not stays:
        return ""
    of: dict[int, set[int]] = defaultdict(set)
    for stay in stays:
        of[id(stay.issued)].add(stay.phase.dimension)
    if len(set().union(*of.values())) == 1:
        return ONE_DIMENSION
    return ONE_EACH if all(len(dimensions) == 1 for dimensions in of.values()) else ""


def of_collectives(stays: Sequence[Stay]) -> str:
    """Why it is the same which collective goes first; "" where it isn't known."""
    ends: dict[tuple[int, int], float] = {}
    for stay in stays:
        key = stay.npu, id(stay.issued)
        ends[key] = max(ends.get(key, 0), stay.end_ns)
    if len(ends) == 1:
        return ONE_COLLECTIVE
    times = {(stay.npu, id(stay.issued)): stay.issued.created_ns for stay in stays}
    apart = not _overlap((npu, start, ends[npu, one]) for (npu, one), start in times.items())
    return ONE_AT_ONCE if stays and apart else ""


def of_chunks(stays: Sequence[Stay]) -> str:
    """Why it is the same which chunk a dimension takes first; "" where it isn't known."""
    if not stays:
        return ""
    waits = (stay for stay in stays if stay.start_ns > stay.queued_ns)
    if not _overlap(((stay.npu, stay.phase.dimension), stay.queued_ns, stay.start_ns) for stay in waits):
        return ONE_WAITS
    whole = all(stay.phase.collective in (Collective.ALL_REDUCE, Collective.ALL_TO_ALL) for stay in stays)
    return WHOLE if whole else ""


def _overlap(times: Iterable[tuple[object, float, float]]) -> bool:
    """Whether two of (where, start, end) are in the same place at once."""
    of: dict[object, list[tuple[float, float]]] = defaultdict(list)
    for where, start, end in times:
        of[where].append((start, end))
    return any(later[0] < before[1] for each in of.values() for before, later in pairwise(sorted(each)))
