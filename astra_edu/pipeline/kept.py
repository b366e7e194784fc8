"""What a stage keeps of its parts' activations at most, by the order of its passes, which no time changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from astra_edu.pipeline.checked import passes as passes_of
from astra_edu.pipeline.closed_form import FORMULAS, in_flight
from astra_edu.pipeline.orders import ORDERS, Order, Pass, interleaved
from astra_edu.pipeline.places import BOTH_WAYS, placement_of, way_of

GROUPS = 3
"""Groups of micro-batches after which the interleaved order keeps nothing that it hasn't kept before: less than two run
ahead, and in the third all forward and backward passes of a group have come in turn."""


def most_kept(order: str, stage: int, stages: int, micro_batches: int, virtual: int, sizes: tuple[float, ...]) -> float:
    """Bytes that a stage keeps at most, if a micro-batch's activations in its parts have these sizes, in bytes.

    sizes: one for each virtual stage; in an order that goes both ways those of the part on the way down, and up.

    >>> from astra_edu.pipeline.kept import most_kept
    >>> most_kept("1f1b", 0, 4, 8, 1, (10,)), most_kept("interleaved", 0, 2, 4, 2, (30, 10))
    (40, 130)
    """
    if order in FORMULAS and (order != "interleaved" or len(set(sizes)) == 1):
        return in_flight(order, stage, stages, micro_batches, virtual) * sum(sizes)
    counts = _most_counts(ORDERS[order], stage, stages, micro_batches, virtual)
    return max(sum(count * size for count, size in zip(each, sizes, strict=True)) for each in counts)


@lru_cache(maxsize=8192)
def _most_counts(
    order: Order, stage: int, stages: int, micro_batches: int, virtual: int
) -> tuple[tuple[int, ...], ...]:
    """For how many micro-batches a stage keeps its parts, at those moments that no other outdoes in each of them."""
    if order is interleaved:
        own: Sequence[Pass] = tuple(order(stage, stages, min(micro_batches, GROUPS * stages), virtual))
    else:
        own = _listed(order, stages, micro_batches, virtual)[stage]
    placement = placement_of(order)
    parts = [each.virtual_stage or way_of(each.micro_batch, micro_batches, placement) for each in own]
    split = {each[1:] for each in own if each.kind == "W"}
    kept, moments = [0] * (2 if placement == BOTH_WAYS else virtual), dict[tuple[int, ...], None]()
    for each, part in zip(own, parts, strict=True):
        if each.kind == "F":
            kept[part] += 1
        elif each.kind == ("W" if each[1:] in split else "B"):
            moments[tuple(kept)] = None
            kept[part] -= 1
    return tuple(one for one in moments if not _outdone(one, moments))


def _outdone(one: tuple[int, ...], moments: Iterable[tuple[int, ...]]) -> bool:
    """Whether at another moment no less is kept of any part."""
    return any(other != one and all(a <= b for a, b in zip(one, other, strict=True)) for other in moments)


@lru_cache(maxsize=8)
def _listed(order: Order, stages: int, micro_batches: int, virtual: int) -> Sequence[Sequence[Pass]]:
    """The passes of each stage, which is asked for stage by stage."""
    return passes_of(order, stages, micro_batches, virtual)
