"""What a strategy sends: counted by hand, by the schedules, and by the simulator."""

import pytest
from small_models import gpt, rings

import astra_edu as ae
from astra_edu.workload.compute import Split
from astra_edu.workload.strategies.tables import what_is_communicated, when_collectives_are_needed

GPT = gpt()
HIDDEN, TOKENS, BLOCKS, WORDS = 256, 32, 4, 512
BYTES = 2  # of an element


def sent(model, strategy, stage=None, where=lambda one: True):
    """Bytes that an NPU sends in an iteration."""
    return sum(one.sent_bytes for one in ae.communications(model, strategy, stage=stage) if where(one))


def of_blocks(one):
    return one.operator.startswith("block")


# By hand: Megatron-LM (arXiv 1909.08053), Korthikanti et al. (2205.05198), ZeRO (1910.02054)


@pytest.mark.parametrize("batch", [1, 3, 8])
@pytest.mark.parametrize("tensor", [2, 4, 8])
def test_tensor_parallelism_sends_four_all_reduces_of_activations_for_each_block_and_micro_batch(tensor, batch):
    strategy = ae.Strategy(tensor=tensor, batch=6 * batch, micro_batch=batch)
    found = [one for one in ae.communications(GPT, strategy) if of_blocks(one)]
    assert len(found) == 4 * BLOCKS
    assert {(one.collective, one.group, one.npus, one.times) for one in found} == {("all-reduce", "tensor", tensor, 6)}
    one_block = 8 * batch * TOKENS * HIDDEN * (tensor - 1) / tensor * BYTES
    assert sent(GPT, strategy, where=of_blocks) == pytest.approx(6 * BLOCKS * one_block)


@pytest.mark.parametrize("tensor", [2, 4, 8])
def test_sequence_parallelism_sends_the_same_bytes_as_gathers_and_scatters(tensor):
    plain = ae.Strategy(tensor=tensor, batch=4, micro_batch=2)
    sequence = ae.Strategy(tensor=tensor, batch=4, micro_batch=2, sequence_parallel=True)
    assert sent(GPT, sequence) == pytest.approx(sent(GPT, plain))
    kinds = [one.collective for one in ae.communications(GPT, sequence)]
    assert kinds.count("all-gather") == kinds.count("reduce-scatter") == 4 * BLOCKS + 2


def test_full_recomputation_sends_the_forward_passs_activations_of_the_blocks_twice():
    plain, full = (ae.Strategy(tensor=4, recompute=how) for how in ("none", "full"))
    selective = ae.Strategy(tensor=4, recompute="selective")
    assert sent(GPT, full, where=of_blocks) == pytest.approx(1.5 * sent(GPT, plain, where=of_blocks))
    assert sent(GPT, full, where=lambda one: not of_blocks(one)) == sent(
        GPT, plain, where=lambda one: not of_blocks(one)
    )
    assert sent(GPT, selective) == sent(GPT, plain)


@pytest.mark.parametrize(("zero", "volumes"), [(0, 2), (1, 2), (2, 2), (3, 3)])
@pytest.mark.parametrize("copies", [2, 4, 8])
def test_zero_sends_two_or_three_times_the_parameters(zero, volumes, copies):
    volume = sent(GPT, ae.Strategy(data=copies, zero=zero))
    assert volume == pytest.approx(volumes * BYTES * GPT.parameters * (copies - 1) / copies)


@pytest.mark.parametrize(("zero", "volumes"), [(0, 2), (1, 2), (2, 6), (3, 15)])
def test_zero_2_and_3_send_for_every_micro_batch(zero, volumes):
    volume = sent(GPT, ae.Strategy(data=4, zero=zero, batch=20))  # 5 micro-batches
    assert volume == pytest.approx(volumes * BYTES * GPT.parameters * 3 / 4)


def test_zero_pads_each_share_of_an_operators_parameters_to_64_bytes():
    odd = gpt(hidden=8, heads=1, blocks=1, vocabulary=10)
    gathers = [one for one in ae.communications(odd, ae.Strategy(data=3, zero=3)) if one.collective == "all-gather"]
    sizes = {one.operator: one.size for one in gathers}
    assert sizes["words"] == 64  # 2 bytes · 8 · 10 = 160, of which a third is 53.3
    assert sizes["block1_qkv"] == 192  # 2 · (8 + 1) · 24 = 432, a third is 144


