"""The attention of a transformer's block, in its kinds: of many heads, of grouped ones, and of latent features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from astra_edu.base.errors import ConfigError, choice, flag, shown, whole
from astra_edu.workload.compute import (
    Context,
    FlashAttention,
    Latent,
    LatentKeysValues,
    Operator,
    QueryKeyNorm,
    QueryKeyValue,
    Rotary,
    Scores,
    Softmax,
    Split,
)
from astra_edu.workload.compute.heads import Heads, check_shared
from astra_edu.workload.compute.operator import divided
from astra_edu.workload.models.style import Style

KERNELS = ("scores", "flash")
QKV = "qkv"
"""A bias of the queries, keys and values alone."""


@dataclass(frozen=True, kw_only=True)
class LatentAttention:
    """Multi-head latent attention (MLA, DeepSeek-V2, arXiv 2405.04434): few features between the two linear layers.

    kv_rank: features from which keys and values are made. q_rank: the same of queries; None makes them at once.
    nope, rope: features of a head's query and key that don't know the position, and that are turned by it; those of
    the keys are the same for all heads. value: features of a head's value.

    >>> from astra_edu.workload.models import LatentAttention
    >>> mla = LatentAttention(kv_rank=512, q_rank=1536, nope=128, rope=64, value=128)
    >>> mla.width
    192
    """

    kv_rank: int
    q_rank: int | None = None
    nope: int = 128
    rope: int = 64
    value: int = 128

    def __post_init__(self) -> None:
        for name in ("kv_rank", "nope", "rope", "value", *(() if self.q_rank is None else ("q_rank",))):
            object.__setattr__(self, name, whole(f"latent attention: {name}", getattr(self, name), at_least=1))

    @property
    def width(self) -> int:
        """Features of a query."""
        return self.nope + self.rope


@dataclass(frozen=True, kw_only=True)
class Attention:
    """What a block's attention is made of; see transformer for the fields."""

    style: Style
    heads: int
    kv_heads: int | None = None
    head_dim: int | None = None
    rotary: bool = False
    qk_norm: bool = False
    sinks: bool = False
    bias: bool | str | None = None
    kernel: str = "scores"
    causal: bool = False
    window: int | None = None
    latent: LatentAttention | None = None

    def __post_init__(self) -> None:
        of = self.style.of
        for name in (
            "heads",
            *(name for name in ("kv_heads", "head_dim", "window") if getattr(self, name) is not None),
        ):
            object.__setattr__(self, name, whole(of(name), getattr(self, name), at_least=1))
        for name in ("rotary", "qk_norm", "sinks", "causal"):
            flag(of(name), getattr(self, name))
        choice(of("attention"), self.kernel, KERNELS)
        if self.bias is not None and self.bias != QKV:
            flag(of("attention_bias"), self.bias)
        if not isinstance(self.latent, LatentAttention | None):
            raise ConfigError(
                f"{of('latent')} is {shown(self.latent, 60)}; give one such as LatentAttention(kv_rank=512)."
            )
        if self.latent and (self.kv_heads not in (None, self.heads) or self.head_dim or self.qk_norm):
            raise ConfigError(
                f"{of('latent attention')} makes keys and values of every head; leave kv_heads, head_dim and qk_norm "
                "out."
            )
        check_shared(self.style.model, self.heads, self.kv_heads or self.heads)

    def operators(self, name: str, entry: str) -> Iterator[Operator]:
        """Normalised before and added to what came in (Megatron-LM, 1909.08053)."""
        style = self.style
        yield style.normalisation(f"{name}_norm1", entry)
        yield from self._latent(name, self.latent) if self.latent else self._projected(name)
        yield from self._attended(name)
        features = self.heads * (self.latent.value if self.latent else self.width(name))
        bias = self.bias if isinstance(self.bias, bool | None) else False
        yield style.linear(f"{name}_projection", features, style.hidden, Split.ROWS, bias)
        yield style.added(f"{name}_added1", f"{name}_projection", entry)

    def width(self, name: str) -> int:
        """Features of a head's query."""
        if self.latent:
            return self.latent.width
        return self.head_dim or divided(name, "features", self.style.hidden, self.heads, among="heads")

    def _projected(self, name: str) -> Iterator[Operator]:
        style, width = self.style, self.width(name)
        bias = style.bias if self.bias is None else bool(self.bias)
        yield QueryKeyValue(
            name=f"{name}_qkv",
            inputs=style.hidden,
            tokens=style.tokens,
            bias=bias,
            heads=self.heads,
            kv_heads=self.kv_heads,
            width=width,
        )
        shape: dict[str, Any] = {"tokens": style.tokens, "heads": self.heads, "kv_heads": self.kv_heads, "width": width}
        if self.qk_norm:
            yield QueryKeyNorm(name=f"{name}_qk_norm", **shape)
        if self.rotary:
            yield Rotary(name=f"{name}_rope", **shape)

    def _latent(self, name: str, latent: LatentAttention) -> Iterator[Operator]:
        style, queries = self.style, self.heads * latent.width
        down = Latent(
            name=f"{name}_kv_down",
            inputs=style.hidden,
            outputs=latent.kv_rank + latent.rope,
            tokens=style.tokens,
            bias=bool(self.bias),
            after=(f"{name}_norm1",),
            shares_input=True,
        )
        if latent.q_rank is None:
            yield style.linear(f"{name}_q", style.hidden, queries, Split.COLUMNS, False)
        else:
            yield replace(down, name=f"{name}_q_down", outputs=latent.q_rank, shares_input=False)
            yield style.normalisation(f"{name}_q_norm", features=latent.q_rank)
            yield style.linear(f"{name}_q", latent.q_rank, queries, Split.COLUMNS, False)
        yield down
        yield style.normalisation(f"{name}_kv_norm", features=latent.kv_rank + latent.rope, first=latent.kv_rank)
        yield LatentKeysValues(
            name=f"{name}_kv",
            inputs=latent.kv_rank,
            tokens=style.tokens,
            bias=False,
            heads=self.heads,
            width=latent.nope,
            rope=latent.rope,
            value_width=latent.value,
        )
        yield Rotary(
            name=f"{name}_rope",
            tokens=style.tokens,
            heads=self.heads,
            width=latent.width,
            value_width=latent.value,
            turned=latent.rope,
            one_key=True,
            after=(f"{name}_q", f"{name}_kv"),
        )

    def _attended(self, name: str) -> Iterator[Operator]:
        kinds: list[tuple[type[Heads], str, dict[str, Any]]]
        if self.kernel == "flash":
            kinds = [(FlashAttention, "attention", {"sinks": self.sinks})]
        else:
            dropout = {"dropout": self.style.dropout}
            kinds = [
                (Scores, "scores", {}),
                (Softmax, "softmax", dropout | {"sinks": self.sinks}),
                (Context, "context", dropout),
            ]
        for kind, part, more in kinds:
            yield kind(
                name=f"{name}_{part}",
                tokens=self.style.tokens,
                heads=self.heads,
                kv_heads=self.kv_heads,
                width=self.width(name),
                value_width=self.latent.value if self.latent else None,
                causal=self.causal,
                window=self.window,
                **more,
            )
