"""Transformers: blocks between embeddings and the words' scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

from astra_edu.base.errors import ConfigError, choice, flag, text_of, whole
from astra_edu.workload.compute import Elementwise, Embedding, Latent, Linear, Loss, Operator, Split
from astra_edu.workload.models.attention import Attention, LatentAttention
from astra_edu.workload.models.feedforward import FeedForward
from astra_edu.workload.models.model import INPUT, Model
from astra_edu.workload.models.style import Style

MOST_BLOCKS = 10_000
POSITIONS = ("learned", "rope", "alibi", "none")


class Layer(Protocol):
    """What a block is made of; the same if it is equal."""

    def operators(self, name: str, entry: str) -> Iterator[Operator]:
        """Those of the block `name`, whose first takes what `entry` gives."""


Block = tuple[Layer, ...]
"""Layers, one after the other."""


def transformer(
    name: str,
    *,
    hidden: int,
    heads: int,
    blocks: int,
    sequence: int,
    vocabulary: int,
    feedforward: int | None = None,
    kv_heads: int | None = None,
    head_dim: int | None = None,
    activation: str = "gelu",
    norm: str = "layer",
    positions: str = "learned",
    attention: str = "scores",
    causal: bool | None = None,
    window: int | None = None,
    full_every: int | None = None,
    latent: LatentAttention | None = None,
    qk_norm: bool = False,
    sinks: bool = False,
    bias: bool = True,
    attention_bias: bool | str | None = None,
    dropout: bool = True,
    tied: bool = True,
    vocabulary_multiple: int = 1,
    experts: int = 1,
    top_k: int = 1,
    expert_feedforward: int | None = None,
    shared_experts: int = 0,
    dense_blocks: int = 0,
    router_bias: bool = False,
    capacity: float | None = None,
    next_tokens: int = 0,
    published: int | None = None,
    exact: bool = False,
    source: str = "",
) -> Model:
    """A decoder: embeddings, `blocks` blocks, a last normalisation, the words' scores, and the loss. As given, GPT's.

    hidden: features of a token. sequence: tokens of a sample. vocabulary: words, rounded up to a multiple of
    vocabulary_multiple. tied: the words' embeddings also make the scores.
    positions: "learned" embeddings, or "rope", "alibi" and "none", which have no parameters; only "rope" takes time.
    norm: "layer" (LayerNorm) or "rms" (RMSNorm, no bias). bias: of linear layers and LayerNorms. attention_bias: of the
    attention's linear layers, if different; "qkv" for all but the last. dropout: whether activations are dropped, so
    that masks are kept.

    Attention. kv_heads: heads of keys and values, as many as heads if not given: fewer are grouped-query attention, one
    multi-query. head_dim: features of a head, hidden / heads if not given. attention: "scores" keeps them all, "flash"
    computes by tiles (FlashAttention). causal: only what comes before is computed; None means with "flash". window: a
    token looks back at so many only, in all blocks but every full_every-th. qk_norm: RMSNorm of queries and keys.
    sinks: a trained number beside each head's scores. latent: a LatentAttention (MLA).

    Between. feedforward: features inside a block's two linear layers, 4 · hidden if not given. activation: "gelu",
    "relu2", or the gated "swiglu" and "geglu". experts: as many pairs of those layers, of which each token goes through
    top_k; a router, with router_bias, chooses them. expert_feedforward: features inside one, feedforward if not given.
    shared_experts: others for every token. dense_blocks: the first ones, without experts. capacity: rows of each expert
    as a multiple of its even share; None drops no token. next_tokens: modules after the last block that each predict
    one word more, with a block of their own (multi-token prediction, DeepSeek-V3); full recomputation leaves them out.

    Raises ConfigError if the heads don't divide the features, for a top_k of more experts than there are, and so on.

    >>> tiny = ae.transformer("tiny", hidden=64, heads=4, blocks=2, sequence=32, vocabulary=1000)
    >>> tiny.parameters, len(tiny.operators)
    (166144, 30)
    """
    text_of("name of a model", name)
    style = Style(model=name, hidden=hidden, tokens=sequence, norm=norm, bias=bias, dropout=dropout)
    choice(style.of("positions"), positions, POSITIONS)
    flag(style.of("tied"), tied)
    blocks = whole(style.of("blocks"), blocks, at_least=1)
    words = whole(style.of("vocabulary"), vocabulary, at_least=1)
    multiple = whole(style.of("vocabulary_multiple"), vocabulary_multiple, at_least=1)
    dense_blocks = whole(style.of("dense_blocks"), dense_blocks, at_least=0)
    shared_experts = whole(style.of("shared_experts"), shared_experts, at_least=0)
    if blocks > MOST_BLOCKS:
        raise ConfigError(f"{name}: {blocks:,} blocks; {MOST_BLOCKS:,} is the most.")
    next_tokens = whole(style.of("next_tokens"), next_tokens, at_least=0)
    if next_tokens > MOST_BLOCKS:
        raise ConfigError(f"{name}: next_tokens is {next_tokens:,}; {MOST_BLOCKS:,} is the most.")
    if dense_blocks > blocks:
        raise ConfigError(f"{name}: dense_blocks is {dense_blocks}; with {blocks} blocks, {blocks} is the most.")
    dense = FeedForward(
        style=style, inside=4 * style.hidden if feedforward is None else feedforward, activation=activation
    )
    inside = (
        dense.inside if expert_feedforward is None else whole(style.of("expert_feedforward"), expert_feedforward, 1)
    )
    mixed = replace(
        dense,
        inside=inside,
        experts=experts,
        top_k=top_k,
        shared=shared_experts * inside,
        router_bias=router_bias,
        capacity=capacity,
    )
    full = Attention(
        style=style,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        rotary=positions == "rope",
        qk_norm=qk_norm,
        sinks=sinks,
        bias=attention_bias,
        kernel=attention,
        causal=attention == "flash" if causal is None else causal,
        latent=latent,
    )
    local = full if window is None else replace(full, window=window)
    every = None if full_every is None else whole(style.of("full_every"), full_every, at_least=1)
    kinds = [
        (full if every and k % every == 0 else local, dense if k <= dense_blocks else mixed)
        for k in range(1, blocks + 1)
    ]
    words = -(-words // multiple) * multiple
    operators = embeddings(style, words, learned=positions == "learned")
    ranges = add_blocks(operators, kinds)
    operators += ending(style, words, operators[-1].name, tied, kinds[-1:] * next_tokens)
    return Model(name, tuple(operators), ranges, published, exact, source)


def llama(name: str, **sizes: Any) -> Model:
    """A transformer such as Llama: RMSNorm, SwiGLU, rotary positions, FlashAttention, own weights for the scores.

    It has no biases and no dropout. sizes: as transformer takes them, and what differs.

    >>> from astra_edu.workload.models import llama
    >>> tiny = llama("tiny", hidden=64, heads=4, kv_heads=2, blocks=2, sequence=32, vocabulary=1000, feedforward=128)
    >>> tiny.parameters
    202048
    """
    return transformer(name, **(LLAMA | sizes))


LLAMA: dict[str, Any] = {
    "activation": "swiglu",
    "norm": "rms",
    "positions": "rope",
    "attention": "flash",
    "bias": False,
    "dropout": False,
    "tied": False,
}


def embeddings(style: Style, words: int, learned: bool) -> list[Operator]:
    """The words' and, where they are learned, the positions' embeddings, added up."""
    tokens, hidden = style.tokens, style.hidden
    found: list[Operator] = [Embedding(name="words", rows=(words,), width=hidden, lookups=tokens, split=Split.ROWS)]
    if learned:
        found.append(Embedding(name="positions", rows=(tokens,), width=hidden, lookups=tokens, after=(INPUT,)))
    if learned or style.dropout:
        kept, names = int(style.dropout), tuple(each.name for each in found)
        count = len(names)
        found.append(Elementwise(name="embedded", shape=(tokens, hidden), inputs=count, kept=kept, after=names))
    return found


def scores(style: Style, words: int, tied: bool) -> list[Operator]:
    """The words' scores, and the loss."""
    shape: dict[str, Any] = {"inputs": style.hidden, "outputs": words, "tokens": style.tokens}
    return [
        Linear(name="scores", bias=False, tied=tied, split=Split.COLUMNS, **shape),
        Loss(name="loss", tokens=style.tokens, words=words, split=Split.COLUMNS),
    ]


