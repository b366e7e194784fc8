"""What a strategy sends, when, and how much: one list, from which tables, workload files and estimates are made.

Sources: Megatron-LM (arXiv 1909.08053), sequence parallelism (2205.05198), ZeRO (1910.02054), pipelines (2104.04473),
context groups that gather keys and values (2407.21783) or pass them round (2310.01889), experts (2006.16668), hybrid
sharding (2304.11277).
Left out, as they are small: Megatron's loss over a split vocabulary, the sum of tied embeddings' gradients over the
first and last stage, and the normalisations' gradients within a sequence-parallel group. Left out as well: sequence
parallelism's second gather of a layer's input, for its weight gradient, which hides behind the input gradient.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import prod

from astra_edu.collectives import Collective
from astra_edu.workload.compute import (
    Combine,
    Dispatch,
    Embedding,
    Experts,
    FlashAttention,
    Linear,
    Operator,
    Scores,
    Split,
)
from astra_edu.workload.models import INPUT, Model
from astra_edu.workload.models import model as named
from astra_edu.workload.strategies.alike import abridged
from astra_edu.workload.strategies.sent import FORWARD, INPUT_GRADIENT, UPDATE, WEIGHT_GRADIENT, Communication
from astra_edu.workload.strategies.strategy import Strategy, checked

PADDED_BYTES = 64
"""ZeRO pads each NPU's share of an operator's parameters to a multiple of this; the size is our choice."""


def communications(model: Model | str, strategy: Strategy, *, stage: int | None = None) -> tuple[Communication, ...]:
    """All that an NPU of a stage sends in an iteration, operator by operator; of all stages together if none is given.

    Raises ConfigError if the strategy doesn't fit.

    >>> model = ae.transformer("tiny", hidden=64, heads=4, blocks=1, sequence=32, vocabulary=1000)
    >>> for each in ae.communications(model, ae.Strategy(tensor=2))[:2]:
    ...     print(each.phase, each.operator, each.collective, each.size, "bytes")
    forward words all-reduce 4096 bytes
    input gradient block1_qkv all-reduce 4096 bytes
    """
    model = named(model)
    about = abridged(model, checked(strategy).exchange_embeddings)
    about.strategy(strategy)
    if stage is not None:
        return by_stage(model, strategy)[strategy.stage(stage)]
    likes = _of_operators(about.short, strategy)
    found = (
        replace(one, operator=operator.name)
        for operator, place in zip(model.operators, about.places, strict=True)
        for one in likes[place]
    )
    return (*found, *_between_stages(model, strategy))


def _of_operators(model: Model, strategy: Strategy) -> list[tuple[Communication, ...]]:
    """What each operator sends."""
    in_blocks = {i for block in model.blocks for i in block}
    found = []
    for i, operator in enumerate(model.operators):
        again = strategy.recompute == "full" and i in in_blocks
        takes_samples = not model.blocks and (i == 0 or operator.after == (INPUT,))
        routed = _of_tokens(operator, strategy, again)
        activations = _activations(operator, strategy, again, takes_samples)
        found.append((*routed, *activations, *_parameters(operator, strategy), *_mirrored(operator, strategy)))
    return found


def by_stage(model: Model, strategy: Strategy) -> tuple[tuple[Communication, ...], ...]:
    """What an NPU of each stage sends. Raises ConfigError if the strategy doesn't fit."""
    found: list[list[Communication]] = [[] for _ in range(strategy.pipeline)]
    parts = strategy.parts(model)
    part_of = {model.operators[i].name: k for k, part in enumerate(parts) for i in part}
    sent = communications(model, strategy)
    for stage, own in enumerate(found):
        parts_here = strategy.parts_on(stage)
        own += [one for one in sent if part_of[one.operator] in parts_here]
    if strategy.both_ways:  # half of the micro-batches on each of the two stages
        found = [[replace(one, times=one.times - one.times // 2) for one in own] for own in found]
    return tuple(map(tuple, found))


def _of_tokens(operator: Operator, strategy: Strategy, again: bool) -> Iterator[Communication]:
    """Keys and values of all a sample's tokens, within a context group; tokens to their experts, and back."""
    each, times = strategy.micro_batch * strategy.bits.activation_bytes, strategy.micro_batches
    part = strategy.part(operator)

    def one(content: str, phase: str, collective: Collective, group: str, npus: int, elements: int) -> Communication:
        often, waited = times * (2 if again and phase == FORWARD else 1), group not in strategy.overlap
        return Communication(operator.name, content, phase, collective, group, npus, each * elements, often, waited)

    if isinstance(part, FlashAttention) and strategy.context_by == "ring":
        yield from _round(operator, strategy, each * part.keys_and_values)
    elif isinstance(part, Scores | FlashAttention) and (npus := strategy.context) > 1:
        both, own = "keys and values", part.keys_and_values
        yield one(both, FORWARD, Collective.ALL_GATHER, "context", npus, own)
        yield one(both, INPUT_GRADIENT, Collective.ALL_GATHER, "context", npus, own)
        yield one(f"gradients of {both}", INPUT_GRADIENT, Collective.REDUCE_SCATTER, "context", npus, own * npus)
    if isinstance(part, Dispatch | Combine) and (npus := strategy.expert) > 1:
        for content, phase in (("routed tokens", FORWARD), ("gradients of routed tokens", INPUT_GRADIENT)):
            yield one(content, phase, Collective.ALL_TO_ALL, "expert", npus, prod(part.routed))


def _round(operator: Operator, strategy: Strategy, size: int) -> Iterator[Communication]:
    """Keys and values to the next NPU of a ring, for each but the first step of a pass; the backward pass has their
    gradients with them, which go one step further: home."""
    npus, times, both = strategy.context, strategy.micro_batches, "keys and values"
    passes = 2 if strategy.recompute != "none" else 1  # attention that is computed again has to meet all of them again
    for content, phase, often in (
        (both, FORWARD, passes * (npus - 1)),
        (both, INPUT_GRADIENT, npus - 1),
        (f"gradients of {both}", INPUT_GRADIENT, npus),
    ):
        yield Communication(operator.name, content, phase, None, "context", npus, size, often * times, False)


def _activations(operator: Operator, strategy: Strategy, again: bool, takes_samples: bool) -> Iterator[Communication]:
    """Activations and their gradients, within a tensor-parallel group, or of shared-out tables among all NPUs.

    takes_samples: it is given the samples themselves, whose gradient nobody needs.
    """
    batch, times = strategy.micro_batch * strategy.bits.activation_bytes, strategy.micro_batches
    part, own = strategy.part(operator), strategy.own_tokens(operator)
    in_pieces = "tensor" in strategy.overlap and isinstance(operator, Linear)

    def one(content: str, phase: str, collective: Collective, elements: int) -> Communication:
        often = times * (2 if again and phase == FORWARD else 1)
        size, waited = batch * elements, not in_pieces
        return Communication(operator.name, content, phase, collective, "tensor", strategy.tensor, size, often, waited)

    if operator.split is Split.TABLES:
        if strategy.exchange_embeddings and strategy.npus > 1:
            size = batch * prod(operator.gives)
            for content, phase in (("embeddings", FORWARD), ("embedding gradients", INPUT_GRADIENT)):
                everyone, collective = strategy.npus, Collective.ALL_TO_ALL
                yield Communication(operator.name, content, phase, collective, "all", everyone, size, times, False)
        return
    if strategy.tensor == 1 or isinstance(operator, Experts):  # partial sums are added up where they are combined
        return
    if strategy.whole_experts and isinstance(operator, Dispatch | Combine):  # of own tokens, to experts that are whole
        return
    adding, tokens = Collective.ALL_REDUCE, 1
    if strategy.sequence_parallel:
        adding, tokens = Collective.REDUCE_SCATTER, strategy.tensor
    has_input_gradient = not (takes_samples or operator.shares_input or isinstance(operator, Embedding))
    if operator.split is Split.ROWS:
        yield one("activations", FORWARD, adding, prod(own.gives))
        if strategy.sequence_parallel:
            yield one("input gradients", INPUT_GRADIENT, Collective.ALL_GATHER, prod(own.gives) // tokens)
        elif isinstance(operator, Linear) and operator.gathers_back:
            yield one("input gradients", INPUT_GRADIENT, Collective.ALL_GATHER, prod(part.takes))
    elif isinstance(operator, Linear | Dispatch) and operator.split is Split.COLUMNS and has_input_gradient:
        if strategy.sequence_parallel:
            yield one("activations", FORWARD, Collective.ALL_GATHER, prod(own.takes) // tokens)
        yield one("input gradients", INPUT_GRADIENT, adding, prod(own.takes))
    elif operator.split is Split.GATHERED:
        yield one("activations", FORWARD, Collective.ALL_GATHER, prod(part.gives))
        if has_input_gradient:
            yield one("input gradients", INPUT_GRADIENT, Collective.ALL_REDUCE, prod(own.takes))


def _parameters(operator: Operator, strategy: Strategy) -> Iterator[Communication]:
    """Gradients and parameters, among the NPUs that have the same."""
    copies, shards = strategy.sharing(operator), strategy.shards(operator)
    group = "data" if copies == strategy.copies else "expert data"
    among = "shard" if shards < copies else group
    exchanged = operator.split is Split.TABLES and strategy.exchange_embeddings
    count = strategy.part(operator).parameters
    if copies == 1 or exchanged or not count:
        return
    size, gathered = count * strategy.bits.gradient_bytes, count * strategy.bits.parameter_bytes
    shared, gathered = (-(-each // (shards * PADDED_BYTES)) * PADDED_BYTES for each in (size, gathered))

    def one(content: str, phase: str, collective: Collective, size: int, times: int) -> Communication:
        hides = "gradients" if phase == WEIGHT_GRADIENT else "parameters"
        waited = hides not in strategy.overlap
        return Communication(operator.name, content, phase, collective, among, shards, size, times, waited)

    each = strategy.micro_batches
    often = 1 if strategy.reduces_once else each
    gathering = (FORWARD, INPUT_GRADIENT) if strategy.reshard else (FORWARD,)
    for phase in gathering if strategy.zero == 3 else ():
        yield one("parameters", phase, Collective.ALL_GATHER, gathered, 1 if strategy.gathers_once else each)
    summing = Collective.REDUCE_SCATTER if strategy.zero else Collective.ALL_REDUCE
    yield one("weight gradients", WEIGHT_GRADIENT, summing, size, often)
    if shards < copies:
        across = one("weight gradients", WEIGHT_GRADIENT, Collective.ALL_REDUCE, shared, often)
        yield replace(across, group="replica", npus=copies // shards)
    if strategy.zero in (1, 2):
        yield one("parameters", UPDATE, Collective.ALL_GATHER, gathered, 1)


def _mirrored(operator: Operator, strategy: Strategy) -> Iterator[Communication]:
    """Gradients, or an NPU's share of them, between the two stages that have the same part of the model."""
    size = strategy.part(operator).parameters * strategy.bits.gradient_bytes
    if strategy.both_ways and size:
        shared = -(-size // strategy.shards(operator)) if strategy.zero else size
        content, phase, collective = "weight gradients", WEIGHT_GRADIENT, Collective.ALL_REDUCE
        yield Communication(operator.name, content, phase, collective, "mirror", 2, shared, 1, True)


def _between_stages(model: Model, strategy: Strategy) -> Iterator[Communication]:
    """Activations to the next part of the model, and their gradients back, for every micro-batch."""
    if strategy.pipeline == 1:
        return
    turn = strategy.pipeline - 1 if strategy.folded else None  # both parts there are on the last stage
    for k, (part, following) in enumerate(pairwise(strategy.parts(model))):
        if k == turn:
            continue
        last, first = model.operators[part[-1]], model.operators[following[0]]
        elements = prod(strategy.own_tokens(last).gives) // (strategy.tensor if strategy.sequence_parallel else 1)
        size = strategy.micro_batch * strategy.bits.activation_bytes * elements
        for sender, content, phase in ((last, "activations", FORWARD), (first, "input gradients", INPUT_GRADIENT)):
            yield Communication(sender.name, content, phase, None, "pipeline", 2, size, strategy.micro_batches, False)
