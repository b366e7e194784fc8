"""Whole runs: what must hold for every platform, workload and policy, and what single features do."""

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.system import Bus, Implementation
from astra_edu.system.inter_dimension import INTER_DIMENSION
from astra_edu.system.policies import QUEUE_POLICIES
from astra_edu.system.settings import OPTIMIZATIONS
from astra_edu.workload import Layer, Work

EX3 = Path(__file__).parents[2] / "exercises/inputs/asplos2022/ex3"
FITTING = {"Ring": "ring", "Switch": "halvingDoubling", "FullyConnected": "direct"}
LOOPS = {
    "MICRO": (),
    "DATA": (),
    "DATA_REORDER": (),
    "MODEL": (),
    "HYBRID_DATA_MODEL": (),
    "HYBRID_MODEL_DATA": (),
    "DISTRIBUTED_INFERENCE": (),
    "HYBRID_TRANSFORMER": ("model_parallel_NPU_group:", "2"),
    "HYBRID_DLRM": ("0",),
    "HYBRID_DLRM_ENHANCED": ("1",),
}


@st.composite
def platforms(draw, dims=3, **fixed):
    sizes = draw(st.lists(st.sampled_from([2, 4, 8]), min_size=1, max_size=dims))
    topologies = [draw(st.sampled_from(sorted(FITTING))) for _ in sizes]
    network = [
        ae.Dimension.of(topology, n, draw(st.sampled_from([1, 25, 200])), draw(st.sampled_from([1, 50, 2000])))
        for topology, n in zip(topologies, sizes, strict=True)
    ]
    chosen = {
        "scheduling": draw(st.sampled_from(["LIFO", "FIFO"])),
        "endpoint_delay": draw(st.sampled_from([1, 10, 50])),
        "splits": draw(st.sampled_from([1, 3, 8])),
        "optimization": draw(st.sampled_from(OPTIMIZATIONS)),
        "intra_dimension": draw(st.sampled_from(list(QUEUE_POLICIES))),
        "inter_dimension": draw(st.sampled_from(list(INTER_DIMENSION))),
        "rendezvous": draw(st.booleans()),
    }
    how = "_".join(FITTING[topology] for topology in topologies)
    return ae.Platform(network, ae.SystemConfig.of(how, **(chosen | fixed)))


@st.composite
def workloads(draw):
    loop = draw(st.sampled_from(sorted(LOOPS)))
    kinds = st.sampled_from([None, "all-reduce", "all-gather", "reduce-scatter", "all-to-all"])

    def work():
        collective = draw(kinds)
        size = draw(st.integers(8, 10**7)) if collective else 0
        return Work(draw(st.integers(0, 300_000)), collective and ae.Collective(collective), size)

    layers = [
        Layer(f"layer{i}", work(), work(), work(), draw(st.integers(0, 100))) for i in range(draw(st.integers(2, 5)))
    ]
    return ae.Workload(loop, tuple(layers), LOOPS[loop])


def simulated(work, platform, passes=1):
    try:
        return ae.simulate(work, platform, passes)
    except ae.ConfigError as error:
        assume("does nothing" not in str(error))
        raise


@settings(suppress_health_check=[HealthCheck.filter_too_much], max_examples=150)
@given(workloads(), platforms(), st.integers(1, 3))
def test_time_adds_up(work, platform, passes):
    result = simulated(work, platform, passes)
    tasks = [task for layer in result.running for task in layer.tasks]
    communication = sum(task.communication_ns for task in tasks)
    steps = 4 * passes * len(work.layers)  # the loops' single nanoseconds
    assert result.compute_ns + result.exposed_ns == result.total_ns
    assert result.compute_ns <= result.total_ns <= result.compute_ns + communication + steps
    assert all(0 <= task.exposed_ns <= task.communication_ns for task in tasks)
    assert sum(end - start for _, start, end in result.computed) == result.compute_ns


