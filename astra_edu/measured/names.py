"""How lists of measured runs name models: names of ae.MODELS, and shapes of GPT for a size alone."""

from __future__ import annotations

import re

from astra_edu.workload.models import MODELS

NAMES = (
    (r"llama-like-(1|3|8|80)b", r"nanotron-\1b"),
    (r"mpt-?(125m|350m|760m|1b|3b|7b|13b|30b|70b)", r"mpt-\1"),
    (r"internlm-7b", "internlm-7b"),
    (r"code-?llama-34b", "codellama-34b"),
    (r"llama-?2-(7|13|70)b", r"llama2-\1b"),
    (r"llama-?2-34b", "codellama-34b"),
    (r"llama-?3\.?2-(1|3)b", r"llama3.2-\1b"),
    (r"llama-?3(\.?[13])?-(8b|70b|405b)", r"llama3-\2"),
    (r"(?<!code-)llama-?(1-)?(7|13|30|65)b", r"llama-\2b"),
    (r"llama-?(1-)?33b", "llama-30b"),
    (r"mixtral-?(8x7b|8x22b)", r"mixtral-\1"),
    (r"mistral-?7b", "mistral-7b"),
    (r"qwen-?3-30b(?!.*dense)", "qwen3-30b-a3b"),
    (r"qwen-?3-235b(?!.*dense)", "qwen3-235b-a22b"),
    (r"qwen-?3-(8|14|32)b", r"qwen3-\1b"),
    (r"qwen-?2\.?5-(7|14|32|72)b", r"qwen2.5-\1b"),
    (r"gpt-?oss-(20b|120b)", r"gpt-oss-\1"),
    (r"deepseek-?v?2-?lite", "deepseek-v2-lite"),
    (r"deepseek-?v?2(\.5)?(?!\.)", "deepseek-v2"),
    (r"deepseek-?v?3(\.1)?(?!\.)", "deepseek-v3"),
    (r"kimi-?k2(?!\.)", "kimi-k2"),
    (r"nemotron-?3-?super", "nemotron3-super"),
    (r"nemotron-?3-?nano(?!-(?!30)\d)(-30b)?(-a3b)?|nemotron-?3[-.]5-lightning", "nemotron3-nano"),
    (r"nemotron-?4-(15b|340b)", r"nemotron4-\1"),
    (r"gemma-7b", "gemma-7b"),
    (r"yi-34b", "yi-34b"),
    (r"gpt-?3$", "gpt3-mlperf"),
)
"""Patterns of names in small letters, with dashes for spaces, and what is meant in ae.MODELS; the first that fits.
No letter or number goes on before or behind it: LLaMA 2.7B is no Llama 2 7B, Llama 3 38B no 8B, DeepSeek 33B no V3."""

MIXTURE = re.compile(r"moe|expert|\dx\d|oss|-a\d+(\.\d+)?b")
"""Names of mixtures of experts, whose sizes say nothing about a dense model's shape."""

OTHER = re.compile(r"moe|expert|\dx\d|oss|neo|gpt-?j|bert|t5")
"""What else than GPT-3's shapes a name that begins like theirs may mean."""

GPT = re.compile(r"(gpt|mt-nlg|megatron|turing|opt-)")
"""Names of models that are GPT in everything but size."""

GPT_SIZES = {
    0.125: (12, 768, 12),
    0.35: (24, 1024, 16),
    0.76: (24, 1536, 16),
    1.3: (24, 2048, 16),
    1.7: (24, 2304, 24),
    2.7: (32, 2560, 32),
    3.6: (30, 3072, 32),
    6.7: (32, 4096, 32),
    7.5: (36, 4096, 32),
    8.3: (72, 3072, 32),
    13: (40, 5120, 40),
    18.4: (40, 6144, 48),
    22: (48, 6144, 64),
    39.1: (48, 8192, 64),
    76.1: (60, 10_240, 80),
    145.6: (80, 12_288, 96),
    175: (96, 12_288, 96),
    310.1: (96, 16_384, 128),
    530: (105, 20_480, 128),
    1008: (128, 25_600, 160),
}
"""Blocks, hidden and heads of published GPTs by their 10⁹ parameters: arXiv 2005.14165, table 2.1 (13: its hidden of
5,140 is taken for 5,120); 2104.04473, table 1; 2205.05198, table 3; 1909.08053 (8.3)."""

OWN_SHAPES = ((r"gpt-?2", 0.76, (36, 1280, 20)), (r"opt", 1.3, (24, 2048, 32)))
"""Where others' models of a size differ from that: GPT-2's third (774M), and OPT's (arXiv 2205.01068, table 1)."""

NEAR = 0.06
"""A size means a published one that is no further off."""


def dashed(name: str) -> str:
    """A name in small letters, with dashes for spaces and underscores."""
    return re.sub(r"[\s_]+", "-", name.strip().lower())


def known_name(name: str) -> str | None:
    """The name in ae.MODELS that a list's name means; None where it means none of them.

    >>> from astra_edu.measured.names import known_name
    >>> known_name("Mixtral 8x7B"), known_name("LLAMA3_70B"), known_name("Qwen3 235B-A22B"), known_name("my own")
    ('mixtral-8x7b', 'llama3-70b', 'qwen3-235b-a22b', None)
    """
    given = dashed(name)
    whole = ((re.search(rf"(?<![a-z0-9]){pattern}(?![a-z0-9])", given), known) for pattern, known in NAMES)
    return next((found.expand(known) for found, known in whole if found), None)


def exact_name(name: str) -> str | None:
    """The name in ae.MODELS that differs in nothing but dashes and letters' size."""
    plain = dashed(name).replace("-", "")
    return next((each for each in MODELS if each.replace("-", "") == plain), None)


def gpt_shape(name: str, billions: float | None) -> tuple[int, int, int] | None:
    """Blocks, hidden and heads of the published GPT of the size that a name says, or of so many 10⁹ parameters.

    >>> from astra_edu.measured.names import gpt_shape
    >>> gpt_shape("GPT-3 175B", None), gpt_shape("Megatron 1T", None), gpt_shape("GPT", 5)
    ((96, 12288, 96), (128, 25600, 160), None)
    """
    if not GPT.match(dashed(name)) or OTHER.search(dashed(name)):
        return None
    if said := re.search(r"(\d+(?:\.\d+)?)([mbt])\b", dashed(name)):
        billions = float(said[1]) * {"m": 1e-3, "b": 1, "t": 1e3}[said[2]]
    if billions is None:
        return GPT_SIZES[530] if dashed(name) == "mt-nlg" else None
    near = min(GPT_SIZES, key=lambda size: abs(size / billions - 1))
    if abs(near / billions - 1) > NEAR:
        return None
    own = (shape for begin, size, shape in OWN_SHAPES if size == near and re.match(begin, dashed(name)))
    return next(own, GPT_SIZES[near])
