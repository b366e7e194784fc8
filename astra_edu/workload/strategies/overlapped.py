"""What hides behind computing, in which order: attention round a ring, matrix products and experts piece by piece.

From the same lists estimates and traces are made. Sources: ring attention (arXiv 2310.01889); pieces of a tensor
group's collectives as in Wang et al., "Overlap communication with dependent computation via decomposition" (ASPLOS
2023), pieces of all-to-alls as in Tutel (2206.03382).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple

from astra_edu.collectives import Collective
from astra_edu.workload.compute import Combine, Compute, Dispatch, FlashAttention, Linear, Operator
from astra_edu.workload.models import Model
from astra_edu.workload.strategies.sent import FORWARD, INPUT_GRADIENT, Communication
from astra_edu.workload.strategies.strategy import Strategy


class Item(NamedTuple):
    """Something that an NPU computes or sends (`sent` then has the size of this piece), after others of its list."""

    after: tuple[int, ...]
    computes: tuple[Compute, ...] = ()
    sent: Communication | None = None


Items = tuple[Item, ...]


@dataclass(frozen=True)
class Unit:
    """Operators whose computing hides what they send. operators: indices of those that the lists compute.

    at: index of the operator that the rest of the pass meets. forward, backward: for one micro-batch; an NPU computes
    one item at a time and sends one at a time, those that are ready first. Where an order splits backward passes,
    gradients of weights are in neither: nothing is sent beside them.
    """

    at: int
    operators: tuple[int, ...]
    kind: str
    forward: Items
    backward: Items


def units(model: Model, strategy: Strategy, sent: Sequence[Communication]) -> Iterator[Unit]:
    """All of a model. sent: what the strategy sends for it."""
    found: dict[tuple[str, str], list[Communication]] = {}
    for one in sent:
        if one.group in ("tensor", "context", "expert") and not one.blocking:
            found.setdefault((one.operator, one.phase), []).append(one)
    inside = {i for block in model.blocks for i in block}
    for i, operator in enumerate(model.operators):
        ahead, back = (found.get((operator.name, phase), []) for phase in (FORWARD, INPUT_GRADIENT))
        if not ahead and not back:
            continue
        again = strategy.recompute == "full" and i in inside
        if isinstance(operator, FlashAttention):
            around = _around(strategy.part(operator), strategy, ahead[0])
            home = _home(strategy.part(operator), strategy, *back)
            repeats = strategy.recompute != "none"
            yield Unit(i, (i,), "context", around, _then(around, home) if repeats else home)
        elif isinstance(operator, Linear):
            forward, backward = _product(operator, strategy, ahead[0] if ahead else None, back[0] if back else None)
            yield Unit(i, (i,), "tensor", forward, _then(forward, backward) if again else backward)
        elif isinstance(operator, Dispatch):
            end = next(k for k in range(i, len(model.operators)) if isinstance(model.operators[k], Combine))
            those, combine = tuple(range(i + 1, end)), model.operators[end].name
            return_, leave = found[combine, FORWARD][0], found[combine, INPUT_GRADIENT][0]
            pieces = [strategy.part(model.operators[k].tokens_part(strategy.pieces)) for k in those]
            work = _works(pieces, strategy)
            forward = _there_and_back(ahead[0], work[0], return_, strategy.pieces)
            backward = _there_and_back(leave, work[1], back[0], strategy.pieces)
            yield Unit(i, those, "expert", forward, _then(forward, backward) if again else backward)


def _works(pieces: Sequence[Operator], strategy: Strategy) -> tuple[tuple[Compute, ...], tuple[Compute, ...]]:
    batch = strategy.micro_batch
    weights = [] if strategy.splits_backward else [part.weight_gradient(batch) for part in reversed(pieces)]
    gradients = [part.input_gradient(batch) for part in reversed(pieces)]
    return tuple(part.forward(batch) for part in pieces), (*gradients, *weights)


def _then(first: Items, second: Items) -> Items:
    """One list after all of another."""
    n = len(first)
    return (*first, *(one._replace(after=tuple(k + n for k in one.after) or tuple(range(n))) for one in second))


def _around(part: Operator, strategy: Strategy, message: Communication) -> Items:
    """Forward: in each step attention to one block of keys and values, while the next one comes."""
    assert isinstance(part, FlashAttention)
    block, merge = _block(part, strategy)
    items: list[Item] = []
    ready: tuple[int, ...] = ()
    for step in range(strategy.context):
        start = len(items)
        works = (block.forward(strategy.micro_batch), *([merge] if step else []))
        items.append(Item(ready, works))
        if step < strategy.context - 1:
            items.append(Item(ready, sent=message))
        ready = tuple(range(start, len(items)))
    return tuple(items)


def _home(part: Operator, strategy: Strategy, message: Communication, gradients: Communication) -> Items:
    """Backward: their gradients follow, one step later, each NPU adding its own, and get home after the last step."""
    assert isinstance(part, FlashAttention)
    block, _ = _block(part, strategy)
    blocks = strategy.micro_batch * part.keys_and_values
    added = Compute((), blocks, 3 * blocks)
    items: list[Item] = []
    ready: tuple[int, ...] = ()
    for step in range(strategy.context):
        start = len(items)
        items.append(Item(ready, (block.input_gradient(strategy.micro_batch), *([added] if step else []))))
        if step < strategy.context - 1:
            items.append(Item(ready, sent=message))
        if step:
            items.append(Item(ready, sent=gradients))
        ready = tuple(range(start, len(items)))
    return (*items, Item(ready, sent=gradients))


def _block(part: FlashAttention, strategy: Strategy) -> tuple[FlashAttention, Compute]:
    """(attention to one NPU's keys, in zigzag order half of them if causal; adding it to what was there before)."""
    block = replace(part, keys=(part.keys or 0) // strategy.context)
    outputs = strategy.micro_batch * prod(part.gives)
    return block, Compute((), 3 * outputs, 3 * outputs)


def _product(
    operator: Operator, strategy: Strategy, ahead: Communication | None, back: Communication | None
) -> tuple[Items, Items]:
    """A matrix product behind whose pieces those of an all-gather come, or those of a reduce-scatter go."""
    batch, count = strategy.micro_batch, strategy.pieces
    piece, whole = strategy.part(operator.tokens_part(count)), strategy.part(operator)
    forward = _one_way(ahead, (piece if ahead else whole).forward(batch), count)
    gradient = _one_way(back, (piece if back else whole).input_gradient(batch), count)
    computed = tuple(i for i, one in enumerate(gradient) if one.computes)
    weights = () if strategy.splits_backward else (Item(computed, (whole.weight_gradient(batch),)),)
    return forward, (*gradient, *weights)


def _one_way(sent: Communication | None, work: Compute, count: int) -> Items:
    if sent is None:
        return (Item((), (work,)),)
    arrives = sent.collective is Collective.ALL_GATHER
    return _there_and_back(sent if arrives else None, (work,), None if arrives else sent, count)


def _there_and_back(
    there: Communication | None, works: tuple[Compute, ...], back: Communication | None, count: int
) -> Items:
    """Pieces that come, are computed with, and go."""
    items = [Item((), sent=replace(there, size=-(-there.size // count))) for _ in range(count)] if there else []
    first = len(items)
    items += [Item((k,) if there else (), works) for k in range(count)]
    if back:
        items += [Item((first + k,), sent=replace(back, size=-(-back.size // count))) for k in range(count)]
    return tuple(items)


def makespan(items: Items, took_ns: Sequence[float]) -> float:
    """How long a list takes, each of its items as given.

    Of two pieces of 3 ns that come and are computed with in 5 ns each, the second comes behind the first's computing:

    >>> from astra_edu.workload.strategies.overlapped import Item, makespan
    >>> from astra_edu.workload.compute import Compute
    >>> sent = ae.communications("vgg16", ae.Strategy(data=8))[0]
    >>> comes, works = Item((), sent=sent), (Compute(),)
    >>> makespan((comes, comes, Item((0,), works), Item((1,), works)), (3, 3, 5, 5))
    13
    """
    free: dict[bool, float] = {True: 0, False: 0}
    ends: dict[int, float] = {}
    while len(ends) < len(items):
        starts = [
            (max([free[one.sent is None], *(ends[k] for k in one.after)]), i)
            for i, one in enumerate(items)
            if i not in ends and all(k in ends for k in one.after)
        ]
        start, i = min(starts)
        ends[i] = free[items[i].sent is None] = start + took_ns[i]
    return max(ends.values(), default=0)
