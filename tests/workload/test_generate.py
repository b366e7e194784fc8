"""Workloads made from models: the tutorial's files number for number, and every model through the simulator."""

import json
from pathlib import Path

import pytest
from small_models import gpt, rings

import astra_edu as ae
from astra_edu.base.units import float32
from astra_edu.formats import format_workload, parse_workload
from astra_edu.workload.compute import Elementwise, Embedding, Interaction, Linear, Split
from astra_edu.workload.strategies.generate import phases

DATA = Path(__file__).parents[1] / "data" / "astra_sim_1_tutorial.jsonl"
TUTORIAL = {case["name"]: case["workload"] for case in map(json.loads, DATA.open())}
GPT = gpt()
NOTHING = (0, None, 0)


def work(layer):
    """(ns, collective, bytes) of the three phases."""
    phases = (layer.forward, layer.input_gradient, layer.weight_gradient)
    return [(phase.compute_ns, phase.collective, phase.size) for phase in phases]


def lines(model, *args, stage=None, **strategy):
    made = ae.generate_workload(model, ae.Strategy(**strategy), *args or ["a100"], stage=stage)
    return {layer.name: layer for layer in made.layers}


# The tutorial's files, as the C++ program was given them


@pytest.mark.parametrize(
    ("name", "model", "strategy", "on"),
    [
        ("vgg16", "vgg16", ae.Strategy(data=256), "tutorial-46"),
        ("gpt3", "gpt3-tutorial", ae.Strategy(tensor=16, data=16, micro_batch=16, recompute="full"), "tutorial-62"),
    ],
)
def test_the_tutorials_files_come_out_number_for_number(name, model, strategy, on):
    written = TUTORIAL[f"asplos2022/ex3/dgx2-{name}"]
    assert format_workload(ae.generate_workload(model, strategy, on)).split() == written.split()


# Every model


@pytest.mark.parametrize("name", ae.MODELS)
def test_every_model_runs_data_parallel_and_comes_back_from_its_file(name):
    made = ae.generate_workload(name, ae.Strategy(data=8), "a100")
    result = ae.simulate(made, rings(8), progress=False)
    lasting = [sum(layer.compute_ns for layer in (x.forward, x.input_gradient, x.weight_gradient)) for x in made.layers]
    assert result.compute_ns == sum(lasting) - made.layers[0].input_gradient.compute_ns  # which DATA leaves out
    read = parse_workload(format_workload(made))
    assert (read.loop, read.options) == (made.loop, made.options)
    for one, other in zip(made.layers, read.layers, strict=True):
        assert other.name == one.name
        # a file's numbers are read as ASTRA-sim reads them, in 32-bit floats
        assert work(other) == [(int(float32(ns)), kind, int(float32(size))) for ns, kind, size in work(one)]


GROUPS = {"dlrm": None, "gpt2": 5}  # DLRM has nothing that tensor parallelism divides, GPT-2 has 25 heads


@pytest.mark.parametrize("name", [name for name in ae.MODELS if GROUPS.get(name, 4)])
def test_every_model_runs_tensor_parallel_too(name):
    tensor = GROUPS.get(name, 4)
    made = ae.generate_workload(name, ae.Strategy(data=2, tensor=tensor), "a100")
    result = ae.simulate(made, rings(tensor, 2), progress=False)
    assert all(result.message_bytes_per_dimension)
    assert result.exposed_ns > 0


@pytest.mark.parametrize("settings", [{"zero": 3}, {"sequence_parallel": True, "recompute": "full"}], ids=str)
@pytest.mark.parametrize("name", ["bert-large", "gpt3"])
def test_a_large_transformer_runs_with_all_that_may_be_combined(name, settings):
    made = ae.generate_workload(name, ae.Strategy(data=2, tensor=4, **settings), "a100")
    assert all(ae.simulate(made, rings(4, 2), progress=False).message_bytes_per_dimension)


# Loops


