"""A mixture of experts: each token goes to a few of many layers, and what they make of it is put together again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.linear import Linear
from astra_edu.workload.compute.operator import Compute, Operator, Shape, divided, whole_fields


@dataclass(frozen=True, kw_only=True)
class Experts(Linear):
    """`experts` linear layers side by side; every token goes through one of them, as many through each.

    tokens: all that are routed, each as often as it is (top_k times). Where they don't come out even, every expert is
    counted with as many as the fullest: their tokens are taken to be shared evenly otherwise.

    >>> from astra_edu.workload.compute import Experts
    >>> eight = Experts(name="mlp1", inputs=64, outputs=256, tokens=256, experts=8)
    >>> eight.parameters, eight.forward(batch=1).gemms
    (133120, (Gemm(m=32, n=256, k=64, count=8, moved=None),))
    """

    sizes = (*Linear.sizes, "experts", "top_k")

    experts: int
    top_k: int = 1

    @property
    def parameters(self) -> int:
        """Those of all experts."""
        return self.experts * super().parameters

    @property
    def active_parameters(self) -> int:
        """Those of top_k of them."""
        return min(self.top_k, self.experts) * super().parameters

    def product(self, batch: int) -> Gemm:
        """Tokens · weights, for each expert that has some."""
        tokens = batch * self.tokens
        rows, count = -(-tokens // self.experts), min(self.experts, tokens)
        return Gemm(rows, self.outputs, self.inputs, count, kernel="experts")

    def tokens_part(self, parts: int) -> Experts:
        """All experts, some of the tokens; a capacity is rounded up."""
        return replace(self, tokens=-(-self.tokens // parts))

    def expert_part(self, parts: int) -> Experts:
        """Some of the experts, for the tokens that come from all NPUs of a group: as many as each of them routes."""
        return replace(self, experts=divided(self.name, "experts", self.experts, parts))


@dataclass(frozen=True, kw_only=True)
class _Routing(Operator):
    """tokens: of a sample; width: features of each; top_k: experts that each goes to. slots: rows that the experts of a
    sample are given, tokens · top_k if not given: others where experts have a capacity, which drops tokens or fills up.
    """

    minor = True
    sizes = ("tokens", "width", "top_k")

    tokens: int
    width: int
    top_k: int = 1
    slots: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.slots is not None:
            whole_fields(self, "slots")

    @property
    def routed(self) -> Shape:
        """(tokens · top_k, or slots, width)."""
        return (self.tokens * self.top_k if self.slots is None else self.slots, self.width)

    def input_gradient(self, batch: int) -> Compute:
        """The same the other way round."""
        return self.forward(batch)

    def tokens_part(self, parts: int) -> Operator:
        """Some of the tokens."""
        slots = None if self.slots is None else -(-self.slots // parts)
        return replace(self, tokens=divided(self.name, "tokens", self.tokens, parts), slots=slots)


@dataclass(frozen=True, kw_only=True)
class Dispatch(_Routing):
    """Puts each token before the experts that the router has chosen for it.

    >>> from astra_edu.workload.compute import Dispatch
    >>> Dispatch(name="dispatch", tokens=128, width=64, top_k=2).gives
    (256, 64)
    """

    @property
    def takes(self) -> Shape:
        """(tokens, width)."""
        return (self.tokens, self.width)

    @property
    def gives(self) -> Shape:
        """(tokens · top_k, width)."""
        return self.routed

    def forward(self, batch: int) -> Compute:
        """Reads each token, writes it as often as it is routed."""
        return Compute((), 0, batch * (prod(self.takes) + prod(self.routed)))


@dataclass(frozen=True, kw_only=True)
class Combine(_Routing):
    """Adds up what a token's experts have made of it, by the router's weights.

    >>> from astra_edu.workload.compute import Combine
    >>> combine = Combine(name="combine", tokens=128, width=64, top_k=2)
    >>> combine.gives, combine.kept_bytes(batch=1)
    ((128, 64), 32768)
    """

    @property
    def takes(self) -> Shape:
        """(tokens · top_k, width)."""
        return self.routed

    @property
    def gives(self) -> Shape:
        """(tokens, width)."""
        return (self.tokens, self.width)

    def forward(self, batch: int) -> Compute:
        """A multiplication and an addition for each element that an expert gives."""
        return Compute((), 2 * batch * prod(self.routed), batch * (prod(self.routed) + prod(self.gives)))

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """What the experts gave, for the gradient of the router's weights."""
        return batch * prod(self.routed) * element_bytes
