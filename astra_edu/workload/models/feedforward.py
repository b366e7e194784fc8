"""What follows the attention in a transformer's block: two linear layers, or a mixture of such pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, NamedTuple

from astra_edu.base.errors import ConfigError, choice, flag, positive, whole
from astra_edu.workload.compute import Combine, Dispatch, Elementwise, Experts, Gated, Latent, Operator, Split
from astra_edu.workload.models.style import Style


class Activation(NamedTuple):
    """What stands between the two linear layers. gated: the first has twice the features, which are multiplied."""

    gated: bool
    operations: int


ACTIVATIONS: Mapping[str, Activation] = {
    "gelu": Activation(False, 8),
    "relu2": Activation(False, 2),
    "swiglu": Activation(True, 6),
    "geglu": Activation(True, 9),
}


@dataclass(frozen=True, kw_only=True)
class FeedForward:
    """Two linear layers with `inside` features between them; see transformer for the other fields."""

    style: Style
    inside: int
    activation: str = "gelu"
    experts: int = 1
    top_k: int = 1
    shared: int = 0
    router_bias: bool = False
    capacity: float | None = None
    latent: int | None = None

    def __post_init__(self) -> None:
        of = self.style.of
        names = {"inside": "feedforward", "shared": "shared features"}
        for name, least in (("inside", 1), ("experts", 1), ("top_k", 1), ("shared", 0)):
            object.__setattr__(self, name, whole(of(names.get(name, name)), getattr(self, name), at_least=least))
        choice(of("activation"), self.activation, ACTIVATIONS)
        flag(of("router_bias"), self.router_bias)
        if self.latent is not None:
            object.__setattr__(self, "latent", whole(of("expert_latent"), self.latent, at_least=1))
        if self.capacity is not None:
            object.__setattr__(self, "capacity", positive(of("capacity"), self.capacity))
        if self.top_k > self.experts:
            raise ConfigError(
                f"{of('a token')} can't go to {self.top_k} of {self.experts} experts; top_k is at most {self.experts}."
            )

    def operators(self, name: str, entry: str) -> Iterator[Operator]:
        """Normalised before and added to what came in."""
        yield self.style.normalisation(f"{name}_norm2")
        if self.experts == 1:
            yield from self._pair(f"{name}_mlp", self.inside)
            yield self.style.added(f"{name}_added2", f"{name}_mlp2", entry)
        else:
            yield from self._mixture(name, entry)

    def _pair(self, name: str, inside: int) -> Iterator[Operator]:
        style, hidden, between = self.style, self.style.hidden, f"{name.removesuffix('_mlp')}_{self.activation}"
        yield style.linear(f"{name}1", hidden, (1 + self._gated) * inside, Split.COLUMNS)
        yield self._activated(between, style.tokens, inside)
        yield style.linear(f"{name}2", inside, hidden, Split.ROWS)

    @property
    def _gated(self) -> bool:
        return ACTIVATIONS[self.activation].gated

    def _activated(self, name: str, tokens: int, features: int) -> Operator:
        gated, operations = ACTIVATIONS[self.activation]
        if gated:
            return Gated(name=name, tokens=tokens, features=features, operations=operations)
        return Elementwise(name=name, shape=(tokens, features), operations=operations, split=Split.COLUMNS)

    @property
    def slots(self) -> int:
        """Rows of a sample that the experts are given, all together."""
        routed = self.style.tokens * self.top_k
        if self.capacity is None:
            return routed
        return self.experts * ceil(round(self.capacity * routed / self.experts, 6))

    def _mixture(self, name: str, entry: str) -> Iterator[Operator]:
        """Several of the two, each for the tokens that a router sends it (GShard, 2006.16668).

        latent: experts take and give so many features, between two layers of all tokens.
        """
        style, hidden, slots = self.style, self.latent or self.style.hidden, self.slots
        norm, up, between, down = (f"{name}_{part}" for part in ("norm2", "mlp1", self.activation, "mlp2"))
        each = None if slots == style.tokens * self.top_k else slots

        def routing(kind: type[Dispatch | Combine], part: str, split: Split, *after: str) -> Operator:
            size: dict[str, Any] = {"tokens": style.tokens, "width": hidden, "top_k": self.top_k, "slots": each}
            return kind(name=f"{name}_{part}", split=split, after=after, **size)

        def experts(name: str, inputs: int, outputs: int, split: Split) -> Operator:
            size: dict[str, Any] = {
                "inputs": inputs,
                "outputs": outputs,
                "tokens": slots,
                "experts": self.experts,
                "top_k": self.top_k,
            }
            return Experts(name=name, bias=style.bias, split=split, **size)

        def between_all(part: str, inputs: int, outputs: int, **more: Any) -> Latent:
            return Latent(
                name=f"{name}_{part}", inputs=inputs, outputs=outputs, tokens=style.tokens, bias=style.bias, **more
            )

        yield style.linear(f"{name}_router", style.hidden, self.experts, Split.COPIED, self.router_bias)
        if self.latent:
            yield between_all("latent_down", style.hidden, hidden, after=(norm,), shares_input=True)
        yield routing(Dispatch, "dispatch", Split.COLUMNS, f"{name}_latent_down" if self.latent else norm)
        yield experts(up, hidden, (1 + self._gated) * self.inside, Split.COLUMNS)
        yield self._activated(between, slots, self.inside)
        yield experts(down, self.inside, hidden, Split.ROWS)
        yield routing(Combine, "combine", Split.ROWS)
        if self.latent:
            yield between_all("latent_up", hidden, style.hidden)
        if self.shared:
            first, *others = self._pair(f"{name}_shared", self.shared)
            yield replace(first, after=(norm,), shares_input=True)
            yield from others
        combined = f"{name}_latent_up" if self.latent else f"{name}_combine"
        added = (combined, *((f"{name}_shared2",) if self.shared else ()), entry)
        yield style.added(f"{name}_added2", *added)
