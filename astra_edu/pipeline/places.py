"""Where the parts of a model are: looped round the stages, or folded, down the stages and up again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

LOOPED, FOLDED = "looped", "folded"


def part_of(stage: int, virtual_stage: int, stages: int, placement: str = LOOPED) -> int:
    """The part of the model that is a stage's virtual stage.

    >>> from astra_edu.pipeline.places import part_of
    >>> [part_of(stage, 1, 4) for stage in range(4)], [part_of(stage, 1, 4, "folded") for stage in range(4)]
    ([4, 5, 6, 7], [7, 6, 5, 4])
    """
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


def folded(order: Callable[..., Any]) -> Callable[..., Any]:
    """An order, for stages with two parts that are folded (arXiv 2405.15362): the first has the first and the last."""
    order.placement = FOLDED  # type: ignore[attr-defined]
    return order


def placement_of(order: object) -> str:
    """How an order places the parts."""
    return getattr(order, "placement", LOOPED)
