"""The attention of a transformer that keeps its scores: two products without weights, a softmax between them.

A product of two activations has two gradients. The second stands where a weight gradient would, as in the tutorial's
GPT-3; there is nothing to communicate for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.base.errors import flag
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.heads import Heads
from astra_edu.workload.compute.operator import Compute, Product, Shape


@dataclass(frozen=True, kw_only=True)
class _KeepsScores(Heads):
    """Heads whose scores are written, one for each pair of tokens."""

    @property
    def _scores(self) -> Shape:
        return (self.tokens, self.heads * (self.keys or 0))

    @property
    def _queries(self) -> int:
        """Rows of queries that meet the same keys: those of all heads that share them."""
        return self.tokens * (self.heads // self.shared_heads)


@dataclass(frozen=True, kw_only=True)
class Scores(_KeepsScores, Product):
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
        """(tokens, features of queries, keys and values)."""
        return self.projected

    @property
    def gives(self) -> Shape:
        """(tokens, heads · tokens)."""
        return self._scores

    def product(self, batch: int) -> Gemm:
        """Queries · keys, for each head of keys."""
        return Gemm(
            self._queries, self.seen, self.width, batch * self.shared_heads, of_activations=True, kernel="attention"
        )

    def weight_gradient(self, batch: int) -> Compute:
        """The keys' gradient."""
        return Compute(
            (
                Gemm(
                    self.seen,
                    self.width,
                    self._queries,
                    batch * self.shared_heads,
                    of_activations=True,
                    kernel="attention",
                ),
            )
        )

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """Queries and keys."""
        return batch * self.tokens * (self.heads + self.shared_heads) * self.width * element_bytes


@dataclass(frozen=True, kw_only=True)
class Softmax(_KeepsScores):
    """Softmax of the scores, then dropout.

    dropout: whether there is some. sinks: a trained number for each head stands beside its scores and takes a share of
    the softmax (GPT-OSS).

    >>> from astra_edu.workload.compute import Softmax
    >>> softmax = Softmax(name="softmax", tokens=128, heads=4, width=64)
    >>> softmax.parameters, softmax.forward(batch=1).operations
    (0, 393216)
    """

    dropout: bool = True
    sinks: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        flag(f"{self.name}: dropout", self.dropout)
        flag(f"{self.name}: sinks", self.sinks)

    @property
    def takes(self) -> Shape:
        """(tokens, heads · tokens)."""
        return self._scores

    @property
    def gives(self) -> Shape:
        """(tokens, heads · tokens)."""
        return self._scores

    @property
    def parameters(self) -> int:
        """A sink for each head."""
        return self.heads * self.sinks

    def forward(self, batch: int) -> Compute:
        """Scaling, masking and softmax in one kernel, dropout in another: each reads and writes all scores."""
        numbers = self.numbers(batch)
        return Compute((), (5 + self.dropout) * numbers, (2 + 2 * self.dropout) * numbers, kernels=1 + self.dropout)

    def input_gradient(self, batch: int) -> Compute:
        """Softmax reads its output as well as the gradient."""
        numbers = self.numbers(batch)
        return Compute((), (5 + self.dropout) * numbers, (3 + 2 * self.dropout) * numbers, kernels=1 + self.dropout)

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """The softmax, and a byte of dropout's mask for each score."""
        return self.numbers(batch) * (element_bytes + self.dropout)

    def recomputable_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """All of it."""
        return self.kept_bytes(batch, element_bytes)


@dataclass(frozen=True, kw_only=True)
class Context(_KeepsScores, Product):
    """Scores · values: what each token takes from the others. dropout: whether the scores were dropped before.

    >>> from astra_edu.workload.compute import Context
    >>> context = Context(name="context", tokens=128, heads=4, width=64)
    >>> context.forward(batch=1).flops == 2 * 4 * 128 * 128 * 64
    True
    """

    dropout: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        flag(f"{self.name}: dropout", self.dropout)

    @property
    def takes(self) -> Shape:
        """(tokens, heads · tokens)."""
        return self._scores

    @property
    def gives(self) -> Shape:
        """(tokens, features)."""
        return self.attended

    def product(self, batch: int) -> Gemm:
        """Scores · values, for each head of values."""
        return Gemm(
            self._queries,
            self.value_features,
            self.seen,
            batch * self.shared_heads,
            of_activations=True,
            kernel="attention",
        )

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """The scores after dropout (without it they are the softmax, which is kept anyway), and the values."""
        values = batch * self.tokens * self.shared_heads * self.value_features * element_bytes
        return self.recomputable_bytes(batch, element_bytes) + values

    def recomputable_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """The scores."""
        return self.numbers(batch) * element_bytes if self.dropout else 0