@pytest.mark.parametrize(
    ("model", "settings", "loop", "options"),
    [
        ("vgg16", {"data": 8}, "DATA", ()),
        ("vgg16", {"tensor": 8}, "MODEL", ()),
        ("vgg16", {"data": 2, "tensor": 4}, "HYBRID_DATA_MODEL", ()),
        ("vgg16", {"data": 2, "tensor": 4, "placement": "data-first"}, "HYBRID_MODEL_DATA", ()),
        ("vgg16", {"data": 8, "zero": 1}, "DATA", ()),
        ("vgg16", {"data": 8, "zero": 3}, "HYBRID_CUSTOMIZED", ()),
        ("vgg16", {"zero": 3}, "DATA", ()),
        ("dlrm", {"data": 8, "exchange_embeddings": True}, "HYBRID_DLRM", ("3",)),
        ("dlrm", {"data": 8}, "DATA", ()),
        (GPT, {"data": 8}, "DATA", ()),
        (GPT, {"data": 8, "recompute": "full"}, "DATA", ()),
        (GPT, {"tensor": 8}, "HYBRID_TRANSFORMER", ("model_parallel_NPU_group:", "8")),
        (
            GPT,
            {"data": 2, "tensor": 4, "recompute": "selective"},
            "HYBRID_TRANSFORMER",
            ("model_parallel_NPU_group:", "4"),
        ),
        (GPT, {"data": 2, "tensor": 4, "placement": "data-first"}, "HYBRID_MODEL_DATA", ()),
        (GPT, {"data": 2, "tensor": 4, "zero": 3}, "HYBRID_CUSTOMIZED", ()),
        (
            GPT,
            {"data": 2, "tensor": 4, "recompute": "full"},
            "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
            (
                *("model_parallel_NPU_group:", "4"),
                *("checkpoints:", "4", "2", "12", "22", "32"),
                *("checkpoint_initiates:", "4", "41", "31", "21", "11"),
            ),
        ),
    ],
)
def test_each_strategy_has_its_loop(model, settings, loop, options):
    made = ae.generate_workload(model, ae.Strategy(**settings), "a100")
    assert (made.loop, made.options) == (loop, options)


def test_the_last_bottom_layer_of_dlrm_is_the_one_before_the_interaction():
    made = ae.generate_workload("dlrm", ae.Strategy(data=8, exchange_embeddings=True), "a100")
    names = [layer.name for layer in made.layers]
    assert names[:5] == ["tables", "bottom1", "bottom2", "bottom3", "interaction"]
    assert names[int(made.options[0])] == "bottom3"
    tables = made.layers[0]
    assert (tables.forward.collective, tables.input_gradient.collective) == ("all-to-all", "all-to-all")
    assert tables.weight_gradient.collective is None
    assert [layer.forward.collective for layer in made.layers[1:]] == [None] * 9


def test_every_line_of_a_block_but_the_last_is_repeated_with_its_collectives():
    plain, full = ({"data": 2, "tensor": 4, "recompute": how} for how in ("none", "full"))
    before, after = (
        ae.simulate(ae.generate_workload(GPT, ae.Strategy(**s), "a100"), rings(4, 2)) for s in (plain, full)
    )
    made = lines(GPT, **full)
    again = [layer for name, layer in made.items() if name.startswith("block") and not name.endswith("_added2")]
    assert again[-1].name == "block4_mlp2"
    assert again[-1].forward.collective == "all-reduce"
    # rounding: what was one line is two
    assert after.compute_ns - before.compute_ns == pytest.approx(sum(x.forward.compute_ns for x in again), abs=3 * 4)


# Lines


def test_a_line_is_an_operator_and_the_minor_ones_after_it():
    made = lines("vgg16", "v100", data=8)
    assert list(made)[:3] == ["block1_conv1", "block1_conv2", "block2_conv1"]
    assert len(made) == 16
    v100 = ae.device("v100")
    conv, relu, pool = ae.model("vgg16").operators[2:5]
    computes = [v100.compute_ns(operator.forward(1)) for operator in (conv, relu, pool)]
    assert made["block1_conv2"].forward.compute_ns == round(sum(computes))


def test_a_group_divides_the_compute_and_the_weights():
    device = ae.Device("operations only", 1e12)
    alone, divided = lines(GPT, device), lines(GPT, device, tensor=4, data=2)
    for name in ("block1_qkv", "block1_scores", "block1_softmax", "block1_context", "block1_mlp1"):
        for one, part in zip(work(alone[name]), work(divided[name]), strict=True):
            assert part[0] == pytest.approx(one[0] / 4, abs=1)
    size = divided["block1_mlp1"].weight_gradient.size
    assert size == 2 * (256 + 1) * 1024 // 4  # weights and biases of a quarter of the columns
    assert divided["block1_norm1"].weight_gradient.size == 2 * 2 * 256  # whole, on each NPU
    assert work(divided["block1_softmax"])[2] == NOTHING  # no weights, and no second factor
    assert divided["block1_scores"].weight_gradient.collective is None


