"""What one NPU has to keep: parameters, gradients, optimiser state and activations.

Sources: ZeRO (arXiv 1910.02054) and FSDP (2304.11277) for the model's state, Korthikanti et al. (2205.05198) for
activations. Not counted: the one block whose activations are there again while it is repeated, or whose parameters are
gathered, buffers of communication (Communication.held_bytes) and kernels, fragmentation, and what the framework takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from astra_edu.base.deprecated import renamed
from astra_edu.base.errors import ConfigError, whole
from astra_edu.pipeline.both_ways import kept_both_ways
from astra_edu.pipeline.closed_form import FORMULAS, in_flight
from astra_edu.pipeline.outcome import in_flight_of
from astra_edu.workload.compute import Device, Embedding, Experts, Linear, Operator, Split
from astra_edu.workload.compute import device as named_device
from astra_edu.workload.models import Model
from astra_edu.workload.models import model as named
from astra_edu.workload.strategies.alike import Abridged, Places, abridged
from astra_edu.workload.strategies.strategy import Strategy, checked

ADAM_BYTES = 12
"""Optimiser state for each parameter: a copy, the mean and the variance, in 32 bits each (ZeRO's K)."""


@dataclass(frozen=True)
class Memory:
    """Bytes that one NPU keeps at the worst moment.

    >>> kept = ae.memory("gpt3", ae.Strategy(tensor=8, pipeline=16, batch=16))
    >>> f"{kept.state / 2**30:.1f} GiB of state, {kept.activations / 2**30:.1f} GiB of activations"
    '21.8 GiB of state, 52.1 GiB of activations'
    >>> kept.fits("v100"), kept.fits("a100")
    (False, True)
    """

    parameters: float
    gradients: float
    optimiser: float
    activations: float

    @property
    def state(self) -> float:
        """Bytes of parameters, gradients and optimiser state."""
        return self.parameters + self.gradients + self.optimiser

    @property
    def total(self) -> float:
        """All of it, in bytes."""
        return self.state + self.activations

    @renamed(on="device")
    def fits(self, device: Device | str) -> bool:
        """Whether it is no more than the device's memory. Raises ConfigError for a device whose memory isn't given."""
        device = named_device(device)
        if device.memory_bytes is None:
            raise ConfigError(f"{device.name} has no memory_bytes, so nothing can be said to fit or not.")
        return self.total <= device.memory_bytes


def memory(
    model: Model | str,
    strategy: Strategy,
    *,
    stage: int | None = None,
    gradient_bytes: int = 2,
    optimiser_bytes: int = ADAM_BYTES,
) -> Memory:
    """What an NPU of a stage keeps, or of the stage that keeps most if none is given.

    gradient_bytes, optimiser_bytes: for each parameter. Adam with gradients in 16 bits has 2 and 12; Megatron-LM adds
    up gradients in 32 bits besides: 4. Raises ConfigError if the model can't be shared out so.

    >>> plain, shared = (ae.memory("gpt2", ae.Strategy(data=8, zero=zero)) for zero in (0, 3))
    >>> round(plain.total / 2**30, 1), round(shared.total / 2**30, 1)
    (31.8, 11.5)
    """
    model, strategy = named(model), checked(strategy)
    for name, each in (("gradient_bytes", gradient_bytes), ("optimiser_bytes", optimiser_bytes)):
        whole(name, each, at_least=0)
    return memory_of(abridged(model, strategy.exchange_embeddings), strategy, stage, gradient_bytes, optimiser_bytes)


def memory_of(
    about: Abridged,
    strategy: Strategy,
    stage: int | None = None,
    gradient_bytes: int = 2,
    optimiser_bytes: int = ADAM_BYTES,
) -> Memory:
    """The same of a model that is abridged already."""
    parts = _of_parts(about, about.alone(about.strategy(strategy)), about.parts(strategy))

    def of_stage(stage: int) -> Memory:
        own = [parts[k] for k in strategy.parts_on(stage)]
        activations = _activations(own, strategy, stage)
        has_first = 0 in strategy.parts_on(stage)
        return _of_stage(own, strategy, not has_first, activations, gradient_bytes, optimiser_bytes)

    those = range(strategy.pipeline) if stage is None else [strategy.stage(stage)]
    return max(map(of_stage, those), key=lambda memory: memory.total)


def _activations(own: Sequence[Each], strategy: Strategy, stage: int) -> float:
    """Bytes that a stage keeps of its parts at most, of all micro-batches together."""
    of_one = [part[4] for part in own]
    if strategy.both_ways:
        down, up = of_one
        return kept_both_ways(strategy.pipeline_order, stage, strategy.pipeline, strategy.micro_batches, down, up)
    return _in_flight(strategy, stage) * sum(of_one)


def _in_flight(strategy: Strategy, stage: int) -> float:
    """For how many micro-batches at most a stage keeps activations."""
    size = strategy.pipeline, strategy.micro_batches, strategy.virtual
    if strategy.pipeline_order in FORMULAS:
        return in_flight(strategy.pipeline_order, stage, *size)
    return in_flight_of(strategy.pipeline_order, *size)[stage]


def activations_of_parts(about: Abridged, strategy: Strategy) -> tuple[float, ...]:
    """Bytes of a micro-batch's activations that an NPU keeps of each part of the pipeline."""
    return tuple(part[4] for part in _of_parts(about, about.alone(about.strategy(strategy)), about.parts(strategy)))


def memory_of_operators(about: Abridged, strategy: Strategy, operators: Sequence[int]) -> Memory:
    """What an NPU keeps of some of a model's operators, without a pipeline; the parts of a model add up to it."""
    each = _of_operators(about, about.alone(about.strategy(strategy)))
    own = _sum([each[about.places[i]] for i in operators])
    return _of_stage([own], strategy, False, own[4], 2, ADAM_BYTES)


Each = tuple[float, float, float, float, float]
"""Parameters on the first stage, on others; those of exchanged tables, which no other NPU has; experts' parameters;
activations' bytes."""


def _of_stage(
    own: Sequence[Each], strategy: Strategy, later: bool, activations: float, gradient_bytes: int, optimiser_bytes: int
) -> Memory:
    """Of a stage's parts. later: whether the model's first part is not among them; activations: bytes of all kept."""
    parameters, alone, experts = (sum(part[i] for part in own) for i in (int(later), 2, 3))
    zero = [strategy.zero >= least for least in (3, 2, 1)]
    if not strategy.reshard:  # gathered parameters are kept, with stages their summed gradients as well
        zero[:2] = [False, not strategy.gathers_once]
    shards = strategy.shard_group or strategy.copies
    shared = parameters / shards + experts / (strategy.copies // strategy.expert)
    kept = [(shared if is_shared else parameters + experts) + alone for is_shared in zero]
    return Memory(kept[0] * strategy.element_bytes, kept[1] * gradient_bytes, kept[2] * optimiser_bytes, activations)


@lru_cache(maxsize=8192)
def _of_parts(about: Abridged, alone: Strategy, parts: tuple[Places, ...]) -> tuple[Each, ...]:
    operators = _of_operators(about, alone)
    sums = {part: _sum([operators[i] for i in part]) for part in set(parts)}
    return tuple(sums[part] for part in parts)


@lru_cache(maxsize=1024)
def _of_operators(about: Abridged, alone: Strategy) -> tuple[Each, ...]:
    blocks = about.short.blocks
    entries, inside = {block.start for block in blocks}, {i for block in blocks for i in block}
    return tuple(
        (*_parameters(operator, alone), activation_bytes(operator, alone, i in inside, i in entries))
        for i, operator in enumerate(about.short.operators)
    )


def _sum(each: Sequence[Each]) -> Each:
    first, later, tables, experts, kept = zip(*each, strict=True)
    return sum(first), sum(later), sum(tables), sum(experts), sum(kept)


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
    batch, size = strategy.micro_batch, strategy.element_bytes
    among = strategy.tensor if strategy.sequence_parallel else 1
    if in_block and strategy.recompute == "full":
        return batch * prod(strategy.own_tokens(operator).takes) * size / among if entry else 0
    part = strategy.part(operator)
    kept = part.kept_bytes(batch, size)
    if strategy.recompute == "selective":
        kept -= part.recomputable_bytes(batch, size)
    of_own_tokens = isinstance(operator, Linear | Embedding) and not isinstance(operator, Experts)
    return kept / among if operator.split is Split.COLUMNS and of_own_tokens else kept
