"""Where the parts of a model are: looped round the stages; folded, down and up again; or both ways, twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

LOOPED, FOLDED, BOTH_WAYS = "looped", "folded", "both ways"
"""Both ways: stage s of p has the parts s and p - 1 - s, so that every part is there twice; the first half of the
micro-batches goes down the stages, the other half up."""


def part_of(stage: int, virtual_stage: int, stages: int, placement: str = LOOPED) -> int:
    """The part of the model that is a stage's virtual stage; both ways, 0 is its part of the way down, 1 of that up.

    >>> from astra_edu.pipeline.places import part_of
    >>> [part_of(stage, 1, 4) for stage in range(4)], [part_of(stage, 1, 4, "folded") for stage in range(4)]
    ([4, 5, 6, 7], [7, 6, 5, 4])
    >>> [part_of(stage, 1, 4, "both ways") for stage in range(4)]
    [3, 2, 1, 0]
    """
    if placement == BOTH_WAYS and virtual_stage:
        return stages - 1 - stage
    if placement == FOLDED and virtual_stage:
        return 2 * stages - 1 - stage
    return virtual_stage * stages + stage


def place_of(part: int, stages: int, placement: str = LOOPED) -> tuple[int, int]:
    """(stage, virtual stage) of a part of the model.

    >>> from astra_edu.pipeline.places import place_of
    >>> place_of(5, 4), place_of(5, 4, "folded")
    ((1, 1), (2, 1))
    """
    virtual_stage, stage = divmod(part, stages)
    return (stages - 1 - stage if placement == FOLDED and virtual_stage else stage), virtual_stage


def way_of(micro_batch: int, micro_batches: int, placement: str) -> int:
    """1 for a micro-batch that goes up the stages, from the last to the first; 0 for all others.

    >>> from astra_edu.pipeline.places import way_of
    >>> [way_of(i, 4, "both ways") for i in range(4)], [way_of(i, 4, "looped") for i in range(4)]
    ([0, 0, 1, 1], [0, 0, 0, 0])
    """
    return int(placement == BOTH_WAYS and 2 * micro_batch >= micro_batches)


def folded(order: Callable[..., Any]) -> Callable[..., Any]:
    """An order, for stages with two parts that are folded (arXiv 2405.15362): the first has the first and the last."""
    order.placement = FOLDED  # type: ignore[attr-defined]
    return order


def both_ways(order: Callable[..., Any]) -> Callable[..., Any]:
    """An order, for stages with two parts of the model, which half of the micro-batches go through from each end."""
    order.placement = BOTH_WAYS  # type: ignore[attr-defined]
    return order


def placement_of(order: object) -> str:
    """How an order places the parts."""
    return getattr(order, "placement", LOOPED)
