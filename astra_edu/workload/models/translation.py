"""GNMT: translation by long short-term memory, an encoder and a decoder that attends to it."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.workload.compute import Compute, Elementwise, Embedding, Gemm, Linear, Loss, Lstm, Operator, Shape, Split
from astra_edu.workload.models.model import Model

HIDDEN, WORDS = 1024, 32_320


@dataclass(frozen=True, kw_only=True)
class AdditiveAttention(Operator):
    """Bahdanau's attention: a weighted sum of tanh(query + key) for every pair of tokens (arXiv 1409.0473)."""

    tokens: int
    width: int

    @property
    def takes(self) -> Shape:
        """Queries and keys side by side: (tokens, 2 · width)."""
        return (self.tokens, 2 * self.width)

    @property
    def gives(self) -> Shape:
        """A context for each query: (tokens, width)."""
        return (self.tokens, self.width)

    @property
    def parameters(self) -> int:
        """A weight and a bias for each feature, and a scale."""
        return 2 * self.width + 1

    def forward(self, batch: int) -> Compute:
        """Sum, tanh and weight for each feature of each pair; then scores · keys."""
        pairs = batch * self.tokens**2 * self.width
        return Compute((Gemm(self.tokens, self.width, self.tokens, batch, of_activations=True),), 4 * pairs, 2 * pairs)

    def input_gradient(self, batch: int) -> Compute:
        """The same backwards: the product has two factors, the scores and the keys."""
        scores = Gemm(self.tokens, self.tokens, self.width, batch, of_activations=True)
        return self.forward(batch) + Compute((scores,))

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """Queries and keys."""
        return 2 * batch * self.tokens * self.width * element_bytes


def gnmt(tokens: int = 50) -> Model:
    """GNMT with 4 + 4 layers, as MLPerf trains it. Wu et al., arXiv 1609.08144. tokens: of a sentence."""

    def lstm(name: str, inputs: int, *after: str) -> Lstm:
        return Lstm(name=name, inputs=inputs, hidden=HIDDEN, tokens=tokens, after=after)

    def linear(name: str, after: str) -> Linear:
        return Linear(name=name, inputs=HIDDEN, outputs=HIDDEN, tokens=tokens, bias=False, after=(after,))

    def added(name: str, *after: str) -> Elementwise:
        return Elementwise(name=name, shape=(tokens, HIDDEN), inputs=2, kept=0, after=after)

    operators: list[Operator] = [
        Embedding(name="words", rows=(WORDS,), width=HIDDEN, lookups=tokens),
        lstm("encoder1_forwards", HIDDEN, "words"),
        lstm("encoder1_backwards", HIDDEN, "words"),
        lstm("encoder2", 2 * HIDDEN, "encoder1_forwards", "encoder1_backwards"),
        lstm("encoder3", HIDDEN),
        added("encoder3_added", "encoder3", "encoder2"),
        lstm("encoder4", HIDDEN),
        added("encoder4_added", "encoder4", "encoder3_added"),
        lstm("decoder1", HIDDEN, "words"),
        linear("queries", "decoder1"),
        linear("keys", "encoder4_added"),
        AdditiveAttention(name="attention", tokens=tokens, width=HIDDEN, after=("queries", "keys")),
        lstm("decoder2", 2 * HIDDEN, "decoder1", "attention"),
        lstm("decoder3", 2 * HIDDEN, "decoder2", "attention"),
        added("decoder3_added", "decoder3", "decoder2"),
        lstm("decoder4", 2 * HIDDEN, "decoder3_added", "attention"),
        added("decoder4_added", "decoder4", "decoder3_added"),
        Linear(name="scores", inputs=HIDDEN, outputs=WORDS, tokens=tokens, split=Split.GATHERED),
        Loss(name="loss", tokens=tokens, words=WORDS),
    ]
    return Model(
        "GNMT",
        tuple(operators),
        published=160_671_297,
        exact=True,
        source="NVIDIA Apex, sizes of the parameters of MLPerf's GNMT of 4 + 4 layers, in its optimisers' tests",
    )
