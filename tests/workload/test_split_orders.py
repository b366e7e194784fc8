"""Strategies whose backward passes are split: who has which part, what is kept, sent and written."""

from __future__ import annotations

import pytest

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.pipeline import run_pipeline

MODEL = ae.transformer("GPT", hidden=1024, heads=8, blocks=8, sequence=512, vocabulary=1000)
ORDERS = {"zb-h1": 1, "zb-v": 2, "v-half": 2, "v-min": 2}


def cut(order: str, **more: object) -> ae.Strategy:
    return ae.Strategy(**({"pipeline": 4, "batch": 8} | more), pipeline_order=order, virtual=ORDERS.get(order, 1))


@pytest.mark.parametrize("order", ORDERS)
def test_every_part_is_on_one_stage(order: str):
    strategy = cut(order)
    parts = [k for stage in range(4) for k in strategy.parts_on(stage)]
    assert sorted(parts) == list(range(4 * strategy.virtual))
    if strategy.virtual == 2:
        assert strategy.parts_on(0) == (0, 7)
        assert strategy.parts_on(3) == (3, 4)


@pytest.mark.parametrize("order", ORDERS)
def test_stages_keep_what_the_run_says(order: str):
    """Activations of as many micro-batches as are in flight in any run of the order."""
    strategy = cut(order)
    run = run_pipeline(order, 4, 8, [7] * 4 * strategy.virtual, [9] * 4 * strategy.virtual, virtual=strategy.virtual)
    for stage in range(4):
        one = ae.memory(MODEL, cut(order, batch=1), stage=stage).activations
        assert ae.memory(MODEL, strategy, stage=stage).activations == pytest.approx(one * run.in_flight[stage])


def test_a_folded_models_words_are_there_once():
    """The first stage has the words' vectors and the scores that are made of them; in a loop the last has a copy."""
    looped, folded = (
        sum(ae.memory(MODEL, cut(order), stage=stage).parameters for stage in range(4)) for order in ("1f1b", "zb-v")
    )
    assert folded == ae.memory(MODEL, ae.Strategy()).parameters == looped - 2 * 1000 * 1024


@pytest.mark.parametrize(("order", "boundaries"), [("1f1b", 3), ("zb-h1", 3), ("zb-v", 6), ("v-min", 6)])
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
    assert split.total_ns < early.total_ns * (1 if order in ("zb-h1", "zb-v") else 1.15)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"pipeline_order": "zb-v"}, "pipeline_order is 'zb-v' with virtual=1; it gives each stage two parts"),
        (
            {"pipeline_order": "v-min", "virtual": 3},
            "with virtual=3; it gives each stage two parts of the model, folded",
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