@settings(suppress_health_check=[HealthCheck.filter_too_much], max_examples=150)
@given(workloads(), platforms(), st.integers(1, 2))
def test_no_chunk_is_lost(work, platform, passes):
    """The chunks of a collective have its size together, and each goes through every one of its phases once."""
    result = simulated(work, platform, passes)
    collectives = defaultdict(list)
    for stay in result.stays:
        collectives[stay.issued].append(stay)
    for issued, stays in collectives.items():
        chunks = defaultdict(list)
        for stay in stays:
            chunks[stay.chunk].append(stay)
        assert sum(chunk[0].phase.chunk_bytes for chunk in chunks.values()) == issued.what.work.size
        assert [c[0].step for c in chunks.values()] == [0] * len(chunks)
        for chunk in chunks.values():
            assert [stay.step for stay in chunk] == list(range(len(chunk)))
            assert len(chunk) == len(chunks[0])
            for before, after in pairwise(chunk):
                assert before.end_ns == after.queued_ns <= after.start_ns
    assert sum(issued.what.work.size for issued in collectives) == sum(
        task.work.size * count_of(result, task) for layer in result.running for task in layer.tasks
    )


def count_of(result, task):
    """How often a task's collective ran: as often as its layer's first chunk began."""
    return sum(stay.issued.what is task and stay.step == 0 and stay.chunk == 0 for stay in result.stays)


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(workloads(), platforms(rendezvous=False))
def test_no_dimension_carries_more_than_its_bandwidth_allows(work, platform):
    """With algorithms that fit the topology and one chunk at a time; messages are rounded down to whole ns."""
    assume("all-to-all" not in {task.collective for layer in work.layers for task in works(layer)})
    result = simulated(work, platform)
    for d, dimension in enumerate(platform.network):
        stays = [stay for stay in result.stays if stay.phase.logical.dimension.physical == d]
        busy = sum(stay.end_ns - stay.start_ns for stay in stays)
        rounded = sum(stay.phase.schedule.step_count for stay in stays)
        sent = sum(sum(stay.phase.duration.sent) for stay in stays)
        assert sent / dimension.injection_bandwidth <= busy + rounded + 1e-6


def works(layer):
    return layer.forward, layer.input_gradient, layer.weight_gradient


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(workloads(), platforms(), st.integers(1, 2))
def test_the_same_twice(work, platform, passes):
    first, second = (simulated(work, platform, passes) for _ in range(2))
    assert first.timeline == second.timeline
    assert first.total_ns == second.total_ns


@given(platforms(dims=1), st.integers(8, 10**7), st.integers(1, 10**6))
def test_one_collective_on_one_dimension_is_monotone_in_size_and_latency(platform, size, more):
    def total(size, extra_latency=0):
        [dimension] = platform.network
        network = (replace(dimension, latency=dimension.latency + extra_latency),)
        splits = platform.system.splits
        work = ae.Workload.micro("all-reduce", size - size % splits)
        return ae.simulate(work, replace(platform, network=network)).total_ns

    assert total(size) <= total(size + more)
    assert total(size) < total(size, extra_latency=100)


def data_parallel(passes=1, update_ns=1, size=2**20):
    nothing = Work(1000, None, 0)
    gradient = Work(1000, ae.Collective.ALL_REDUCE, size)
    return ae.Workload("DATA", tuple(Layer(f"layer{i}", nothing, nothing, gradient, update_ns) for i in range(3)))


RING = ae.Platform((ae.Dimension.of("Ring", 8, 50, 500),), ae.SystemConfig.of("ring"))


def test_a_loop_of_ones_own(monkeypatch):
    """Without any waiting, all but the last collective hide behind compute."""

    def forward_only(npu):
        for layer in npu.layers:
            yield from npu.compute(layer.forward)

    monkeypatch.setitem(ae.LOOPS, "FORWARD_ONLY", forward_only)
    result = ae.simulate(replace(data_parallel(), loop="FORWARD_ONLY"), RING)
    assert result.total_ns == result.compute_ns == 3000
    assert result.stays == []


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (lambda npu: npu.compute(npu.layers[0].forward), "compute.*layer0, forward was called without `yield from`"),
        (lambda npu: npu.issue(npu.layers[0]), "give one of a layer's tasks"),
    ],
)
def test_what_one_may_get_wrong_in_a_loop_is_said(monkeypatch, step, words):
    def loop(npu):
        step(npu)
        yield npu.cycle()

    monkeypatch.setitem(ae.LOOPS, "MINE", loop)
    with pytest.raises(ae.ConfigError, match=words):
        ae.simulate(replace(data_parallel(), loop="MINE"), RING)


