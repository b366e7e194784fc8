"""What attention's operators have in common: heads, which may share keys and values, and the tokens they look at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from astra_edu.base.errors import ConfigError, flag
from astra_edu.workload.compute.operator import Operator, Shape, Split, divided, divisors, near, whole_fields


@dataclass(frozen=True, kw_only=True)
class Heads(Operator):
    """Something that each of `heads` heads does, with `width` features of each of `tokens` tokens.

    kv_heads: heads that keys and values have, as many as queries if not given; fewer are shared by several queries'
    (grouped-query attention, arXiv 2305.13245; with 1, multi-query attention, arXiv 1911.02150).
    value_width: features of a value, `width` if not given. causal: a token looks only at those before it, on average at
    half of them; most kernels that keep all scores compute the other half, too. window: with causal, at so many at
    most, itself included. keys: tokens of the sample, of which `tokens` are this NPU's; as many if not given.
    """

    sizes = ("tokens", "heads", "width")

    tokens: int
    heads: int
    width: int
    causal: bool = False
    keys: int | None = None
    kv_heads: int | None = None
    value_width: int | None = None
    window: int | None = None
    split: Split = Split.HEADS

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, given in (("keys", self.tokens), ("kv_heads", self.heads), ("value_width", self.width)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, given)
        whole_fields(self, "keys", "kv_heads", "value_width", *(() if self.window is None else ("window",)))
        flag(f"{self.name}: causal", self.causal)
        if self.window is not None and not self.causal:
            raise ConfigError(f"{self.name}: a window of {self.window} tokens looks back only; give causal=True, too.")
        check_shared(self.name, self.heads, self.shared_heads)

    @property
    def shared_heads(self) -> int:
        """Heads of keys and values."""
        return self.kv_heads or 0

    @property
    def value_features(self) -> int:
        """Features of each head's value."""
        return self.value_width or 0

    @property
    def seen(self) -> int:
        """Tokens that a token looks at, on average."""
        keys, window = self.keys or 0, self.window
        if window is not None and window < keys:
            return -(-(window * (window + 1) // 2 + (keys - window) * window) // keys)
        return (keys + 1) // 2 if self.causal else keys

    @property
    def projected(self) -> Shape:
        """(tokens, features of queries, keys and values side by side)."""
        return (self.tokens, self.heads * self.width + self.shared_heads * (self.width + self.value_features))

    @property
    def attended(self) -> Shape:
        """(tokens, features of all heads' outputs)."""
        return (self.tokens, self.heads * self.value_features)

    @property
    def keys_and_values(self) -> int:
        """Elements of this NPU's tokens' keys and values."""
        return self.tokens * self.shared_heads * (self.width + self.value_features)

    def numbers(self, batch: int) -> int:
        """Scores of all heads."""
        return batch * self.heads * self.tokens * self.seen

    def tokens_part(self, parts: int) -> Self:
        """Some of the tokens, which look at all."""
        return replace(self, tokens=divided(self.name, "tokens", self.tokens, parts))

    def part(self, parts: int) -> Self:
        """Some of the heads. Where there are fewer of keys and values than NPUs, several have the same."""
        if self.split is Split.COPIED:
            return self
        heads, shared = heads_part(self.name, self.heads, self.shared_heads, parts)
        return replace(self, heads=heads, kv_heads=shared)


def check_shared(name: str, heads: int, kv_heads: int) -> None:
    """Raises ConfigError where not every head of keys and values serves as many of the queries'."""
    if heads % kv_heads:
        raise ConfigError(
            f"{name}: {heads} heads can't share {kv_heads} heads of keys and values evenly; "
            f"{near(kv_heads, divisors(heads))} would do."
        )


def heads_part(name: str, heads: int, kv_heads: int, parts: int) -> tuple[int, int]:
    """(heads, heads of keys and values) of each of `parts` NPUs. As in Megatron-LM, fewer of the latter are copied.

    Raises ConfigError where they don't come out even, with the nearest numbers of NPUs that do.

    >>> from astra_edu.workload.compute.heads import heads_part
    >>> heads_part("attention", heads=64, kv_heads=8, parts=4), heads_part("attention", heads=64, kv_heads=8, parts=16)
    ((16, 2), (4, 1))
    """
    own = divided(name, "heads", heads, parts)
    if kv_heads % parts == 0:
        return own, kv_heads // parts
    if parts % kv_heads == 0:
        return own, 1
    possible = [n for n in divisors(heads) if kv_heads % n == 0 or n % kv_heads == 0]
    raise ConfigError(
        f"{name}: {kv_heads} heads of keys and values can't be divided among {parts} NPUs, nor each be copied to as "
        f"many of them; {near(parts, possible)} would do."
    )
