"""Attention by tiles, which never writes its scores (FlashAttention, arXiv 2205.14135 and 2307.08691)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from astra_edu.base.errors import flag
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.heads import Heads
from astra_edu.workload.compute.operator import Compute, Shape

LOGSUMEXP_BYTES = 4
"""What is kept of each row of a head's scores, in 32 bits: from it the backward pass has their softmax again."""


SOFTMAX = 50
"""A score's softmax takes as long as so many features of its products. By FlashAttention-3's 497, 648 and 756 × 10¹²
operations a second of H100 with heads of 64, 128 and 256 features (arXiv 2407.08608, figure 5; that of 64 unverified),
and so with the products' units on a TPU, which heads of 64 features fill by half."""


@dataclass(frozen=True, kw_only=True)
class FlashAttention(Heads):
    """Both products and the softmax in one kernel. Takes queries, keys and values side by side.

    A tile of queries stays on the chip while keys and values pass by, so only these four and the sum of each row are
    read and written. The backward pass computes the scores again: five products for the forward pass's two, 2.5 times
    as many operations. They stand with the input's gradient, since it is one kernel. Of causal scores it computes those
    of a token and the ones before it only. sinks: a trained number for each head beside its scores (GPT-OSS).
    Dropout costs no memory here; its mask is drawn again.

    >>> from astra_edu.workload.compute import FlashAttention
    >>> attention = FlashAttention(name="attention", tokens=4096, heads=32, kv_heads=8, width=128)
    >>> attention.takes, attention.gives
    ((4096, 6144), (4096, 4096))
    >>> forward, backward = (sum(gemm.flops for gemm in work(1).gemms) for work in (attention.forward,
    ...                                                                             attention.input_gradient))
    >>> backward / forward
    2.5
    """

    sinks: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        flag(f"{self.name}: sinks", self.sinks)

    @property
    def takes(self) -> Shape:
        """(tokens, features of queries, keys and values)."""
        return self.projected

    @property
    def gives(self) -> Shape:
        """(tokens, heads · features of a value)."""
        return self.attended

    @property
    def parameters(self) -> int:
        """A sink for each head."""
        return self.heads * self.sinks

    def _elements(self, batch: int) -> tuple[int, int, int, int]:
        """Queries, keys, values and outputs."""
        keys, tokens = batch * (self.keys or 0) * self.shared_heads, batch * self.tokens * self.heads
        return tokens * self.width, keys * self.width, keys * self.value_features, tokens * self.value_features

    def _product(self, batch: int, n: int, k: int, moved: int) -> Gemm:
        """A product of each token of all heads that share keys and values."""
        rows = self.tokens * (self.heads // self.shared_heads)
        return Gemm(rows, n, k, batch * self.shared_heads, moved, of_activations=True, kernel="attention")

    def _scores(self, batch: int) -> Gemm:
        queries, keys, *_ = self._elements(batch)
        return self._product(batch, self.seen, self.width, queries + keys)

    def forward(self, batch: int) -> Compute:
        """Queries · keys, softmax, · values."""
        *_, values, outputs = self._elements(batch)
        context = self._product(batch, self.value_features, self.seen, values + outputs)
        return self._with_softmax(Compute((self._scores(batch), context), 5 * self.numbers(batch)))

    def input_gradient(self, batch: int) -> Compute:
        """The scores again; gradients of the softmax, of values, queries and keys. First outputs · their gradient."""
        queries, keys, values, outputs = self._elements(batch)
        width, features, seen = self.width, self.value_features, self.seen
        gemms = (
            self._scores(batch),
            self._product(batch, seen, features, outputs + values),
            self._product(batch, features, seen, values).second_gradient,
            self._product(batch, width, seen, queries),
            self._product(batch, width, seen, keys).second_gradient,
        )
        return self._with_softmax(Compute(gemms, 5 * self.numbers(batch) + 2 * outputs, 2 * outputs))

    def _with_softmax(self, work: Compute) -> Compute:
        return replace(work, softmax=sum(gemm.flops for gemm in work.gemms) * SOFTMAX / self.width)

    def repeated_flops(self, batch: int) -> int:
        """The scores'."""
        return self._scores(batch).flops

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """Queries, keys and values, and the sums. The outputs are the next layer's input, which keeps them."""
        return batch * self.takes[0] * self.takes[1] * element_bytes + self.recomputable_bytes(batch)

    def recomputable_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """The sums: selective recomputation, made for kept scores, gains next to nothing here."""
        return batch * self.heads * self.tokens * LOGSUMEXP_BYTES