def test_a_loop_must_yield_events(monkeypatch):
    def number(npu):
        yield 3

    monkeypatch.setitem(ae.LOOPS, "MINE", number)
    with pytest.raises(ae.ConfigError, match="yields what can't be waited for"):
        ae.simulate(replace(data_parallel(), loop="MINE"), RING)
    monkeypatch.setitem(ae.LOOPS, "MINE", lambda npu: None)
    with pytest.raises(ae.ConfigError, match="no yield in it"):
        ae.simulate(replace(data_parallel(), loop="MINE"), RING)


@pytest.mark.filterwarnings("ignore:coroutine")
def test_a_loop_neither_yields_from_an_event_nor_is_a_coroutine(monkeypatch):
    def from_event(npu):
        yield from npu.cycle()

    async def coroutine(npu):
        return npu

    for loop, words in ((from_event, "`yield from` an event, for which it is `yield`"), (coroutine, "no yield in it")):
        monkeypatch.setitem(ae.LOOPS, "MINE", loop)
        with pytest.raises(ae.ConfigError, match=words):
            ae.simulate(replace(data_parallel(), loop="MINE"), RING)


def test_a_loop_that_never_ends_is_stopped(monkeypatch):
    def idle(npu):
        while True:
            yield npu.cycle()

    monkeypatch.setitem(ae.LOOPS, "MINE", idle)
    with pytest.raises(ae.ConfigError, match=r"never ends.*100,000 cycles in a row"):
        ae.simulate(replace(data_parallel(), loop="MINE"), RING)


def test_the_collectives_of_ones_own_loop_run_over_all_dimensions(monkeypatch):
    def forward(npu):
        for layer in npu.layers:
            yield from npu.communicate(layer.forward)

    monkeypatch.setitem(ae.LOOPS, "MINE", forward)
    activations = Work(0, "all-gather", 2**20)
    work = ae.Workload("MINE", (Layer("layer", activations, Work(0, None, 0), Work(0, None, 0)),))
    assert ae.simulate(work, RING).message_bytes == 7 * 2**20


def test_two_may_wait_for_one_collective(monkeypatch):
    told = []

    def helper(npu, name):
        yield from npu.wait(npu.layers[0].weight_gradient)
        told.append(name)

    def both(npu):
        npu.issue(npu.layers[0].weight_gradient)
        others = [npu.clock.env.process(helper(npu, name)) for name in "ab"]
        yield from others

    monkeypatch.setitem(ae.LOOPS, "MINE", both)
    ae.simulate(replace(data_parallel(), loop="MINE"), RING)
    assert told == ["a", "b"]


def test_tables_show_what_was_counted():
    result = ae.simulate(data_parallel(), RING)
    assert result.layers["weight gradient compute"].tolist() == [1000] * 3
    assert result.layers.filter(like="compute").to_numpy().sum() == result.compute_ns
    assert result.dimensions.loc[0, "bytes"] == result.message_bytes
    assert result.dimensions.loc[0, "chunks"] == 12
    assert 0 < result.dimensions.loc[0, "utilisation"] < result.dimensions.loc[0, "busy"] <= 1
    assert result.utilisation(1000)["dimension 0"].max() == 1.0


def test_the_timeline_has_compute_and_every_phase():
    result = ae.simulate(data_parallel(), RING)
    lanes = [span.lane for span in result.timeline]
    assert lanes.count("compute") == 3 + 3 + 2
    assert lanes.count("dimension 0") == len(result.stays)
    assert [span.end_ns for span in result.timeline] == sorted(span.end_ns for span in result.timeline)
    assert {span.work for span in result.timeline if span.dimension == 0} == {"weight gradient"}


def test_queues_share_the_active_chunks():
    """Two queues of one place each run two chunks at a time, as one queue of two places does."""

    def peak(**system):
        result = ae.simulate(data_parallel(), replace(RING, system=replace(RING.system, active_chunks=2, **system)))
        return max(sum(s.start_ns <= stay.start_ns < s.end_ns for s in result.stays) for stay in result.stays)

    assert peak(queues=1) == peak(queues=2) == 2
    assert peak(queues=4) == 4  # a queue always has a place


