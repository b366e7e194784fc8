"""Traces made from training loops, pipelines and strategies: the graphs, and times that can be worked out by hand."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_models import gpt

import astra_edu as ae
from astra_edu.collectives import Collective
from astra_edu.pipeline import Pass, closed_form
from astra_edu.traces import CommType, NodeType
from astra_edu.traces.dimensions import Space, with_group
from astra_edu.traces.make_from_pipeline import from_pipeline
from astra_edu.traces.make_from_strategy import from_strategy
from astra_edu.traces.make_from_workload import from_workload
from astra_edu.traces.rounding import Rounding
from astra_edu.workload import Layer, Work

AR, AG, A2A = Collective.ALL_REDUCE, Collective.ALL_GATHER, Collective.ALL_TO_ALL
NOTHING = Work(0, None, 0)
MIB = 2**20

# The workload of demo 2 at Hot Interconnects 2024: name, forward and input gradient (ns), bytes, weight gradient (ns).
MLP = (
    ("mlp0", 32291, 37632, 12864),
    ("mlp1", 7488, 65536, 3648),
    ("mlp2", 7488, 65536, 3456),
    ("mlp3", 14144, 147456, 10368),
    ("mlp4", 7488, 65536, 3648),
    ("mlp5", 9984, 65536, 3456),
)
LOOPS = {
    "MICRO": (),
    "DATA": (),
    "DATA_REORDER": (),
    "MODEL": (),
    "HYBRID_DATA_MODEL": (),
    "HYBRID_MODEL_DATA": (),
    "DISTRIBUTED_INFERENCE": (),
    "HYBRID_TRANSFORMER": ("model_parallel_NPU_group:", "4"),
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD": (
        *("model_parallel_NPU_group:", "4", "checkpoints:", "1", "0"),
        *("checkpoint_initiates:", "1", "2"),
    ),
    "HYBRID_DLRM": ("1",),
    "HYBRID_DLRM_ENHANCED": ("1",),
    "HYBRID_CUSTOMIZED": (),
}


def says(words):
    return pytest.raises(ae.ConfigError, match=words)


def rings(*sizes, **settings):
    blocks = tuple(ae.Block("Ring", size, 50, 500) for size in sizes)
    return ae.TracePlatform(blocks, ae.TraceSystem.of(["ring"] * len(sizes), splits=4, **settings))


def mlp(times=1):
    layers = [
        Layer(name, Work(times * f, AG, size), Work(times * f, AR, size), Work(times * w, None, 0))
        for name, f, size, w in MLP
    ]
    return ae.Workload("MODEL", tuple(layers))


def workload(loop="DATA", layers=3, parallelism="DATA"):
    """Layers that all differ, so that a node can be told by its time or its size."""

    def layer(k):
        forward = Work(1_000 * (k + 1), A2A if "DLRM" in loop else AR, 4096 * (k + 1))
        return Layer(
            f"l{k}", forward, Work(2_000 * (k + 1), AR, 4097 + k), Work(3_000 * (k + 1), AR, MIB + k), 1, parallelism
        )

    return ae.Workload(loop, tuple(layer(k) for k in range(layers)), LOOPS[loop])


def named(trace, npu=0):
    """Node's name to the names of its parents."""
    names = {node.id: node.name for node in trace.nodes[npu]}
    return {node.name: {names[parent] for parent in node.data_deps} for node in trace.nodes[npu]}


def all_reduce_ns(size, platform, name="all_reduce"):
    return ae.simulate(ae.traces.collective(name, size, platform.npus), platform).total_ns


# ---------------------------------------------------------------------------------------------- training loops


