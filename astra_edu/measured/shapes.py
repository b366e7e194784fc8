"""Which model a measured row is about: one of ae.MODELS by its name, or a transformer of the row's own shape."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.measured.cells import Row, number, text, whole
from astra_edu.measured.names import GPT, MIXTURE, dashed, exact_name, gpt_shape, known_name
from astra_edu.measured.published import (
    GPT_SEQUENCE,
    GPT_WORDS,
    LLAMA_SEQUENCE,
    LLAMA_WORDS,
    Published,
    by_size,
    published,
    size_of,
)
from astra_edu.workload.models import Model, llama, transformer
from astra_edu.workload.models import model as named

DENSE = "a mixture of experts of which no shape is known; its experts' number and size are in no column."
CELLS = (
    *(("blocks", "layers"), ("hidden", "hidden"), ("heads", "heads")),
    *(("feedforward", "ffn"), ("kv_heads", "kv_heads"), ("vocabulary", "vocab")),
)
"""Sizes of a model, and the columns that have them."""
OTHER_KINDS = re.compile(
    r"(?<![a-z])(t5|ul2|stable-?diffusion|sd-?xl|flux|3?d?-?u-?net|dlrm|resnet|retinanet|ssd|mask-?r-?cnn|rnn-?t|gnn|r-?gat"
    r"|vit|clip|whisper|wan|sora|hunyuan-?video)(?![a-z])"
)
"""Names of models that aren't stacks of one kind of blocks, or whose samples aren't sequences of tokens."""


def model_of(row: Row, sequence: int, flash: bool = False) -> Model:
    """The model of a row, for samples of so many tokens. flash: see Stack; of GPT's shapes alone.

    A row's own layers and hidden go before what its name means. Raises ConfigError where nothing tells the shape.
    """
    name = text(row, "model")
    own = number(row, "layers") is not None and number(row, "hidden") is not None
    if known := known_name(name):
        found = _named(known, sequence, _changes(row))
        width = found.operators[found.blocks[0].start].takes[-1]
        if (hidden := whole(row, "hidden", width)) == width:
            return found
        if not own:
            raise ConfigError(f"hidden is {hidden}, and {known} has {width}; give its layers and heads, too.")
    elif listed := published(name):
        if whole(row, "hidden", listed.hidden) == listed.hidden:
            return _listed(listed, sequence, flash, _changes(row))
        if not own:
            raise ConfigError(
                f"hidden is {whole(row, 'hidden')}, and {listed.name} has {listed.hidden}; give its layers and heads, "
                "too."
            )
    if not own:
        return _guessed(row, sequence, flash)
    if MIXTURE.search(dashed(name)):
        raise ConfigError(f"the model is {name}, {DENSE}")
    gpt = bool(GPT.match(dashed(name)))
    sizes = {ours: own_sizes(row)[theirs] for ours, theirs in CELLS}
    by_tiles = (("attention", "flash"), ("dropout", False)) if flash and gpt else ()
    return _shaped("GPT" if gpt else "Llama-like", *sizes.items(), ("sequence", sequence), *by_tiles)


def own_sizes(row: Row) -> dict[str, int]:
    """A model's sizes by the cells of a row that has its layers and hidden; usual ones for those that are empty."""
    hidden, gpt = whole(row, "hidden"), bool(GPT.match(dashed(text(row, "model"))))
    heads = whole(row, "heads", _heads(hidden))
    return {
        "layers": whole(row, "layers"),
        "hidden": hidden,
        "heads": heads,
        "ffn": whole(row, "ffn", 4 * hidden),
        "kv_heads": whole(row, "kv_heads", heads),
        "vocab": whole(row, "vocab", GPT_WORDS if gpt else LLAMA_WORDS),
    }


def has_own_shape(row: Row) -> bool:
    """Whether a row's own sizes are its model's, and no published one's."""
    name = text(row, "model")
    if number(row, "layers") is None or number(row, "hidden") is None:
        return False
    if known := known_name(name):
        model = named(known)
        return whole(row, "hidden") != model.operators[model.blocks[0].start].takes[-1]
    listed = published(name)
    return listed is None or whole(row, "hidden") != listed.hidden


