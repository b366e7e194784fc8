"""What a strategy can't be, by itself and for a model: sentences that name the nearest numbers that can."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from astra_edu.base.errors import ConfigError, choice, flag, shown, whole
from astra_edu.pipeline.dualpipe import check_counts
from astra_edu.workload.compute import Dispatch, Experts, FlashAttention, Linear, Operator, Scores, Split
from astra_edu.workload.compute.operator import divisors, near
from astra_edu.workload.models import Model

if TYPE_CHECKING:
    from astra_edu.workload.strategies.strategy import Strategy

CONTEXT_BY = ("all-gather", "ring")
OVERLAPS = ("gradients", "parameters", "tensor", "expert")

MOST_TRIED = 4096
"""NPUs of a tensor group, at most, where the nearest possible number is looked for."""


def checked_sharing(strategy: Strategy) -> tuple[str, ...]:
    """`overlap` as a strategy keeps it. Raises ConfigError for what is shared out, sent or hidden in no such way."""
    choice("context_by", strategy.context_by, CONTEXT_BY)
    flag("reshard", strategy.reshard)
    if strategy.context_by == "ring" and strategy.context == 1:
        raise ConfigError("a ring of 1 NPU sends nothing: context_by='ring' takes context=2 or more.")
    if not strategy.reshard and strategy.zero != 3:
        raise ConfigError(
            f"zero is {strategy.zero}: only ZeRO-3 gathers parameters that could be kept; reshard=False takes zero=3."
        )
    _check_shard_group(strategy)
    return _overlap(strategy)


def _check_shard_group(strategy: Strategy) -> None:
    if strategy.shard_group is None:
        return
    group = whole("shard_group", strategy.shard_group, at_least=2)
    object.__setattr__(strategy, "shard_group", group)
    if not strategy.zero:
        raise ConfigError(f"shard_group is {group}, but with zero=0 nothing is shared out; use zero=1, 2 or 3.")
    if strategy.copies % group:
        possible = [n for n in divisors(strategy.copies) if n > 1]
        would = f"{near(group, possible)} would do" if possible else "leave shard_group out"
        raise ConfigError(f"{strategy.copies} copies (data × context) can't make up groups of {group}; {would}.")
    if strategy.expert > 1 or strategy.exchange_embeddings:
        what = f"experts among {strategy.expert} NPUs" if strategy.expert > 1 else "tables among all NPUs"
        raise ConfigError(f"{what} leave other copies for them than for the rest; leave shard_group out.")


def _overlap(strategy: Strategy) -> tuple[str, ...]:
    given = strategy.overlap
    if isinstance(given, str) or not isinstance(given, tuple | list):
        raise ConfigError(f"overlap is {shown(given)}; give a tuple with any of {', '.join(map(repr, OVERLAPS))}.")
    for each in given:
        choice("overlap", each, OVERLAPS)
    if "parameters" in given and not strategy.zero:
        raise ConfigError("with zero=0 no parameters are gathered that could hide; leave 'parameters' out of overlap.")
    if "tensor" in given and (strategy.tensor == 1 or not strategy.sequence_parallel):
        raise ConfigError(
            "a tensor group hides all-gathers and reduce-scatters, piece by piece; an all-reduce comes in one: "
            "overlap with 'tensor' takes tensor=2 or more and sequence_parallel=True."
        )
    if "expert" in given and strategy.expert == 1:
        raise ConfigError("nothing is sent to experts of one's own: overlap with 'expert' takes expert=2 or more.")
    object.__setattr__(strategy, "pieces", whole("pieces", strategy.pieces, at_least=1))
    return tuple(name for name in OVERLAPS if name in given)


def check_experts(strategy: Strategy) -> None:
    """Raises ConfigError for a number of NPUs that can't share out experts, naming the nearest that can."""
    if strategy.whole_experts:
        if strategy.tensor == 1 or not strategy.sequence_parallel:
            raise ConfigError(
                "whole_experts sends each token of a tensor group's NPUs to its experts once, so it takes tensor=2 or "
                "more and sequence_parallel=True, by which they have different tokens."
            )
        possible = [strategy.tensor * n for n in divisors(strategy.copies)]
        if strategy.expert not in possible:
            raise ConfigError(
                f"whole experts can't be shared out among {strategy.expert} of tensor × data × context = "
                f"{strategy.tensor * strategy.copies} NPUs, whole tensor groups of {strategy.tensor}; "
                f"{near(strategy.expert, possible)} would do."
            )
    elif strategy.copies % strategy.expert:
        also = strategy.tensor > 1 and strategy.tensor * strategy.copies % strategy.expert == 0
        raise ConfigError(
            f"experts can't be shared out among {strategy.expert} of data × context = {strategy.copies} NPUs; "
            f"{near(strategy.expert, divisors(strategy.copies))} would do"
            f"{', or whole_experts=True, by which a tensor group counts, too' if also else ''}."
        )