def test_recomputing_adds_forward_passes_of_blocks_to_the_input_gradients():
    none, selective, full = (lines(GPT, data=8, recompute=how) for how in ("none", "selective", "full"))

    def added(made):
        pairs = (
            (name, made[name].input_gradient.compute_ns - line.input_gradient.compute_ns) for name, line in none.items()
        )
        return {name: more for name, more in pairs if more}

    attention = {name for name in none if name.endswith(("_scores", "_softmax", "_context"))}
    assert added(selective).keys() == attention
    assert added(full).keys() == {name for name in none if name.startswith("block")}
    for name, more in (added(full) | added(selective)).items():
        assert more == pytest.approx(none[name].forward.compute_ns, abs=1)


@pytest.mark.parametrize(("tensor", "order"), [(1, "tensor-first"), (4, "tensor-first"), (4, "data-first")])
def test_zero_3_gathers_each_lines_parameters_before_it_and_the_next_ones_on_the_way_back(tensor, order):
    made = ae.generate_workload(GPT, ae.Strategy(data=2, tensor=tensor, zero=3, placement=order), "a100")
    expected = {
        (1, "tensor-first"): ("MODEL", "DATA"),
        (4, "tensor-first"): ("HYBRID_MODEL_DATA", "HYBRID_DATA_MODEL"),
        (4, "data-first"): ("HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA"),
    }
    gathering, computing = expected[tensor, order]
    before = NOTHING
    for i, layer in enumerate(made.layers):
        if not layer.name.endswith("_parameters"):
            assert layer.parallelism == computing
            continue
        gathered = made.layers[i + 1]
        assert (layer.name, layer.parallelism) == (f"{gathered.name}_parameters", gathering)
        size = gathered.weight_gradient.size // 2
        assert work(layer) == [(0, "all-gather", size), before, NOTHING]
        assert gathered.weight_gradient.collective == "reduce-scatter"
        before = (0, "all-gather", size)
    assert {x.name for x in made.layers if x.weight_gradient.collective} == {
        operator.name for operator in GPT.operators if operator.parameters
    }


@pytest.mark.parametrize("zero", [1, 2])
def test_zero_1_and_2_are_written_as_all_reduces(zero):
    assert lines(GPT, data=8, zero=zero) == lines(GPT, data=8)


# Stages


@pytest.mark.parametrize("virtual", [1, 2])
def test_a_stage_has_the_lines_of_its_parts(virtual):
    schedule = "interleaved" if virtual > 1 else "1f1b"
    model = gpt(blocks=8)
    settings = {"pipeline": 4, "tensor": 2, "pipeline_order": schedule, "virtual": virtual, "batch": 4}
    whole = lines(model, tensor=2)
    stages = [lines(model, stage=stage, **settings) for stage in range(4)]
    assert [line for stage in stages for line in stage.items()] != []
    assert {name: line for stage in stages for name, line in stage.items()} == whole
    blocks = [sorted({name.split("_")[0] for name in stage if name.startswith("block")}) for stage in stages]
    if virtual == 1:
        assert blocks == [["block1", "block2"], ["block3", "block4"], ["block5", "block6"], ["block7", "block8"]]
    else:
        assert blocks == [["block1", "block5"], ["block2", "block6"], ["block3", "block7"], ["block4", "block8"]]


def test_a_stage_shards_as_one_process_of_all_blocks_does():
    """Of a micro-batch ZeRO-3 gathers before each line, and again on the way back; ZeRO-2's gradients are summed."""
    three = ae.generate_workload(GPT, ae.Strategy(data=4, pipeline=2, zero=3), "a100", stage=0)
    alone = ae.generate_workload(GPT, ae.Strategy(data=4, zero=3), "a100")
    own = {layer.name: layer for layer in three.layers}
    assert three.loop == alone.loop == "HYBRID_CUSTOMIZED"
    gathers = [layer for layer in alone.layers if layer.name in own and layer.name.endswith("_parameters")]
    assert [own[layer.name].forward for layer in gathers] == [layer.forward for layer in gathers]
    assert sum(bool(layer.input_gradient.collective) for layer in gathers) > 1
    one, two = (
        ae.generate_workload(GPT, ae.Strategy(data=4, pipeline=2, zero=zero), "a100", stage=1) for zero in (1, 2)
    )
    assert one == two


