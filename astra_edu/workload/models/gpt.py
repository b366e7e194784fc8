"""Published transformers of the years of GPT: learned positions, LayerNorm, GELU, and scores that are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from astra_edu.workload.compute import Elementwise, Embedding, Linear, Normalisation, Operator, Split
from astra_edu.workload.models.attention import Attention
from astra_edu.workload.models.feedforward import FeedForward
from astra_edu.workload.models.model import INPUT, Model
from astra_edu.workload.models.style import Style
from astra_edu.workload.models.transformer import add_blocks, transformer

_Make = Callable[[], Model]


def bert_large() -> Model:
    """BERT-Large, uncased: Devlin et al., arXiv 1810.04805; 512 tokens. The pooler is counted for all of them."""
    hidden, tokens = 1024, 512
    operators: list[Operator] = [
        Embedding(name="words", rows=(30_522,), width=hidden, lookups=tokens, split=Split.ROWS),
        Embedding(name="positions", rows=(512,), width=hidden, lookups=tokens, after=(INPUT,)),
        Embedding(name="segments", rows=(2,), width=hidden, lookups=tokens, after=(INPUT,)),
        Elementwise(
            name="embedded", shape=(tokens, hidden), inputs=3, kept=1, after=("words", "positions", "segments")
        ),
        Normalisation(name="embedded_norm", shape=(tokens, hidden)),
    ]
    style = Style(model="BERT-Large", hidden=hidden, tokens=tokens)
    block = Attention(style=style, heads=16), FeedForward(style=style, inside=4 * hidden)
    ranges = add_blocks(operators, [block] * 24)
    operators.append(Linear(name="pooler", inputs=hidden, outputs=hidden, tokens=tokens, split=Split.COPIED))
    return Model(
        "BERT-Large",
        tuple(operators),
        ranges,
        published=335_141_888,
        exact=True,
        source="Hugging Face, bert-large-uncased (the paper says 340M)",
    )


def _decoder(
    name: str, shape: tuple[int, int, int, int, int], published: int | None, source: str, exact: bool = False
) -> _Make:
    """The function that makes a published one. shape: hidden, heads, blocks, sequence and vocabulary."""
    sizes: dict[str, Any] = dict(zip(("hidden", "heads", "blocks", "sequence", "vocabulary"), shape, strict=True))
    return partial(transformer, name, **sizes, published=published, exact=exact, source=source)


_XL = "Hugging Face, gpt2-xl (the paper says 1542M)"
_TURING = "Rosset, Turing-NLG: A 17-billion-parameter language model by Microsoft, 2020"

gpt2 = _decoder("GPT-2", (1600, 25, 48, 1024, 50_257), 1_557_611_200, _XL, exact=True)
"""The largest: Radford et al. 2019."""
megatron_8b = _decoder("Megatron-LM 8.3B", (3072, 32, 72, 1024, 51_200), 8_300_000_000, "arXiv 1909.08053, table 1")
"""Shoeybi et al."""
turing_nlg = _decoder("Turing-NLG 17.2B", (4256, 28, 78, 1024, 50_257), 17_200_000_000, _TURING)
transformer_22b = _decoder("22B", (6144, 64, 48, 2048, 51_200), 22_000_000_000, "arXiv 2205.05198, table 3")
"""Korthikanti et al."""
gpt3 = _decoder("GPT-3", (12_288, 96, 96, 2048, 50_257), 174_600_000_000, "arXiv 2005.14165, table D.1")
"""Brown et al., tables 2.1 and D.1."""
mt_nlg_530b = _decoder("MT-NLG 530B", (20_480, 128, 105, 2048, 51_200), 530_000_000_000, "arXiv 2201.11990, section 2")
"""Megatron-Turing: Smith et al."""
transformer_1t = _decoder(
    "Transformer-1T", (25_600, 160, 128, 2048, 51_200), 1_008_000_000_000, "arXiv 2104.04473, table 1"
)
"""A trillion parameters: Narayanan et al."""

_VTRAIN = "VIA-Research/vTrain, src/config.py (words), {}: shapes, counted here"


def _vtrain(size: str, shape: tuple[int, int, int], sequence: int, published: int | None, where: str) -> _Make:
    """shape: hidden, heads and blocks."""
    return _decoder(f"vTrain GPT {size}", (*shape, sequence, 50_257), published, _VTRAIN.format(where))


VTRAIN: Mapping[str, _Make] = {
    **{
        f"vtrain-{size}b": _vtrain(f"{size}B", (hidden, 16, blocks), 1024, None, "data/ground_truth_single.csv")
        for size, hidden, blocks in (
            ("0.151", 1024, 12),
            ("0.201", 1024, 16),
            ("0.252", 1024, 20),
            ("0.302", 1024, 24),
            ("0.604", 2048, 12),
            ("0.805", 2048, 16),
            ("1.007", 2048, 20),
            ("1.208", 2048, 24),
        )
    },
    **{
        f"vtrain-{size}b": _vtrain(f"{size}B", shape, 2048, published, "data/ground_truth_multi.csv")
        for size, shape, published in (
            ("3.6", (3072, 32, 30), 3_600_000_000),
            ("18.4", (6144, 48, 40), 18_400_000_000),
            ("39.1", (8192, 64, 48), 39_100_000_000),
            ("175", (12_288, 96, 96), 175_000_000_000),
        )
    },
}
"""The models of vTrain's measurements on A100 (arXiv 2312.12391), by the 10⁹ parameters of their blocks' matrices, and,
of those on several nodes, by all of them, as arXiv 2104.04473, table 1, has the same shapes."""
