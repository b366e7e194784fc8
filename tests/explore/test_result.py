"""What an estimated iteration says of itself: throughput, utilisation, memory, and a table that can be read back."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import astra_edu as ae
from astra_edu.explore.iteration import described

PODS = ae.Platform((ae.Dimension.of("Switch", 16, 220, 1000),), ae.SystemConfig.of("halvingDoubling", splits=1))
GPT = ae.transformer("GPT", hidden=4096, heads=32, blocks=8, sequence=2048, vocabulary=51_200)


def estimate(**cut: object) -> ae.Iteration:
    return ae.estimate(GPT, ae.Strategy(**cut), "a100", PODS)


def test_utilisation_is_of_the_known_formula():
    """6 operations for each parameter and token, 12 for each score's products (arXiv 2204.02311, appendix B)."""
    found = estimate(data=16, batch=32)
    matrices = 8 * 12 * 4096**2 + 4096 * 51_200
    of_token = 6 * matrices + 12 * 8 * 4096 * 2048
    assert found.tokens == 32 * 2048
    assert found.tokens_per_s == pytest.approx(32 * 2048 / 16 / (found.total_ns / 1e9))
    assert found.mfu == pytest.approx(found.tokens_per_s * of_token / 312e12, rel=0.01)
    assert found.mfu == found.hfu


def test_full_recomputation_does_a_third_more_in_the_blocks():
    plain, full = estimate(data=16), estimate(data=16, recompute="full")
    blocks = 8 * (2 * 12 * 4096**2 + 4 * 4096 * 2048) * full.tokens
    assert full.repeated_flops == pytest.approx(blocks, rel=0.01)
    assert full.flops == plain.flops
    assert full.hfu / full.mfu == pytest.approx(1 + blocks / full.flops, rel=0.01)


def test_selective_recomputation_repeats_the_attentions_products_alone():
    found = estimate(data=16, recompute="selective")
    assert found.repeated_flops == pytest.approx(8 * 4 * 4096 * 2048 * found.tokens, rel=0.05)


@pytest.mark.parametrize(
    "cut", [{"data": 16}, {"data": 2, "tensor": 8}, {"pipeline": 4, "data": 4, "batch": 32}], ids=str
)
def test_the_table_says_what_the_numbers_are(cut: dict[str, int]):
    found = estimate(**cut)
    lines = dict(re.split(r"  +", line.strip(), maxsplit=1) for line in found.table.splitlines())
    for name, ns in found.split.items():
        assert lines[name] == f"{ns / 1e6:,.3f} ms, {ns / found.total_ns:.1%}"
    assert sum(float(lines[name].split(" ms")[0]) for name in found.split) == pytest.approx(
        float(lines["iteration"].split()[0]), abs=0.005
    )
    kept = ae.memory(GPT, found.strategy)
    assert found.memory == kept
    assert lines["memory"].startswith(f"{kept.total / 1e9:,.2f} × 10⁹ bytes")
    assert lines["memory"].endswith("which fits" if kept.fits("a100") else "which doesn't fit")
    assert lines["of its peak"] == f"MFU {found.mfu:.1%}, HFU {found.hfu:.1%}"


def test_what_is_exposed_and_the_bubble_are_parts_of_it():
    found = estimate(pipeline=4, data=2, tensor=2, batch=16)
    assert found.exposed == {"tensor group": found.tensor_ns, "exchange": found.data_ns}
    assert found.bubble == found.waiting_ns / found.total_ns > 0
    assert estimate(data=16).bubble == 0


def test_bits_of_the_elements_choose_the_peak():
    whole = ae.estimate(GPT, ae.Strategy(data=16, element_bytes=4), "a100", PODS)
    assert whole.mfu == pytest.approx(whole.flops_per_s / 156e12)


def test_a_device_without_memory_says_nothing_of_fitting():
    device = replace(ae.device("a100"), memory_bytes=None)
    found = ae.estimate(GPT, ae.Strategy(data=16), device, PODS)
    assert found.fits is None
    assert "fit" not in found.table


def test_models_without_tokens_count_samples():
    found = ae.estimate("vgg16", ae.Strategy(data=16, batch=64), "a100", PODS)
    assert found.tokens == 64
    assert "samples/s on each NPU" in found.table


def test_the_fastest_says_by_what_strategy():
    found = ae.fastest("gpt2", ae.candidates("gpt2", 16, 16), "a100", PODS)
    assert f"data {found.strategy.data} × tensor {found.strategy.tensor} × pipeline" in found.table


def test_a_strategy_says_what_differs_from_a_plain_one():
    said = described(ae.Strategy(pipeline=4, batch=8, pipeline_order="zb-v", virtual=2, stage_blocks="ends"))
    assert said == "data 1 × tensor 1 × pipeline 4, micro-batches of 1, zb-v, ends counted as blocks"
    assert described(ae.Strategy(pipeline=2, batch=4, pipeline_order="gpipe")).endswith("micro-batches of 1, gpipe")
    assert described(ae.Strategy(pipeline=2, batch=4, stage_blocks=(5, 3))).endswith("blocks 5-3")
    assert described(ae.Strategy(pipeline=2, batch=4, stage_blocks="uneven")).endswith("blocks shared unevenly")
