"""Models whose blocks are of several kinds, each a layer by itself: Mamba-2, attention, or a mixture of experts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from astra_edu.base.errors import ConfigError, shown, text_of
from astra_edu.workload.compute import Operator, Split, StateSpace
from astra_edu.workload.models.attention import Attention
from astra_edu.workload.models.feedforward import FeedForward
from astra_edu.workload.models.model import Model
from astra_edu.workload.models.style import Style
from astra_edu.workload.models.transformer import Block, add_blocks, embeddings, ending


@dataclass(frozen=True, kw_only=True)
class Mamba:
    """A state-space layer between two linear layers; see StateSpace for the fields."""

    style: Style
    heads: int
    width: int
    state: int
    groups: int

    def operators(self, name: str, entry: str) -> Iterator[Operator]:
        """Normalised before and added to what came in."""
        style = self.style
        scan = StateSpace(
            name=f"{name}_scan",
            tokens=style.tokens,
            heads=self.heads,
            width=self.width,
            state=self.state,
            groups=self.groups,
        )
        yield style.normalisation(f"{name}_norm1", entry)
        yield style.linear(f"{name}_in", style.hidden, scan.takes[-1], Split.COLUMNS)
        yield scan
        yield style.linear(f"{name}_out", scan.features, style.hidden, Split.ROWS)
        yield style.added(f"{name}_added1", f"{name}_out", entry)


def nemotron_3_super(pattern: str = "", sequence: int = 8192, next_tokens: int = 0) -> Model:
    """Nemotron 3 Super 120B-A12B: Mamba-2 and attention without positions, experts that take 1,024 features.

    pattern: its 88 blocks if not given: M is Mamba, E a mixture of experts, * attention. next_tokens: modules for a
    word more, of attention and a mixture each, as it has one; none are counted unless asked for.
    """
    sizes = {"inside": 2688, "experts": 512, "top_k": 22, "shared": 5376, "latent": 1024}
    whole = pattern in ("", SUPER) and not next_tokens
    return _nemotron_3(
        "Nemotron 3 Super 120B-A12B",
        text_of("Nemotron 3 Super 120B-A12B: pattern", pattern) or SUPER,
        (4096, 128),
        sizes,
        sequence,
        next_tokens,
        120_668_707_840 if whole else None,
        SOURCE,
    )


def nemotron_3_nano(pattern: str = "", sequence: int = 8192, next_tokens: int = 0) -> Model:
    """Nemotron 3 Nano 30B-A3B, the smaller one: 52 blocks, and experts that take all features. As nemotron_3_super."""
    sizes = {"inside": 1856, "experts": 128, "top_k": 6, "shared": 3712}
    whole = pattern in ("", NANO) and not next_tokens
    return _nemotron_3(
        "Nemotron 3 Nano 30B-A3B",
        text_of("Nemotron 3 Nano 30B-A3B: pattern", pattern) or NANO,
        (2688, 64),
        sizes,
        sequence,
        next_tokens,
        31_600_000_000 if whole else None,
        NANO_SOURCE,
    )


def _nemotron_3(
    name: str,
    pattern: str,
    wide: tuple[int, int],
    experts: Mapping[str, int],
    sequence: int,
    next_tokens: int,
    published: int | None,
    source: str,
) -> Model:
    """wide: features of a token, and heads of Mamba. published: parameters, where nothing is changed."""
    (hidden, heads), words = wide, 131_072
    style = Style(model=name, hidden=hidden, tokens=sequence, norm="rms", bias=False, dropout=False)
    attention = Attention(style=style, heads=32, kv_heads=2, head_dim=128, kernel="flash", causal=True)
    mixture = FeedForward(style=style, activation="relu2", router_bias=True, **experts)
    kinds: Mapping[str, Block] = {
        "M": (Mamba(style=style, heads=heads, width=64, state=128, groups=8),),
        "E": (mixture,),
        "*": (attention,),
    }
    if wrong := set(pattern) - set(kinds):
        raise ConfigError(f"{name}: pattern has {shown(min(wrong))}; M, E and * are its kinds of blocks.")
    operators = embeddings(style, words, learned=False)
    ranges = add_blocks(operators, [kinds[letter] for letter in pattern])
    operators += ending(style, words, operators[-1].name, False, [(attention, mixture)] * next_tokens)
    return Model(name, tuple(operators), ranges, published, published is not None and source is SOURCE, source)


NANO_SOURCE = (
    "NVIDIA-NeMo/Megatron-Bridge, tests/unit_tests/models/nemotronh/test_nemotron_h_bridge.py; unverified: its experts"
)
NANO = "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME"
SOURCE = (
    "Hugging Face, nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16: config.json, its weights as llama.cpp counts them"
)
SUPER = "MEMEMEM*E" * 3 + "MEMEMEMEM*E" * 4 + "MEMEMEM*E" + "MEMEMEME"

HYBRIDS: Mapping[str, Callable[..., Model]] = {
    "nemotron3-super": partial(nemotron_3_super),
    "nemotron3-nano": partial(nemotron_3_nano),
}
