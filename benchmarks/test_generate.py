"""How fast generate_workload() is on the largest models: a line for each of their operators."""

import sys

import pytest

import astra_edu as ae

CASES = {
    "GPT-3, data and tensor parallel, all recomputed": (
        "gpt3",
        ae.Strategy(data=16, tensor=16, micro_batch=16, recompute="full"),
        None,
    ),
    "GPT-3, ZeRO-3": ("gpt3", ae.Strategy(data=256, zero=3), None),
    "Transformer-1T, data and tensor parallel": ("transformer-1t", ae.Strategy(data=64, tensor=8), None),
    "Transformer-1T, stage 1 of 64, sequence parallel": (
        "transformer-1t",
        ae.Strategy(tensor=8, pipeline=64, batch=512, sequence_parallel=True, recompute="selective"),
        1,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_generate(benchmark, name):
    model, strategy, stage = CASES[name]
    of_model = ae.model(model)
    made = benchmark.pedantic(
        ae.generate_workload, (of_model, strategy, "a100"), {"stage": stage}, rounds=5, warmup_rounds=1
    )
    print(f"\n{name}: {made.loop}, {len(made.layers):,} lines", file=sys.stderr)
