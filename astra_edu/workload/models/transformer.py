"""Transformers: the shape of a block, and the published models that are made of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from astra_edu.base.errors import ConfigError, text_of, whole
from astra_edu.workload.compute import (
    Combine,
    Context,
    Dispatch,
    Elementwise,
    Embedding,
    Experts,
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
    experts: int = 1,
    top_k: int = 1,
    published: int | None = None,
    exact: bool = False,
    source: str = "",
) -> Model:
    """A decoder such as GPT's: embeddings, `blocks` blocks, a last normalisation, the words' scores, and the loss.

    hidden: features of a token. feedforward: features inside a block's two linear layers, 4 · hidden if not given.
    sequence: tokens of a sample. vocabulary: words, whose embeddings also make the scores (tied weights).
    experts: as many pairs of those two layers, of which each token goes through top_k; a router chooses them.
    Raises ConfigError if the heads don't divide the features, and for a top_k of more experts than there are.

    >>> tiny = ae.transformer("tiny", hidden=64, heads=4, blocks=2, sequence=32, vocabulary=1000)
    >>> tiny.parameters, len(tiny.operators)
    (166144, 30)
    """
    text_of("name of a model", name)
    hidden = whole(f"{name}: hidden", hidden, at_least=1)
    sizes = {"hidden": hidden, "heads": heads, "blocks": blocks, "sequence": sequence, "vocabulary": vocabulary}
    sizes |= {"feedforward": 4 * hidden if feedforward is None else feedforward, "experts": experts, "top_k": top_k}
    hidden, heads, blocks, sequence, vocabulary, inside, experts, top_k = (
        whole(f"{name}: {what}", number, at_least=1) for what, number in sizes.items()
    )
    if top_k > experts:
        raise ConfigError(f"{name}: a token can't go to {top_k} of {experts} experts; top_k is at most {experts}.")
    if blocks > MOST_BLOCKS:
        raise ConfigError(f"{name}: {blocks:,} blocks; {MOST_BLOCKS:,} is the most.")
    operators: list[Operator] = [
        Embedding(name="words", rows=(vocabulary,), width=hidden, lookups=sequence, split=Split.ROWS),
        Embedding(name="positions", rows=(sequence,), width=hidden, lookups=sequence, after=(INPUT,)),
        Elementwise(name="embedded", shape=(sequence, hidden), inputs=2, kept=1, after=("words", "positions")),
    ]
    ranges = _add_blocks(operators, blocks, hidden, heads, sequence, inside, experts, top_k)
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
    operators: list[Operator],
    count: int,
    hidden: int,
    heads: int,
    tokens: int,
    feedforward: int,
    experts: int = 1,
    top_k: int = 1,
) -> tuple[range, ...]:
    """Append `count` equal blocks; where each of them starts and ends."""
    first = len(operators)
    for i in range(1, count + 1):
        name, entry = f"block{i}", operators[-1].name
        operators += _attention(name, entry, hidden, heads, tokens)
        if experts == 1:
            operators += _feedforward(name, hidden, tokens, feedforward)
        else:
            operators += mixture(name, hidden, tokens, feedforward, experts, top_k)
    each = (len(operators) - first) // count
    return tuple(range(start, start + each) for start in range(first, len(operators), each))


def _attention(name: str, entry: str, hidden: int, heads: int, tokens: int) -> list[Operator]:
    """Normalised before and added to what came in (Megatron-LM, 1909.08053)."""
    width = divided(name, "features", hidden, heads, among="heads")
    shape = (tokens, hidden)

    def linear(part: str, outputs: int, split: Split) -> Linear:
        return Linear(name=f"{name}_{part}", inputs=hidden, outputs=outputs, tokens=tokens, split=split)

    def of_heads(kind: type[Scores | Softmax | Context], part: str) -> Operator:
        return kind(name=f"{name}_{part}", tokens=tokens, heads=heads, width=width)

    return [
        Normalisation(name=f"{name}_norm1", shape=shape, after=(entry,)),
        linear("qkv", 3 * hidden, Split.COLUMNS),
        of_heads(Scores, "scores"),
        of_heads(Softmax, "softmax"),
        of_heads(Context, "context"),
        linear("projection", hidden, Split.ROWS),
        _added(name, "added1", shape, f"{name}_projection", entry),
    ]


def _feedforward(name: str, hidden: int, tokens: int, inside: int) -> list[Operator]:
    """Two linear layers, normalised before and added to what came in."""
    shape, up, down = (tokens, hidden), f"{name}_mlp1", f"{name}_mlp2"
    return [
        Normalisation(name=f"{name}_norm2", shape=shape),
        Linear(name=up, inputs=hidden, outputs=inside, tokens=tokens, split=Split.COLUMNS),
        _gelu(name, tokens, inside),
        Linear(name=down, inputs=inside, outputs=hidden, tokens=tokens, split=Split.ROWS),
        _added(name, "added2", shape, down, f"{name}_added1"),
    ]


def mixture(name: str, hidden: int, tokens: int, inside: int, experts: int, top_k: int) -> list[Operator]:
    """The same with several of the two, each for the tokens that a router sends it (GShard, 2006.16668)."""
    shape, routed, up, down = (tokens, hidden), tokens * top_k, f"{name}_mlp1", f"{name}_mlp2"
    router = Linear(
        name=f"{name}_router", inputs=hidden, outputs=experts, tokens=tokens, bias=False, split=Split.COPIED
    )

    def routing(kind: type[Dispatch | Combine], part: str, split: Split, *after: str) -> Operator:
        return kind(name=f"{name}_{part}", tokens=tokens, width=hidden, top_k=top_k, split=split, after=after)

    return [
        Normalisation(name=f"{name}_norm2", shape=shape),
        router,
        routing(Dispatch, "dispatch", Split.COLUMNS, f"{name}_norm2"),
        Experts(name=up, inputs=hidden, outputs=inside, tokens=routed, experts=experts, split=Split.COLUMNS),
        _gelu(name, routed, inside),
        Experts(name=down, inputs=inside, outputs=hidden, tokens=routed, experts=experts, split=Split.ROWS),
        routing(Combine, "combine", Split.ROWS),
        _added(name, "added2", shape, f"{name}_combine", f"{name}_added1"),
    ]


def _gelu(name: str, tokens: int, features: int) -> Elementwise:
    return Elementwise(name=f"{name}_gelu", shape=(tokens, features), operations=8, split=Split.COLUMNS)


def _added(name: str, part: str, shape: tuple[int, int], *after: str) -> Elementwise:
    return Elementwise(name=f"{name}_{part}", shape=shape, operations=3, inputs=2, kept=1, after=after)


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


def _decoder(
    name: str, shape: tuple[int, int, int, int, int], published: int, source: str, exact: bool = False
) -> Callable[[], Model]:
    """The function that makes a published one. shape: hidden, heads, blocks, sequence and vocabulary."""
    sizes = dict(zip(("hidden", "heads", "blocks", "sequence", "vocabulary"), shape, strict=True))
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