def test_a_data_parallel_loop_of_one_layer_by_hand():
    """Nothing overlaps: forward, weight gradient, all-reduce; the next forward pass waits for it."""
    one = ae.Workload("DATA", (Layer("a", Work(50_000, None, 0), NOTHING, Work(70_000, AR, MIB)),))
    platform = rings(8, local_memory_bandwidth=50)
    part = MIB // 4 // 8
    step = 500 + int(500 * 0 + part / (50 * 2**30 / 1e9))
    by_hand = 4 * (10 + 14 * (step + 10) + 7 * 3 * int(part / 50))
    assert all_reduce_ns(MIB, platform) == by_hand == 117_780
    for passes in (1, 3):
        run = ae.simulate(from_workload(one, platform, passes), platform)
        assert run.total_ns == passes * (120_000 + by_hand)
        assert run.exposed_ns[0] == passes * by_hand


def test_the_graph_of_a_data_parallel_loop():
    graph = named(from_workload(workload("DATA"), 8))
    assert graph == {
        "l0 forward": set(),
        "l1 forward": {"l0 forward"},
        "l2 forward": {"l1 forward"},
        "l2 weight gradient": {"l2 forward"},
        "l2 weight gradient all-reduce": {"l2 weight gradient"},
        "l2 input gradient": {"l2 weight gradient"},
        "l1 weight gradient": {"l2 input gradient"},
        "l1 weight gradient all-reduce": {"l1 weight gradient"},
        "l1 input gradient": {"l1 weight gradient"},
        "l0 weight gradient": {"l1 input gradient"},
        "l0 weight gradient all-reduce": {"l0 weight gradient"},
    }


def test_the_next_pass_waits_for_the_gradients():
    trace = from_workload(workload("DATA"), 8, passes=2)
    forward = [node for node in trace.nodes[0] if node.name == "l1 forward"][1]
    names = {node.id: node.name for node in trace.nodes[0]}
    assert [names[parent] for parent in forward.data_deps] == ["l0 forward", "l1 weight gradient all-reduce"]


def test_blocking_collectives_stand_between_the_layers():
    graph = named(from_workload(workload("MODEL"), 8))
    assert graph["l1 forward"] == {"l0 forward all-reduce"}
    assert graph["l1 weight gradient"] == {"l1 input gradient"}
    assert graph["l0 input gradient"] == {"l1 weight gradient", "l1 input gradient all-reduce"}
    assert "l0 input gradient all-reduce" not in graph


def test_the_seminar_s_mlp_and_the_nanoseconds_taken_for_microseconds():
    """Demo 2 gives 195.206 ms, all of it compute that is a thousand times too long."""
    ring = rings(8, local_memory_bandwidth=50)
    sizes = [size for _, _, size, _ in MLP]
    gathers = sum(all_reduce_ns(size, ring, "all_gather") for size in sizes)
    reduced = [(all_reduce_ns(size, ring), w) for _, _, size, w in MLP[1:]]
    wrong = ae.simulate(from_workload(mlp(1000), ring), ring)
    assert wrong.compute_ns[0] == 195_206_000
    assert wrong.total_ns == 195_206_000 + gathers  # every all-reduce hides behind a weight gradient
    right = ae.simulate(from_workload(mlp(), ring, peak_performance=1), with_roofline(ring))
    assert right.compute_ns[0] == 195_206
    assert right.total_ns == 195_206 + gathers + sum(max(0, reduce - w) for reduce, w in reduced)


def with_roofline(platform, peak=1.0):
    system = {name: getattr(platform.system, name) for name in ("splits", "endpoint_delay")}
    more = {"roofline": True, "peak_performance": peak, "local_memory_bandwidth": 50}
    return ae.TracePlatform(platform.network, ae.TraceSystem.of(["ring"] * len(platform.dims), **system, **more))


@pytest.mark.parametrize("peak", [0.5, 1, 125, 989.4])
def test_operations_take_their_nanoseconds(peak):
    times = (1, 7, 999, 1001, 123_456, 987_654_321)
    layers = tuple(Layer(f"l{k}", Work(ns, None, 0), NOTHING, NOTHING) for k, ns in enumerate(times))
    run = ae.simulate(
        from_workload(ae.Workload("DATA", layers), 8, peak_performance=peak), with_roofline(rings(8), peak)
    )
    assert [ran.end_ns - ran.start_ns for ran in run.ran] == list(times)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("passes", [1, 2])