def check_pipeline(strategy: Strategy) -> None:
    """Raises ConfigError for an order of passes that doesn't fit stages and micro-batches, and for ZeRO's of none."""
    if strategy.folded and strategy.virtual != 2:
        raise ConfigError(
            f"pipeline_order is {shown(strategy.pipeline_order)} with virtual={strategy.virtual}; it gives each stage "
            "two parts of the model, folded: virtual=2."
        )
    if not strategy.folded and (strategy.virtual > 1) != (strategy.pipeline_order == "interleaved"):
        raise ConfigError(
            f"pipeline_order is {shown(strategy.pipeline_order)} with virtual={strategy.virtual}; only 'interleaved' "
            "gives a stage several parts of the model, 2 or more."
        )
    if strategy.pipeline_order == "interleaved" and strategy.micro_batches % strategy.pipeline:
        nearest = multiples(strategy.micro_batches, strategy.pipeline)
        those = f"{strategy.micro_batches} micro-batches"
        raise ConfigError(f"{those} can't be interleaved on {strategy.pipeline} stages; {nearest} would do.")
    if strategy.both_ways:
        check_counts(strategy.pipeline, strategy.micro_batches)
    _check_stages_and_zero(strategy)


def multiples(number: int, of: int) -> str:
    """The multiples on both sides of a number that isn't one."""
    below = number // of * of
    return f"{below} or {below + of}" if below else f"{of}"


def _check_stages_and_zero(strategy: Strategy) -> None:
    """Raises ConfigError for ZeRO's stages that an order of passes doesn't have."""
    if strategy.zero == 2 and strategy.both_ways:
        raise ConfigError(
            "ZeRO-2 has no whole gradients to add up with the other stage's that has the same part of the model, as "
            f"{strategy.pipeline_order} does at an iteration's end; use zero=1 or 0, or another pipeline_order."
        )


def check_model(strategy: Strategy, model: Model) -> None:
    """Raises ConfigError where the model can't be shared out like this, naming the nearest numbers that can."""
    if strategy.sequence_parallel and not model.blocks:
        raise ConfigError(f"{model.name} has no blocks of tokens to share out; leave sequence_parallel out.")
    gathered = [operator.name for operator in model.operators if operator.split is Split.GATHERED]
    if strategy.sequence_parallel and gathered:
        raise ConfigError(
            f"{model.name} gathers the outputs of {gathered[0]}, which leaves no tokens to share out; leave "
            "sequence_parallel out."
        )
    if strategy.exchange_embeddings and not any(operator.split is Split.TABLES for operator in model.operators):
        raise ConfigError(f"{model.name} has no embedding tables to exchange; leave exchange_embeddings out.")
    if strategy.context > 1 and not model.blocks:
        raise ConfigError(f"{model.name} has no blocks of tokens to share out; leave context out.")
    if strategy.expert > 1 and not any(isinstance(operator, Experts) for operator in model.operators):
        raise ConfigError(f"{model.name} has no experts to share out; leave expert out.")
    if strategy.context_by == "ring":
        for operator in model.operators:
            _check_ring(operator, strategy)
    if strategy.whole_experts:
        _check_whole_experts(strategy, model)
    if strategy.context > 1 or strategy.expert > 1:
        alone = replace(strategy, tensor=1, sequence_parallel=False, overlap=(), **_of_copies(strategy))
        for operator in model.operators:
            alone.part(operator)
    if strategy.recompute != "none" and not model.blocks:
        raise ConfigError(f"{model.name} has no blocks to repeat; leave recompute out.")
    if strategy.tensor > 1 and all(operator.split in (Split.COPIED, Split.TABLES) for operator in model.operators):
        raise ConfigError(f"{model.name} has no operator that tensor parallelism divides; tensor can only be 1.")
    try:
        for operator in model.operators:
            strategy.part(operator)
    except ConfigError as error:
        raise ConfigError(f"{error} All of {model.name} can be divided among {_nearest(strategy, model)}.") from None
    for name, tokens in _cut_in_pieces(strategy, model):
        if tokens % strategy.pieces:
            raise ConfigError(
                f"{name}: {tokens} tokens can't be sent in {strategy.pieces} equal pieces; "
                f"pieces={near(strategy.pieces, divisors(tokens))} would do."
            )


