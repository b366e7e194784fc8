"""Linear layers around attention: queries, keys and values for its heads, also out of a few features (MLA)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from astra_edu.workload.compute.heads import check_shared, heads_part
from astra_edu.workload.compute.linear import Linear
from astra_edu.workload.compute.operator import Compute, Operator, Shape, Split, divided, whole_fields


@dataclass(frozen=True, kw_only=True)
class QueryKeyValue(Linear):
    """Queries of `heads` heads, keys and values of `kv_heads`, side by side, with `width` features for each head.

    A tensor group shares out whole heads; where it has more NPUs than keys and values have heads, several NPUs have the
    same of these, weights and gradients included, as in Megatron-LM. Their sum is left out, since it is small.

    >>> from astra_edu.workload.compute import QueryKeyValue
    >>> layer = QueryKeyValue(name="qkv", inputs=4096, heads=32, kv_heads=8, width=128, bias=False)
    >>> layer.gives, [layer.part(parts).outputs for parts in (4, 8, 16)]
    ((1, 6144), [1536, 768, 512])
    """

    sizes = ("inputs", "heads", "width", "tokens")

    outputs: int = 0
    heads: int
    width: int
    kv_heads: int | None = None
    split: Split = Split.COLUMNS

    def __post_init__(self) -> None:
        if self.kv_heads is None:
            object.__setattr__(self, "kv_heads", self.heads)
        super().__post_init__()
        whole_fields(self, "kv_heads")
        check_shared(self.name, self.heads, self.kv_heads or 0)
        object.__setattr__(self, "outputs", (self.heads + 2 * (self.kv_heads or 0)) * self.width)

    def part(self, parts: int) -> QueryKeyValue:
        """Some of the heads."""
        heads, shared = heads_part(self.name, self.heads, self.kv_heads or 0, parts)
        return replace(self, heads=heads, kv_heads=shared)


@dataclass(frozen=True, kw_only=True)
class Latent(Linear):
    """A linear layer to a few features, from which queries, or keys and values, are made (MLA, arXiv 2405.04434).

    It is small, so that every NPU of a tensor group has all of it; with sequence parallelism for some of the tokens.

    >>> from astra_edu.workload.compute import Latent
    >>> Latent(name="kv_down", inputs=7168, outputs=576, tokens=4096, bias=False).sequence_part(8).gives
    (512, 576)
    """

    split: Split = Split.COPIED

    def sequence_part(self, parts: int) -> Operator:
        """Some of the tokens."""
        return self.tokens_part(parts)


@dataclass(frozen=True, kw_only=True)
class LatentKeysValues(Linear):
    """Keys and values of all heads out of `inputs` features; `rope` further ones, turned by position, end every key.

    width: features of each head's key that are made here. value_width: of each head's value.

    >>> from astra_edu.workload.compute import LatentKeysValues
    >>> layer = LatentKeysValues(name="kv_up", inputs=512, heads=128, width=128, rope=64, value_width=128, bias=False)
    >>> layer.takes, layer.gives, layer.parameters
    ((1, 576), (1, 40960), 16777216)
    """

    sizes = ("inputs", "heads", "width", "value_width", "tokens")

    outputs: int = 0
    heads: int
    width: int
    value_width: int
    rope: int
    split: Split = Split.COLUMNS

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_fields(self, "rope", at_least=0)
        object.__setattr__(self, "outputs", self.heads * (self.width + self.value_width))

    @property
    def takes(self) -> Shape:
        """(tokens, inputs + rope)."""
        return (self.tokens, self.inputs + self.rope)

    @property
    def gives(self) -> Shape:
        """(tokens, features of keys and values side by side)."""
        return (self.tokens, self.outputs + self.heads * self.rope)

    def forward(self, batch: int) -> Compute:
        """The product, and a kernel that puts what it gives and the turned features together."""
        return super().forward(batch) + Compute((), 0, 2 * batch * prod(self.gives))

    def input_gradient(self, batch: int) -> Compute:
        """The same the other way round: gradients of the turned features are added up over the heads."""
        added = batch * self.tokens * self.heads * self.rope
        return super().input_gradient(batch) + Compute((), added, 2 * batch * prod(self.gives))

    def part(self, parts: int) -> LatentKeysValues:
        """Some of the heads."""
        return replace(self, heads=divided(self.name, "heads", self.heads, parts))
