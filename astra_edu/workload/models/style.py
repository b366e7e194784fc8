"""What all layers of a transformer's block share: the tokens' shape, normalisations, biases and dropout."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.base.errors import choice, flag, whole
from astra_edu.workload.compute import Elementwise, Linear, Normalisation, Split

NORMS = ("layer", "rms")


@dataclass(frozen=True, kw_only=True)
class Style:
    """model: its name, for errors. hidden: features of a token; tokens: of a sample.

    norm: "layer" (LayerNorm) or "rms" (RMSNorm, gains alone). bias: whether linear layers and LayerNorms have
    biases. dropout: whether there is some, with its masks to keep.
    """

    model: str
    hidden: int
    tokens: int
    norm: str = "layer"
    bias: bool = True
    dropout: bool = True

    def __post_init__(self) -> None:
        for name, given in (("hidden", "hidden"), ("tokens", "sequence")):
            object.__setattr__(self, name, whole(self.of(given), getattr(self, name), at_least=1))
        choice(self.of("norm"), self.norm, NORMS)
        for name in ("bias", "dropout"):
            flag(self.of(name), getattr(self, name))

    def of(self, what: str) -> str:
        """A field's name in a sentence."""
        return f"{self.model}: {what}"

    def normalisation(
        self, name: str, *after: str, features: int | None = None, first: int | None = None
    ) -> Normalisation:
        """Of all a token's features, or of so many; see Normalisation for `first`."""
        shape, bias = (self.tokens, features or self.hidden), self.bias and self.norm == "layer"
        return Normalisation(name=name, shape=shape, bias=bias, first=first, after=after)

    def linear(self, name: str, inputs: int, outputs: int, split: Split, bias: bool | None = None) -> Linear:
        """A linear layer of every token."""
        bias = self.bias if bias is None else bias
        return Linear(name=name, inputs=inputs, outputs=outputs, tokens=self.tokens, bias=bias, split=split)

    def added(self, name: str, *after: str) -> Elementwise:
        """What the operators before it give added up, with a dropout of the first."""
        count, dropout = len(after), 2 if self.dropout else 0
        operations = max(1, count - 1 + dropout)
        kept = int(self.dropout)
        shape = (self.tokens, self.hidden)
        return Elementwise(name=name, shape=shape, operations=operations, inputs=count, kept=kept, after=after)
