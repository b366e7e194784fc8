"""What one NPU keeps of each operator: its parameters, and its activations of a micro-batch."""

from __future__ import annotations

from functools import lru_cache
from math import prod

from astra_edu.workload.compute import Embedding, Experts, Linear, Operator, Split
from astra_edu.workload.strategies.alike import Abridged
from astra_edu.workload.strategies.strategy import Strategy

Each = tuple[float, float, float, float, float]
"""Parameters on the first stage, on others; those of exchanged tables, which no other NPU has; experts' parameters;
activations' bytes."""


@lru_cache(maxsize=1024)
def of_operators(about: Abridged, alone: Strategy) -> tuple[Each, ...]:
    """Of each operator of the short model. alone: as `about.alone` gives it."""
    blocks = about.short.blocks
    entries, inside = {block.start for block in blocks}, {i for block in blocks for i in block}
    return tuple(
        (*_parameters(operator, alone), activation_bytes(operator, alone, i in inside, i in entries))
        for i, operator in enumerate(about.short.operators)
    )


def _parameters(operator: Operator, strategy: Strategy) -> tuple[int, int, int, int]:
    part = strategy.part(operator)
    if isinstance(part, Linear) and part.tied:
        return part.parameters, part.inputs * part.outputs, 0, 0  # a copy of the embedding's, which are on stage 0
    if operator.split is Split.TABLES and strategy.exchange_embeddings:
        return 0, 0, part.parameters, 0
    if isinstance(part, Experts):
        return 0, 0, 0, part.parameters
    return part.parameters, part.parameters, 0, 0


def activation_bytes(operator: Operator, strategy: Strategy, in_block: bool, entry: bool) -> float:
    """Bytes of a micro-batch's activations that an NPU keeps of an operator. in_block, entry: whether it is one of a
    repeated block, and the first of it, whose input is all that full recomputation keeps.
    """
    batch, size = strategy.micro_batch, strategy.bits.activation_bytes
    among = strategy.tensor if strategy.sequence_parallel else 1
    if in_block and strategy.recompute == "full":
        return batch * prod(strategy.own_tokens(operator).takes) * size / among if entry else 0
    part = strategy.part(operator)
    kept = part.kept_bytes(batch, size)
    if strategy.recompute == "selective":
        kept -= part.recomputable_bytes(batch, size)
    of_own_tokens = isinstance(operator, Linear | Embedding) and not isinstance(operator, Experts)
    return kept / among if operator.split is Split.COLUMNS and of_own_tokens else kept
