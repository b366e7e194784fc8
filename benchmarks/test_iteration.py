"""How fast a whole iteration is estimated, and the fastest strategy found."""

import astra_edu as ae
from astra_edu.measured.megatron_lm import DEVICE, platform

STRATEGY = ae.Strategy(tensor=8, pipeline=8, batch=64, pipeline_order="interleaved", virtual=3, recompute="full")


def test_estimate(benchmark):
    found = benchmark(ae.estimate, "gpt3", STRATEGY, DEVICE, platform(64))
    assert len(found.pipeline.spans) == 2 * 8 * 3 * 64


def test_search(benchmark):
    """All strategies for GPT-3 on 64 NPUs with 64 samples: those that fit, and of those the fastest."""

    def search():
        fit = ae.fitting("gpt3", ae.candidates("gpt3", 64, 64), DEVICE)
        return len(fit), ae.fastest("gpt3", fit, DEVICE, platform(64))

    fit, found = benchmark.pedantic(search, rounds=3, warmup_rounds=1)
    print(f"{fit} fit; the fastest: {found}")
