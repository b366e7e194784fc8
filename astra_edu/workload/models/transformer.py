"""Transformers: the shape of a block, and the published models that are made of it."""

from __future__ import annotations

from astra_edu.base.errors import ConfigError, whole
from astra_edu.workload.compute import (
    Context,
    Elementwise,
    Embedding,
    Linear,
    Loss,
    Normalisation,
    Operator,
    Scores,
    Softmax,
    Split,
)
from astra_edu.workload.compute.operator import divided
from astra_edu.workload.models.model import INPUT, Model

MOST_BLOCKS = 10_000


def transformer(
    name: str,
    *,
    hidden: int,
    heads: int,
    blocks: int,
    sequence: int,
    vocabulary: int,
    feedforward: int | None = None,
    published: int | None = None,
    exact: bool = False,
    source: str = "",
) -> Model:
    """A decoder such as GPT's: embeddings, `blocks` blocks, a last normalisation, the words' scores, and the loss.

    hidden: features of a token. feedforward: features inside a block's two linear layers, 4 · hidden if not given.
    sequence: tokens of a sample. vocabulary: words, whose embeddings also make the scores (tied weights).
    Raises ConfigError if the heads don't divide the features.

    >>> tiny = ae.transformer("tiny", hidden=64, heads=4, blocks=2, sequence=32, vocabulary=1000)
    >>> tiny.parameters, len(tiny.operators)
    (166144, 30)
    """
    hidden = whole(f"{name}: hidden", hidden, at_least=1)
    sizes = {"hidden": hidden, "heads": heads, "blocks": blocks, "sequence": sequence, "vocabulary": vocabulary}
    sizes["feedforward"] = 4 * hidden if feedforward is None else feedforward
    hidden, heads, blocks, sequence, vocabulary, inside = (
        whole(f"{name}: {what}", number, at_least=1) for what, number in sizes.items()
    )
    if blocks > MOST_BLOCKS:
        raise ConfigError(f"{name}: {blocks:,} blocks; {MOST_BLOCKS:,} is the most.")
    operators: list[Operator] = [
        Embedding(name="words", rows=(vocabulary,), width=hidden, lookups=sequence, split=Split.ROWS),
        Embedding(name="positions", rows=(sequence,), width=hidden, lookups=sequence, after=(INPUT,)),
        Elementwise(name="embedded", shape=(sequence, hidden), inputs=2, kept=1, after=("words", "positions")),
    ]
    ranges = _add_blocks(operators, blocks, hidden, heads, sequence, inside)
    operators.append(Normalisation(name="last_norm", shape=(sequence, hidden)))
    operators.append(
        Linear(
            name="scores",
            inputs=hidden,
            outputs=vocabulary,
            tokens=sequence,
            bias=False,
            tied=True,
            split=Split.COLUMNS,
        )
    )
    operators.append(Loss(name="loss", tokens=sequence, words=vocabulary, split=Split.COLUMNS))
    return Model(name, tuple(operators), ranges, published, exact, source)


def _add_blocks(
    operators: list[Operator], count: int, hidden: int, heads: int, tokens: int, feedforward: int
) -> tuple[range, ...]:
    """Append `count` equal blocks; where each of them starts and ends."""
    first = len(operators)
    for i in range(1, count + 1):
        operators += _block(f"block{i}", operators[-1].name, hidden, heads, tokens, feedforward)
    each = (len(operators) - first) // count
    return tuple(range(start, start + each) for start in range(first, len(operators), each))


