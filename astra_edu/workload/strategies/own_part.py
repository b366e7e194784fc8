"""What one NPU has of an operator: its tokens, its experts, its share of the tensor group's."""

from __future__ import annotations

from functools import lru_cache

from astra_edu.workload.compute import Combine, Dispatch, Experts, Operator


@lru_cache(maxsize=8192)
def tokens_part(operator: Operator, context: int) -> Operator:
    """Of an NPU of a context group."""
    return operator.tokens_part(context)


@lru_cache(maxsize=8192)
def own_part(operator: Operator, expert: int, tensor: int, sequence_parallel: bool, whole_experts: bool) -> Operator:
    """Of an NPU of a tensor group. whole_experts: it has experts of its own, for its own tokens and those of others."""
    if whole_experts and isinstance(operator, Experts | Dispatch | Combine):
        operator, tensor = operator.tokens_part(tensor), 1
    if isinstance(operator, Experts):
        operator = operator.expert_part(expert)
    if tensor == 1 and whole_experts:
        return operator
    return operator.sequence_part(tensor) if sequence_parallel else operator.part(tensor)
