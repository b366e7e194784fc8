"""Published shapes beside those of ae.MODELS, which have exact counts; and the shape of a model that is known by size.

Shapes are those of the papers' tables or of the released config.json, as published.csv says for each; a test counts
their parameters. Those that were written down from memory are held to that count alone.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from math import lcm
from pathlib import Path
from typing import Any

from astra_edu.measured.names import GPT, dashed
from astra_edu.workload.models import Model, llama, transformer

FILE = Path(__file__).with_name("published.csv")
ASPECT = 128
"""Features of a token for each block: LLaMA 7B's and 13B's (arXiv 2302.13971, table 2), GPT-3's (2005.14165, table
2.1), OPT's; also features of a head, as with most models since."""
GPT_SEQUENCE, LLAMA_SEQUENCE = 2048, 4096
"""Tokens of a sample where neither row nor model says: GPT-3's (arXiv 2005.14165, section 2.1), and Llama 2's
(2307.09288)."""
GPT_WORDS, LLAMA_WORDS = 51_200, 32_000
"""GPT-2's 50,257 words, padded so that eight NPUs can share them out (Megatron-LM); LLaMA's (arXiv 2302.13971)."""
EIGHT = 8
"""Heads come in so many, so that a node's NPUs can share them out; and so many heads of keys and values."""
MOST_TENSOR = 64
"""NPUs of a tensor group that heads are made for."""
FAMILIES = (
    (r"llama-?3", (128_256, 8192, True)),
    (r"llama-?[12]?-?\d", (32_000, 4096, False)),
    (r"qwen", (151_936, 4096, True)),
    (r"gemma", (256_000, 8192, True)),
    (r"(mi[sx]tral|codestral)", (32_768, 8192, True)),
    (r"deepseek", (102_400, 4096, False)),
    (r"nemotron", (256_000, 4096, True)),
    (r"bloom", (250_880, 2048, False)),
)
"""Words, tokens of a sample, and whether heads share keys, of the published models of a family."""
SIZE = re.compile(r"(?<![a-z0-9.])(\d{1,6}(?:\.\d{1,6})?)-?(?:(m|b|t)(?![a-z0-9])|(m|b|tr)illion)")
"""10⁶, 10⁹ or 10¹² parameters in a name; the letter before a number of active ones, as in 30B-A3B, rules that out."""


@dataclass(frozen=True)
class Published:
    """A model's shape. kind: "gpt" or "llama", whose style it has but for `more`. billions: published parameters."""

    name: str
    pattern: str
    kind: str
    sizes: tuple[tuple[str, Any], ...]
    sequence: int
    billions: float
    source: str

    @property
    def hidden(self) -> int:
        """Features of a token."""
        return int(dict(self.sizes)["hidden"])

    def model(self, sequence: int, **changes: Any) -> Model:
        """With samples of so many tokens, and other sizes where `changes` has them."""
        given = dict(self.sizes) | changes | {"sequence": sequence}
        return transformer(self.name, **given) if self.kind == "gpt" else llama(self.name, **given)


@cache
def every() -> tuple[Published, ...]:
    """All that ship, in the order in which names are compared with them."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(_published(row) for row in csv.DictReader(file))


@cache
def published(name: str) -> Published | None:
    """The one that a list's name means; None where it means none of them.

    >>> from astra_edu.measured.published import published
    >>> published("Falcon-40B").hidden, published("gpt-neox-20b").sequence, published("my own")
    (8192, 2048, None)
    """
    given = dashed(name)
    return next((each for each in every() if re.search(_whole(each.pattern), given)), None)


def size_of(name: str, billions: float | None) -> float | None:
    """10⁹ parameters, as a name says or else as given; None where neither does.

    >>> from astra_edu.measured.published import size_of
    >>> size_of("GPT 50B", None), size_of("a 350 million one", None), size_of("Qwen 30B-A3B", None), size_of("own", 2)
    (50.0, 0.35, 30.0, 2)
    """
    if said := SIZE.search(dashed(name)):
        unit = said[2] or said[3]
        return float(said[1]) * {"b": 1, "t": 1e3, "tr": 1e3}.get(unit, 1) / (1e3 if unit == "m" else 1)
    return billions


def by_size(name: str, billions: float, tensor: int = 1) -> Published:
    """What a model of so many 10⁹ parameters looks like: `ASPECT` features for each block and head, heads by eight.

    Names that begin as GPT's have its style, all others Llama's, with a gated pair of 8/3 · hidden features; words,
    tokens of a sample and heads of keys and values are those of the `FAMILIES` that a name begins with.
    tensor: a group that has to share out the heads.

    >>> from astra_edu.measured.published import by_size
    >>> [(dict(by_size("", b).sizes)["blocks"], by_size("", b).hidden) for b in (7, 50)]
    [(33, 4096), (61, 8192)]
    """
    given = dashed(name)
    gpt = bool(GPT.match(given))
    words, sequence, shared = (GPT_WORDS, GPT_SEQUENCE, False) if gpt else (LLAMA_WORDS, LLAMA_SEQUENCE, False)
    words, sequence, shared = next(
        (own for begin, own in FAMILIES if re.match(begin, given)), (words, sequence, shared)
    )
    wide = (billions * 1e9 * ASPECT / 12) ** (1 / 3)
    step = lcm(EIGHT if wide > 2 * EIGHT * ASPECT else 2, min(tensor, MOST_TENSOR)) * ASPECT
    hidden = max(step, round(wide / step) * step)
    heads = hidden // ASPECT
    keys = EIGHT if shared and heads > EIGHT else heads
    inside = 4 * hidden if gpt else -(-8 * hidden // 3 // 256) * 256
    block = 2 * (1 + keys / heads) * hidden**2 + (2 if gpt else 3) * hidden * inside
    blocks = max(1, round((billions * 1e9 - (1 if gpt else 2) * words * hidden) / block))
    sizes = {"blocks": blocks, "hidden": hidden, "heads": heads, "kv_heads": keys, "feedforward": inside}
    sizes["vocabulary"] = words
    return Published(f"{billions:g}B", "", "gpt" if gpt else "llama", (*sizes.items(),), sequence, billions, "by size")


def _whole(pattern: str) -> str:
    return rf"(?<![a-z0-9])(?:{pattern})(?![a-z0-9])(?!-\d+(?:\.\d+)?[bmt](?![a-z0-9]))"


def _published(row: dict[str, str]) -> Published:
    columns = {"blocks": "layers", "hidden": "hidden", "heads": "heads", "kv_heads": "kv_heads"}
    columns |= {"feedforward": "ffn", "vocabulary": "vocab"}
    sizes: dict[str, Any] = {ours: int(row[theirs]) for ours, theirs in columns.items() if row[theirs]}
    sizes |= dict(_setting(*each.split("=")) for each in row["more"].split())
    return Published(
        row["name"],
        row["pattern"],
        row["family"],
        (*sizes.items(),),
        int(row["seq"]),
        float(row["params_B"]),
        row["source"],
    )


def _setting(name: str, value: str) -> tuple[str, Any]:
    if name in ("tied", "bias", "attention_bias", "dropout", "qk_norm", "causal") and value in ("0", "1"):
        return name, value == "1"
    return name, int(value) if value.isdigit() else value
