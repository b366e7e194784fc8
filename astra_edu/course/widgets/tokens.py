"""What travels as one in a step of the player, what stands on it, and where labels would lie on each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Protocol

from astra_edu.collectives import Schedule
from astra_edu.collectives.schedule import Step
from astra_edu.course.widgets.layout import Layout
from astra_edu.course.widgets.own_layout import Point
from astra_edu.course.widgets.words import Token

TOKEN_HEIGHT = 17.0  # px


class Timing(Protocol):
    """When every transfer of a schedule happens, e.g. from a simulation. Times are in ns."""

    @property
    def total_ns(self) -> float:
        """The end of the last transfer."""

    def spans(self, step_index: int) -> Sequence[tuple[float, float]]:
        """(start, end) of each of schedule.step(step_index).transfers, in their order; steps count from 0."""


def tokens_of(step: Step, timing: Timing | None, schedule: Schedule, plan: Layout) -> list[Token]:
    """What travels as one, without what is from or to nowhere; in two trees, one in each."""
    npus, shards = range(schedule.npus), range(schedule.shards)
    tokens: dict[tuple[int, int, int], Token] = {}
    spans = timing.spans(step.index) if timing else [(0.0, 0.0)] * len(step.transfers)
    for (source, destination, shard), (start, end) in zip(step.transfers, spans, strict=True):
        if source not in npus or destination not in npus or shard not in shards or source == destination:
            continue
        token = tokens.setdefault((source, destination, plan.tree(shard)), Token(source, destination))
        token.shards.append(shard)
        token.start, token.end = min(token.start, start), max(token.end, end)
    return list(tokens.values())


def label(schedule: Schedule, shards: list[int]) -> str:
    """What stands on a token: its shards, or how many they are."""
    if len(shards) > 2:
        return f"{len(shards)} shards"
    return " ".join(schedule.shard_name(shard) for shard in shards)


def overlaps(boxes: list[tuple[Point, float]]) -> int:
    """How many pairs of (centre, width) cover each other by more than a little; token heights are the same."""
    return sum(
        abs(a[0] - b[0]) < 0.4 * (v + w) and abs(a[1] - b[1]) < 0.8 * TOKEN_HEIGHT
        for (a, v), (b, w) in combinations(boxes, 2)
    )
