"""Strategies whose backward passes are split: who has which part, what is kept, sent and written."""

from __future__ import annotations

from dataclasses import replace

import pytest

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.explore.iteration.parts import Part
from astra_edu.explore.iteration.stage_times import StageTimes
from astra_edu.pipeline import run_pipeline

MODEL = ae.transformer("GPT", hidden=1024, heads=8, blocks=8, sequence=512, vocabulary=1000)
ORDERS = {"zb-h1": 1, "zb-v": 2, "v-half": 2, "v-min": 2, "dualpipe": 1}


STAGES = ae.Platform((ae.Dimension.of("Switch", 4, 50, 500),), ae.SystemConfig.of("halvingDoubling", splits=1))


def cut(order: str, **more: object) -> ae.Strategy:
    return ae.Strategy(**({"pipeline": 4, "batch": 8} | more), pipeline_order=order, virtual=ORDERS.get(order, 1))


@pytest.mark.parametrize("order", ORDERS)
def test_every_part_is_on_one_stage(order: str):
    strategy = cut(order)
    parts = [k for stage in range(4) for k in strategy.parts_on(stage)]
    assert sorted(parts) == sorted([*range(4 * strategy.virtual)] * (1 + strategy.both_ways))
    if strategy.virtual == 2:
        assert strategy.parts_on(0) == (0, 7)
        assert strategy.parts_on(3) == (3, 4)


@pytest.mark.parametrize("order", ORDERS)
def test_stages_keep_what_the_run_says(order: str):
    """Activations of as many micro-batches as are in flight in any run of the order, where parts are alike."""
    strategy = cut(order)
    run = run_pipeline(order, 4, 8, [7] * 4 * strategy.virtual, [9] * 4 * strategy.virtual, virtual=strategy.virtual)
    if strategy.both_ways:  # micro-batches go through one of a stage's two parts
        return
    for stage in range(4) if strategy.virtual == 1 else (1, 2):
        one = ae.memory(MODEL, cut(order, batch=1), stage=stage).activations
        assert ae.memory(MODEL, strategy, stage=stage).activations == pytest.approx(one * run.in_flight[stage])


def test_a_folded_models_words_are_there_once():
    """The first stage has the words' vectors and the scores that are made of them; in a loop the last has a copy."""
    looped, folded = (
        sum(ae.memory(MODEL, cut(order), stage=stage).parameters for stage in range(4)) for order in ("1f1b", "zb-v")
    )
    assert folded == ae.memory(MODEL, ae.Strategy()).parameters == looped - 2 * 1000 * 1024


def test_both_ways_parameters_are_there_twice_and_activations_of_a_micro_batch_more():
    """The report's table: 2 × the parameters, p + 1 micro-batches' activations, where parts are alike."""
    alike = ae.transformer("GPT", hidden=1024, heads=8, blocks=8, sequence=512, vocabulary=1)
    early, both = ([ae.memory(alike, cut(o), stage=s) for s in range(4)] for o in ("1f1b", "dualpipe"))
    assert sum(each.parameters for each in both) == pytest.approx(2 * sum(each.parameters for each in early), rel=1e-3)
    assert [each.activations for each in both] == pytest.approx([early[0].activations * 5 / 4] * 4, rel=0.01)
    run = ae.estimate(MODEL, cut("dualpipe"), "a100", STAGES)
    for stage in range(4):
        most = max(run.memory_timeline(stage), key=lambda moment: moment.total)
        assert most.total == pytest.approx(ae.memory(MODEL, cut("dualpipe"), stage=stage).total)


def test_both_ways_two_stages_add_up_the_gradients_of_the_parts_they_share():
    strategy = cut("dualpipe", data=2, batch=16)
    every = ae.communications(MODEL, strategy)
    mirrored = [one for one in every if one.group == "mirror"]
    parameters = ae.memory(MODEL, strategy, stage=0).parameters + ae.memory(MODEL, strategy, stage=1).parameters
    assert sum(one.size for one in mirrored) == parameters
    for stage in range(4):
        own = ae.communications(MODEL, strategy, stage=stage)
        assert (
            sum(one.size for one in own if one.group == "mirror") == ae.memory(MODEL, strategy, stage=stage).parameters
        )
        sends = [one for one in own if one.group == "pipeline"]
        assert {one.times for one in sends} == {4}  # of 8 micro-batches half come through each of its parts
        assert len(sends) == (2 if stage in (0, 3) else 4)  # from its first or last part only one thing
    shared = [
        one for one in ae.communications(MODEL, cut("dualpipe", data=2, batch=16, zero=1)) if one.group == "mirror"
    ]
    assert sum(one.size for one in shared) == pytest.approx(parameters / 2, rel=0.01)


