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


def test_an_estimate_of_llama_3_405b_on_16_384(benchmark):
    """The goal is 50 ms; the model is made before, and nothing of it is known yet."""
    model, platform = ae.model("llama3-405b"), ae.machine("h100").platform(16_384)
    batches = iter(range(1024, 10**6, 1024))

    def estimate():
        cut = ae.Strategy(tensor=8, pipeline=16, data=128, batch=next(batches), stage_blocks="ends", zero=1)
        return ae.estimate(model, cut, "h100", platform)

    benchmark.pedantic(estimate, rounds=20)


def test_the_fastest_of_the_whole_space_of_llama_3_405b(benchmark):
    """The goal is 20 s for 20,000 candidates or more."""
    model, platform = ae.model("llama3-405b"), ae.machine("h100").platform(16_384)

    def search():
        every = ae.candidates(model, 16_384, 2048, whole_space=True)
        assert len(every) >= 20_000
        return ae.fastest(model, every, "h100", platform, fits=True)

    benchmark.pedantic(search, rounds=1)
