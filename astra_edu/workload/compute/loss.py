"""The loss of a language model: what the scores of all words say of the word that came."""

from __future__ import annotations

from dataclasses import dataclass, replace

from astra_edu.workload.compute.operator import Compute, Operator, Shape, Split, divided


@dataclass(frozen=True, kw_only=True)
class Loss(Operator):
    """Softmax over the words for each token, and the cross-entropy, in 32 bits (arXiv 2205.05198, section 4.3).

    >>> from astra_edu.workload.compute import Loss
    >>> Loss(name="loss", tokens=128, words=50_000).takes
    (128, 50000)
    """

    minor = True
    sizes = ("tokens", "words")

    tokens: int
    words: int

    @property
    def takes(self) -> Shape:
        """(tokens, words)."""
        return (self.tokens, self.words)

    @property
    def gives(self) -> Shape:
        """A number."""
        return (1, 1)

    def forward(self, batch: int) -> Compute:
        """Reads the scores, writes what is kept, twice as wide."""
        scores = batch * self.tokens * self.words
        return Compute((), 5 * scores, 3 * scores)

    def input_gradient(self, batch: int) -> Compute:
        """Reads what was kept, writes the scores' gradient."""
        scores = batch * self.tokens * self.words
        return Compute((), scores, 3 * scores)

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """The softmax, 4 bytes for each score."""
        return 4 * batch * self.tokens * self.words

    def tokens_part(self, parts: int) -> Loss:
        """All words, some of the tokens."""
        return replace(self, tokens=divided(self.name, "tokens", self.tokens, parts))

    def part(self, parts: int) -> Loss:
        """Some of the words, as many as the scores have."""
        return self if self.split is Split.COPIED else replace(self, words=-(-self.words // parts))
