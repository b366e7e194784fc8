"""Operations on every element, which are bound by memory: activations, gates, dropout, normalisation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Self

from astra_edu.base.errors import ConfigError
from astra_edu.workload.compute.operator import Compute, Operator, Shape, Split, divided, whole_fields, whole_shape


@dataclass(frozen=True, kw_only=True)
class _Shaped(Operator):
    """What gives the shape that it takes."""

    shape: Shape

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_shape(self, self.shape)

    @property
    def takes(self) -> Shape:
        """As it gives."""
        return self.shape

    @property
    def gives(self) -> Shape:
        """As it takes."""
        return self.shape

    def tokens_part(self, parts: int) -> Self:
        """Some of the tokens."""
        tokens, *rest = self.shape
        return replace(self, shape=(divided(self.name, "tokens", tokens, parts), *rest))


@dataclass(frozen=True, kw_only=True)
class Elementwise(_Shaped):
    """An operation on every element, such as an activation, a residual addition or dropout.

    operations: for each element; 0 for a ReLU, whose comparison isn't a floating-point operation. inputs: how many
    tensors it reads. kept: bytes kept for each element, 1 for a dropout's mask; None keeps the input.

    >>> from astra_edu.workload.compute import Elementwise
    >>> relu = Elementwise(name="relu", shape=(128, 64), operations=0)
    >>> relu.forward(batch=2)
    Compute(gemms=(), operations=0, elements=32768)
    """

    minor = True
    sizes = ("inputs",)

    operations: int = 1
    inputs: int = 1
    kept: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_fields(self, "operations", *(() if self.kept is None else ("kept",)), at_least=0)

    def forward(self, batch: int) -> Compute:
        """Every input is read, the output written."""
        elements = batch * prod(self.shape)
        return Compute((), self.operations * elements, (self.inputs + 1) * elements)

    def input_gradient(self, batch: int) -> Compute:
        """The same the other way round."""
        return self.forward(batch)

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """The input, or `kept` bytes for each element."""
        return batch * prod(self.shape) * (element_bytes if self.kept is None else self.kept)

    def part(self, parts: int) -> Elementwise:
        """All of it when copied; else its part of the last (sequences) or first (images) number of the shape."""
        if self.split is Split.COPIED:
            return self
        at = 0 if len(self.shape) == 3 else -1
        shape = list(self.shape)
        shape[at] = divided(self.name, "features", shape[at], parts)
        return replace(self, shape=tuple(shape))

    def sequence_part(self, parts: int) -> Operator:
        """Some of the tokens where it is copied, else its part of the features."""
        return self.tokens_part(parts) if self.split is Split.COPIED else self.part(parts)


@dataclass(frozen=True, kw_only=True)
class Gated(Operator):
    """Half of the features, through an activation, times the other half: SwiGLU or GeGLU (arXiv 2002.05202).

    features: of the product. operations: for each of them; 6 for SwiGLU, 9 for GeGLU.

    >>> from astra_edu.workload.compute import Gated
    >>> gated = Gated(name="swiglu", tokens=128, features=256)
    >>> gated.takes, gated.gives
    ((128, 512), (128, 256))
    """

    minor = True
    sizes = ("tokens", "features", "operations")

    tokens: int
    features: int
    operations: int = 6
    split: Split = Split.COLUMNS

    @property
    def takes(self) -> Shape:
        """(tokens, 2 · features)."""
        return (self.tokens, 2 * self.features)

    @property
    def gives(self) -> Shape:
        """(tokens, features)."""
        return (self.tokens, self.features)

    def forward(self, batch: int) -> Compute:
        """Both halves are read, their product is written."""
        elements = batch * prod(self.gives)
        return Compute((), self.operations * elements, 3 * elements)

    def input_gradient(self, batch: int) -> Compute:
        """Both halves and the gradient are read, both halves' gradients are written."""
        elements = batch * prod(self.gives)
        return Compute((), 2 * self.operations * elements, 5 * elements)

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """Both halves."""
        return batch * prod(self.takes) * element_bytes

    def tokens_part(self, parts: int) -> Gated:
        """Some of the tokens."""
        return replace(self, tokens=-(-self.tokens // parts))

    def part(self, parts: int) -> Gated:
        """Some of the features, of both halves."""
        if self.split is Split.COPIED:
            return self
        return replace(self, features=divided(self.name, "features", self.features, parts))


@dataclass(frozen=True, kw_only=True)
class Normalisation(_Shaped):
    """Batch, layer or RMS normalisation: mean and variance taken out, then a gain and a bias for each feature.

    trained: whether it has the gain and the bias. bias: whether a bias is with the gain; RMSNorm has none, and takes
    out the root of the mean square only (arXiv 1910.07467). first: so many features are normalised, where the others
    pass unchanged; all if not given. 2 operations for each element, as the tutorial counts.

    >>> from astra_edu.workload.compute import Normalisation
    >>> [Normalisation(name="norm", shape=(128, 64), bias=bias).parameters for bias in (True, False)]
    [128, 64]
    """

    trained: bool = True
    bias: bool = True
    first: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.first is not None:
            whole_fields(self, "first")
            if self.first > self.shape[-1]:
                raise ConfigError(
                    f"{self.name}: the first {self.first} of {self.shape[-1]} features can't be normalised; "
                    f"{self.shape[-1]} is the most."
                )

    @property
    def features(self) -> int:
        """Channels of an image, else the last number of the shape, or the first of them."""
        return self.first or (self.shape[0] if len(self.shape) == 3 else self.shape[-1])

    @property
    def parameters(self) -> int:
        """A gain and a bias for each feature."""
        return (1 + self.bias) * self.features if self.trained else 0

    def _elements(self, batch: int) -> int:
        return batch * (prod(self.shape) if self.first is None else self.shape[0] * self.first)

    def forward(self, batch: int) -> Compute:
        """Reads and writes every element."""
        elements = self._elements(batch)
        return Compute((), 2 * elements, 2 * elements)

    def input_gradient(self, batch: int) -> Compute:
        """Reads the input and the gradient of the output, writes the gradient of the input."""
        elements = self._elements(batch)
        return Compute((), 2 * elements, 3 * elements)

    def weight_gradient(self, batch: int) -> Compute:
        """Sums over all elements, in the kernel of the input gradient: nothing more is read."""
        return Compute((), 2 * self._elements(batch), 0)

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """The input."""
        return self._elements(batch) * element_bytes

    def sequence_part(self, parts: int) -> Operator:
        """Some of the tokens."""
        return self.tokens_part(parts)
