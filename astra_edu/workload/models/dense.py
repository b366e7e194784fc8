"""Published transformers without experts, from 2022 on. Shapes are those of their config.json, counts those of their
released weights; what isn't published says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from astra_edu.workload.models.model import Model
from astra_edu.workload.models.transformer import llama, transformer

_HUB = "Hugging Face, {}: config.json, and the size of its weights"


def _llama(
    name: str,
    shape: tuple[int, int, int, int, int],
    vocabulary: int,
    sequence: int,
    published: int,
    where: str,
    **more: Any,
) -> Callable[..., Model]:
    """shape: hidden, heads, heads of keys and values, blocks and feedforward."""
    sizes: dict[str, Any] = dict(zip(("hidden", "heads", "kv_heads", "blocks", "feedforward"), shape, strict=True))
    sizes |= {"vocabulary": vocabulary, "sequence": sequence, "published": published, "exact": True}
    return partial(llama, name, **(sizes | more), source=_HUB.format(where))


def _qwen3(name: str, shape: tuple[int, int, int, int, int], published: int) -> Callable[..., Model]:
    where = f"Qwen/Qwen3-{name}; arXiv 2505.09388"
    return _llama(f"Qwen3 {name}", shape, 151_936, 4096, published, where, head_dim=128, qk_norm=True)


def _nemotron4(name: str, shape: tuple[int, int, int, int, int], published: int, paper: str) -> Callable[..., Model]:
    """Squared ReLU without a gate, LayerNorm; the paper's sum of two numbers of billions."""
    made = _llama(f"Nemotron-4 {name}", shape, 256_000, 4096, published, "", activation="relu2", norm="layer")
    return partial(made, exact=False, source=f"arXiv {paper}, table 1 and section 2")


_8B, _70B = (4096, 32, 8, 32, 14_336), (8192, 64, 8, 80, 28_672)
_QWEN_72B = (8192, 64, 8, 80, 29_568)
_LLAMA_3 = "{}; arXiv 2407.21783, table 3 (Llama 3.1 has the same shape)"

_LLAMA_1 = "arXiv 2302.13971, table 2; counted from the weights' shapes"


def _qwen25(name: str, shape: tuple[int, int, int, int, int], words: int, published: int) -> Callable[..., Model]:
    where = f"Qwen/Qwen2.5-{name}; arXiv 2412.15115"
    return _llama(f"Qwen2.5 {name}", shape, words, 4096, published, where, attention_bias="qkv")


LLAMAS: Mapping[str, Callable[..., Model]] = {
    "llama-7b": _llama("LLaMA 7B", (4096, 32, 32, 32, 11_008), 32_000, 2048, 6_738_415_616, _LLAMA_1),
    "llama-13b": _llama("LLaMA 13B", (5120, 40, 40, 40, 13_824), 32_000, 2048, 13_015_864_320, _LLAMA_1),
    "llama-30b": _llama("LLaMA 30B", (6656, 52, 52, 60, 17_920), 32_000, 2048, 32_528_943_616, _LLAMA_1),
    "llama-65b": _llama("LLaMA 65B", (8192, 64, 64, 80, 22_016), 32_000, 2048, 65_285_660_672, _LLAMA_1),
    "llama2-7b": _llama(
        "Llama 2 7B", (4096, 32, 32, 32, 11_008), 32_000, 4096, 6_738_415_616, "meta-llama/Llama-2-7b-hf"
    ),
    "llama2-13b": _llama(
        "Llama 2 13B", (5120, 40, 40, 40, 13_824), 32_000, 4096, 13_015_864_320, "meta-llama/Llama-2-13b-hf"
    ),
    "llama2-70b": _llama("Llama 2 70B", _70B, 32_000, 4096, 68_976_648_192, "meta-llama/Llama-2-70b-hf"),
    "codellama-34b": _llama(
        "Code Llama 34B", (8192, 64, 8, 48, 22_016), 32_000, 4096, 33_743_970_304, "codellama/CodeLlama-34b-hf"
    ),
    "llama3-8b": _llama("Llama 3 8B", _8B, 128_256, 8192, 8_030_261_248, _LLAMA_3.format("meta-llama/Meta-Llama-3-8B")),
    "llama3-70b": _llama(
        "Llama 3 70B", _70B, 128_256, 8192, 70_553_706_496, _LLAMA_3.format("meta-llama/Meta-Llama-3-70B")
    ),
    "llama3-405b": _llama(
        "Llama 3.1 405B",
        (16_384, 128, 8, 126, 53_248),
        128_256,
        8192,
        405_853_388_800,
        "meta-llama/Llama-3.1-405B; arXiv 2407.21783, table 3",
    ),
    "llama3.2-1b": _llama(
        "Llama 3.2 1B", (2048, 32, 8, 16, 8192), 128_256, 8192, 1_235_814_400, "meta-llama/Llama-3.2-1B", tied=True
    ),
    "llama3.2-3b": _llama(
        "Llama 3.2 3B", (3072, 24, 8, 28, 8192), 128_256, 8192, 3_212_749_824, "meta-llama/Llama-3.2-3B", tied=True
    ),
    "mistral-7b": _llama(
        "Mistral 7B", _8B, 32_000, 8192, 7_241_732_096, "mistralai/Mistral-7B-v0.1; arXiv 2310.06825", window=4096
    ),
    "qwen3-8b": _qwen3("8B", (4096, 32, 8, 36, 12_288), 8_190_735_360),
    "qwen3-14b": _qwen3("14B", (5120, 40, 8, 40, 17_408), 14_768_307_200),
    "qwen3-32b": _qwen3("32B", (5120, 64, 8, 64, 25_600), 32_762_123_264),
    "qwen2.5-7b": _qwen25("7B", (3584, 28, 4, 28, 18_944), 152_064, 7_615_616_512),
    "qwen2.5-14b": _qwen25("14B", (5120, 40, 8, 48, 13_824), 152_064, 14_770_033_664),
    "qwen2.5-32b": _qwen25("32B", (5120, 40, 8, 64, 27_648), 152_064, 32_763_876_352),
    "qwen2.5-72b": _qwen25("72B", _QWEN_72B, 152_064, 72_706_203_648),
    "yi-34b": _llama(
        "Yi 34B", (7168, 56, 8, 60, 20_480), 64_000, 4096, 34_388_917_248, "01-ai/Yi-34B; arXiv 2403.04652"
    ),
    "gemma-7b": _llama(
        "Gemma 7B",
        (3072, 16, 16, 28, 24_576),
        256_000,
        8192,
        8_537_680_896,
        "google/gemma-7b; arXiv 2403.08295",
        head_dim=256,
        activation="geglu",
        tied=True,
    ),
    "nemotron4-15b": _nemotron4("15B", (6144, 48, 8, 32, 24_576), 15_700_000_000, "2402.16819"),
    "nemotron4-340b": _nemotron4("340B", (18_432, 96, 8, 96, 73_728), 341_000_000_000, "2406.11704"),
    "internlm-7b": partial(
        llama,
        "InternLM-7B",
        hidden=4096,
        heads=32,
        blocks=32,
        feedforward=11_008,
        vocabulary=103_168,
        sequence=2048,
        attention_bias=True,
        source="Hugging Face, internlm/internlm-7b: config.json; counted from it, unverified",
    ),
}