def test_every_loop_computes_and_sends_what_it_does_in_1_0(loop, passes):
    """The same computations and as many collectives of the same kinds and sizes; only when, is the simulators' own."""
    platform = ae.Platform([ae.Dimension.of("Ring", n, 50, 500) for n in (4, 2)], ae.SystemConfig.of("ring_ring"))
    work = workload(loop, 3)
    old = ae.simulate(work, platform, passes)
    trace = from_workload(work, platform, passes, peak_performance=1)
    new = ae.simulate(trace, with_roofline(rings(4, 2)))
    assert trace.alike
    assert new.compute_ns[0] == old.compute_ns
    begun = {id(stay.issued): stay.issued.what for stay in old.stays}
    sent = Counter(f"{task.layer} {task.kind} {task.work.collective}" for task in begun.values())
    assert sent == Counter(node.name for node in trace.nodes[0] if node.type is NodeType.COMM_COLL_NODE)
    assert new.total_ns > new.compute_ns[0]


def involved(trace, name):
    return next(node.involved for node in trace.nodes[0] if node.name == name)


def test_collectives_run_over_the_dimensions_of_their_parallelism():
    hybrid = from_workload(workload("HYBRID_DATA_MODEL"), (4, 2))
    assert involved(hybrid, "l0 forward all-reduce") == (True, False)
    assert involved(hybrid, "l0 weight gradient all-reduce") == (False, True)
    turned = from_workload(workload("HYBRID_MODEL_DATA"), (4, 2, 2))
    assert involved(turned, "l1 input gradient all-reduce") == (False, True, True)
    assert involved(turned, "l1 weight gradient all-reduce") == (True, False, False)
    group = from_workload(workload("HYBRID_TRANSFORMER"), (4, 2))
    assert involved(group, "l0 forward all-reduce") == (True, False)
    assert involved(from_workload(workload("DATA"), (4, 2)), "l0 weight gradient all-reduce") is None
    assert involved(from_workload(workload("DATA"), (2,) * 5), "l0 weight gradient all-reduce") == (True,) * 5
    mixed = from_workload(workload("HYBRID_CUSTOMIZED", parallelism="HYBRID_DATA_MODEL"), (4, 2))
    assert involved(mixed, "l2 forward all-reduce") == (True, False)


