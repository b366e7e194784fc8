"""A state-space layer in place of attention: Mamba-2, whose time grows with the tokens and not with their pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple

from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.operator import Compute, Operator, Shape, Split, divided


class _Products(NamedTuple):
    """Those of a forward pass: of C and B, of B and x (a chunk's states), of their products with x, of C and states."""

    pairs: Gemm
    states: Gemm
    near: Gemm
    far: Gemm


@dataclass(frozen=True, kw_only=True)
class StateSpace(Operator):
    """Mamba-2's convolution, scan, gate and norm (arXiv 2405.21060, section 6), between its two linear layers.

    heads: of `width` features each. state: numbers that each of these features keeps of the tokens before. groups: of
    heads that share B and C, what goes into the states and comes out. kernel: tokens that the convolution sees. chunk:
    tokens whose pairs are computed; what is before a chunk comes from its states. Takes the gate, x, B, C and a step
    for each head side by side. The backward pass computes the chunks' products C · B and B · x again.

    >>> from astra_edu.workload.compute import StateSpace
    >>> scan = StateSpace(name="scan", tokens=256, heads=8, width=64, state=128, groups=2)
    >>> scan.takes, scan.gives, scan.parameters
    ((256, 1544), (256, 512), 5656)
    """

    sizes = ("tokens", "heads", "width", "state", "groups", "kernel", "chunk")

    tokens: int
    heads: int
    width: int
    state: int
    groups: int
    kernel: int = 4
    chunk: int = 128
    split: Split = Split.COLUMNS

    def __post_init__(self) -> None:
        super().__post_init__()
        divided(self.name, "heads", self.heads, self.groups, among="groups")

    @property
    def features(self) -> int:
        """Of all heads."""
        return self.heads * self.width

    @property
    def channels(self) -> int:
        """What is convolved: x, B and C."""
        return self.features + 2 * self.groups * self.state

    @property
    def takes(self) -> Shape:
        """(tokens, features of the gate, x, B, C and the steps)."""
        return (self.tokens, self.features + self.channels + self.heads)

    @property
    def gives(self) -> Shape:
        """(tokens, features)."""
        return (self.tokens, self.features)

    @property
    def parameters(self) -> int:
        """The convolution's weights and biases, three numbers for each head, and a gain for each feature."""
        return self.channels * (self.kernel + 1) + 3 * self.heads + self.features

    @property
    def chunks(self) -> int:
        """Of a sample; the last one may not be full."""
        return -(-self.tokens // self.chunk)

    def products(self, batch: int) -> _Products:
        """A chunk's products, with what each reads and writes."""
        chunks, long, heads = batch * self.chunks, min(self.chunk, self.tokens), batch * self.chunks * self.heads
        x, b = batch * self.tokens * self.features, batch * self.tokens * self.groups * self.state
        pairs, states = chunks * self.groups * long * long, heads * self.state * self.width
        return _Products(
            Gemm(long, long, self.state, chunks * self.groups, 2 * b + pairs, of_activations=True),
            Gemm(self.state, self.width, long, heads, b + x + states, of_activations=True),
            Gemm(long, self.width, long, heads, pairs + 2 * x, of_activations=True),
            Gemm(long, self.width, self.state, heads, b + states, of_activations=True),
        )

    def _kernels(self, batch: int, ways: int) -> Compute:
        """Convolution, the states handed on from chunk to chunk, gate and norm; `ways`: 2 for a backward pass."""
        convolved, given = batch * self.tokens * self.channels, batch * prod(self.gives)
        states = batch * self.chunks * self.features * self.state
        operations = (2 * self.kernel + 4) * convolved + 2 * states + 8 * given
        return Compute((), ways * operations, (1 + ways) * (convolved + states) + (2 + ways) * given)

    def forward(self, batch: int) -> Compute:
        """The convolution, the four products, gate and norm."""
        return Compute(tuple(self.products(batch))) + self._kernels(batch, 1)

    def input_gradient(self, batch: int) -> Compute:
        """Both gradients of each product, after C · B and B · x were computed again."""
        made = self.products(batch)
        gradients = (each for gemm in made for each in (gemm.first_gradient, gemm.second_gradient))
        return Compute((made.pairs, made.states, *gradients)) + self._kernels(batch, 2)

    def weight_gradient(self, batch: int) -> Compute:
        """Sums over all tokens, in the kernels of the input gradient: nothing more is read."""
        return Compute((), 2 * batch * self.tokens * (self.channels * (self.kernel + 1) + self.features), 0)

    def repeated_flops(self, batch: int) -> int:
        """Those of C · B and B · x."""
        made = self.products(batch)
        return made.pairs.flops + made.states.flops

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """The input, what the scan gives to the gate, and a 32-bit number of the norm for each token and group."""
        return batch * ((prod(self.takes) + prod(self.gives)) * element_bytes + 4 * self.tokens * self.groups)

    def part(self, parts: int) -> StateSpace:
        """Some of the heads, with their groups."""
        groups = divided(self.name, "groups of heads", self.groups, parts)
        return replace(self, heads=self.heads // parts, groups=groups)
