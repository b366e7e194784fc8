"""Layers whose weights meet every token: linear, and long short-term memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.operator import Compute, Operator, Shape, Split, divided, whole_fields


@dataclass(frozen=True, kw_only=True)
class Linear(Operator):
    """output = input · weights + bias, for each of a sample's tokens.

    tied: it uses an embedding's weights. gathers_back: split by rows, the gradient of its input is gathered.

    >>> from astra_edu.workload.compute import Linear, Split
    >>> layer = Linear(name="fc", inputs=1024, outputs=4096, split=Split.COLUMNS)
    >>> layer.parameters, layer.part(4).parameters
    (4198400, 1049600)
    >>> layer.forward(batch=32).flops
    268435456
    """

    inputs: int
    outputs: int
    tokens: int = 1
    bias: bool = True
    tied: bool = False
    gathers_back: bool = False
    split: Split = Split.GATHERED

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_fields(self, inputs=self.inputs, outputs=self.outputs, tokens=self.tokens)

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

    def forward(self, batch: int) -> Compute:
        """Input · weights."""
        return Compute((Gemm(batch * self.tokens, self.outputs, self.inputs),))

    def input_gradient(self, batch: int) -> Compute:
        """Gradient of the output · transposed weights."""
        return Compute((Gemm(batch * self.tokens, self.inputs, self.outputs),))

    def weight_gradient(self, batch: int) -> Compute:
        """Transposed input · gradient of the output: its K is as long as the batch."""
        return Compute((Gemm(self.inputs, self.outputs, batch * self.tokens),))

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """The input."""
        return 0 if self.shares_input else batch * prod(self.takes) * element_bytes

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

    inputs: int
    hidden: int
    tokens: int
    units: int | None = None
    split: Split = Split.GATHERED

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_fields(self, inputs=self.inputs, hidden=self.hidden, tokens=self.tokens)
        whole_fields(self, units=self.hidden if self.units is None else self.units)

    @property
    def _units(self) -> int:
        return self.units or 0

    @property
    def takes(self) -> Shape:
        """(tokens, inputs)."""
        return (self.tokens, self.inputs)

    @property
    def gives(self) -> Shape:
        """(tokens, units)."""
        return (self.tokens, self._units)

    @property
    def parameters(self) -> int:
        """Four gates, each with weights for the input and the state and two biases."""
        return 4 * self._units * (self.inputs + self.hidden + 2)

    def _gates(self, batch: int) -> Compute:
        gates = 4 * self._units
        return Compute((), 2 * batch * self.tokens * gates, 2 * batch * self.tokens * gates)

    def forward(self, batch: int) -> Compute:
        """The inputs of all tokens at once, the states one token after the other."""
        gates = 4 * self._units
        at_once = Gemm(batch * self.tokens, gates, self.inputs)
        in_turn = Gemm(batch, gates, self.hidden, self.tokens)
        return Compute((at_once, in_turn)) + self._gates(batch)

    def input_gradient(self, batch: int) -> Compute:
        """Through the states one token after the other, then to the inputs of all."""
        gates = 4 * self._units
        at_once = Gemm(batch * self.tokens, self.inputs, gates)
        in_turn = Gemm(batch, self.hidden, gates, self.tokens)
        return Compute((at_once, in_turn)) + self._gates(batch)

    def weight_gradient(self, batch: int) -> Compute:
        """Inputs and states of all tokens at once."""
        gates = 4 * self._units
        return Compute((Gemm(self.inputs, gates, batch * self.tokens), Gemm(self.hidden, gates, batch * self.tokens)))

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """The input, and for each token the four gates and the cell's state."""
        return batch * self.tokens * (self.inputs + 5 * self._units) * element_bytes

    def part(self, parts: int) -> Lstm:
        """Some of the units. Their state has to be gathered at every token; counted as the gathering of the outputs."""
        if self.split is Split.COPIED:
            return self
        return replace(self, units=divided(self.name, "units", self._units, parts))