def test_a_group_that_ends_inside_a_dimension_becomes_process_groups():
    trace = from_workload(workload("HYBRID_TRANSFORMER"), 8)
    groups = set(trace.groups.values())
    assert groups == {(0, 1, 2, 3), (4, 5, 6, 7), (0, 4), (1, 5), (2, 6), (3, 7)}
    for npu in (0, 6):
        of = {node.name: trace.groups[node.group] for node in trace.nodes[npu] if node.group}
        assert of["l0 forward all-reduce"] == tuple(range(npu // 4 * 4, npu // 4 * 4 + 4))
        assert of["l0 weight gradient all-reduce"] == (npu % 4, npu % 4 + 4)
    assert ae.simulate(trace, rings(8)).total_ns == ae.simulate(trace, rings(8), everyone=True).total_ns


def test_groups_that_do_not_fit():
    with says("model_parallel_NPU_group is 4, which doesn't fit dimensions of 6 NPUs"):
        from_workload(workload("HYBRID_TRANSFORMER"), 6)
    with says("doesn't fit dimensions of 3 x 8 NPUs"):
        from_workload(workload("HYBRID_TRANSFORMER"), (3, 8))
    with says("it must divide the 2 NPUs"):
        from_workload(workload("HYBRID_TRANSFORMER"), 2)
    assert with_group([2, 8], 4) == ([2, 2, 4], 2)
    assert with_group([4, 2], 8) == ([4, 2], 2)
    assert with_group([4, 2], 1) == ([4, 2], 0)


def test_several_dimensions_can_be_one_of_the_strategy():
    space = Space((4, 4, 1), (2, 2, 1, 4))
    assert space.where((True, False, False)) == {"involved_dim": [True, True, False, False], "on": None}
    assert space.where((False, True, False)) == {"involved_dim": [False, False, False, True], "on": None}
    assert space.where((False, False, True)) is None
    assert space.where((True, True, True)) == {}
    assert Space((4, 2), (2, 4)).where((False, True), range(0, 2)) == {"group": ((0, 4), (1, 5))}


def test_groups_that_are_asked_for_again_are_not_listed_again():
    space = Space((4, 2), (2, 4))
    for npus in None, range(0, 2), range(2, 4):
        first, second = (space.where((False, True), npus) for _ in range(2))
        assert first["group"] is second["group"]  # so that a Builder looks at them once
    assert space.where((False, True), range(2, 4)) == {"group": ((2, 6), (3, 7))}


def test_what_cannot_be_written_down():
    with says("this workload does nothing"):
        from_workload(ae.Workload("DATA", (Layer("a", NOTHING, NOTHING, NOTHING),)), 8)
    with says("passes is 0"):
        from_workload(workload(), 8, passes=0)
    with says("a dimension's NPUs is 'ring'"):
        from_workload(workload(), "ring")
    with says("rounding is 'down'"):
        from_workload(workload(), 8, rounding="down")
    broadcast = Layer("a", Work(1, Collective.BROADCAST, 5), NOTHING, NOTHING)
    with says("a forward asks for a broadcast"):
        from_workload(ae.Workload("MODEL", (broadcast,)), 8)


def loop(steps):
    """A training loop of one's own."""
    ae.LOOPS["MINE"] = steps
    return ae.Workload("MINE", workload().layers)


@pytest.fixture(autouse=True)
def no_loop_of_one_s_own():
    yield
    ae.LOOPS.pop("MINE", None)


def test_a_loop_of_one_s_own():
    def mine(npu):
        for layer in npu.layers:
            yield from npu.communicate(layer.forward)
            yield from npu.compute(layer.forward)

    assert named(from_workload(loop(mine), 8))["l1 forward"] == {"l1 forward all-reduce"}


def test_loops_that_ask_for_the_time_or_never_end():
    def asks(npu):
        yield from npu.compute(npu.layers[0].forward)
        while npu.clock.now < 5:
            yield npu.cycle()

    def waits(npu):
        while True:
            yield npu.cycle()

    def forgets(npu):
        npu.compute(npu.layers[0].forward)
        yield npu.cycle()

    with says("asks the clock or the scheduler for now"):
        from_workload(loop(asks), 8)
    with says("never ends"):
        from_workload(loop(waits), 8)
    with says("without `yield from`"):
        from_workload(loop(forgets), 8)
    with says("has no yield in it"):
        from_workload(loop(lambda npu: npu.issue(npu.layers[0].forward)), 8)


# --------------------------------------------------------------------------------------------------- rounding


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=40), st.data())
def test_what_is_carried_keeps_every_stretch_right_to_a_microsecond(times, data):
    rounding = Rounding()
    rounded = [rounding.micros(time) for time in times]
    assert min(rounded) >= 0
    start = data.draw(st.integers(0, len(times) - 1))
    end = data.draw(st.integers(start, len(times)))
    assert abs(1000 * sum(rounded[start:end]) - sum(times[start:end])) <= 1000
    assert abs(1000 * sum(rounded) - sum(times)) <= 500


def test_the_other_roundings():
    times = (0, 1, 499, 500, 1000, 1499, 1500)
    assert [Rounding("nearest").micros(time) for time in times] == [0, 0, 0, 1, 1, 1, 2]
    assert [Rounding("up").micros(time) for time in times] == [0, 1, 1, 1, 1, 2, 2]


def test_short_computations_are_lost_unless_they_are_carried():
    work = ae.Workload("DATA", tuple(Layer(f"l{k}", Work(300, None, 0), NOTHING, NOTHING) for k in range(100)))
    total = {how: ae.simulate(from_workload(work, 8, rounding=how), rings(8)).total_ns for how in ("nearest", "up")}
    assert total == {"nearest": 100, "up": 100_000}
    carried = from_workload(work, 8)
    assert sum(node.duration_micros for node in carried.nodes[0]) == 30


