"""What one NPU has to keep: parameters, gradients, optimiser state, activations; and for a moment, with its room.

Sources: ZeRO (arXiv 1910.02054) and FSDP (2304.11277) for the model's state, Korthikanti et al. (2205.05198) for
activations. Not counted: what the framework takes, with its kernels and the collectives' own channels, about 10⁹ bytes
(base_gigabytes of measured.MemoryParameters, 0.8 to 1.1 by three fits), and what kernels have for themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache

from astra_edu.base.deprecated import renamed
from astra_edu.base.errors import ConfigError, not_negative, whole
from astra_edu.pipeline.kept import most_kept
from astra_edu.workload.compute import Device
from astra_edu.workload.compute import device as named_device
from astra_edu.workload.models import Model
from astra_edu.workload.models import model as named
from astra_edu.workload.strategies.alike import Abridged, Places, abridged
from astra_edu.workload.strategies.buffers import Moment, Passing, moment_bytes, passing
from astra_edu.workload.strategies.kept import Each, of_operators
from astra_edu.workload.strategies.strategy import Strategy, checked

ADAM_BYTES = 12
"""Optimiser state for each parameter: a copy, the mean and the variance, in 32 bits each (ZeRO's K)."""
HIDES = ("parameters", "gradients")
"""What of a block others have, by the names that a strategy's overlap has."""
FRAGMENTATION = 0.03
"""Of the memory that is taken, the share that is lost to holes between what is kept, and to the driver.

`measured.predict` says with it what fits. Of 1,582 runs of nanotron on H100s a little more than half ran: limits from
80 to 97 % of the memory tell those that ran from those that failed about equally well (of what is said, 7 to 8 % is
wrong); above, more is wrong. No run that ran kept more than 90 % by its own count. ZeRO's authors (section 3.2) saw
jobs fail with 30 % of the memory free, at worst.
"""


@dataclass(frozen=True)
class Memory:
    """Bytes that one NPU has to have at the worst moment, by kind.

    recomputed: activations of the block that is computed again. buffers: what is there for a moment of others: a
    block's gathered parameters and whole gradients where they are shared out (ZeRO-2, ZeRO-3, FSDP), what a collective
    within a micro-batch gives, messages of neighbouring stages. fragmentation: what is lost to holes; see
    FRAGMENTATION in astra_edu.workload.strategies.memory.

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
    recomputed: float = 0.0
    buffers: float = 0.0
    fragmentation: float = 0.0

    @property
    def state(self) -> float:
        """Bytes of parameters, gradients and optimiser state."""
        return self.parameters + self.gradients + self.optimiser

    @property
    def kinds(self) -> dict[str, float]:
        """Bytes of each kind, by its name; they add up to the total."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def kept(self) -> float:
        """What stays from pass to pass: state and activations."""
        return self.state + self.activations

    @property
    def moment(self) -> float:
        """What is there for a moment beside it."""
        return self.recomputed + self.buffers

    @property
    def total(self) -> float:
        """All of it, in bytes."""
        return self.kept + self.moment + self.fragmentation

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
    gradient_bytes: int | None = None,
    optimiser_bytes: int | None = None,
    fragmentation: float = FRAGMENTATION,
) -> Memory:
    """What an NPU of a stage keeps, or of the stage that keeps most if none is given.

    gradient_bytes, optimiser_bytes: for each parameter; None is what the strategy's precision says: 2 and 12 of Adam
    with gradients in 16 bits. Megatron-LM adds up gradients in 32 bits besides: 4. fragmentation: share of all of it
    that is lost to holes; 0 for what is in use alone. Raises ConfigError if the model can't be shared out so.

    >>> plain, shared = (ae.memory("gpt2", ae.Strategy(data=8, zero=zero)) for zero in (0, 3))
    >>> round(plain.total / 2**30, 1), round(shared.total / 2**30, 1)
    (32.7, 12.2)
    """
    model, strategy = named(model), checked(strategy)
    for name, each in (("gradient_bytes", gradient_bytes), ("optimiser_bytes", optimiser_bytes)):
        if each is not None:
            whole(name, each, at_least=0)
    if (share := not_negative("fragmentation", fragmentation)) >= 1:
        raise ConfigError(f"fragmentation is {share:g}; it is a share of all memory that is taken, below 1.")
    about = abridged(model, strategy.exchange_embeddings)
    return memory_of(about, strategy, stage, gradient_bytes, optimiser_bytes, share)


