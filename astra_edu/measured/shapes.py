"""Which model a measured row is about: one of ae.MODELS by its name, or a transformer of the row's own shape."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.measured.cells import Row, number, text, whole
from astra_edu.measured.names import GPT, MIXTURE, dashed, exact_name, gpt_shape, known_name
from astra_edu.workload.models import Model, llama, transformer
from astra_edu.workload.models import model as named

GPT_WORDS = 51_200
"""GPT-2's 50,257 words, padded so that eight NPUs can share them out (Megatron-LM)."""


def model_of(row: Row, sequence: int, flash: bool = False) -> Model:
    """The model of a row, for samples of so many tokens. flash: see Stack; of GPT's shapes alone.

    Raises ConfigError where neither name nor shape is known.
    """
    name = text(row, "model")
    if known := known_name(name):
        found = _named(known, sequence, _changes(row))
        width = found.operators[found.blocks[0].start].takes[-1]
        if (hidden := whole(row, "hidden", width)) != width:
            raise ConfigError(f"hidden is {hidden}, and {known} has {width}; give a model of other sizes another name.")
        return found
    if MIXTURE.search(dashed(name)):
        raise ConfigError(f"the model is {name}, a mixture of experts of which no shape is known.")
    if number(row, "layers") is None or number(row, "hidden") is None:
        if (shape := gpt_shape(name, number(row, "params_B"))) is None:
            if named_exactly := exact_name(name):
                return _named(named_exactly, sequence, ())
            words = name or "not given"
            raise ConfigError(f"the model is {words}, of which no shape is known; give layers, hidden and heads.")
        row = {**row, **dict(zip(("layers", "hidden", "heads"), shape, strict=True))}
    hidden = whole(row, "hidden")
    sizes = {"blocks": whole(row, "layers"), "hidden": hidden, "heads": whole(row, "heads", max(1, hidden // 128))}
    sizes["feedforward"] = whole(row, "ffn", 4 * hidden)
    if GPT.match(dashed(name)):
        by_tiles = (("attention", "flash"), ("dropout", False)) if flash else ()
        vocabulary = ("vocabulary", whole(row, "vocab", GPT_WORDS))
        return _shaped("GPT", vocabulary, *sizes.items(), ("sequence", sequence), *by_tiles)
    sizes |= {"kv_heads": whole(row, "kv_heads", sizes["heads"]), "vocabulary": whole(row, "vocab", 32_000)}
    return _shaped("Llama-like", *sizes.items(), ("sequence", sequence))


def sequence_of(row: Row) -> int:
    """Tokens of a sample: the row's, or those of the published model where the row doesn't say."""
    if number(row, "seq") is None and (known := known_name(text(row, "model"))):
        return named(known).operators[0].gives[0]
    return whole(row, "seq")


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