# -------------------------------------------------------------------------------------------------- pipelines


def free(npus):
    """A network on which a byte takes no time."""
    return ae.TracePlatform((ae.Block("FullyConnected", npus, 1000, 0),), ae.TraceSystem.of("direct"))


@pytest.mark.parametrize(
    ("order", "stages", "micro_batches", "virtual"),
    [("gpipe", 4, 8, 1), ("1f1b", 4, 8, 1), ("gpipe", 2, 1, 1), ("1f1b", 5, 3, 1), ("1f1b", 8, 32, 1),
     ("interleaved", 4, 8, 2), ("interleaved", 2, 4, 3)],
)  # fmt: skip
def test_pipelines_whose_messages_take_no_time(order, stages, micro_batches, virtual):
    forward, backward = 12, 24
    run = ae.simulate(from_pipeline(order, stages, micro_batches, forward, backward, 1, virtual), free(stages))
    assert run.total_ns == closed_form.total_ns(stages, micro_batches, 1000 * forward, 1000 * backward, virtual)
    if virtual == 1:
        assert run.total_ns == (micro_batches + stages - 1) * 1000 * (forward + backward)


@pytest.mark.parametrize("order", ["gpipe", "1f1b"])
def test_pipelines_with_stages_that_differ(order):
    forward, backward = [10, 25, 5, 12], [20, 31, 30, 11]
    run = ae.simulate(from_pipeline(order, 4, 6, forward, backward, 1), free(4))
    other = ae.run_pipeline(order, 4, 6, [1000 * f for f in forward], [1000 * b for b in backward])
    assert run.total_ns == other.total_ns
    assert run.compute_ns == other.busy_ns


def test_transfers_that_never_wait_are_as_in_run_pipeline():
    platform = ae.TracePlatform((ae.Block("FullyConnected", 4, 50, 500),), ae.TraceSystem.of("direct"))
    travels = 500 + int(65536 / (50 * 2**30 / 1e9))
    run = ae.simulate(from_pipeline("1f1b", 4, 8, 100, 200, 65536), platform)
    assert run.total_ns == ae.run_pipeline("1f1b", 4, 8, 100_000, 200_000, travels).total_ns


def test_the_graph_of_a_pipeline():
    trace = from_pipeline("gpipe", 3, 2, 10, 20, "1 MiB")
    middle = named(trace, 1)
    assert middle["F 1"] == {"activations 1", "F 0"}
    assert middle["B 1"] == {"gradient 1", "F 1"}
    assert named(trace, 2)["B 1"] == {"F 1"}
    assert Counter(node.type.name for node in trace.nodes[0]) == {
        "COMP_NODE": 4, "COMM_SEND_NODE": 2, "COMM_RECV_NODE": 2
    }  # fmt: skip
    assert {node.number("comm_size") for node in trace.nodes[1] if node.type is NodeType.COMM_SEND_NODE} == {MIB}
    tags = [node.number("comm_tag") for nodes in trace.nodes for node in nodes if node.type is NodeType.COMM_SEND_NODE]
    assert len(tags) == len(set(tags)) == 8


def test_orders_and_times_of_one_s_own():
    def one_at_a_time(stage, stages, micro_batches):
        for i in range(micro_batches):
            yield Pass("F", i)
            yield Pass("B", i)

    run = ae.simulate(from_pipeline(one_at_a_time, 4, 3, 10, 20, 1), free(4))
    assert run.total_ns == 3 * 4 * 30_000
    with says("comes to a standstill"):
        from_pipeline(
            [[("F", 0), ("B", 0), ("F", 1), ("B", 1)], [("F", 0), ("F", 1), ("B", 0), ("B", 1)]], 2, 2, 1, 1, 1
        )
    with says("has to take 1 µs or more"):
        from_pipeline("gpipe", 2, 2, 0, 5, 1)
    with says("activations 0: size is 'much'"):
        from_pipeline("gpipe", 2, 2, 1, 5, "much")