def sequence_of(row: Row) -> int:
    """Tokens of a sample: the row's, or those of the published model, or of GPT-3 and Llama 2, where it doesn't say."""
    if number(row, "seq") is not None:
        return whole(row, "seq")
    name = text(row, "model")
    if known := known_name(name) or exact_name(name):
        return named(known).operators[0].gives[0]
    if listed := published(name):
        return listed.sequence
    return GPT_SEQUENCE if GPT.match(dashed(name)) else LLAMA_SEQUENCE


def by_size_alone(row: Row) -> bool:
    """Whether nothing but its size tells a row's shape."""
    name = text(row, "model")
    if number(row, "layers") is not None and number(row, "hidden") is not None:
        return False
    return not (known_name(name) or published(name) or gpt_shape(name, number(row, "params_B")) or exact_name(name))


def _guessed(row: Row, sequence: int, flash: bool) -> Model:
    """By what a row has beside its name: a published size of GPT, an exact name of ours, a size."""
    name = text(row, "model")
    billions = size_of(name, number(row, "params_B"))
    by_tiles = (("attention", "flash"), ("dropout", False)) if flash else ()
    if (shape := gpt_shape(name, number(row, "params_B"))) is not None:
        blocks, hidden, heads = shape
        if whole(row, "hidden", hidden) != hidden:
            raise ConfigError(f"hidden is {whole(row, 'hidden')}, and {name} has {hidden}; give its layers, too.")
        sizes = {"blocks": whole(row, "layers", blocks), "hidden": hidden, "heads": whole(row, "heads", heads)}
        sizes |= {"vocabulary": whole(row, "vocab", GPT_WORDS), "feedforward": whole(row, "ffn", 4 * hidden)}
        sizes["kv_heads"] = whole(row, "kv_heads", sizes["heads"])
        return _shaped("GPT", *sizes.items(), ("sequence", sequence), *by_tiles)
    if (exactly := exact_name(name)) and named(exactly).blocks:
        return _named(exactly, sequence, ())
    if exactly or OTHER_KINDS.search(dashed(name)):
        raise ConfigError(
            f"the model is {name}; only transformers whose blocks read one sequence of tokens are predicted."
        )
    if MIXTURE.search(dashed(name)):
        raise ConfigError(f"the model is {name}, {DENSE}")
    if billions is None:
        raise ConfigError(
            f"{f'the model is {name}, of which no shape is known' if name else 'no model is given'}; give layers, "
            "hidden and heads, or params_B."
        )
    return _listed(by_size(name, billions, whole(row, "tp", 1)), sequence, flash, _changes(row))


def _heads(hidden: int) -> int:
    """Of 128 features each, or as near as divides them."""
    most = max(1, hidden // 128)
    return next(heads for heads in range(most, 0, -1) if hidden % heads == 0)


@lru_cache(maxsize=4096)
def _listed(listed: Published, sequence: int, flash: bool, changes: tuple[tuple[str, int], ...]) -> Model:
    by_tiles = {"attention": "flash", "dropout": False} if flash and listed.kind == "gpt" else {}
    return listed.model(sequence, **by_tiles, **dict(changes))


def _changes(row: Row) -> tuple[tuple[str, int], ...]:
    """Where a row's model has other sizes than the published one: fewer blocks, another number of heads."""
    cells = (("blocks", "layers"), ("kv_heads", "kv_heads"), ("vocabulary", "vocab"))
    return tuple((ours, whole(row, theirs)) for ours, theirs in cells if number(row, theirs) is not None)


@lru_cache(maxsize=4096)
def _named(name: str, sequence: int, changes: tuple[tuple[str, int], ...]) -> Model:
    more: dict[str, Any] = dict(changes)
    if more.get("blocks") == len(named(name).blocks):
        del more["blocks"]
    if "blocks" in more and name.startswith("deepseek"):
        more["dense_blocks"] = 1  # of truncated models; inferred: their measured memory has room for no more
    return named(name, sequence=sequence, **more)


@lru_cache(maxsize=4096)
def _shaped(name: str, *sizes: tuple[str, int | str]) -> Model:
    given: dict[str, Any] = dict(sizes)
    return transformer(name, **given) if name == "GPT" else llama(name, **given)
