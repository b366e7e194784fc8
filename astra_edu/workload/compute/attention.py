"""The attention of a transformer: two products without weights, and a softmax between them.

A product of two activations has two gradients. The second stands where a weight gradient would, as in the tutorial's
GPT-3; there is nothing to communicate for it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Self

from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.operator import Compute, Operator, Product, Shape, Split, divided, whole_fields


@dataclass(frozen=True, kw_only=True)
class _Heads(Operator):
    """Something that each of `heads` heads does, with `width` features of each of `tokens` tokens.

    causal: a token looks only at those before it, on average at half of them; most kernels compute the other half, too.
    keys: tokens of the sample, of which `tokens` are this NPU's; as many if not given.
    """

    sizes = ("tokens", "heads", "width")

    tokens: int
    heads: int
    width: int
    causal: bool = False
    keys: int | None = None
    split: Split = Split.HEADS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.keys is None:
            object.__setattr__(self, "keys", self.tokens)
        whole_fields(self, "keys")

    @property
    def seen(self) -> int:
        """Tokens that a token looks at."""
        keys = self.keys or 0
        return (keys + 1) // 2 if self.causal else keys

    @property
    def _features(self) -> Shape:
        return (self.tokens, self.heads * self.width)

    @property
    def _scores(self) -> Shape:
        return (self.tokens, self.heads * (self.keys or 0))

    def _numbers(self, batch: int) -> int:
        """Scores of all heads."""
        return batch * self.heads * self.tokens * self.seen

    def tokens_part(self, parts: int) -> Self:
        """Some of the tokens, which look at all."""
        return replace(self, tokens=divided(self.name, "tokens", self.tokens, parts))

    def part(self, parts: int) -> Self:
        """Some of the heads."""
        if self.split is Split.COPIED:
            return self
        return replace(self, heads=divided(self.name, "heads", self.heads, parts))


@dataclass(frozen=True, kw_only=True)
class Scores(_Heads, Product):
    """Queries · keys: how much each token looks at each other. Takes queries, keys and values side by side.

    >>> from astra_edu.workload.compute import Scores
    >>> scores = Scores(name="scores", tokens=128, heads=4, width=64)
    >>> scores.takes, scores.gives
    ((128, 768), (128, 512))
    >>> scores.forward(batch=1).gemms
    (Gemm(m=128, n=128, k=64, count=4, moved=None),)
    """

    @property
    def takes(self) -> Shape:
        """(tokens, 3 · features)."""
        return (self.tokens, 3 * self.heads * self.width)

    @property
    def gives(self) -> Shape:
        """(tokens, heads · tokens)."""
        return self._scores

    def product(self, batch: int) -> Gemm:
        """Queries · keys, for each head."""
        return Gemm(self.tokens, self.seen, self.width, batch * self.heads)

    def weight_gradient(self, batch: int) -> Compute:
        """The keys' gradient."""
        return Compute((Gemm(self.seen, self.width, self.tokens, batch * self.heads),))

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """Queries and keys."""
        return 2 * batch * prod(self._features) * element_bytes


@dataclass(frozen=True, kw_only=True)
class Softmax(_Heads):
    """Softmax of the scores, then dropout.

    >>> from astra_edu.workload.compute import Softmax
    >>> softmax = Softmax(name="softmax", tokens=128, heads=4, width=64)
    >>> softmax.parameters, softmax.forward(batch=1).operations
    (0, 393216)
    """

    @property
    def takes(self) -> Shape:
        """(tokens, heads · tokens)."""
        return self._scores

    @property
    def gives(self) -> Shape:
        """(tokens, heads · tokens)."""
        return self._scores

    def forward(self, batch: int) -> Compute:
        """Scaling, masking and softmax in one kernel, dropout in another: each reads and writes all scores."""
        return Compute((), 6 * self._numbers(batch), 4 * self._numbers(batch))

    def input_gradient(self, batch: int) -> Compute:
        """Softmax reads its output as well as the gradient."""
        return Compute((), 6 * self._numbers(batch), 5 * self._numbers(batch))

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """The softmax, and a byte of dropout's mask for each score."""
        return self._numbers(batch) * (element_bytes + 1)

    def recomputable_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """All of it."""
        return self.kept_bytes(batch, element_bytes)


@dataclass(frozen=True, kw_only=True)
class Context(_Heads, Product):
    """Scores · values: what each token takes from the others.

    >>> from astra_edu.workload.compute import Context
    >>> context = Context(name="context", tokens=128, heads=4, width=64)
    >>> context.forward(batch=1).flops == 2 * 4 * 128 * 128 * 64
    True
    """

    @property
    def takes(self) -> Shape:
        """(tokens, heads · tokens)."""
        return self._scores

    @property
    def gives(self) -> Shape:
        """(tokens, features)."""
        return self._features

    def product(self, batch: int) -> Gemm:
        """Scores · values, for each head."""
        return Gemm(self.tokens, self.width, self.seen, batch * self.heads)

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """The scores after dropout, and the values."""
        return self.recomputable_bytes(batch, element_bytes) + batch * prod(self._features) * element_bytes

    def recomputable_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """The scores."""
        return self._numbers(batch) * element_bytes