def _check_whole_experts(strategy: Strategy, model: Model) -> None:
    """Of experts that aren't cut every NPU has as many, the tensor groups' included."""
    for operator in model.operators:
        if not isinstance(operator, Experts) or operator.experts % strategy.expert == 0:
            continue
        groups = [strategy.tensor * n for n in divisors(strategy.copies)]
        possible = [npus for npus in groups if operator.experts % npus == 0]
        would = f"expert={near(strategy.expert, possible)} would do"
        none = f"whole tensor groups of {strategy.tensor} can't share them out, so leave whole_experts out"
        raise ConfigError(
            f"{operator.name}: {operator.experts} whole experts can't be divided among {strategy.expert} NPUs; "
            f"{would if possible else none}."
        )


def _check_ring(operator: Operator, strategy: Strategy) -> None:
    """Ring attention (arXiv 2310.01889) needs attention by tiles; for causal balance each NPU has two parts."""
    if isinstance(operator, Scores):
        raise ConfigError(
            f"{operator.name} keeps all scores, but a ring's blocks are put together as attention by tiles does it; "
            'make the model with attention="flash", or use context_by="all-gather".'
        )
    if not isinstance(operator, FlashAttention):
        return
    if operator.window is not None and operator.window < operator.tokens:
        raise ConfigError(
            f"{operator.name} looks back {operator.window} tokens only, which leaves the steps of a ring of "
            f'{strategy.context} uneven; use context_by="all-gather".'
        )
    parts = strategy.context * (2 if operator.causal else 1)
    if operator.tokens % parts:
        each = 2 if operator.causal else 1
        possible = [n // each for n in divisors(operator.tokens) if n % each == 0]
        would = f"context={near(strategy.context, possible)} would do" if possible else "leave context out"
        raise ConfigError(
            f"{operator.name}: a ring of {strategy.context} NPUs has {parts} parts of a sample"
            f"{', an early and a late one each (zigzag)' if operator.causal else ''}, into which {operator.tokens} "
            f"tokens can't be divided; {would}."
        )


def _of_copies(strategy: Strategy) -> dict[str, Any]:
    """What changes where a tensor group has no experts of its own."""
    return {"expert": strategy.expert_copies, "whole_experts": False}


def _cut_in_pieces(strategy: Strategy, model: Model) -> Iterator[tuple[str, int]]:
    """What is computed piece by piece, and its tokens."""
    for operator in model.operators:
        own = strategy.own_tokens(operator)
        if "expert" in strategy.overlap and isinstance(own, Dispatch):
            yield own.name, own.tokens // (strategy.tensor if strategy.whole_experts else 1)
        plain = isinstance(own, Linear) and not isinstance(own, Experts)
        if "tensor" in strategy.overlap and plain and own.split in (Split.COLUMNS, Split.ROWS):
            yield own.name, own.takes[0] // strategy.tensor


def _nearest(strategy: Strategy, model: Model) -> str:
    """The numbers of NPUs nearest to `tensor` that divide every operator."""

    def fits(tensor: int) -> bool:
        return replace(strategy, tensor=tensor, overlap=(), **_of_copies(strategy)).divides(model)

    below = next(filter(fits, range(min(strategy.tensor - 1, MOST_TRIED), 0, -1)))
    above = next(filter(fits, range(strategy.tensor + 1, min(2 * strategy.tensor, MOST_TRIED) + 1)), None)
    return f"{below} or {above}" if above else f"{below}"