def test_rendezvous_adds_a_request_to_every_message():
    plain, asking = (
        ae.simulate(data_parallel(), replace(RING, system=replace(RING.system, rendezvous=r))) for r in (0 > 1, 1 > 0)
    )
    messages = sum(stay.phase.duration.messages for stay in plain.stays)
    assert asking.message_bytes - plain.message_bytes == 8192 * messages
    assert asking.total_ns > plain.total_ns


def test_a_bus_that_costs_nothing_leaves_only_the_network():
    """The bus's inner side has a rate of its own; with 1 byte it rounds to nothing."""
    system = replace(RING.system, bus=Bus(), splits=1)
    result = ae.simulate(ae.Workload.micro("all-gather", 1), replace(RING, system=system))
    [stay] = result.stays
    message = RING.network[0].message_ns(1)
    assert stay.end_ns - stay.start_ns == 7 * message


@pytest.mark.parametrize("group", [1, 2, 4, 8, 16])
def test_a_group_breaks_the_dimension_it_ends_in(group):
    network = [ae.Dimension.of("Switch", 4, 50, 500), ae.Dimension.of("Switch", 4, 50, 500)]
    platform = ae.Platform(network, ae.SystemConfig.of("halvingDoubling_halvingDoubling"))
    gradient = Work(10, ae.Collective.ALL_REDUCE, 2**20)
    layer = Layer("layer", gradient, Work(10, None, 0), gradient)
    work = ae.Workload("HYBRID_TRANSFORMER", (layer,), ("model_parallel_NPU_group:", str(group)))
    result = ae.simulate(work, platform)
    over = {span.work: set() for span in result.timeline if span.dimension is not None}
    for span in result.timeline:
        if span.dimension is not None:
            over[span.work].add(span.dimension)
    sizes = [dimension.npus for dimension in result.logical]
    inside = 1
    for d in over.get("forward", ()):
        inside *= sizes[d]
    assert inside == group
    assert over.get("forward", set()).isdisjoint(over.get("weight gradient", set()))


def test_a_group_that_does_not_fit_the_dimensions_is_rounded_with_a_warning():
    network = [ae.Dimension.of("Ring", 8, 50, 500), ae.Dimension.of("Switch", 3, 50, 500)]
    platform = ae.Platform(network, ae.SystemConfig.of("ring_ring"))
    gradient = Work(10, ae.Collective.ALL_REDUCE, 2**20)
    layer = Layer("layer", gradient, Work(10, None, 0), gradient)
    work = ae.Workload("HYBRID_TRANSFORMER", (layer,), ("model_parallel_NPU_group:", "12"))
    with pytest.warns(UserWarning, match="12 doesn't fit dimensions of 8 x 3 NPUs.*dimension 1 is taken as 1 x 3"):
        ae.simulate(work, platform)


def test_a_collective_of_no_bytes_is_warned_of_and_left_out():
    layer = Layer("embedding", Work(10, None, 0), Work(10, None, 0), Work(10, ae.Collective.ALL_REDUCE, 0))
    with pytest.warns(UserWarning, match="layer embedding: the all-reduce of its weight gradient has 0 bytes"):
        result = ae.simulate(ae.Workload("DATA", (layer,)), RING)
    assert result.message_bytes == 0


def test_long_runs_show_their_progress(monkeypatch, capsys):
    ticks = iter(range(10**6))
    monkeypatch.setattr("astra_edu.base.progress.perf_counter", lambda: next(ticks))
    ae.simulate(data_parallel(), RING)
    shown = capsys.readouterr().err
    assert "simulating" in shown
    assert "100%" in shown.split("\r")[-1]
    ae.simulate(data_parallel(), RING, progress=False)
    assert capsys.readouterr().err == ""


