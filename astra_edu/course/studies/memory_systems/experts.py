"""A transformer with a mixture of experts: in some blocks each token meets only a few of many feed-forward networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import NamedTuple

from astra_edu.base.deprecated import renamed
from astra_edu.base.errors import ConfigError, whole
from astra_edu.workload.compute import Device, Operator
from astra_edu.workload.models import transformer

ELEMENT_BYTES = 2
_EXPERT = ("mlp1", "gelu", "mlp2")


class BlockWork(NamedTuple):
    """What one GPU does in a block. shared_*: what every GPU does; expert_*: its own experts' part, 0 without.

    *_bytes: parameters in 16 bits. exchanged_bytes: what it has before an all-to-all to the experts or back.
    Times in ns, of the forward and the backward pass.

    >>> from astra_edu.studies.memory_systems import MixtureOfExperts
    >>> model = MixtureOfExperts(hidden=64, heads=4, blocks=2, experts=8)
    >>> dense, sparse = model.work(ae.device("a100"), gpus=8, samples=1)
    >>> dense.shared_bytes, sparse.expert_bytes
    (99968, 66176)
    """

    shared_ns: tuple[float, float]
    shared_bytes: int
    expert_ns: tuple[float, float] = (0, 0)
    expert_bytes: int = 0
    exchanged_bytes: int = 0


@dataclass(frozen=True)
class MixtureOfExperts:
    """Blocks of attention and a feed-forward network; in every `every`-th block `experts` such networks.

    hidden: features of a token. top: to how many experts a token goes; all experts get equally many. sequence: tokens
    of a sample. Embeddings, the words' scores and the gates that choose the experts are left out.

    >>> from astra_edu.studies.memory_systems import MixtureOfExperts
    >>> model = MixtureOfExperts(hidden=4096, heads=32, blocks=60, experts=256)
    >>> f"{model.parameters / 1e12:.2f} × 10¹², {model.expert_parameters / model.parameters:.1%} in experts"
    '1.04 × 10¹², 99.2% in experts'
    """

    hidden: int
    heads: int
    blocks: int
    experts: int
    every: int = 2
    top: int = 2
    sequence: int = 2048

    def __post_init__(self) -> None:
        for name in ("hidden", "heads", "blocks", "experts", "every", "top", "sequence"):
            object.__setattr__(self, name, whole(name, getattr(self, name), at_least=1))
        if self.top > self.experts:
            raise ConfigError(
                f"a token can't go to {self.top} experts of {self.experts}; top may be 1 to {self.experts}."
            )

    @property
    def expert_blocks(self) -> int:
        """Blocks with experts."""
        return self.blocks // self.every

    @property
    def shared_parameters(self) -> int:
        """Parameters that every token meets."""
        shared, expert = map(_parameters, self._parts(self.sequence))
        return self.blocks * shared + (self.blocks - self.expert_blocks) * expert

    @property
    def expert_parameters(self) -> int:
        """Parameters of all experts."""
        return self.expert_blocks * self.experts * _parameters(self._parts(self.sequence)[1])

    @property
    def parameters(self) -> int:
        """All of them."""
        return self.shared_parameters + self.expert_parameters

    @renamed(gpu="device")
    def work(self, device: Device, gpus: int, samples: int) -> tuple[BlockWork, ...]:
        """What one of `gpus` GPUs does in each block, in the order of the forward pass.

        samples: of each GPU. Each GPU has equally many experts: raises ConfigError if that can't be.
        """
        samples, own = whole("samples", samples, at_least=1), self._own(gpus)
        shared, feedforward = self._parts(self.sequence)
        dense = BlockWork(_ns(shared + feedforward, device, samples), _bytes(shared + feedforward))
        sent = samples * self.sequence * self.top  # tokens
        expert = self._parts(ceil(sent / own))[1]
        forward, backward = _ns(expert, device, 1)
        mixed = BlockWork(
            _ns(shared, device, samples),
            _bytes(shared),
            (own * forward, own * backward),
            own * _bytes(expert),
            sent * self.hidden * ELEMENT_BYTES,
        )
        return tuple(mixed if number % self.every == 0 else dense for number in range(1, self.blocks + 1))

    def _own(self, gpus: int) -> int:
        own, left = divmod(self.experts, whole("GPUs", gpus, at_least=1))
        if left or not own:
            raise ConfigError(
                f"{self.experts} experts can't be shared out equally among {gpus} GPUs; "
                f"{max(1, own) * gpus} or {(max(1, own) + 1) * gpus} experts can."
            )
        return own

    def _parts(self, tokens: int) -> tuple[tuple[Operator, ...], tuple[Operator, ...]]:
        return _operators(self.hidden, self.heads, tokens)


@lru_cache(maxsize=256)
def _operators(hidden: int, heads: int, tokens: int) -> tuple[tuple[Operator, ...], tuple[Operator, ...]]:
    """A block's operators, as `transformer` makes them: what all tokens meet, and what an expert is."""
    model = transformer("block", hidden=hidden, heads=heads, blocks=1, sequence=tokens, vocabulary=1)
    block = [model.operators[i] for i in model.blocks[0]]
    expert = tuple(operator for operator in block if operator.name.endswith(_EXPERT))
    return tuple(operator for operator in block if operator not in expert), expert


def _parameters(operators: Sequence[Operator]) -> int:
    return sum(operator.parameters for operator in operators)


def _bytes(operators: Sequence[Operator]) -> int:
    return _parameters(operators) * ELEMENT_BYTES


def _ns(operators: Sequence[Operator], device: Device, samples: int) -> tuple[float, float]:
    """Of the forward and the backward pass, by the GPU's roofline."""
    forward = sum(device.compute_ns(operator.forward(samples)) for operator in operators)
    gradients = [(operator.input_gradient(samples), operator.weight_gradient(samples)) for operator in operators]
    return forward, sum(device.compute_ns(gradient) for pair in gradients for gradient in pair)
