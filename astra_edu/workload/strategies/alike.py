"""A transformer's hundredth block computes, sends and keeps what its second does: alike blocks are looked at once."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from math import gcd
from typing import Any

from astra_edu.workload.compute import Operator
from astra_edu.workload.models import Model
from astra_edu.workload.strategies.stages import Shared, stages
from astra_edu.workload.strategies.strategy import Strategy

Places = tuple[int, ...]
"""Indices of a short model's operators."""


@dataclass(frozen=True, eq=False)
class Abridged:
    """A model, a short one that stands for it, and where in that each of its operators has its like."""

    model: Model
    short: Model
    places: Places

    def strategy(self, strategy: Strategy) -> Strategy:
        """What shares the short model out in the same way. Raises ConfigError where strategy.check(model) does."""
        self.parts(strategy)
        if self.short is self.model:
            strategy.check(self.model)
            return strategy
        pipeline = min(2, strategy.pipeline)
        _check(self, _alone(strategy), pipeline)
        return replace(strategy, pipeline=pipeline, pipeline_order="1f1b", virtual=1, stage_blocks="even")

    def alone(self, few: Strategy) -> Strategy:
        """The same for a tensor group by itself: what it computes and keeps for a micro-batch is known from that."""
        return few if few.exchange_embeddings else _alone(few)

    def checked_alone(self, strategy: Strategy) -> Strategy:
        """`alone` of what shares the short model out in the same way. Raises ConfigError where `strategy` does."""
        if self.short is self.model or strategy.exchange_embeddings:
            return self.alone(self.strategy(strategy))
        self.parts(strategy)
        alone = _alone(strategy)
        _check(self, alone, min(2, strategy.pipeline))
        return alone

    def parts(self, strategy: Strategy) -> tuple[Places, ...]:
        """For each part of a pipeline its operators' likes. Raises ConfigError as stages does."""
        return _parts(self, strategy.pipeline * strategy.virtual, strategy.stage_blocks)


@lru_cache(maxsize=64)
def abridged(model: Model, whole: bool = False) -> Abridged:
    """The model with its first two blocks and one of each other kind alone, unless it is wanted whole."""
    blocks, operators = model.blocks, model.operators
    likes = () if whole or len(blocks) < 3 else _likes(model)
    if not likes or sum(map(len, blocks)) < blocks[-1].stop - blocks[0].start:
        return Abridged(model, model, tuple(range(len(operators))))
    few = sorted(set(likes))
    left_out = {i for k, block in enumerate(blocks) if likes[k] != k for i in block}
    kept = [i for i in range(len(operators)) if i not in left_out]
    place = {i: at for at, i in enumerate(kept)}
    for block, like in zip(blocks, likes, strict=True):
        place |= {i: place[one] for i, one in zip(block, blocks[like], strict=True)}
    names = {operator.name: operators[kept[place[i]]].name for i, operator in enumerate(operators)}
    short = replace(
        model,
        operators=tuple(
            operators[i].renamed(operators[i].name, tuple(names.get(name, name) for name in operators[i].after))
            for i in kept
        ),
        blocks=tuple(range(place[blocks[k].start], place[blocks[k].start] + len(blocks[k])) for k in few),
    )
    return Abridged(model, short, tuple(place[i] for i in range(len(operators))))


def _likes(model: Model) -> tuple[int, ...]:
    """For each block the number of one like it that is kept; () if no block can be left out.

    An even number is kept, so that two stages can share them; the first block has the samples before it, so that
    others are like a later one.
    """
    looks = [tuple(_look(model.operators[i]) for i in block) for block in model.blocks]
    first: dict[tuple[object, ...], int] = {}
    for k, look in enumerate(looks[1:], 1):
        first.setdefault(look, k)
    kept = {0, *first.values()}
    if len(kept) % 2:
        kept |= {next((k for k in range(len(looks)) if k not in kept), 0)}
    if len(kept) % 2 or len(kept) == len(looks):
        return ()
    return tuple(k if k in kept else first[look] for k, look in enumerate(looks))


@lru_cache(maxsize=1024)
def _parts(about: Abridged, count: int, blocks: Shared) -> tuple[Places, ...]:
    return tuple(tuple(about.places[i] for i in part) for part in stages(about.model, count, blocks))


def _alone(strategy: Strategy) -> Strategy:
    """As few copies and stages as share out operators in the same way."""
    return _alone_with(tuple(getattr(strategy, name) for name in _OF_OPERATORS))


_MANY = ("data", "batch", "pipeline", "pipeline_order", "virtual", "stage_blocks", "zero", "shard_group", "reshard")
_OF_OPERATORS = tuple(field.name for field in fields(Strategy) if field.name not in _MANY)
"""What says how operators are shared out, and the overlap of what they send."""


@lru_cache(maxsize=8192)
def _alone_with(of_operators: tuple[Any, ...]) -> Strategy:
    own = dict(zip(_OF_OPERATORS, of_operators, strict=True))
    expert = own["expert"] // (own["tensor"] if own["whole_experts"] else 1)
    data = expert // gcd(expert, own["context"])
    own["overlap"] = tuple(name for name in own["overlap"] if name != "parameters")
    return Strategy(**own, data=data, batch=data * own["micro_batch"])


@lru_cache(maxsize=1024)
def _check(about: Abridged, alone: Strategy, pipeline: int) -> None:
    replace(alone, pipeline=pipeline).check(about.short)


def _look(operator: Operator) -> tuple[object, ...]:
    """All of an operator but its name and what it comes after."""
    return type(operator), *(value for name, value in vars(operator).items() if name not in ("name", "after"))