VGG16 = Path(__file__).parents[2] / "exercises/inputs/asplos2022/ex3/vgg16.txt"

# What ASTRA-sim 2.x (congestion-aware, 4 splits, localBWAware, local-mem-bw 50) reports for these traces, NPU by NPU.
REPORTED = {
    "1F1B": (
        lambda: from_pipeline("1f1b", 4, 6, 12, 24, 2**18),
        ("FullyConnected", "direct"),
        (388_584, 364_584, 335_202, 305_820),
    ),
    "GPipe": (
        lambda: from_pipeline("gpipe", 4, 6, 12, 24, 2**20),
        ("Ring", "ring"),
        (484_341, 460_341, 416_310, 372_279),
    ),
    "interleaved": (
        lambda: from_pipeline("interleaved", 4, 8, 12, 24, 2**16, virtual=2),
        ("Ring", "ring"),
        (366_080, 354_080, 340_360, 326_640),
    ),
    "VGG-16": (
        lambda: from_workload(ae.load_workload(VGG16, compute_scale=0.41), 8, passes=2),
        ("Ring", "ring"),
        (48_509_620,) * 8,
    ),
}


@pytest.mark.parametrize("name", REPORTED)
def test_astra_sim_2_takes_as_long(name):
    make, (topology, how), finish_ns = REPORTED[name]
    trace = make()
    system = ae.TraceSystem.of(how, splits=4, local_memory_bandwidth=50, optimization="localBWAware")
    platform = ae.TracePlatform((ae.Block(topology, trace.npus, 50, 500),), system, congestion_aware=True)
    assert ae.simulate(trace, platform).finish_ns == finish_ns


def test_a_data_parallel_loop_under_fifo_takes_as_long_as_in_1_0():
    """On a network on which a collective takes as long in both; what differs are the ns of 1.0's loop."""
    work = ae.load_workload(VGG16, compute_scale=0.41)
    system = ae.SystemConfig.of("direct", splits=4, scheduling="FIFO")
    old = ae.Platform([ae.Dimension.of("FullyConnected", 16, 50, 500)], system)
    new = ae.TracePlatform((ae.Block("FullyConnected", 16, 50, 500),), ae.TraceSystem.of("direct", splits=4))
    for passes in (1, 2, 3):
        times = [ae.simulate(work, old, passes).total_ns, ae.simulate(from_workload(work, 16, passes), new).total_ns]
        assert abs(times[0] - times[1]) < 100 * passes


# ------------------------------------------------------------------------------------------------- strategies