def memory_of(
    about: Abridged,
    strategy: Strategy,
    stage: int | None = None,
    gradient_bytes: int | None = None,
    optimiser_bytes: int | None = None,
    fragmentation: float = FRAGMENTATION,
) -> Memory:
    """The same of a model that is abridged already."""
    alone, every = about.checked_alone(strategy), about.parts(strategy)
    parts, brief = _of_parts(about, alone, every), _passing(about, alone, every)
    alike: dict[object, Memory] = {}
    bytes_of_each = _bytes_of_each(strategy, gradient_bytes, optimiser_bytes)

    def of_stage(stage: int) -> tuple[Memory, float]:
        """Without activations; those."""
        here = strategy.parts_on(stage)
        own = [parts[k] for k in here]
        before, after = any(here), any(k + 1 < len(parts) for k in here)
        key = (*map(id, own), 0 in here, before, after)  # alike parts are one object
        if key not in alike:
            gets = max((brief[k - 1] for k in here if k), key=lambda one: one.output, default=None)
            moment = Moment([brief[k] for k in here], gets, after)
            alike[key] = _of_stage(own, strategy, 0 not in here, 0.0, moment, bytes_of_each)
        return alike[key], _activations(own, strategy, stage)

    those = range(strategy.pipeline) if stage is None else [strategy.stage(stage)]
    found, activations = max(map(of_stage, those), key=lambda each: each[0].total + each[1])
    lost = lost_bytes(found.total + activations, fragmentation)
    return replace(found, activations=activations, fragmentation=lost)


def _activations(own: Sequence[Each], strategy: Strategy, stage: int) -> float:
    """Bytes that a stage keeps of its parts at most, of all micro-batches together."""
    of_one = tuple(part[4] for part in own)
    order, stages, micro_batches = strategy.pipeline_order, strategy.pipeline, strategy.micro_batches
    return most_kept(order, stage, stages, micro_batches, strategy.virtual, of_one)


def activations_of_parts(about: Abridged, strategy: Strategy) -> tuple[float, ...]:
    """Bytes of a micro-batch's activations that an NPU keeps of each part of the pipeline."""
    return tuple(part[4] for part in _of_parts(about, about.alone(about.strategy(strategy)), about.parts(strategy)))


def memory_of_operators(about: Abridged, strategy: Strategy, operators: Sequence[int]) -> Memory:
    """What an NPU keeps of some of a model's operators, without a pipeline. What the parts of a model keep adds up;
    what they have for a moment doesn't, and fragmentation isn't in it.
    """
    alone = about.alone(about.strategy(strategy))
    each, part = of_operators(about, alone), tuple(about.places[i] for i in operators)
    own = _sum([each[i] for i in part])
    return _of_stage([own], strategy, False, own[4], Moment([passing(about, alone, part)]), _bytes_of_each(strategy))


def _bytes_of_each(strategy: Strategy, gradient: int | None = None, optimiser: int | None = None) -> tuple[int, int]:
    """Of a gradient and of the optimiser's state of a parameter: as given, or as the strategy's precision has it."""
    bits = strategy.bits
    return (
        bits.gradient_bytes if gradient is None else gradient,
        bits.optimiser_bytes if optimiser is None else optimiser,
    )


def lost_bytes(used: float, fragmentation: float = FRAGMENTATION) -> float:
    """What is lost to holes beside so many bytes in use."""
    return used * fragmentation / (1 - fragmentation)


def _of_stage(
    own: Sequence[Each],
    strategy: Strategy,
    later: bool,
    activations: float,
    moment: Moment,
    each: tuple[int, int],
) -> Memory:
    """Of a stage's parts, without fragmentation. later: whether the model's first part is not among them; activations:
    bytes of all kept; each: bytes of a gradient and of the optimiser's state of a parameter.
    """
    gradient_bytes, optimiser_bytes = each
    parameters, alone, experts = (sum(part[i] for part in own) for i in (int(later), 2, 3))
    zero = [strategy.zero == 3 and strategy.reshard, not strategy.reduces_once, strategy.zero > 0]
    shards, of_experts = (
        strategy.shard_group or among for among in (strategy.copies, strategy.copies // strategy.expert_copies)
    )
    shared = parameters / shards + experts / of_experts
    kept = [(shared if is_shared else parameters + experts) + alone for is_shared in zero]
    theirs = []
    for is_shared, size, name in zip(zero, (strategy.bits.parameter_bytes, gradient_bytes), HIDES, strict=False):
        if is_shared:
            both = size * (1 + (name in strategy.overlap))
            theirs.append((both * (1 - 1 / shards), both * (1 - 1 / of_experts)))
    return Memory(
        kept[0] * strategy.bits.parameter_bytes,
        kept[1] * gradient_bytes,
        kept[2] * optimiser_bytes,
        activations,
        *moment_bytes(moment, later, theirs),
    )


@lru_cache(maxsize=8192)
def _of_parts(about: Abridged, alone: Strategy, parts: tuple[Places, ...]) -> tuple[Each, ...]:
    operators = of_operators(about, alone)
    sums = {part: _sum([operators[i] for i in part]) for part in set(parts)}
    return tuple(sums[part] for part in parts)


@lru_cache(maxsize=8192)
def _passing(about: Abridged, alone: Strategy, parts: tuple[Places, ...]) -> tuple[Passing, ...]:
    return tuple(passing(about, alone, part) for part in parts)


def _sum(each: Sequence[Each]) -> Each:
    first, later, tables, experts, kept = zip(*each, strict=True)
    return sum(first), sum(later), sum(tables), sum(experts), sum(kept)
