"""What one NPU does in both passes of a micro-batch: products, attention, other kernels; taken from the operators."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from astra_edu.workload.compute import (
    Combine,
    Compute,
    Dispatch,
    Experts,
    FlashAttention,
    Gemm,
    Operator,
    Scores,
)
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.kept import activation_bytes

RANK = 16
"""Of LoRA's adapters: MLPerf's (mlcommons/training, llama2_70b_lora); they change nothing but a little memory."""

ATTENTION = ("FlashAttention", "Scores", "Context")


@dataclass(frozen=True)
class Work:
    """Of one pass through some operators. elements: numbers that kernels read and write, besides the products."""

    gemms: tuple[Gemm, ...] = ()
    attention: tuple[Gemm, ...] = ()
    elements: float = 0
    launches: int = 0

    def __add__(self, other: Work) -> Work:
        return Work(
            self.gemms + other.gemms,
            self.attention + other.attention,
            self.elements + other.elements,
            self.launches + other.launches,
        )


@dataclass(frozen=True)
class Passes:
    """Both passes of some operators.

    parameters, expert_parameters: trained ones of this NPU, those of experts apart. kept: bytes kept from the forward
    pass to the backward pass; again: those that recomputing makes again then. routed: numbers sent to experts, and
    back, each time; copies: to how many experts each token goes. gathered: numbers of this NPU's keys and values, which
    a context group gathers. frozen: parameters that aren't trained, but have adapters beside them.
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
    frozen: float = 0


@lru_cache(maxsize=20_000)
def passes(operators: tuple[Operator, ...], strategy: Strategy, in_block: bool = True, adapted: bool = False) -> Passes:
    """What one NPU does with some operators, for one micro-batch. in_block: whether they are a repeated block.

    adapted: by LoRA; the products of its adapters are left out, and no gradients of other weights are computed.
    """
    found = [_passes(operator, strategy, in_block, not i, adapted) for i, operator in enumerate(operators)]
    if not found:
        return Passes(Work(), Work(), 0, 0, 0, 0, 0, 1, 0)
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
        sum(each.frozen for each in found),
    )


def _passes(operator: Operator, strategy: Strategy, in_block: bool, entry: bool, adapted: bool) -> Passes:
    part, batch = strategy.part(operator), strategy.micro_batch
    attention = type(operator).__name__ in ATTENTION
    forward = _work(attention, [part.forward(batch)])
    frozen = part.parameters if adapted else 0
    gradients = [part.input_gradient(batch)] + ([] if frozen else [part.weight_gradient(batch)])
    backward = _work(attention, gradients)
    parameters: tuple[float, float] = (0, part.parameters) if isinstance(operator, Experts) else (part.parameters, 0)
    if adapted:
        parameters = (RANK * (prod(part.takes[1:]) + prod(part.gives[1:])) * (in_block and frozen > 0), 0)
    kept, most = (activation_bytes(operator, cut, in_block, entry) for cut in (strategy, _keeping(strategy)))
    routed = batch * prod(part.gives) if isinstance(operator, Dispatch) else 0
    routed = batch * prod(part.takes) if isinstance(operator, Combine) else routed
    copies = prod(part.gives) / prod(part.takes) if isinstance(operator, Dispatch) else 1
    gathered = batch * part.keys_and_values if isinstance(part, FlashAttention | Scores) else 0
    return Passes(forward, backward, *parameters, kept, most - kept, routed, copies, gathered, frozen)


@lru_cache(maxsize=1024)
def _keeping(strategy: Strategy) -> Strategy:
    return replace(strategy, recompute="none")


def _work(attention: bool, computes: Iterable[Compute]) -> Work:
    found = Work()
    for each in computes:
        work = Work((), each.gemms) if attention else Work(each.gemms)
        found += replace(work, elements=each.elements, launches=each.launches)
    return found
