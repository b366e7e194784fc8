"""Published mixtures of experts. Shapes are those of their config.json, counts those of their released weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from astra_edu.workload.models.attention import LatentAttention
from astra_edu.workload.models.model import Model
from astra_edu.workload.models.transformer import llama

_HUB = "Hugging Face, {}: config.json, and the size of its weights"


def _mixture(
    name: str, shape: tuple[int, int, int], words: int, published: int, where: str, **more: Any
) -> Callable[..., Model]:
    """shape: hidden, heads and blocks."""
    sizes: dict[str, Any] = dict(zip(("hidden", "heads", "blocks"), shape, strict=True))
    sizes |= {"vocabulary": words, "sequence": 4096, "published": published, "exact": True}
    return partial(llama, name, **(sizes | more), source=_HUB.format(where))


def _mixtral(name: str, shape: tuple[int, int, int], words: int, inside: int, published: int, where: str) -> Any:
    return _mixture(name, shape, words, published, where, kv_heads=8, feedforward=inside, experts=8, top_k=2)


def _qwen3(name: str, shape: tuple[int, int, int], inside: int, published: int, where: str) -> Any:
    of_experts = {"experts": 128, "top_k": 8, "feedforward": inside}
    return _mixture(name, shape, 151_936, published, where, kv_heads=4, head_dim=128, qk_norm=True, **of_experts)


def _deepseek(
    name: str, shape: tuple[int, int, int], words: int, published: int, where: str, **more: Any
) -> Callable[..., Model]:
    latent = LatentAttention(kv_rank=512, q_rank=1536, nope=128, rope=64, value=128)
    return _mixture(name, shape, words, published, where, **({"latent": latent} | more))


def _gpt_oss(name: str, blocks: int, experts: int, published: int, where: str) -> Callable[..., Model]:
    more = {"kv_heads": 8, "head_dim": 64, "bias": True, "sinks": True, "window": 128, "full_every": 2}
    of_experts = {"feedforward": 2880, "experts": experts, "top_k": 4, "router_bias": True}
    return _mixture(name, (2880, 64, blocks), 201_088, published, where, **more, **of_experts)


MIXTURES: Mapping[str, Callable[..., Model]] = {
    "mixtral-8x7b": _mixtral(
        "Mixtral 8x7B",
        (4096, 32, 32),
        32_000,
        14_336,
        46_702_792_704,
        "mistralai/Mixtral-8x7B-v0.1; arXiv 2401.04088",
    ),
    "mixtral-8x22b": _mixtral(
        "Mixtral 8x22B", (6144, 48, 56), 32_768, 16_384, 140_630_071_296, "mistralai/Mixtral-8x22B-v0.1"
    ),
    "qwen3-30b-a3b": _qwen3(
        "Qwen3 30B-A3B", (2048, 32, 48), 768, 30_532_122_624, "Qwen/Qwen3-30B-A3B; arXiv 2505.09388"
    ),
    "qwen3-235b-a22b": _qwen3(
        "Qwen3 235B-A22B", (4096, 64, 94), 1536, 235_093_634_560, "Qwen/Qwen3-235B-A22B; arXiv 2505.09388"
    ),
    "gpt-oss-20b": _gpt_oss("GPT-OSS 20B", 24, 32, 20_914_757_184, "openai/gpt-oss-20b; arXiv 2508.10925"),
    "gpt-oss-120b": _gpt_oss("GPT-OSS 120B", 36, 128, 116_829_156_672, "openai/gpt-oss-120b; arXiv 2508.10925"),
    "deepseek-v2-lite": _deepseek(
        "DeepSeek-V2-Lite",
        (2048, 16, 27),
        102_400,
        15_706_484_224,
        "deepseek-ai/DeepSeek-V2-Lite; arXiv 2405.04434",
        latent=LatentAttention(kv_rank=512, nope=128, rope=64, value=128),
        feedforward=10_944,
        dense_blocks=1,
        experts=64,
        top_k=6,
        expert_feedforward=1408,
        shared_experts=2,
    ),
    "deepseek-v2": _deepseek(
        "DeepSeek-V2",
        (5120, 128, 60),
        102_400,
        235_741_434_880,
        "deepseek-ai/DeepSeek-V2; arXiv 2405.04434",
        feedforward=12_288,
        dense_blocks=1,
        experts=160,
        top_k=6,
        expert_feedforward=1536,
        shared_experts=2,
    ),
    "deepseek-v3": _deepseek(
        "DeepSeek-V3",
        (7168, 128, 61),
        129_280,
        671_026_419_200,
        "deepseek-ai/DeepSeek-V3; arXiv 2412.19437; without its module for a second word (next_tokens=1)",
        feedforward=18_432,
        dense_blocks=3,
        experts=256,
        top_k=8,
        expert_feedforward=2048,
        shared_experts=1,
        router_bias=True,
    ),
    "kimi-k2": _deepseek(
        "Kimi K2",
        (7168, 64, 61),
        163_840,
        1_026_408_232_448,
        "moonshotai/Kimi-K2-Instruct; arXiv 2507.20534",
        feedforward=18_432,
        dense_blocks=1,
        experts=384,
        top_k=8,
        expert_feedforward=2048,
        shared_experts=1,
        router_bias=True,
    ),
}
"""In DeepSeek-V3 and Kimi K2 a router's bias isn't trained by gradients; it is counted with the others all the same."""