_NANOTRON = "huggingface/nanotron, scripts/scaling_benchmarks.py; shapes only, counted here"


def _nanotron(name: str, shape: tuple[int, int, int, int], tied: bool) -> Callable[..., Model]:
    """shape: hidden, heads, blocks and feedforward. One head of keys and values for each head of queries."""
    sizes = dict(zip(("hidden", "heads", "blocks", "feedforward"), shape, strict=True))
    sizes |= {"vocabulary": 131_072, "sequence": 4096}
    return partial(llama, f"nanotron {name}", **sizes, tied=tied, source=_NANOTRON)


NANOTRON: Mapping[str, Callable[..., Model]] = {
    "nanotron-1b": _nanotron("1B", (2048, 32, 16, 8192), tied=True),
    "nanotron-3b": _nanotron("3B", (3072, 32, 28, 8192), tied=True),
    "nanotron-8b": _nanotron("8B", (4096, 32, 32, 14_336), tied=False),
    "nanotron-80b": _nanotron("80B", (8192, 64, 80, 28_672), tied=False),
}
"""The models of the Ultra-Scale Playbook's measurements; a few runs of 80B had 8 heads of keys and values."""

_MPT = "mosaicml/llm-foundry, scripts/train/benchmarking: parameters of its table for sequences of 2,048"


def _gpt(name: str, hidden: int, heads: int, blocks: int, **more: Any) -> Callable[..., Model]:
    """As GPT, but with FlashAttention and without dropout."""
    sizes: dict[str, Any] = {"hidden": hidden, "heads": heads, "blocks": blocks, "sequence": 2048}
    return partial(transformer, name, **sizes, attention="flash", dropout=False, **more)


MPTS: Mapping[str, Callable[..., Model]] = {
    f"mpt-{size}": _gpt(f"MPT-{size}", *shape, vocabulary=50_368, published=published, exact=True, source=_MPT)
    for size, shape, published in (
        ("125m", (768, 12, 12), 125_311_488),
        ("350m", (1024, 16, 24), 355_985_408),
        ("760m", (1536, 12, 24), 760_470_528),
        ("1b", (2048, 16, 24), 1_315_950_592),
        ("3b", (2560, 20, 32), 2_651_837_440),
        ("7b", (4096, 32, 32), 6_658_859_008),
        ("13b", (5120, 40, 40), 12_853_954_560),
        ("30b", (7168, 56, 48), 29_975_214_080),
        ("70b", (8192, 64, 80), 64_862_437_376),
    )
}
"""As they were measured: with biases and learned positions. The released MPT-7B has ALiBi, and no biases."""

GPT3_MLPERF = _gpt(
    "GPT-3, MLPerf",
    12_288,
    96,
    96,
    vocabulary=50_257,
    vocabulary_multiple=1024,
    source="mlcommons/training_results_v4.0, gpt3, conf/custom.yaml; words unverified: padded for tensor groups of 8",
)
"""GPT-3 175B as MLPerf trains it: no dropout, attention by tiles."""
