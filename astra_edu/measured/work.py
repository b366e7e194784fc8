"""What one NPU does in both passes of a micro-batch: products, attention, other kernels; taken from the operators."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any

from astra_edu.workload.compute import (
    Combine,
    Compute,
    Dispatch,
    Experts,
    FlashAttention,
    Gemm,
    Linear,
    Operator,
    Scores,
    StateSpace,
)
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.kept import activation_bytes

RANK = 16
"""Of LoRA's adapters: MLPerf's (mlcommons/training, llama2_70b_lora); they change nothing but a little memory."""

ATTENTION = ("FlashAttention", "Scores", "Context")


@dataclass(frozen=True)
class Work:
    """Of one pass through some operators.

    gemms: products. experts: those of experts. wide: those in 16 bits whatever the others are in: a state space's, and
    the words' scores. attention: its products; softmax: what its softmax takes by tiles, as operations of them.
    elements: numbers that kernels read and write, besides the products. cast: numbers that products read, made in 16
    bits; fewer take a conversion, of which there are `casts`.
    """

    gemms: tuple[Gemm, ...] = ()
    experts: tuple[Gemm, ...] = ()
    wide: tuple[Gemm, ...] = ()
    attention: tuple[Gemm, ...] = ()
    elements: float = 0
    launches: int = 0
    cast: float = 0
    casts: int = 0
    softmax: float = 0

    def __add__(self, other: Work) -> Work:
        return Work(
            self.gemms + other.gemms,
            self.experts + other.experts,
            self.wide + other.wide,
            self.attention + other.attention,
            self.elements + other.elements,
            self.launches + other.launches,
            self.cast + other.cast,
            self.casts + other.casts,
            self.softmax + other.softmax,
        )


@dataclass(frozen=True)
class Passes:
    """Both passes of some operators.

    parameters, expert_parameters: trained ones of this NPU, those of experts apart. kept: bytes kept from the forward
    pass to the backward pass; again: those that recomputing makes again then. routed: numbers sent to experts, and
    back, each time; copies: to how many experts each token goes. gathered: numbers of this NPU's keys and values, which
    a context group gathers. repeated: whether all of it is recomputed. frozen: parameters that aren't trained, but have
    adapters beside them.
    """

    forward: Work
    backward: Work
    parameters: float
    expert_parameters: float
    kept: float
    again: float
    routed: float
    copies: float
    gathered: float
    repeated: bool = False
    frozen: float = 0


@lru_cache(maxsize=20_000)
def passes(
    operators: tuple[Operator, ...],
    strategy: Strategy,
    in_block: bool = True,
    adapted: bool = False,
    fused: bool = False,
) -> Passes:
    """What one NPU does with some operators, for one micro-batch. in_block: whether they are a repeated block.

    adapted: by LoRA; the products of its adapters are left out, and no gradients of other weights are computed.
    fused: what stands between experts' products is computed with them, and so are conversions, in one kernel for all
    experts.
    """
    found, mixed = [], False
    for i, operator in enumerate(operators):
        mixed = isinstance(operator, Dispatch) or (mixed and not isinstance(operator, Combine))
        alone = mixed and not isinstance(operator, Dispatch)
        found.append(_passes(operator, strategy, in_block, not i, adapted, fused and alone))
    if not found:
        return Passes(Work(), Work(), 0, 0, 0, 0, 0, 1, 0)
    repeated = in_block and strategy.recompute == "full"
    forward, backward = sum((each.forward for each in found), Work()), sum((each.backward for each in found), Work())
    return Passes(
        forward,
        backward,
        sum(each.parameters for each in found),
        sum(each.expert_parameters for each in found),
        sum(each.kept for each in found),
        sum(each.again for each in found),
        max(each.routed for each in found),
        max(each.copies for each in found),
        sum(each.gathered for each in found),
        repeated,
        sum(each.frozen for each in found),
    )


def _passes(operator: Operator, strategy: Strategy, in_block: bool, entry: bool, adapted: bool, fused: bool) -> Passes:
    part, batch = strategy.part(operator), strategy.micro_batch
    frozen = part.parameters if adapted else 0
    gradients = [part.input_gradient(batch)] + ([] if frozen else [part.weight_gradient(batch)])
    kind = _kind(operator, in_block)
    forward, backward = _work(kind, [part.forward(batch)], fused), _work(kind, gradients, fused)
    if kind in ("gemms", "experts") and isinstance(part, Linear) and not fused:
        often = forward.experts[0].count if forward.experts else 1
        forward = replace(forward, cast=batch * prod(part.takes), casts=often)
        backward = replace(backward, cast=batch * prod(part.gives), casts=often)
    parameters: tuple[float, float] = (0, part.parameters) if isinstance(operator, Experts) else (part.parameters, 0)
    if adapted:
        parameters = (RANK * (prod(part.takes[1:]) + prod(part.gives[1:])) * (in_block and frozen > 0), 0)
    kept, most = (activation_bytes(operator, cut, in_block, entry) for cut in (strategy, _keeping(strategy)))
    routed = batch * prod(part.gives) if isinstance(operator, Dispatch) else 0
    routed = batch * prod(part.takes) if isinstance(operator, Combine) else routed
    copies = prod(part.gives) / prod(part.takes) if isinstance(operator, Dispatch) else 1
    gathered = batch * part.keys_and_values if isinstance(part, FlashAttention | Scores) else 0
    return Passes(forward, backward, *parameters, kept, most - kept, routed, copies, gathered, frozen=frozen)


@lru_cache(maxsize=1024)
def _keeping(strategy: Strategy) -> Strategy:
    return replace(strategy, recompute="none")


def _kind(operator: Operator, in_block: bool) -> str:
    """Among which products its own are."""
    if type(operator).__name__ in ATTENTION:
        return "attention"
    if isinstance(operator, Experts):
        return "experts"
    return "wide" if isinstance(operator, StateSpace) or not in_block else "gemms"


def _work(kind: str, computes: Iterable[Compute], fused: bool) -> Work:
    """fused: nothing but the products, in one kernel; elsewhere each expert's product is one."""
    found = Work()
    for each in computes:
        of: dict[str, Any] = {kind: each.gemms}
        if fused:
            found += Work(launches=len(each.gemms) or 0, **of)
            continue
        more = sum(gemm.count - 1 for gemm in each.gemms) if kind == "experts" else 0
        found += Work(elements=each.elements, launches=each.launches + more, softmax=each.softmax, **of)
    return found
