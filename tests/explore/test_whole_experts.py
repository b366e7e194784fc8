"""Experts that a tensor group's NPUs have whole: the estimate is the trace, simulated, which sends the same."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

import astra_edu as ae

MODEL = ae.transformer(
    "m",
    hidden=2048,
    heads=16,
    blocks=4,
    sequence=2048,
    vocabulary=1000,
    attention="flash",
    experts=16,
    top_k=2,
)


def networks(cut: ae.Strategy) -> tuple[ae.Platform, ae.TracePlatform]:
    """Switches for the tensor group, of the copies those among which experts are shared out, the others, and stages."""
    sizes = sorted({1, cut.context, cut.expert_copies, cut.copies})
    copies = [(large // small, 50, 1000) for small, large in pairwise(sizes)]
    own = [(cut.tensor, 300, 500), *copies] if cut.placement == "tensor-first" else [*copies, (cut.tensor, 300, 500)]
    dims = [dim for dim in (*own, (cut.pipeline, 20_000, 1)) if dim[0] > 1]
    names = ["halvingDoubling"] * len(dims)
    first = tuple(ae.Dimension.of("Switch", *dim) for dim in dims)
    second = tuple(ae.Block("Switch", *dim) for dim in dims)
    return (
        ae.Platform(first, ae.SystemConfig.of("_".join(names), splits=1)),
        ae.TracePlatform(second, ae.TraceSystem.of(names)),
    )


@pytest.mark.parametrize("seed", range(12))
def test_it_takes_as_long_and_sends_the_same(seed: int):
    """Copies on several dimensions exchange on some at a time in 1.0, and on one in 2.x, where that takes longer."""
    rng = Random(seed)
    tensor, data, context = rng.choice([2, 4]), rng.choice([1, 2, 4]), rng.choice([1, 1, 2])
    among = rng.choice([n for n in (1, 2, 4) if data * context % n == 0 and tensor * n <= 16])
    cut = ae.Strategy(
        tensor=tensor,
        data=data,
        context=context,
        pipeline=rng.choice([1, 1, 2]),
        batch=data * rng.choice([2, 4]),
        sequence_parallel=True,
        expert=tensor * among,
        whole_experts=True,
        zero=rng.choice([0, 1]) if data * context > 1 else 0,
        placement=rng.choice(["tensor-first", "data-first"]),
        recompute=rng.choice(["none", "selective", "full"]),
        overlap=rng.choice([(), ("expert",)]),
        pieces=2,
    )
    first, second = networks(cut)
    found, ran = ae.estimate(MODEL, cut, "a100", first), ae.estimate(MODEL, cut, "a100", second)
    alone = len({1, context, among, data * context}) < 3
    assert found.expert_ns == pytest.approx(ran.expert_ns, rel=0.001)
    assert found.expert_ns > 0
    assert 0.75 * ran.total_ns < found.total_ns < 1.005 * ran.total_ns
    if alone:
        assert found.total_ns == pytest.approx(ran.total_ns, rel=0.005)
    spans = [span for span in ran.simulated.timeline if (span.npu, span.lane) == (0, "communication")]
    sent = Counter[tuple[str, int]]()
    for one in ae.communications(MODEL, cut, stage=0):
        pieces = 2 if one.group == "expert" and "expert" in cut.overlap else 1
        if one.collective:
            sent[str(one.collective), one.size // pieces] += one.times * pieces
    assert Counter((span.collective, span.size) for span in spans if span.collective) == sent


def test_on_one_switch_for_all_the_trace_goes_by_process_groups():
    cut = ae.Strategy(tensor=4, data=4, sequence_parallel=True, expert=8, whole_experts=True)
    platform = ae.TracePlatform(ae.Block("Switch", 16, 100, 500), ae.TraceSystem.of("ring"))
    trace = ae.traces.from_strategy(MODEL, cut, "a100", platform)
    groups = {frozenset(members) for members in trace.groups.values()}
    assert {frozenset(range(8)), frozenset(range(8, 16))} <= groups
    assert ae.simulate(trace, platform, progress=False).total_ns > 0