def test_the_gradients_of_a_divided_model_are_smaller_and_tensor_parallelism_doesnt_depend_on_the_copies():
    hybrid = ae.Strategy(data=4, tensor=4)
    parts = sum(hybrid.part(operator).parameters for operator in GPT.operators)
    assert GPT.parameters / 4 < parts < GPT.parameters / 3  # normalisations and some biases are whole on each NPU
    gradients = sent(GPT, hybrid, where=lambda one: one.group == "data")
    assert gradients == pytest.approx(2 * BYTES * parts * 3 / 4)
    assert sent(GPT, hybrid) - gradients == pytest.approx(sent(GPT, ae.Strategy(tensor=4)))


@pytest.mark.parametrize("sequence", [False, True])
@pytest.mark.parametrize(("schedule", "virtual"), [("gpipe", 1), ("1f1b", 1), ("interleaved", 2)])
def test_a_pipeline_sends_activations_forwards_and_their_gradients_back(schedule, virtual, sequence):
    strategy = ae.Strategy(
        tensor=2,
        pipeline=2,
        batch=12,
        micro_batch=3,
        pipeline_order=schedule,
        virtual=virtual,
        sequence_parallel=sequence,
    )
    message = 3 * TOKENS * HIDDEN * BYTES // (2 if sequence else 1)
    between = [one for one in ae.communications(GPT, strategy) if one.group == "pipeline"]
    assert {(one.collective, one.size, one.times) for one in between} == {(None, message, 4)}
    boundaries = 2 * virtual - 1
    assert sent(GPT, strategy, where=lambda one: one.group == "pipeline") == 2 * boundaries * 4 * message
    first, last = (
        [(one.content, one.operator) for one in ae.communications(GPT, strategy, stage=s) if one.group == "pipeline"]
        for s in (0, 1)
    )
    if virtual == 1:
        assert first == [("activations", "block2_added2")]
        assert last == [("input gradients", "block3_norm1")]
    else:
        assert [content for content, _ in first] == ["activations", "input gradients", "activations"]
        assert [content for content, _ in last] == ["input gradients", "activations", "input gradients"]


def test_the_stages_together_send_what_all_of_them_send():
    strategy = ae.Strategy(data=2, tensor=2, pipeline=4, batch=8)
    stages = [ae.communications(GPT, strategy, stage=s) for s in range(4)]
    assert sum(map(len, stages)) == len(ae.communications(GPT, strategy))
    assert {one for stage in stages for one in stage} == set(ae.communications(GPT, strategy))
    with pytest.raises(ae.ConfigError, match="stage is 4; there are the stages 0 to 3"):
        ae.communications(GPT, strategy, stage=4)


def test_dlrm_exchanges_a_vector_of_each_table_for_each_sample():
    strategy = ae.Strategy(data=16, micro_batch=64, exchange_embeddings=True)
    exchanged = [one for one in ae.communications("dlrm", strategy) if one.operator == "tables"]
    assert [(one.content, one.phase, one.group) for one in exchanged] == [
        ("embeddings", "forward", "all"),
        ("embedding gradients", "input gradient", "all"),
    ]
    assert {(one.collective, one.size, one.npus) for one in exchanged} == {("all-to-all", 64 * 26 * 128 * 2, 16)}
    whole = ae.Strategy(data=16, micro_batch=64)
    tables = sum(ae.model("dlrm").operators[0].rows) * 128
    difference = sent("dlrm", whole) - sent("dlrm", strategy, where=lambda one: one.operator != "tables")
    assert difference == pytest.approx(2 * BYTES * tables * 15 / 16)


@pytest.mark.parametrize("name", ["vgg16", "resnet50"])
def test_the_gradient_of_the_images_is_neither_needed_nor_sent(name):
    first = ae.model(name).operators[0].name
    phases = [one.phase for one in ae.communications(name, ae.Strategy(tensor=4)) if one.operator == first]
    assert phases == ["forward"]