def test_a_stages_first_line_passes_its_gradient_on():
    """Most loops leave out the first line's input gradient, so that a line without work stands before it."""
    first, second = (list(lines("vgg16", data=2, pipeline=4, stage=stage).values()) for stage in (0, 1))
    assert first[0].name == "block1_conv1"
    assert second[0].name == "input"
    assert work(second[0]) == [NOTHING] * 3
    made = ae.generate_workload("vgg16", ae.Strategy(data=2, pipeline=4), "a100", stage=1)
    computed = ae.simulate(made, rings(2)).compute_ns
    assert computed == sum(ns for line in second for ns, _, _ in work(line))


def test_the_tutorials_first_line_sends_its_gradient_in_every_loop():
    for settings in ({"placement": "data-first"}, {"zero": 3}):
        made = ae.generate_workload("gpt3-tutorial", ae.Strategy(data=2, tensor=4, **settings), "a100")
        (first,) = (layer for layer in ae.simulate(made, rings(4, 2)).running if layer.name == "Q1")
        assert first.input_gradient.communication_ns > 0


# What a file can't say


@pytest.mark.parametrize(
    ("model", "settings", "stage", "message"),
    [
        (GPT, {"pipeline": 4}, None, r"can't send from stage to stage: give stage=0 to 3 .* or use ae\.estimate"),
        (GPT, {"pipeline": 4}, 4, r"stage is 4; there are the stages 0 to 3\."),
        (GPT, {}, 1, r"stage is 1; there are the stages 0 to 0\."),
        (GPT, {"pipeline": 4}, -1, r"stage is -1; it must be a whole number, 0 or more\."),
        (
            GPT,
            {"data": 2, "tensor": 4, "recompute": "full", "placement": "data-first"},
            None,
            r"can't repeat .* in a backward pass of HYBRID_MODEL_DATA, only for transformers, tensor-first, without "
            r"ZeRO-3; or use recompute='selective' or 'none'\.",
        ),
        (GPT, {"data": 2, "tensor": 4, "recompute": "full", "zero": 3}, None, "backward pass of HYBRID_CUSTOMIZED"),
        *(
            (
                "dlrm",
                {"exchange_embeddings": True, "data": 2} | more,
                0,
                r"use tensor=1, expert=1, pipeline=1 and zero=0, 1 or 2\.",
            )
            for more in ({"pipeline": 2}, {"zero": 3})
        ),
        (
            "dlrm",
            {"exchange_embeddings": True, "data": 2, "overlap": ()},
            None,
            "^only .* loops exchange embeddings, and they can't wait for gradients at once; leave overlap or",
        ),
        ("vgg", {}, None, r"model is 'vgg'; did you mean 'vgg16'\? Allowed: vgg16, "),
    ],
)
def test_what_a_workload_file_cant_say_is_refused(model, settings, stage, message):
    with pytest.raises(ae.ConfigError, match=message):
        ae.generate_workload(model, ae.Strategy(**settings), "a100", stage=stage)


def test_an_unknown_device_is_answered_with_the_nearest():
    with pytest.raises(ae.ConfigError, match=r"device is 'a1000'; did you mean 'a100'\? Allowed: "):
        ae.generate_workload(GPT, ae.Strategy(), "a1000")


def test_a_micro_batch_is_what_counts_not_the_batch():
    once, often = (lines(GPT, tensor=4, micro_batch=2, batch=batch) for batch in (2, 64))
    assert once == often
    of_one, of_two = (
        [
            sum(compute.flops for compute in phase)
            for phase in phases(GPT.operators, ae.Strategy(micro_batch=n), False).values()
        ]
        for n in (1, 2)
    )
    assert of_two == [2 * flops for flops in of_one]


