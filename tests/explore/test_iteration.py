"""Whole iterations: their parts, what they agree with, and how they scale."""

from dataclasses import replace
from itertools import product

import pytest
from halves import some

import astra_edu as ae
from astra_edu.explore.iteration import groups
from astra_edu.explore.iteration.network_times import message_ns
from astra_edu.explore.iteration.stage_times import stage_times
from astra_edu.pipeline.closed_form import total_ns
from astra_edu.workload.compute import DEVICES
from astra_edu.workload.strategies.alike import abridged

A100 = DEVICES["a100"]
SMALL = ae.transformer("small", hidden=1024, heads=16, blocks=8, sequence=512, vocabulary=8000)
WITHOUT_STAGES_ENDS = ae.transformer("even", hidden=512, heads=8, blocks=8, sequence=256, vocabulary=1)


def platform(*dimensions):
    """Switches of (NPUs, GB/s, ns) each."""
    network = [ae.Dimension.of("Switch", *dimension) for dimension in dimensions]
    return ae.Platform(network, ae.SystemConfig.of("_".join(["halvingDoubling"] * len(network)), splits=1))


def machines(npus, inside=8):
    if npus <= inside:
        return platform((npus, 200, 700))
    return platform((inside, 200, 700), (npus // inside, 25, 2000))


ONE = platform((1, 200, 700))


# --- parts ----------------------------------------------------------------------------------------------------------


def of_every_kind():
    for tensor, pipeline, data, zero, recompute in product((1, 4), (1, 2), (1, 2), (0, 1, 3), ("none", "full")):
        if (pipeline == 1 or zero < 2) and (data > 1 or zero == 0):
            yield ae.Strategy(data=data, tensor=tensor, pipeline=pipeline, zero=zero, recompute=recompute, batch=8)
    yield ae.Strategy(pipeline=2, tensor=2, data=2, pipeline_order="interleaved", virtual=2, batch=8, micro_batch=2)
    yield ae.Strategy(pipeline=4, pipeline_order="gpipe", batch=8)
    for order, sequence in product(("tensor-first", "data-first"), (True, False)):
        yield ae.Strategy(data=4, tensor=4, placement=order, sequence_parallel=sequence, zero=2, recompute="selective")


@pytest.mark.parametrize("strategy", list(of_every_kind()), ids=lambda s: f"{s.data}x{s.tensor}x{s.pipeline}-z{s.zero}")
def test_the_parts_add_up(strategy):
    on = machines(strategy.npus)
    found = ae.estimate(SMALL, strategy, A100, on)
    parts = (found.compute_ns, found.tensor_ns, found.waiting_ns, found.data_ns, found.update_ns)
    assert sum(parts) == found.total_ns
    assert min(parts) >= 0
    assert found.pipeline.total_ns == found.total_ns - found.data_ns - found.update_ns
    assert (found.tensor_ns > 0) == (strategy.tensor > 1 or strategy.zero == 3)
    assert (found.waiting_ns > 0) == (strategy.pipeline > 1)
    assert (found.data_ns > 0) == (strategy.data > 1)
    assert (found.repeated_ns > 0) == (strategy.recompute != "none")
    assert found.repeated_ns < found.compute_ns
    assert found.flops == SMALL.flops(strategy.samples)
    assert found.flops_per_s == pytest.approx(found.flops / strategy.npus / (found.total_ns / 1e9))
    assert found.flops_per_s < A100.flops_per_s


@pytest.mark.parametrize("name", ["vgg16", "bert-large", "gnmt", "dlrm"])
@pytest.mark.parametrize("micro_batches", [1, 333])
def test_one_npu_alone_computes_and_updates(name, micro_batches):
    """333 micro-batches: rounding to whole ns mustn't look like communication."""
    model, strategy = ae.model(name), ae.Strategy(micro_batch=2, batch=2 * micro_batches)
    found = ae.estimate(name, strategy, "a100", ONE)
    assert (found.tensor_ns, found.waiting_ns, found.data_ns, found.repeated_ns) == (0, 0, 0, 0)
    phases = [phase(2) for op in model.operators for phase in (op.forward, op.weight_gradient)]
    first_line = 2 if name == "vgg16" else 0  # a convolution and its ReLU, of whose input no loop takes a gradient
    phases += [op.input_gradient(2) for op in model.operators[first_line:]]
    assert found.compute_ns == pytest.approx(micro_batches * sum(map(A100.compute_ns, phases)), abs=2 * micro_batches)
    assert found.update_ns == round(model.parameters * 30 / 2039e9 * 1e9)


def test_adam_is_bound_by_memory_and_shared_out_by_zero():
    update = [ae.estimate("gpt2", ae.Strategy(data=8, zero=zero), "a100", machines(8)).update_ns for zero in range(4)]
    alone = 30 * ae.model("gpt2").parameters / 2039
    assert update == pytest.approx([alone, alone / 8, alone / 8, alone / 8], abs=1)


def test_recomputing_repeats_the_forward_pass():
    plain, selective, full = (
        ae.estimate(SMALL, ae.Strategy(recompute=recompute), A100, ONE) for recompute in ("none", "selective", "full")
    )
    blocks = [SMALL.operators[i] for block in SMALL.blocks for i in block]
    attention = [op for op in blocks if op.name.endswith(("_scores", "_softmax", "_context"))]
    for found, again in ((selective, attention), (full, blocks)):
        assert found.repeated_ns == pytest.approx(sum(A100.compute_ns(op.forward(1)) for op in again), abs=1)
        assert found.total_ns - plain.total_ns == pytest.approx(found.repeated_ns, abs=2)


# --- what it agrees with --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["gpt3", "bert-large"])
@pytest.mark.parametrize(
    "more", [{}, {"sequence_parallel": True}, {"recompute": "selective"}, {"micro_batch": 4}], ids=str
)
def test_what_is_waited_for_is_what_the_simulator_says(model, more):
    """HYBRID_TRANSFORMER with a tensor group alone: one ns for each line's update, a few for each line's events."""
    strategy, on = ae.Strategy(tensor=16, **more), machines(16)
    found = ae.estimate(model, strategy, "a100", on)
    workload = ae.generate_workload(model, strategy, "a100")
    simulated = ae.simulate(workload, on)
    assert workload.loop == "HYBRID_TRANSFORMER"
    assert 0 <= simulated.total_ns - (found.total_ns - found.update_ns) <= 5 * len(workload.layers)
    assert found.compute_ns == pytest.approx(simulated.compute_ns, abs=len(workload.layers))


def test_full_recomputation_is_the_simulators_but_for_each_blocks_last_line():
    """ASTRA-sim's loop doesn't repeat the line at which it begins to go back; its output isn't needed."""
    strategy, on = ae.Strategy(tensor=16, recompute="full"), machines(16)
    found = ae.estimate("gpt3", strategy, "a100", on)
    workload = ae.generate_workload("gpt3", strategy, "a100")
    simulated = ae.simulate(workload, on)
    last = ae.model("gpt3").operators[ae.model("gpt3").blocks[0][-1]]
    spared = 96 * A100.compute_ns(last.forward(1))
    assert workload.loop == "HYBRID_TRANSFORMER_FWD_IN_BCKWD"
    assert found.total_ns - found.update_ns - spared == pytest.approx(simulated.total_ns, abs=6 * len(workload.layers))


@pytest.mark.parametrize(
    ("model", "npus", "micro_batch"), [("gpt2", 8, 1), ("gpt2", 16, 1), ("bert-large", 16, 1), ("bert-large", 8, 8)]
)
def test_exchanged_gradients_are_exposed_about_as_long_as_in_the_simulator(model, npus, micro_batch):
    """The simulator begins an exchange before the same line's input gradient, and mixes the phases of all."""
    strategy, on = ae.Strategy(data=npus, micro_batch=micro_batch), machines(npus)
    found = ae.estimate(model, strategy, "a100", on)
    simulated = ae.simulate(ae.generate_workload(model, strategy, "a100"), on)
    assert found.total_ns - found.update_ns == pytest.approx(simulated.total_ns, rel=0.04)
    assert found.total_ns - found.update_ns >= simulated.total_ns


@pytest.mark.parametrize(("schedule", "virtual"), [("gpipe", 1), ("1f1b", 1), ("interleaved", 2)])
def test_a_pipeline_is_as_long_as_the_closed_form_says_of_its_slowest_stage(schedule, virtual):
    """Nearly: the first and last stage have more to do, and messages take time."""
    strategy = ae.Strategy(pipeline=4, pipeline_order=schedule, virtual=virtual, batch=16)
    on = platform((4, 1e6, 1))
    found = ae.estimate(WITHOUT_STAGES_ENDS, strategy, A100, on)
    times = stage_times(abridged(WITHOUT_STAGES_ENDS), strategy, A100, on)
    inner = [sum(times.forward_ns[1::4]), sum(times.backward_ns[1::4])]
    assert found.pipeline.total_ns == pytest.approx(total_ns(4, 16, *inner, virtual), rel=0.05)
    assert times.bound_ns <= found.total_ns


def test_a_model_with_blocks_and_the_same_without_take_the_same_time():
    """Blocks that are alike are looked at once; a model that doesn't say what its blocks are is looked at whole."""
    plain = replace(SMALL, blocks=())
    assert abridged(plain).short is plain
    for strategy in (
        ae.Strategy(tensor=2, data=2, zero=3, micro_batch=2),
        ae.Strategy(data=4, zero=1),
        ae.Strategy(tensor=4, batch=3),
    ):
        with_blocks, without = (ae.estimate(model, strategy, A100, machines(4)) for model in (SMALL, plain))
        assert with_blocks.total_ns == without.total_ns
        assert with_blocks.data_ns == without.data_ns


# --- how it scales --------------------------------------------------------------------------------------------------


def test_twice_the_micro_batches_are_twice_the_passes():
    few, many = (ae.estimate(SMALL, ae.Strategy(tensor=4, batch=batch), A100, machines(4)) for batch in (8, 16))
    assert many.compute_ns == pytest.approx(2 * few.compute_ns, abs=16)
    assert many.tensor_ns == 2 * few.tensor_ns
    assert many.update_ns == few.update_ns


def test_twice_the_flops_halve_what_is_bound_by_them():
    fast = replace(A100, flops_per_s=2 * A100.flops_per_s, memory_bytes_per_s=2 * A100.memory_bytes_per_s)
    slow_one, fast_one = (ae.estimate(SMALL, ae.Strategy(tensor=4), on, machines(4)) for on in (A100, fast))
    assert slow_one.compute_ns == pytest.approx(2 * fast_one.compute_ns, abs=4)
    assert slow_one.tensor_ns == fast_one.tensor_ns


def test_twice_the_bandwidth_halves_tensor_collectives_but_for_latencies():
    strategy = ae.Strategy(tensor=8, micro_batch=8)
    slow, fast = (ae.estimate("gpt3", strategy, A100, platform((8, gb_s, 0))) for gb_s in (100, 200))
    assert slow.tensor_ns == pytest.approx(2 * fast.tensor_ns, rel=0.001)
    assert slow.compute_ns == fast.compute_ns


def test_more_stages_wait_longer_for_the_same_batch_and_more_micro_batches_less():
    def share(stages, batch):
        found = ae.estimate("gpt3", ae.Strategy(pipeline=stages, batch=batch), A100, machines(stages))
        return found.waiting_ns / found.total_ns

    assert share(2, 8) < share(4, 8) < share(8, 8)
    assert share(8, 64) < share(8, 16) < share(8, 8)


def test_an_exchange_for_every_micro_batch_falls_behind_on_a_slow_network():
    """ZeRO-2 and 3 exchange gradients of every micro-batch; ZeRO-1 adds them up and exchanges once."""

    def left(zero, micro_batches, gb_s):
        strategy = ae.Strategy(data=8, zero=zero, batch=8 * micro_batches)
        return ae.estimate(SMALL, strategy, A100, platform((8, gb_s, 0))).data_ns

    once, *more = (left(2, micro_batches, 1) for micro_batches in (1, 2, 3, 9))
    passes = ae.estimate(SMALL, ae.Strategy(), A100, ONE)
    share = sum(op.parameters for op in SMALL.operators) * 2 * 7 / 8 / (2**30 / 1e9)  # ns of a reduce-scatter
    behind = share - passes.compute_ns
    assert behind > 0
    assert [later - once for later in more] == pytest.approx([behind, 2 * behind, 8 * behind], rel=0.002)
    assert left(1, 1, 1) == left(1, 9, 1) == once
    assert left(2, 9, 400) == left(2, 1, 400)


def test_behind_slow_computation_only_the_last_exchange_and_the_gathers_show():
    """The words' gradient comes last; ZeRO-1 then gathers all updated parameters."""
    slow, on = replace(A100, flops_per_s=1e9, memory_bytes_per_s=None), machines(8)
    for zero, last in ((0, "all-reduce"), (1, "reduce-scatter")):
        strategy = ae.Strategy(data=8, zero=zero, micro_batch=4)
        found = ae.estimate(SMALL, strategy, slow, on)
        sent = ae.communications(SMALL, strategy)
        times = {
            one: ae.simulate(ae.Workload.micro(one.collective, one.size, 0), on).total_ns
            for one in sent
            if one.phase == "update" or one.operator == "words"
        }
        assert {one.collective for one in times if one.phase != "update"} == {last}
        assert found.data_ns == pytest.approx(sum(times.values()), abs=1)


# --- groups ---------------------------------------------------------------------------------------------------------

FOUR = platform((2, 300, 1), (4, 200, 2), (8, 100, 3), (16, 50, 4))


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ({"data": 1024}, {"data": [2, 4, 8, 16]}),
        ({"tensor": 8, "data": 128}, {"tensor": [2, 4], "data": [8, 16]}),
        ({"tensor": 4, "data": 256}, {"tensor": [2, 2], "data": [2, 8, 16]}),
        ({"tensor": 16, "pipeline": 16, "data": 4}, {"tensor": [2, 4, 2], "data": [4], "pipeline": [16]}),
        ({"tensor": 4, "data": 256, "placement": "data-first"}, {"data": [2, 4, 8, 4], "tensor": [4]}),
        ({"tensor": 2, "data": 2, "pipeline": 256}, {"tensor": [2], "data": [2], "pipeline": [2, 8, 16]}),
    ],
    ids=str,
)
def test_groups_are_cut_out_from_the_nearest_neighbours_on(strategy, expected):
    found = groups(FOUR, ae.Strategy(**{"batch": 1024, **strategy}))
    assert {name: [dimension.npus for dimension in part.network] for name, part in found.items()} == expected
    of = {dimension.latency: dimension for dimension in FOUR.network}
    for part in found.values():
        for dimension in part.network:
            assert replace(dimension, npus=of[dimension.latency].npus) == of[dimension.latency]
        assert len(part.system.all_reduce) == len(part.network)