def test_gathered_outputs_are_the_whole_output():
    for name in ("vgg16", "resnet50", "gnmt"):
        model, strategy = ae.model(name), ae.Strategy(tensor=4)
        by_name = {operator.name: operator for operator in model.operators}
        for one in ae.communications(model, strategy):
            operator = by_name[one.operator]
            assert operator.split is Split.GATHERED
            if one.collective == "all-gather":
                assert one.size * 4 == 2 * _elements(operator.gives)
            else:
                assert (one.collective, one.size) == ("all-reduce", 2 * _elements(operator.takes))


def _elements(shape):
    product = 1
    for size in shape:
        product *= size
    return product


# By the schedules

STRATEGIES = {
    "data": ae.Strategy(data=4, batch=8),
    "tensor": ae.Strategy(tensor=4),
    "hybrid": ae.Strategy(data=2, tensor=4, micro_batch=2),
    "sequence": ae.Strategy(data=2, tensor=4, sequence_parallel=True),
    "ZeRO-1": ae.Strategy(data=8, zero=1),
    "ZeRO-2": ae.Strategy(data=8, zero=2),
    "ZeRO-3": ae.Strategy(data=8, zero=3),
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_sent_bytes_are_those_of_the_schedules(name):
    for one in ae.communications(GPT, STRATEGIES[name]):
        buffer = one.size * (one.npus if one.collective == "all-gather" else 1)  # the schedule counts what comes out
        schedule = ae.schedule(one.collective, "ring", one.npus)
        assert one.sent_bytes == pytest.approx(one.times * ae.counts(schedule, buffer).sent)
    exchange = ae.communications("dlrm", ae.Strategy(data=8, exchange_embeddings=True))[0]
    assert exchange.sent_bytes == ae.counts(ae.schedule("all-to-all", "direct", 8), exchange.size).sent


# By the simulator

SETTINGS = [
    {"data": 4},
    {"tensor": 4},
    {"data": 2, "tensor": 4, "micro_batch": 2},
    {"data": 2, "tensor": 4, "micro_batch": 2, "placement": "data-first"},
    {"data": 2, "tensor": 4, "recompute": "selective"},
    {"data": 4, "recompute": "full"},
    {"data": 2, "tensor": 4, "recompute": "full"},
    {"data": 2, "tensor": 4, "zero": 1},
    {"data": 4, "zero": 2},
]
SEQUENCE = [
    {"tensor": 4, "sequence_parallel": True},
    {"data": 2, "tensor": 4, "sequence_parallel": True, "placement": "data-first"},
    {"data": 2, "tensor": 4, "sequence_parallel": True, "recompute": "full"},
]


@pytest.mark.parametrize(
    ("model", "settings"),
    [(GPT, settings) for settings in SETTINGS + SEQUENCE]
    + [(ae.model("gpt3-tutorial"), settings) for settings in SETTINGS],
    ids=str,
)
def test_a_micro_batchs_bytes_are_what_the_simulator_sends(model, settings):
    strategy = ae.Strategy(**settings)
    groups = {"tensor": strategy.tensor, "data": strategy.data}
    nearest_first = groups if strategy.placement == "tensor-first" else reversed(groups)
    names = [name for name in nearest_first if groups[name] > 1]
    platform = rings(*(groups[name] for name in names))
    result = ae.simulate(ae.generate_workload(model, strategy, "a100"), platform)
    wanted = [sent(model, strategy, where=lambda one, name=name: one.group == name) for name in names]
    assert result.message_bytes_per_dimension == wanted


@pytest.mark.parametrize("order", ["tensor-first", "data-first"])
@pytest.mark.parametrize("tensor", [1, 4])
@pytest.mark.parametrize("name", ["small", "gpt3-tutorial", "vgg16", "gnmt"])
def test_zero_3_gathers_everything_twice_but_the_last_operator_whose_parameters_are_still_there(name, tensor, order):
    model = GPT if name == "small" else ae.model(name)
    strategy = ae.Strategy(data=4, tensor=tensor, zero=3, placement=order)
    *_, last = (one for one in ae.communications(model, strategy) if one.content == "parameters")
    assert last.phase == "input gradient"
    groups = (tensor, 4) if order == "tensor-first" else (4, tensor)
    platform = rings(*(n for n in groups if n > 1))
    result = ae.simulate(ae.generate_workload(model, strategy, "a100"), platform)
    assert result.message_bytes == pytest.approx(sent(model, strategy) - last.sent_bytes, rel=1e-6)


@pytest.mark.parametrize("stage", range(4))
def test_a_stages_bytes_are_what_the_simulator_sends_for_it(stage):
    strategy = ae.Strategy(data=2, tensor=4, pipeline=4)
    within = sent(GPT, strategy, stage, where=lambda one: one.group != "pipeline")
    result = ae.simulate(ae.generate_workload(GPT, strategy, "a100", stage=stage), rings(4, 2))
    assert result.message_bytes == within


@pytest.mark.parametrize("name", ["vgg16", "resnet50", "gnmt"])
@pytest.mark.parametrize("order", ["tensor-first", "data-first"])
def test_gathered_bytes_are_what_the_simulator_sends(name, order):
    strategy = ae.Strategy(data=2, tensor=4, placement=order)
    platform = rings(4, 2) if order == "tensor-first" else rings(2, 4)
    result = ae.simulate(ae.generate_workload(name, strategy, "a100"), platform)
    assert result.message_bytes == pytest.approx(sent(name, strategy), rel=1e-6)


def test_dlrms_bytes_are_what_the_simulator_sends():
    strategy = ae.Strategy(data=8, micro_batch=256, exchange_embeddings=True)
    result = ae.simulate(ae.generate_workload("dlrm", strategy, "a100"), rings(8))
    assert result.message_bytes == pytest.approx(sent("dlrm", strategy), rel=1e-6)


# The slides' tables

SLIDES = {
    "data": ae.Strategy(data=4, batch=16),
    "tensor": ae.Strategy(tensor=4, batch=16),
    "hybrid": ae.Strategy(data=2, tensor=2, batch=16),
    "pipeline": ae.Strategy(pipeline=4, batch=16),
    "ZeRO-3": ae.Strategy(data=4, zero=3, batch=16),
}


def cells(table):
    header, rows = table
    return {str(row[0]): dict(zip(header[1:], map(str, row[1:]), strict=True)) for row in rows}


def test_what_is_communicated_is_the_slides_table():
    table = cells(what_is_communicated(GPT, SLIDES))
    marks = {name: [cell[0] for cell in list(row.values())[:3]] for name, row in table.items()}
    assert marks == {
        # activations, input gradients, weight gradients
        "data": ["–", "–", "✓"],
        "tensor": ["✓", "✓", "–"],
        "hybrid": ["✓", "✓", "✓"],
        "pipeline": ["✓", "✓", "–"],
        "ZeRO-3": ["–", "–", "✓"],
    }
    assert [row["parameters"] != "–" for row in table.values()] == [False, False, False, False, True]
    # a stage in the middle sends 16 samples' activations onwards, and their gradients back
    assert table["pipeline"]["activations"] == "✓ 256 KiB" == f"✓ {16 * TOKENS * HIDDEN * BYTES // 1024} KiB"
    assert table["pipeline"]["in all"] == "512 KiB"


def test_when_collectives_are_needed():
    table = cells(when_collectives_are_needed(GPT, SLIDES))
    assert {name: list(row.values()) for name, row in table.items()} == {
        # forward, input gradient, weight gradient, update
        "data": ["–", "–", "all-reduce", "–"],
        "tensor": ["m × all-reduce*", "m × all-reduce*", "–", "–"],
        "hybrid": ["m × all-reduce*", "m × all-reduce*", "all-reduce", "–"],
        "pipeline": ["m × send", "m × send", "–", "–"],
        "ZeRO-3": ["m × all-gather*", "m × all-gather*", "m × reduce-scatter", "–"],
    }
    table = cells(when_collectives_are_needed("dlrm", {"DLRM": ae.Strategy(data=4, exchange_embeddings=True)}))
    assert table["DLRM"] == {
        "forward": "m × all-to-all",
        "input gradient": "m × all-to-all",
        "weight gradient": "all-reduce",
        "update": "–",
    }


def test_a_strategy_without_communication_has_no_marks():
    assert cells(what_is_communicated(GPT, {"alone": ae.Strategy()})) == {
        "alone": dict.fromkeys(["activations", "input gradients", "weight gradients", "parameters"], "–")
        | {"in all": "0 B"}
    }
