"""What one NPU has for a moment beside what it keeps: a block that is gathered or recomputed, what collectives give.

ZeRO-3 and FSDP (arXiv 2304.11277) have a block's parameters whole while it computes, and the next one's while they are
gathered ahead; ZeRO-2 and 3 a block's gradients until they are shared out, and the next one's where that hides. The
largest block counts, the next one as if it were as large. What is outside blocks counts operator by operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import NamedTuple

from astra_edu.workload.strategies.alike import Abridged, Places
from astra_edu.workload.strategies.communication import communications
from astra_edu.workload.strategies.kept import of_operators
from astra_edu.workload.strategies.strategy import Strategy


class Unit(NamedTuple):
    """A block. first, later, experts: parameters on the first stage, on others, and its experts'. recomputed: bytes of
    activations that it has again when it is computed again. held: bytes that a collective in it gives, at most.
    """

    first: float
    later: float
    experts: float
    recomputed: float
    held: float


class Passing(NamedTuple):
    """Of a part of the pipeline. units: its blocks, each kind once. output: bytes that are sent to the next part."""

    units: tuple[Unit, ...]
    output: float


@lru_cache(maxsize=8192)
def passing(about: Abridged, alone: Strategy, part: Places) -> Passing:
    """What an NPU has for a moment of a part. alone: as `about.alone` gives it."""
    each, whole = of_operators(about, alone), of_operators(about, replace(alone, recompute="none"))
    held, last = _held(about, alone), about.short.operators[part[-1]]
    among = alone.tensor if alone.sequence_parallel else 1
    units = {
        Unit(
            sum(each[i][0] for i in own),
            sum(each[i][1] for i in own),
            sum(each[i][3] for i in own),
            sum(whole[i][4] - each[i][4] for i in own),
            max(held[i] for i in own),
        )
        for own in _units(about, part)
    }
    output = alone.micro_batch * alone.bits.activation_bytes * (prod(alone.own_tokens(last).gives) // among)
    return Passing(tuple(sorted(units)), output)


def _units(about: Abridged, part: Places) -> list[list[int]]:
    """A part's blocks, and each operator that is in none of them."""
    starts, inside = {block.start for block in about.short.blocks}, {i for block in about.short.blocks for i in block}
    units: list[list[int]] = []
    for i in part:
        if units and i in inside and i not in starts and units[-1][-1] in inside:
            units[-1].append(i)
        else:
            units.append([i])
    return units


@lru_cache(maxsize=1024)
def _held(about: Abridged, alone: Strategy) -> tuple[float, ...]:
    """Of each operator of the short model, what its collectives within a micro-batch give at most."""
    most: dict[str, float] = {}
    for one in communications(about.short, alone):
        if one.within_micro_batch:
            most[one.operator] = max(most.get(one.operator, 0), one.held_bytes)
    return tuple(most.get(operator.name, 0) for operator in about.short.operators)


class Moment(NamedTuple):
    """What a stage's NPU does in a micro-batch. parts: of the model, its own. before: the part whose output it gets.
    after: whether the gradient of its own output comes back.
    """

    parts: Sequence[Passing]
    before: Passing | None = None
    after: bool = False


def moment_bytes(moment: Moment, later: bool, others: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Bytes of recomputed activations, and of buffers, while that block is at hand that has most of both.

    later: whether the stage is not the first. others: for all that is shared out and whole for a moment, bytes of a
    parameter that belong to others, and of one of an expert's.
    """

    def of_block(unit: Unit) -> tuple[float, float]:
        own = unit.later if later else unit.first
        return unit.recomputed, unit.held + sum(own * dense + unit.experts * expert for dense, expert in others)

    messages = moment.before.output if moment.before else 0.0
    if moment.after:
        messages += max(part.output for part in moment.parts)
    recomputed, buffers = max((of_block(unit) for part in moment.parts for unit in part.units), key=sum)
    return recomputed, buffers + messages