def test_one_npu_stands_for_all():
    """The cost doesn't grow with the number of NPUs: a larger system has as many phases."""

    def phases(n):
        network = [ae.Dimension.of("Ring", n, 50, 500), ae.Dimension.of("Switch", n, 50, 500)]
        system = ae.SystemConfig.of("ring_halvingDoubling", splits=8)
        return len(ae.simulate(ae.Workload.micro("all-reduce", 2**24), ae.Platform(network, system)).stays)

    assert phases(4) == phases(1024)


def test_direct_with_one_message_at_a_time_waits_for_each():
    dimension = ae.Dimension.of("FullyConnected", 4, 50, 500)
    how = (Implementation.parse("direct1"),)
    one = ae.SystemConfig(how, how, how, how, splits=1)
    result = ae.simulate(ae.Workload.micro("all-gather", 2**20), ae.Platform((dimension,), one))
    assert result.total_ns == 1 + 10 + 3 * (dimension.message_ns(2**20) + 10)


def test_under_lifo_the_input_gradient_first_can_win():
    """The case of solution 4: the large all-reduce begins later and so doesn't stand before the small, urgent one."""
    torus = ae.preset("torus")
    numbers = [(33, 23, 37, 2**15), (15, 4, 48, 2**21)]  # µs of forward, input and weight gradient, and bytes
    layers = tuple(
        Layer(str(i), Work(1000 * f, None, 0), Work(1000 * ig, None, 0), Work(1000 * wg, "all-reduce", size))
        for i, (f, ig, wg, size) in enumerate(numbers)
    )

    def total(loop, scheduling):
        platform = replace(torus, system=replace(torus.system, scheduling=scheduling))
        return ae.simulate(ae.Workload(loop, layers), platform, 20).total_ns

    assert total("DATA_REORDER", "LIFO") < total("DATA", "LIFO") == 2_851_560
    assert total("DATA_REORDER", "FIFO") > total("DATA", "FIFO")


def test_a_single_layer_computes_its_input_gradient_when_that_comes_first():
    """In the tutorial's order the last layer has none; the reordered loop begins with it."""
    layer = Layer("only", Work(10, None, 0), Work(20, None, 0), Work(40, None, 0))
    kinds = {}
    for loop in ("DATA", "DATA_REORDER"):
        kinds[loop] = [task.kind for task, *_ in ae.simulate(ae.Workload(loop, (layer,)), RING).computed]
    assert kinds == {
        "DATA": ["forward", "weight gradient"],
        "DATA_REORDER": ["forward", "input gradient", "weight gradient"],
    }


def test_no_update_takes_no_time():
    with_and_without = [ae.simulate(data_parallel(update_ns=update), RING).total_ns for update in (0, 7)]
    assert with_and_without[1] - with_and_without[0] == 7  # only the last one is waited for


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ae.Workload("DATA", (1, 2)), "each a Layer"),
        (lambda: Layer("a", None, None, None), "forward of layer a is None; give Work"),
        (lambda: Work(1, "allreduce", 4), "did you mean 'all-reduce'"),
        (lambda: ae.simulate(data_parallel(), RING).utilisation(0), "period_ns is 0"),
    ],
)
def test_what_makes_no_sense_is_said(make, words):
    with pytest.raises(ae.ConfigError, match=words):
        make()


def test_the_bus_keeps_its_gap_between_two_that_follow_each_other():
    """With g = 1,000 ns two chunks at once take longer by gaps; with g = 0 they don't."""

    def total(gap):
        system = replace(RING.system, bus=Bus(o=10, g=gap), splits=2, active_chunks=2)
        return ae.simulate(ae.Workload.micro("all-gather", 2**10), replace(RING, system=system)).total_ns

    assert total(1000) > total(0)


def test_every_wait_is_recorded_and_adds_up_to_what_its_layer_was_exposed():
    work = ae.load_workload(EX3 / "vgg16.txt", compute_scale=0.41)
    result = ae.simulate(work, ae.preset("dgx2"), passes=2)
    exposed = dict.fromkeys((layer.name for layer in result.running), 0)
    for task, start, end in result.waited:
        assert start < end
        assert not any(start < other_end and other_start < end for _, other_start, other_end in result.computed)
        exposed[task.layer] += end - start
    report = result.layers.filter(like="exposed").sum(axis=1)
    assert exposed == {name: ns for (_, name), ns in report.items()}