def test_what_experts_are_sent_hides_in_pairs():
    """Two parts, 10 ns of all-to-alls in either pass: 10 of the forward pass behind the backward pass, and the other
    way round; no more than the other pass computes, and no pass is shorter than it computes."""
    parts = [Part(30, 50, (0, 0, 20), 0, 0, 10, 0, (10, 10)), Part(12, 50, (0, 0, 20), 0, 0, 10, 0, (10, 10))]
    strategy = cut("dualpipe", pipeline=2)
    assert StageTimes(MODEL, strategy, tuple(parts), (0,), 0, 0).hidden_ns == [20, 12]
    assert StageTimes(MODEL, replace(strategy, pipeline_order="1f1b"), tuple(parts), (0,), 0, 0).hidden_ns == [0, 0]
    experts = ae.transformer(
        "mixture", hidden=1024, heads=8, blocks=4, sequence=512, vocabulary=1000, experts=8, top_k=2
    )
    on = ae.Platform(
        (ae.Dimension.of("Switch", 4, 10, 500), *STAGES.network), ae.SystemConfig.of("ring_ring", splits=1)
    )
    early, both = (
        ae.estimate(experts, cut(order, data=4, expert=4, batch=64), "a100", on) for order in ("zb-h1", "dualpipe")
    )
    assert both.expert_ns < 0.7 * early.expert_ns
    assert both.pipeline.total_ns < early.pipeline.total_ns


@pytest.mark.parametrize(
    ("order", "boundaries"), [("1f1b", 3), ("zb-h1", 3), ("zb-v", 6), ("v-min", 6), ("dualpipe", 3)]
)
def test_messages_between_parts_of_one_stage_are_not_sent(order: str, boundaries: int):
    sent = [one for one in ae.communications(MODEL, cut(order)) if one.group == "pipeline"]
    assert len(sent) == 2 * boundaries


@pytest.mark.parametrize("order", ORDERS)
def test_every_stage_is_a_workload_that_runs(order: str):
    strategy = cut(order, data=2, batch=16)
    on = ae.Platform((ae.Dimension.of("Switch", 2, 50, 500),), ae.SystemConfig.of("halvingDoubling", splits=1))
    for stage in range(4):
        assert ae.simulate(ae.generate_workload(MODEL, strategy, "a100", stage=stage), on, progress=False).total_ns > 0


@pytest.mark.parametrize("order", ORDERS)
def test_traces_compute_as_much_as_in_any_other_order(order: str):
    network = ae.TracePlatform((ae.Block("Switch", 4, 50, 500),), ae.TraceSystem.of("halvingDoubling"))
    early, split = (
        ae.simulate(ae.traces.from_strategy(MODEL, cut(each), "a100", network), network) for each in ("1f1b", order)
    )
    assert split.compute_ns == pytest.approx(early.compute_ns, rel=0.1)  # parts have other operators on other stages
    if order != "dualpipe":  # whose stages add up gradients at the end, as others have no need to
        assert split.total_ns < early.total_ns * (1 if order in ("zb-h1", "zb-v") else 1.15)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"pipeline_order": "zb-v"}, "pipeline_order is 'zb-v' with virtual=1; it gives each stage two parts"),
        (
            {"pipeline_order": "v-min", "virtual": 3},
            "with virtual=3; it gives each stage two parts of the model, folded",
        ),
        ({"pipeline_order": "dualpipe", "pipeline": 5}, "stages is 5; .* an even number of stages: 4 or 6"),
        ({"pipeline_order": "dualpipe", "batch": 6}, "micro_batches is 6 for 4 stages; .* 8 is the least"),
        (
            {"pipeline_order": "dualpipe", "virtual": 2},
            "with virtual=2; only 'interleaved' gives a stage several parts",
        ),
        ({"pipeline_order": "zb-h1", "virtual": 2}, "with virtual=2; only 'interleaved' gives a stage several parts"),
        (
            {"pipeline_order": "zb-v", "virtual": 2, "pipeline": 3},
            "GPT has 8 blocks, which 6 stages can't share evenly",
        ),
    ],
)
def test_what_does_not_exist_is_refused(cells: dict[str, object], said: str):
    with pytest.raises(ConfigError, match=said):
        ae.Strategy(**({"pipeline": 4, "batch": 8} | cells)).check(MODEL)


@pytest.mark.parametrize("zero", [0, 1])
def test_a_trace_both_ways_adds_up_gradients_or_shares_of_them_before_parameters_are_gathered(zero: int):
    strategy = cut("dualpipe", data=2, batch=16, zero=zero)
    nodes = ae.traces.from_strategy(MODEL, strategy, "a100").nodes[0]
    sums = [
        node for node in nodes if "gradients to stage" in node.name and node.type is ae.traces.NodeType.COMM_SEND_NODE
    ]
    mirrored = [one for one in ae.communications(MODEL, strategy, stage=0) if one.group == "mirror"]
    assert sum(node.number("comm_size") for node in sums) == sum(one.size for one in mirrored)
    gathers = [node for node in nodes if node.name.startswith("update ")]
    assert bool(gathers) == bool(zero)
    assert all(sums[-1].id in node.data_deps for node in gathers[:1])
    assert all(gathers[0].id in node.data_deps for node in gathers[1:])