STRATEGIES = {
    "data": (ae.Strategy(data=8), (8,)),
    "tensor": (ae.Strategy(tensor=8), (8,)),
    "both": (ae.Strategy(data=2, tensor=4), (4, 2)),
    "data first": (ae.Strategy(data=2, tensor=4, placement="data-first"), (2, 4)),
    "pipeline": (ae.Strategy(pipeline=4, data=2, batch=16), (2, 4)),
    "all three": (ae.Strategy(data=2, tensor=2, pipeline=2, batch=8), (2, 2, 2)),
    "interleaved": (ae.Strategy(pipeline=2, tensor=4, batch=4, pipeline_order="interleaved", virtual=2), (4, 2)),
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_an_iteration_computes_as_much_as_estimate_says(name):
    strategy, sizes = STRATEGIES[name]
    platform = ae.Platform([ae.Dimension.of("Switch", n, 100, 500) for n in sizes], ae.SystemConfig.of(
        "_".join(["halvingDoubling"] * len(sizes))))  # fmt: skip
    estimate = ae.estimate(gpt(), strategy, "v100", platform)
    trace = from_strategy(gpt(), strategy, "v100", sizes, peak_performance=100)
    run = ae.simulate(trace, with_roofline(rings(*sizes), 100))
    assert max(run.compute_ns) == pytest.approx(estimate.compute_ns, rel=5e-3)
    assert run.total_ns > max(run.compute_ns)


def test_blocks_are_computed_again_as_estimate_says():
    strategy = ae.Strategy(tensor=4, data=2, recompute="full", batch=4)
    platform = ae.Platform([ae.Dimension.of("Ring", n, 100, 500) for n in (4, 2)], ae.SystemConfig.of("ring_ring"))
    found = ae.estimate(gpt(), strategy, "v100", platform)
    run = ae.simulate(
        from_strategy(gpt(), strategy, "v100", (4, 2), peak_performance=100), with_roofline(rings(4, 2), 100)
    )
    assert found.repeated_ns > 0
    assert run.compute_ns[0] == pytest.approx(found.compute_ns, abs=8)


def kinds(trace, npu):
    nodes = trace.nodes[npu]
    return Counter((node.type.name, trace.groups.get(node.group, node.involved)) for node in nodes)


def test_what_each_npu_of_three_parallelisms_does():
    strategy, sizes = STRATEGIES["all three"]
    trace = from_strategy(gpt(blocks=2), strategy, "v100", sizes)
    first, last = kinds(trace, 0), kinds(trace, 7)
    assert first["COMM_SEND_NODE", None] == last["COMM_SEND_NODE", None] == 4  # one for each micro-batch of a copy
    tensor = [kinds(trace, npu)["COMM_COLL_NODE", (True, False, False)] for npu in range(8)]
    assert len(set(tensor[:4])) == len(set(tensor[4:])) == 1
    data = {npu: kinds(trace, npu)["COMM_COLL_NODE", (False, True, False)] for npu in range(8)}
    operators = [
        one.operator for one in ae.communications(gpt(blocks=2), strategy, stage=0) if one.phase == "weight gradient"
    ]
    assert data[0] == len(operators)  # once in the iteration, not once for each micro-batch
    sent = [one for one in ae.communications(gpt(blocks=2), strategy, stage=0) if one.group == "tensor"]
    assert tensor[0] == sum(one.times for one in sent)


def test_gradients_are_reduced_after_the_last_backward_pass():
    strategy = ae.Strategy(data=2, pipeline=2, batch=8, pipeline_order="gpipe")
    trace = from_strategy(gpt(blocks=2), strategy, "v100")
    nodes = {node.id: node for node in trace.nodes[0]}
    reduces = [node for node in nodes.values() if node.type is NodeType.COMM_COLL_NODE]
    assert reduces
    assert {node.comm_type for node in reduces} == {CommType.ALL_REDUCE}
    assert all(node.name.startswith("B 0 ") for node in reduces)  # GPipe comes back to micro-batch 0 last
    assert {trace.groups[node.group] for node in reduces} == {(0, 1)}


def test_other_networks_take_process_groups():
    strategy, _ = STRATEGIES["both"]
    assert not from_strategy(gpt(blocks=2), strategy, "v100", (2, 2, 2)).groups
    assert set(from_strategy(gpt(blocks=2), strategy, "v100", 8).groups.values()) == {
        (0, 1, 2, 3), (4, 5, 6, 7), (0, 4), (1, 5), (2, 6), (3, 7)
    }  # fmt: skip
    with says("takes 8 NPUs, but the network has 16"):
        from_strategy(gpt(blocks=2), strategy, "v100", (4, 4))


def test_a_strategy_of_one_micro_batch_without_stages_takes_about_as_long_as_the_generated_workload():
    """Whose loop exchanges the gradients of a line before it computes the line's input gradient."""
    strategy, sizes = STRATEGIES["both"]
    work = ae.generate_workload(gpt(blocks=2), strategy, "v100")
    by_loop, by_strategy = from_workload(work, sizes), from_strategy(gpt(blocks=2), strategy, "v100", sizes)
    times = [ae.simulate(trace, rings(*sizes)).total_ns for trace in (by_loop, by_strategy)]
    assert times[0] == pytest.approx(times[1], rel=1e-3)
