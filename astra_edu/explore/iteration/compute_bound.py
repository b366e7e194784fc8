"""What an iteration can't be shorter than, by what is computed alone: which strategies a search looks at first."""

from __future__ import annotations

from functools import lru_cache
from math import gcd

from astra_edu.explore.iteration.parts import computed
from astra_edu.pipeline.closed_form import FORMULAS
from astra_edu.workload.compute import Device
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.alike import Abridged
from astra_edu.workload.strategies.stages import blocks_of_parts


def compute_bound_ns(about: Abridged, strategy: Strategy, device: Device) -> float:
    """What an iteration can't be shorter than if all stages compute without a pause. Raises ConfigError as above.

    They share the model at best evenly; and the last stage waits until a micro-batch has come through those before it,
    through which one has to go back at the end, while no part has fewer blocks than the one with fewest.
    """
    parts, passes = about.parts(strategy), strategy.micro_batches
    if strategy.exchange_embeddings:
        return 0.0
    whole_ns, block_ns = _computing(
        about,
        device,
        strategy.tensor,
        strategy.context,
        strategy.expert,
        strategy.micro_batch,
        strategy.sequence_parallel,
        strategy.recompute,
        strategy.element_bytes,
    )
    even = whole_ns * passes / strategy.pipeline
    if not block_ns or strategy.pipeline == 1 or strategy.pipeline_order not in FORMULAS:
        return even
    fewest = min(blocks_of_parts(about.model.name, len(about.model.blocks), len(parts), strategy.stage_blocks))
    return max(even, fewest * block_ns * (passes * strategy.virtual + strategy.pipeline - 1))


@lru_cache(maxsize=8192)
def _computing(
    about: Abridged,
    device: Device,
    tensor: int,
    context: int,
    expert: int,
    micro_batch: int,
    sequence_parallel: bool,
    recompute: str,
    element_bytes: int,
) -> tuple[float, float]:
    """What a micro-batch takes, with nothing sent: through the model, and through the block that takes least, or 0."""
    data = expert // gcd(expert, context)
    alone = Strategy(
        data=data,
        tensor=tensor,
        context=context,
        expert=expert,
        batch=data * micro_batch,
        micro_batch=micro_batch,
        sequence_parallel=sequence_parallel,
        recompute=recompute,
        element_bytes=element_bytes,
    )
    alone.check(about.short)
    steps = computed(about, alone, device)
    blocks = [sum(steps[i].compute_ns for i in block) for block in about.short.blocks]
    return sum(steps[i].compute_ns for i in about.places), min(blocks, default=0.0)