def ending(style: Style, words: int, last: str, tied: bool, more: Sequence[Block]) -> list[Operator]:
    """The last normalisation, the words' scores, the loss. more: blocks of modules that predict a word more each."""
    found: list[Operator] = [style.normalisation("last_norm"), *scores(style, words, tied)]
    for k, block in enumerate(more, 1):
        module = predicted(style, f"next{k}", last, block, words)
        found += module
        last = module[-4].name
    return found


def predicted(style: Style, name: str, entry: str, block: Block, words: int) -> list[Operator]:
    """A module that predicts one word more, from a token's features and the next word (arXiv 2412.19437, section 2.2).

    Embedding and scores are the model's own.
    """
    both = (f"{name}_token_norm", f"{name}_word_norm")
    joined = Latent(
        name=f"{name}_joined",
        inputs=2 * style.hidden,
        outputs=style.hidden,
        tokens=style.tokens,
        bias=False,
        after=both,
    )
    found: list[Operator] = [style.normalisation(both[0], entry), style.normalisation(both[1], "words"), joined]
    add_layers(found, name, block)
    own, loss = scores(style, words, tied=True)
    last = style.normalisation(f"{name}_last_norm")
    return [*found, last, own.renamed(f"{name}_word_scores", ()), loss.renamed(f"{name}_loss", ())]


def add_layers(operators: list[Operator], name: str, block: Block) -> None:
    """Append a block's layers."""
    for layer in block:
        operators += layer.operators(name, operators[-1].name)


def add_blocks(operators: list[Operator], kinds: Sequence[Block]) -> tuple[range, ...]:
    """Append a block of each kind, in turn; where each starts and ends. Each kind is made once and then renamed."""
    made: dict[Block, tuple[str, str, list[Operator]]] = {}
    ranges = []
    for k, kind in enumerate(kinds, 1):
        name, entry, start = f"block{k}", operators[-1].name, len(operators)
        if kind in made:
            was, came, block = made[kind]
            at, names = len(was), {came: entry}
            for each in block:
                after = tuple(names[one] if one in names else name + one[at:] for one in each.after)
                operators.append(each.renamed(name + each.name[at:], after))
        else:
            add_layers(operators, name, kind)
            made[kind] = name, entry, operators[start:]
        ranges.append(range(start, len(operators)))
    return tuple(ranges)