def _block(name: str, entry: str, hidden: int, heads: int, tokens: int, feedforward: int) -> list[Operator]:
    """Attention and two linear layers, each normalised before and added to what came in (Megatron-LM, 1909.08053)."""
    width = divided(name, "features", hidden, heads, among="heads")
    shape = (tokens, hidden)

    def linear(part: str, inputs: int, outputs: int, split: Split) -> Linear:
        return Linear(name=f"{name}_{part}", inputs=inputs, outputs=outputs, tokens=tokens, split=split)

    def of_heads(kind: type[Scores | Softmax | Context], part: str) -> Operator:
        return kind(name=f"{name}_{part}", tokens=tokens, heads=heads, width=width)

    def added(part: str, *after: str) -> Elementwise:
        return Elementwise(name=f"{name}_{part}", shape=shape, operations=3, inputs=2, kept=1, after=after)

    return [
        Normalisation(name=f"{name}_norm1", shape=shape, after=(entry,)),
        linear("qkv", hidden, 3 * hidden, Split.COLUMNS),
        of_heads(Scores, "scores"),
        of_heads(Softmax, "softmax"),
        of_heads(Context, "context"),
        linear("projection", hidden, hidden, Split.ROWS),
        added("added1", f"{name}_projection", entry),
        Normalisation(name=f"{name}_norm2", shape=shape),
        linear("mlp1", hidden, feedforward, Split.COLUMNS),
        Elementwise(name=f"{name}_gelu", shape=(tokens, feedforward), operations=8, split=Split.COLUMNS),
        linear("mlp2", feedforward, hidden, Split.ROWS),
        added("added2", f"{name}_mlp2", f"{name}_added1"),
    ]


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
    ranges = _add_blocks(operators, 24, hidden, 16, tokens, 4 * hidden)
    operators.append(Linear(name="pooler", inputs=hidden, outputs=hidden, tokens=tokens, split=Split.COPIED))
    return Model(
        "BERT-Large",
        tuple(operators),
        ranges,
        published=335_141_888,
        exact=True,
        source="Hugging Face, bert-large-uncased (the paper says 340M)",
    )


def gpt2() -> Model:
    """GPT-2, the largest: Radford et al. 2019; 48 blocks of 1,600 features."""
    return transformer(
        "GPT-2",
        hidden=1600,
        heads=25,
        blocks=48,
        sequence=1024,
        vocabulary=50_257,
        published=1_557_611_200,
        exact=True,
        source="Hugging Face, gpt2-xl (the paper says 1542M)",
    )


def gpt3() -> Model:
    """GPT-3 175B: Brown et al., arXiv 2005.14165, tables 2.1 and D.1."""
    return transformer(
        "GPT-3",
        hidden=12_288,
        heads=96,
        blocks=96,
        sequence=2048,
        vocabulary=50_257,
        published=174_600_000_000,
        source="arXiv 2005.14165, table D.1",
    )


def megatron_8b() -> Model:
    """Megatron-LM 8.3B: Shoeybi et al., arXiv 1909.08053, table 1."""
    return transformer(
        "Megatron-LM 8.3B",
        hidden=3072,
        heads=32,
        blocks=72,
        sequence=1024,
        vocabulary=51_200,
        published=8_300_000_000,
        source="arXiv 1909.08053, table 1",
    )


def turing_nlg() -> Model:
    """Turing-NLG 17.2B: Microsoft Research, 2020; 78 blocks of 4,256 features and 28 heads."""
    return transformer(
        "Turing-NLG 17.2B",
        hidden=4256,
        heads=28,
        blocks=78,
        sequence=1024,
        vocabulary=50_257,
        published=17_200_000_000,
        source="Rosset, Turing-NLG: A 17-billion-parameter language model by Microsoft, 2020",
    )


def mt_nlg_530b() -> Model:
    """Megatron-Turing NLG 530B: Smith et al., arXiv 2201.11990."""
    return transformer(
        "MT-NLG 530B",
        hidden=20_480,
        heads=128,
        blocks=105,
        sequence=2048,
        vocabulary=51_200,
        published=530_000_000_000,
        source="arXiv 2201.11990, section 2",
    )


def transformer_1t() -> Model:
    """A transformer of a trillion parameters: Narayanan et al., arXiv 2104.04473, table 1."""
    return transformer(
        "Transformer-1T",
        hidden=25_600,
        heads=160,
        blocks=128,
        sequence=2048,
        vocabulary=51_200,
        published=1_008_000_000_000,
        source="arXiv 2104.04473, table 1",
    )


def transformer_22b() -> Model:
    """The 22B model of Korthikanti et al., arXiv 2205.05198, table 3."""
    return transformer(
        "22B",
        hidden=6144,
        heads=64,
        blocks=48,
        sequence=2048,
        vocabulary=51_200,
        published=22_000_000_000,
        source="arXiv 2205.05198, table 3",
    )
