"""What an iteration can't be shorter than, by what is computed, and what micro-batches wait for: which strategies a
search looks at first."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import gcd

from astra_edu.explore.iteration.network_times import took_by
from astra_edu.explore.iteration.parts import WAITS, computed
from astra_edu.system import Platform
from astra_edu.workload.compute import Device
from astra_edu.workload.strategies import Strategy, communications
from astra_edu.workload.strategies.alike import Abridged
from astra_edu.workload.strategies.precision import Precision
from astra_edu.workload.strategies.stages import blocks_of_parts


def compute_bound_ns(about: Abridged, strategy: Strategy, device: Device) -> float:
    """What an iteration can't be shorter than if all stages compute without a pause. Raises ConfigError as above.

    They share the model at best evenly; and the last stage waits until a micro-batch has come through those before it,
    through which one has to go back at the end, while no part has fewer blocks than the one with fewest.
    """
    parts, passes = about.parts(strategy), strategy.micro_batches
    if strategy.exchange_embeddings:
        return 0.0
    whole_ns, block_ns = _computing_alone(about, device, strategy)
    even = whole_ns * passes / strategy.pipeline
    if not block_ns or strategy.pipeline == 1 or strategy.splits_backward:
        return even
    fewest = min(blocks_of_parts(about.model.name, len(about.model.blocks), len(parts), strategy.stage_blocks))
    return max(even, fewest * block_ns * (passes * strategy.virtual + strategy.pipeline - 1))


def waited_bound_ns(about: Abridged, strategy: Strategy, device: Device, networks: Mapping[str, Platform]) -> float:
    """The same with the collectives that a micro-batch waits for, at their links' rate. networks: of the groups.

    Where micro-batches come from both ends, all-to-alls of one hide behind what the other computes.
    """
    alone = about.checked_alone(strategy)
    if strategy.exchange_embeddings:
        return 0.0
    waits = (name for name in WAITS if not (strategy.both_ways and name == "expert"))
    own = tuple((name, networks[name]) for name in waits if name in networks)
    each_ns = _computing_alone(about, device, alone)[0] + _waited_ns(about, alone, own)
    return max(compute_bound_ns(about, strategy, device), each_ns * strategy.micro_batches / strategy.pipeline)


@lru_cache(maxsize=8192)
def _waited_ns(about: Abridged, alone: Strategy, networks: tuple[tuple[str, Platform], ...]) -> float:
    """What a micro-batch waits for on its way through the model and back."""
    by_group = dict(networks)
    each = dict.fromkeys((operator.name for operator in about.short.operators), 0.0)
    for one in communications(about.short, alone) if by_group else ():
        if one.blocking and one.collective is not None and one.group in by_group:
            took = took_by(by_group[one.group], one.collective, one.size).at_least
            each[one.operator] += took.total_ns * one.times
    taken = list(each.values())
    return sum(taken[place] for place in about.places)


def _computing_alone(about: Abridged, device: Device, alone: Strategy) -> tuple[float, float]:
    return _computing(
        about,
        device,
        alone.tensor,
        alone.context,
        alone.expert,
        alone.micro_batch,
        alone.sequence_parallel,
        alone.recompute,
        alone.element_bytes,
        alone.precision,
        alone.whole_experts,
    )


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
    precision: Precision | str | None,
    whole_experts: bool,
) -> tuple[float, float]:
    """What a micro-batch takes, with nothing sent: through the model, and through the block that takes least, or 0."""
    among = expert // tensor if whole_experts else expert
    data = among // gcd(among, context)
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
        precision=precision,
        whole_experts=whole_experts,
    )
    alone.check(about.short)
    steps = computed(about, alone, device)
    blocks = [sum(steps[i].compute_ns for i in block) for block in about.short.blocks]
    return sum(steps[i].compute_ns for i in about.places), min(blocks, default=0.0)
