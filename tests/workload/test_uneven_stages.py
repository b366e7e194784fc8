"""Stages that don't have equally many blocks: who has which, and that all of the package goes by it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.workload.strategies import stages
from astra_edu.workload.strategies.stages import blocks_of_parts

SIX = ae.transformer("six", hidden=64, heads=4, blocks=6, sequence=32, vocabulary=1000)
MODEL = ae.transformer("six", hidden=4096, heads=8, blocks=6, sequence=1024, vocabulary=1000)
SYSTEM = ae.SystemConfig.of("ring", splits=1)


def switch(npus: int) -> ae.Platform:
    return ae.Platform((ae.Dimension.of("Switch", npus, 50, 10),), SYSTEM)


@given(st.integers(1, 200), st.integers(1, 64), st.sampled_from(["uneven", "ends"]))
def test_all_blocks_are_shared_out_as_evenly_as_may_be(blocks: int, parts: int, shared: str):
    if blocks < parts or (shared == "ends" and (blocks + 2) // parts < 2 and min(_ends(blocks, parts)) < 1):
        return
    counts = blocks_of_parts("model", blocks, parts, shared)
    assert len(counts) == parts
    assert sum(counts) == blocks
    loads = list(counts)
    if shared == "ends":
        loads[0] += 1
        loads[-1] += 1
    assert max(loads) - min(loads) <= 1
    assert loads == sorted(loads, reverse=True)


def _ends(blocks: int, parts: int) -> list[int]:
    few, more = divmod(blocks + 2, parts)
    return [few + (more > 0) - 1 - (parts == 1), few - 1 + (more == parts)]


def test_where_they_divide_uneven_is_even():
    even, uneven = (replace(ae.Strategy(pipeline=3, batch=4), stage_blocks=how) for how in ("even", "uneven"))
    assert even.parts(SIX) == uneven.parts(SIX)
    of_uneven = ae.estimate(SIX, uneven, "a100", switch(3))
    assert ae.estimate(SIX, even, "a100", switch(3)) == replace(of_uneven, strategy=even)


def test_llama_on_16_stages_has_a_block_less_at_both_ends():
    cut = ae.Strategy(tensor=8, pipeline=16, data=128, batch=2048, stage_blocks="ends")
    model = ae.model("llama3-405b")
    of_block = {i: k for k, block in enumerate(model.blocks) for i in block}
    counts = [len({of_block[i] for i in part if i in of_block}) for part in cut.parts(model)]
    assert counts == [7, *[8] * 14, 7]
    cut.check(model)


@pytest.mark.parametrize("counts", [(1, 3, 2), (2, 2, 2), (4, 1, 1)])
def test_counts_of_ones_own(counts: tuple[int, ...]):
    cut = ae.Strategy(pipeline=3, batch=3, stage_blocks=counts)
    parts = cut.parts(SIX)
    assert [i for part in parts for i in part] == list(range(len(SIX.operators)))
    assert parts == stages(SIX, 3, counts)
    least, most = (pick(ae.memory(SIX, cut, stage=s).parameters for s in range(3)) for pick in (min, max))
    assert (least == most) is False or counts == (2, 2, 2)


def test_memory_of_the_stages_adds_up_to_the_model():
    cut = ae.Strategy(pipeline=4, batch=4, stage_blocks="uneven")
    kept = [ae.memory(SIX, cut, stage=s).parameters for s in range(4)]
    whole = ae.memory(SIX, ae.Strategy()).parameters
    words = 1000 * 64 * 2  # the last stage has a copy of them for the scores
    assert sum(kept) == whole + words
    assert ae.memory(SIX, cut).total == max(ae.memory(SIX, cut, stage=s).total for s in range(4))


@pytest.mark.parametrize("shared", ["uneven", "ends", (2, 1, 1, 2), (1, 1, 1, 3)])
def test_estimate_trace_and_simulation_go_by_it(shared: str | tuple[int, ...]):
    """The trace's stages compute what the estimate's do: its pipeline has the same times."""
    cut = ae.Strategy(pipeline=4, batch=8, stage_blocks=shared)
    network = ae.TracePlatform((ae.Block("Switch", 4, 50, 10),), ae.TraceSystem.of("ring"))
    found = ae.estimate(MODEL, cut, "a100", switch(4))
    ran = ae.simulate(ae.traces.from_strategy(MODEL, cut, "a100", network), network)
    assert ran.total_ns == pytest.approx(found.total_ns - found.update_ns, rel=0.005)


def test_more_blocks_on_a_stage_take_longer():
    even, other = (
        ae.estimate(MODEL, ae.Strategy(pipeline=3, batch=24, stage_blocks=how), "a100", switch(3)).total_ns
        for how in ("even", (4, 1, 1))
    )
    assert other > 1.5 * even


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"pipeline": 4}, "six has 6 blocks, which 4 stages can't share evenly; 3 or 6 stages"),
        ({"pipeline": 4, "stage_blocks": (2, 2, 2)}, "stage_blocks are 3 numbers that make 6; six has 6 blocks for 4"),
        ({"pipeline": 3, "stage_blocks": (2, 2, 3)}, "stage_blocks are 3 numbers that make 7; six has 6 blocks for 3"),
        ({"pipeline": 3, "stage_blocks": (3, 3, 0)}, "stage_blocks is 0"),
        ({"pipeline": 3, "stage_blocks": "odd"}, "stage_blocks is 'odd'"),
        ({"pipeline": 3, "stage_blocks": 2}, "stage_blocks is 2; give 'even', 'uneven', 'ends', or a number for each"),
        ({"pipeline": 5, "stage_blocks": "ends"}, "with its ends as blocks, 5 stages would leave one without any"),
        ({"pipeline": 7, "stage_blocks": "uneven"}, "it can't be cut into 7 stages; 6 is the most"),
    ],
)
def test_what_cannot_be_is_said(cells: dict[str, object], said: str):
    with pytest.raises(ConfigError, match=said):
        ae.Strategy(batch=4, **cells).check(SIX)


def test_a_model_without_blocks_has_none_to_share_out():
    with pytest.raises(ConfigError, match="VGG-16 has no blocks to share out; leave stage_blocks out"):
        ae.Strategy(pipeline=2, batch=2, stage_blocks="uneven").check(ae.model("vgg16"))
