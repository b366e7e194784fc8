"""Layers whose weights meet every token: linear, and long short-term memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from astra_edu.base.errors import flag
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.operator import Compute, Operator, Product, Shape, Split, divided, whole_fields


@dataclass(frozen=True, kw_only=True)
class Linear(Product):
    """output = input · weights + bias, for each of a sample's tokens.

    tied: it uses an embedding's weights. gathers_back: split by rows, the gradient of its input is gathered.

    >>> from astra_edu.workload.compute import Linear, Split
    >>> layer = Linear(name="fc", inputs=1024, outputs=4096, split=Split.COLUMNS)
    >>> layer.parameters, layer.part(4).parameters
    (4198400, 1049600)
    >>> layer.forward(batch=32).flops
    268435456
    """

    sizes: ClassVar[tuple[str, ...]] = ("inputs", "outputs", "tokens")

    inputs: int
    outputs: int
    tokens: int = 1
    bias: bool = True
    tied: bool = False
    gathers_back: bool = False
    split: Split = Split.GATHERED

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("bias", "tied", "gathers_back"):
            flag(f"{self.name}: {name}", getattr(self, name))

    @property
    def takes(self) -> Shape:
        """(tokens, inputs)."""
        return (self.tokens, self.inputs)

    @property
    def gives(self) -> Shape:
        """(tokens, outputs)."""
        return (self.tokens, self.outputs)

    @property
    def parameters(self) -> int:
        """inputs × outputs weights, unless they are an embedding's, and a bias for each output."""
        return (self.inputs * (not self.tied) + self.bias) * self.outputs

    def product(self, batch: int) -> Gemm:
        """Input · weights."""
        return Gemm(batch * self.tokens, self.outputs, self.inputs)

    def tokens_part(self, parts: int) -> Linear:
        """All weights, some of the tokens."""
        return replace(self, tokens=divided(self.name, "tokens", self.tokens, parts))

    def part(self, parts: int) -> Linear:
        """Some of the columns, or of the rows."""
        if self.split is Split.ROWS:
            return replace(self, inputs=divided(self.name, "inputs", self.inputs, parts))
        if self.tied:  # words are padded to a multiple, as the embedding's rows are
            return replace(self, outputs=-(-self.outputs // parts))
        if self.split in (Split.COLUMNS, Split.GATHERED):
            return replace(self, outputs=divided(self.name, "outputs", self.outputs, parts))
        return self


@dataclass(frozen=True, kw_only=True)
class Lstm(Operator):
    """A layer of long short-term memory: four gates from the input and from the state before, token by token.

    hidden: features of the state. units: those of them that are computed here, all of them if not given.

    >>> from astra_edu.workload.compute import Lstm
    >>> lstm = Lstm(name="lstm", inputs=1024, hidden=1024, tokens=50)
    >>> lstm.parameters, lstm.gives
    (8396800, (50, 1024))
    """

    sizes = ("inputs", "hidden", "tokens")

    inputs: int
    hidden: int
    tokens: int
    units: int | None = None
    split: Split = Split.GATHERED

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.units is None:
            object.__setattr__(self, "units", self.hidden)
        whole_fields(self, "units")

    @property
    def _gates(self) -> int:
        """Features of all four gates."""
        return 4 * (self.units or 0)

    @property
    def takes(self) -> Shape:
        """(tokens, inputs)."""
        return (self.tokens, self.inputs)

    @property
    def gives(self) -> Shape:
        """(tokens, units)."""
        return (self.tokens, self._gates // 4)

    @property
    def parameters(self) -> int:
        """Four gates, each with weights for the input and the state and two biases."""
        return self._gates * (self.inputs + self.hidden + 2)

    def forward(self, batch: int) -> Compute:
        """The inputs of all tokens at once, the states one token after the other."""
        at_once = Gemm(batch * self.tokens, self._gates, self.inputs)
        in_turn = Gemm(batch, self._gates, self.hidden, self.tokens)
        numbers = 2 * batch * self.tokens * self._gates
        return Compute((at_once, in_turn), numbers, numbers)

    def input_gradient(self, batch: int) -> Compute:
        """Through the states one token after the other, then to the inputs of all."""
        forward = self.forward(batch)
        return replace(forward, gemms=tuple(gemm.first_gradient for gemm in forward.gemms))

    def weight_gradient(self, batch: int) -> Compute:
        """Inputs and states of all tokens at once."""
        tokens = batch * self.tokens
        return Compute((Gemm(self.inputs, self._gates, tokens), Gemm(self.hidden, self._gates, tokens)))

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """The input, and for each token the four gates and the cell's state."""
        return batch * self.tokens * (self.inputs + self._gates + self.gives[1]) * element_bytes

    def part(self, parts: int) -> Lstm:
        """Some of the units. Their state has to be gathered at every token; counted as the gathering of the outputs."""
        if self.split is Split.COPIED:
            return self
        return replace(self, units=divided(self.name, "units", self.gives[1], parts))