def test_a_group_keeps_its_dimensions_algorithms():
    network = [ae.Dimension.of("Ring", 4, 100, 1), ae.Dimension.of("Switch", 4, 50, 2)]
    on = ae.Platform(network, ae.SystemConfig.of("ring_halvingDoubling"))
    found = groups(on, ae.Strategy(tensor=4, data=4))
    assert found["tensor"].system.all_reduce == on.system.all_reduce[:1]
    assert found["data"].system.all_reduce == on.system.all_reduce[1:]


def test_messages_to_the_next_stage_take_the_dimension_they_cross():
    on = platform((2, 300, 1), (3, 200, 10), (2, 100, 100))
    latencies = [message_ns(on, 0, stage) // 2 for stage in range(12)]  # a switch is two links away
    assert latencies == [1, 10, 1, 10, 1, 100, 1, 10, 1, 10, 1, 100]  # the last one: back to stage 0


@pytest.mark.parametrize(
    ("sizes", "strategy", "sentence"),
    [
        ([8, 12], {"tensor": 6, "data": 16}, "a tensor group of 6 NPUs .* 8 × 12 NPUs: dimension 0 .* 4 or 8 NPUs"),
        ([8, 12], {"tensor": 12, "data": 8}, "12 still needed .*; 8 or 16 NPUs would do"),
        ([8, 12], {"tensor": 8, "data": 12, "pipeline": 2}, "12 × 8 × 2 = 192 NPUs .* platform has 96"),
        ([4, 6], {"tensor": 2, "data": 3, "pipeline": 4}, "a data group of 3 .* dimension 0 has 2 left.*; 2 or 4 NPUs"),
    ],
)
def test_groups_that_cant_be_cut_out_name_the_nearest(sizes, strategy, sentence):
    on = platform(*((size, 100, 1) for size in sizes))
    with pytest.raises(ae.ConfigError, match=sentence):
        ae.estimate("gpt3", ae.Strategy(batch=48, **strategy), "a100", on)


def test_exchanged_embeddings_are_the_simulators():
    with pytest.raises(ae.ConfigError, match="doesn't know exchanged embeddings; use simulate"):
        ae.estimate("dlrm", ae.Strategy(data=8, exchange_embeddings=True), "a100", machines(8))


# --- everything together --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bert-large", "resnet50", "gnmt", "dlrm", "vgg16", "gpt2"])
def test_every_combination_is_estimated_or_refused_in_a_sentence(name):
    estimated, refused = 0, set()
    for data, tensor, pipeline in ((1, 1, 8), (2, 4, 1), (4, 1, 2), (2, 2, 2), (1, 8, 1), (2, 5, 4)):
        for zero, recompute, sequence, virtual, order in product(
            (0, 2, 3), ("none", "full"), (False, True), (1, 2), ("tensor-first", "data-first")
        ):
            try:
                strategy = ae.Strategy(
                    data=data,
                    tensor=tensor,
                    pipeline=pipeline,
                    batch=32,
                    zero=zero,
                    recompute=recompute,
                    sequence_parallel=sequence,
                    virtual=virtual,
                    pipeline_order="interleaved" if virtual > 1 else "1f1b",
                    placement=order,
                )
                found = ae.estimate(name, strategy, "a100", platform((data, 9, 1), (tensor, 9, 1), (pipeline, 9, 1)))
            except ae.ConfigError as error:
                refused.add(str(error))
                continue
            estimated += 1
            assert found.total_ns > found.compute_ns > 0
    assert estimated >= 8
    assert all(sentence.endswith(".") and len(sentence) > 40 for sentence in refused)


@pytest.mark.parametrize("name", some(["vgg16", "resnet50"], 1))
@pytest.mark.parametrize("batches", some([1, 4], 1))
def test_an_iteration_is_no_shorter_than_the_copies_network_is_busy(name, batches):
    """With ZeRO-3 parameters are gathered on the links that the gradients go over."""
    platform = ae.Platform((ae.Dimension.of("Switch", 8, 50, 500),), ae.SystemConfig.of("ring", splits=1))
    strategy = ae.Strategy(data=8, micro_batch=4, batch=32 * batches, zero=3)
    busy = 0.0
    for one in ae.communications(name, strategy):
        busy += one.times * ae.simulate(ae.Workload.micro(one.collective, one.size, 0), platform).total_ns
    found = ae.estimate(name, strategy, "a100", platform)
    assert found.total_ns - found.update_ns >= 0.99 * busy