def test_a_platform_that_is_given_must_have_the_strategys_groups():
    platform = ae.Platform(
        (ae.Dimension.of("Switch", 8, 50, 500), ae.Dimension.of("Switch", 4, 25, 500)), ae.SystemConfig.of("ring_ring")
    )
    small = ae.transformer("small", hidden=64, heads=8, blocks=2, sequence=16, vocabulary=80)
    for strategy in (ae.Strategy(tensor=8, data=4), ae.Strategy(tensor=4, data=8), ae.Strategy(data=32)):
        plain = ae.generate_workload(small, strategy, "a100")
        assert ae.generate_workload(small, strategy, "a100", platform=platform) == plain
    with pytest.raises(ae.ConfigError, match=r"data × tensor = 8 × 8 takes 64 NPUs, but the platform has 32\."):
        ae.generate_workload(small, ae.Strategy(tensor=8, data=8), "a100", platform=platform)
    with pytest.raises(ae.ConfigError, match=r"a group of 4 NPUs \(data-first\), but it has 8"):
        ae.generate_workload(small, ae.Strategy(tensor=8, data=4, placement="data-first"), "a100", platform=platform)
    of_traces = ae.TracePlatform(ae.Block("Switch", 8, 50, 500), ae.TraceSystem.of("ring"))
    with pytest.raises(ae.ConfigError, match=r"is a TracePlatform, .* traces: ae\.traces\.from_strategy makes one"):
        ae.generate_workload(small, ae.Strategy(data=8), "a100", platform=of_traces)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: ae.generate_workload("gpt-3", ae.Strategy(), "a100"), "did you mean 'gpt3'"),
        (lambda: ae.generate_workload(3, ae.Strategy(), "a100"), "model is 3"),
        (lambda: ae.generate_workload("gpt2", {"data": 2}, "a100"), "give one such as ae.Strategy"),
        (lambda: ae.generate_workload("gpt2", ae.Strategy(), "a1000"), "did you mean 'a100'"),
        (lambda: ae.memory("gpt2", None), "strategy is None"),
        (lambda: ae.estimate("gpt2", "data", "a100", ae.preset("ring")), "strategy is 'data'"),
        (lambda: ae.communications(None, ae.Strategy()), "model is None"),
    ],
)
def test_what_is_no_model_strategy_or_device_is_told_so(call, says):
    with pytest.raises(ae.ConfigError) as raised:
        call()
    assert says in str(raised.value)


def tables(name, after=()):
    return Embedding(name=name, rows=(10, 20), width=4, pooled=True, split=Split.TABLES, after=after)


def test_dlrms_loop_needs_its_tables_first_and_a_layer_that_uses_them():
    bottom = Linear(name="bottom", inputs=3, outputs=4, after=("input",), split=Split.COPIED)
    using = Interaction(name="pairs", vectors=3, width=4, after=("tables", "bottom"))
    strategy = ae.Strategy(data=2, exchange_embeddings=True)
    right = ae.Model("right", (tables("tables"), bottom, using))
    assert ae.generate_workload(right, strategy, "a100").options == ("1",)
    wrong = {
        "second": (bottom, tables("tables", after=("input",)), using),
        "unnamed": (tables("tables"), Linear(name="top", inputs=8, outputs=4, split=Split.COPIED)),
    }
    for name, operators in wrong.items():
        with pytest.raises(ae.ConfigError, match="HYBRID_DLRM needs one operator with tables, the first of all"):
            ae.generate_workload(ae.Model(name, operators), strategy, "a100")


def test_a_minor_operator_that_sends_has_a_line_of_its_own():
    halves = Elementwise(name="halves", shape=(1, 8), split=Split.GATHERED)
    model = ae.Model("m", (Linear(name="first", inputs=4, outputs=8), halves))
    work = ae.generate_workload(model, ae.Strategy(tensor=2), "a100")
    sent = {(c.operator, c.phase) for c in ae.communications(model, ae.Strategy(tensor=2))}
    assert ("halves", "forward") in sent
    assert [layer.name for layer in work.layers if layer.forward.collective] == ["first", "halves"]


def test_every_operator_that_takes_the_samples_leaves_out_their_gradient():
    both = [Linear(name=name, inputs=4, outputs=8, after=("input",)) for name in ("a", "b")]
    model = ae.Model("m", (*both, Linear(name="c", inputs=16, outputs=4, after=("a", "b"))))
    sent = {(c.operator, c.phase) for c in ae.communications(model, ae.Strategy(tensor=2))}
    assert {name for name, phase in sent if phase == "input gradient"} == {"c"}


@pytest.mark.parametrize("name", ["sequence_parallel", "exchange_embeddings", "whole_experts"])
def test_yes_or_no_is_true_or_false(name):
    with pytest.raises(ae.ConfigError, match=f"{name} is 'no'; it must be True or False"):
        ae.Strategy(**{name: "no"})
