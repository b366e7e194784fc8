"""Case studies 1 and 2: the systems against ASTRA-sim 2.x, the conclusions, and what the parts are made of."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.course.studies.case_studies import (
    EQUALS,
    JOBS,
    READINGS,
    SCHEDULERS,
    SYSTEMS,
    Job,
    all_reduce,
    all_reduces,
    blocks_cost,
    case_study_platform,
    gpt3,
    grouped,
    npu_bandwidths,
    one_changes,
    samples_per_s,
    scheduled,
    suited,
    train,
    with_bandwidths,
)
from astra_edu.course.studies.case_studies.cost import kinds
from astra_edu.course.studies.case_studies.graph import iteration
from astra_edu.traces import NodeType
from astra_edu.workload.strategies import generate_workload

GIB = 2**30
CLEAN = {"endpoint_delay": 1, "local_memory_bandwidth": 1e9}
MASTER = {"endpoint_delay": 10, "local_memory_bandwidth": 1600}

# An all-reduce of 1 GiB: total ns of ASTRA-sim 2.x (master, 518bd51, congestion-unaware). The rows with Themis are by
# code of 2.x that no release switches on.
REFERENCE = [
    ("W-1D-350", "per link", 500, 1, MASTER, "baseline", 6_723_994),
    ("W-1D-350", "per link", 500, 128, CLEAN, "baseline", 8_008_576),
    ("W-1D-500", "per link", 1, 64, CLEAN, "baseline", 3_995_456),
    ("W-1D-600", "per link", 500, 16, CLEAN, "baseline", 3_614_960),
    ("W-2D", "per link", 500, 16, MASTER, "baseline", 8_855_488),
    ("W-2D", "per link", 500, 64, CLEAN, "Themis, FIFO", 4_644_298),
    ("W-2D", "per link", 500, 16, MASTER, "Themis, SCF", 5_018_713),
    ("Conv-3D", "per link", 500, 64, CLEAN, "baseline", 10_335_488),
    ("Conv-3D", "per link", 1, 128, CLEAN, "Themis, FIFO", 5_904_422),
    ("Conv-3D", "per link", 1, 64, CLEAN, "Themis, SCF", 7_136_375),
    ("Conv-3D", "divided", 500, 128, MASTER, "baseline", 13_217_920),
    ("Conv-4D", "per link", 500, 4, MASTER, "baseline", 5_010_792),
    ("Conv-4D", "per link", 1, 64, CLEAN, "Themis, FIFO", 3_436_802),
    ("Conv-4D", "per link", 500, 128, CLEAN, "Themis, SCF", 4_253_120),
    ("Conv-4D", "divided", 1, 16, MASTER, "baseline", 5_007_280),
    ("Conv-3D", "in turn", 1, 64, CLEAN, "baseline", 9_377_408),
    ("Conv-3D", "in turn", 1, 64, CLEAN, "Themis, SCF", 5_801_560),
    ("Conv-4D", "in turn", 1, 64, CLEAN, "Themis, FIFO", 3_717_983),
    ("Conv-4D", "in turn", 1, 64, CLEAN, "Themis, SCF", 3_442_504),
]

# An iteration: total ns of ASTRA-sim 2.x, given the same graph.
ITERATIONS = [
    ("GPT-3", "W-1D-350", 4, "baseline", 10_025_008),
    ("GPT-3", "W-2D", 4, "baseline", 10_067_104),
    ("GPT-3", "Conv-4D", 4, "Themis, SCF", 13_768_000),
    ("DLRM", "W-1D-350", 16, "baseline", 281_497),
    ("DLRM", "W-2D", 16, "baseline", 282_351),
]


@pytest.mark.parametrize(("system", "reading", "latency", "splits", "endpoint", "scheduler", "total_ns"), REFERENCE)
def test_all_reduces_take_as_long_as_in_astra_sim(system, reading, latency, splits, endpoint, scheduler, total_ns):
    platform = case_study_platform(system, latency=latency, reading=reading, splits=splits, **endpoint)
    assert all_reduce(scheduled(platform, scheduler), GIB).total_ns == total_ns


def test_the_systems_have_512_npus_and_what_equals_says():
    for system in SYSTEMS:
        platform = case_study_platform(system)
        assert platform.npus == 512
        assert sum(npu_bandwidths(platform)) == SYSTEMS[system].bandwidth
    for wafer, other in EQUALS:
        assert SYSTEMS[wafer].bandwidth == SYSTEMS[other].bandwidth


def test_readings_differ_in_fully_connected_dimensions_only():
    for system in ("W-1D-350", "W-2D"):
        assert len({case_study_platform(system, reading=reading).network for reading in READINGS}) == 1
    found = {reading: npu_bandwidths(case_study_platform("Conv-3D", reading=reading)) for reading in READINGS}
    assert found["in turn"] == (200, 100, 50)
    assert found["divided"] == pytest.approx((200, 100, 50))
    assert found["per link"] == (200, 700, 50)
    with pytest.raises(ae.ConfigError, match=r"did you mean 'per link'"):
        case_study_platform("Conv-3D", reading="per-link")
    with pytest.raises(ae.ConfigError, match=r"system is 'W-3D'"):
        case_study_platform("W-3D")


@pytest.mark.parametrize("reading", ["in turn", "divided"])
def test_the_baseline_is_as_slow_as_its_slowest_dimension(reading):
    for system in SYSTEMS.values():
        left, least = GIB, 0.0
        for _, npus, bandwidth in system.dimensions:
            least = max(least, 2 * left * (npus - 1) / npus / (bandwidth * GIB) * 1e9)
            left /= npus
        (run,) = all_reduces([system.name], ["baseline"], [GIB], reading=reading)
        assert least <= run.total_ns <= 1.02 * least


# The conclusions of the paper's slides, where they hold: for one all-reduce of all NPUs, bandwidth deciding.


@pytest.fixture(scope="module")
def gigabyte():
    return {(run.system, run.scheduler): run for run in all_reduces(sizes=[GIB])}


def test_w_1d_with_more_bandwidth_wins_overall(gigabyte):
    for scheduler in SCHEDULERS:
        times = {system: gigabyte[system, scheduler].total_ns for system in SYSTEMS}
        assert min(times, key=times.get) == "W-1D-600"
        assert times["W-1D-600"] < times["W-1D-500"] < times["W-1D-350"]


def test_themis_helps_all_but_w_1d(gigabyte):
    for system in SYSTEMS:
        before, after = (gigabyte[system, scheduler].total_ns for scheduler in ("baseline", "Themis, SCF"))
        if system.startswith("W-1D"):
            assert after == pytest.approx(before, rel=1e-4)
        else:
            assert after < before / 1.25


def test_with_equal_bandwidth_and_themis_dimensionality_stops_mattering(gigabyte):
    for wafer, other in EQUALS:
        assert gigabyte[other, "baseline"].total_ns > 1.3 * gigabyte[wafer, "baseline"].total_ns
        assert gigabyte[other, "Themis, SCF"].total_ns < 1.04 * gigabyte[wafer, "baseline"].total_ns


def test_themis_is_misled_by_divided_links():
    runs = {run.scheduler: run.total_ns for run in all_reduces(["Conv-4D"], sizes=[GIB], reading="divided")}
    assert runs["Themis, SCF"] > 1.2 * runs["baseline"]


def test_nothing_uses_more_than_its_bandwidth():
    for run in all_reduces(sizes=[2**20, 2**25, GIB]):
        assert 0 < run.used <= 1


def test_names_that_are_unknown():
    with pytest.raises(ae.ConfigError, match=r"scheduler is 'themis'"):
        scheduled(case_study_platform("W-2D"), "themis")


# More bandwidth.


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["Ring", "FullyConnected", "Switch"]),
    st.sampled_from([2, 4, 8, 16]),
    st.integers(1, 400),
    st.integers(1, 400),
    st.sampled_from([0, 1, 500]),
    st.sampled_from([1, 3, 16]),
    st.integers(1, 2**26),
    st.booleans(),
)
def test_more_bandwidth_is_never_slower(topology, npus, bandwidth, more, latency, splits, size, in_turn):
    first, second = (
        all_reduce(suited((ae.Block(topology, npus, b, latency),), in_turn=in_turn, splits=splits), size).total_ns
        for b in (bandwidth, bandwidth + more)
    )
    assert second <= first


@pytest.mark.parametrize("system", SYSTEMS)
def test_more_bandwidth_in_one_dimension_is_never_slower_in_the_baseline(system):
    platform = case_study_platform(system, splits=16)
    now = all_reduce(platform, GIB).total_ns
    for d in range(len(platform.blocks)):
        factors = [1.5 if k == d else 1 for k in range(len(platform.blocks))]
        assert all_reduce(with_bandwidths(platform, factors), GIB).total_ns <= now


def test_factors_must_be_as_many_as_dimensions_and_positive():
    platform = case_study_platform("W-2D")
    with pytest.raises(ae.ConfigError, match=r"2 dimensions and 1 factors"):
        with_bandwidths(platform, [2])
    with pytest.raises(ae.ConfigError, match=r"a factor is 0"):
        with_bandwidths(platform, [0, 1])


# Groups.


@pytest.mark.parametrize(
    ("system", "group", "sizes", "inner"),
    [
        ("W-1D-350", 16, (16, 32), 1),
        ("W-2D", 16, (16, 2, 16), 1),
        ("W-2D", 32, (32, 16), 1),
        ("W-2D", 128, (32, 4, 4), 2),
        ("Conv-3D", 128, (16, 8, 4), 2),
        ("Conv-4D", 16, (2, 8, 8, 4), 2),
        ("Conv-4D", 1, (2, 8, 8, 4), 0),
        ("Conv-4D", 512, (2, 8, 8, 4), 4),
        ("Conv-3D", 256, (16, 8, 2, 2), 3),
    ],
)
def test_groups_end_with_a_dimension_or_cut_a_switch(system, group, sizes, inner):
    platform, count = grouped(case_study_platform(system), group)
    assert tuple(block.npus for block in platform.blocks) == sizes
    assert count == inner
    assert all(len(hows) == len(sizes) for hows in platform.system.implementations.values())


@pytest.mark.parametrize(
    ("system", "group", "words"),
    [
        ("Conv-3D", 8, "inside dimension 0, a Ring of 16; they can end where a dimension does (1 or 16 NPUs)"),
        ("Conv-3D", 32, "inside dimension 1, a FullyConnected of 8"),
        ("W-1D-350", 3, "groups of 3 NPUs don't fit: the network has 512 NPUs"),
        ("W-1D-350", 0, "group is 0"),
    ],
)
def test_groups_that_do_not_fit(system, group, words):
    with pytest.raises(ae.ConfigError) as error:
        grouped(case_study_platform(system), group)
    assert words in str(error.value)


def test_a_cut_switch_is_as_fast_as_a_switch_of_its_own():
    whole = case_study_platform("W-1D-500", splits=16)
    halves, _ = grouped(whole, 16)
    own = suited((ae.Block("Switch", 16, 500, 1),), splits=16)
    of_group = ae.traces.collective("all_reduce", GIB, 512, involved_dim=[True, False])
    assert ae.simulate(of_group, halves).total_ns == all_reduce(own, GIB).total_ns


# Training.


@pytest.mark.parametrize(("name", "system", "splits", "scheduler", "total_ns"), ITERATIONS)
def test_iterations_take_as_long_as_in_astra_sim(name, system, splits, scheduler, total_ns):
    job = JOBS[name] if name == "DLRM" else replace(JOBS[name], model=gpt3(1))
    assert train(job, scheduled(case_study_platform(system, splits=splits), scheduler)).total_ns == total_ns


SMALL = Job("GPT-3, 2 blocks", gpt3(2), JOBS["GPT-3"].strategy)


def test_the_graph_has_all_of_the_workloads_bytes_and_its_compute():
    workload = generate_workload(SMALL.model, SMALL.strategy, SMALL.device)
    trace = iteration(SMALL.model, SMALL.strategy, SMALL.device, 2, 4)
    of_group, of_copies = [True, True, False, False], [False, False, True, True]
    sent = {True: 0, False: 0}
    micros = 0
    for node in trace.nodes[0]:
        if node.type is NodeType.COMM_COLL_NODE:
            assert list(node.involved) in (of_group, of_copies)
            sent[list(node.involved) == of_group] += node.number("comm_size")
        micros += node.duration_micros
    works = [(line.forward, line.input_gradient, line.weight_gradient) for line in workload.layers]
    assert sent[True] == sum(forward.size + gradient.size for forward, gradient, _ in works)
    assert sent[False] == sum(weights.size for *_, weights in works)
    assert micros == pytest.approx(sum(work.compute_ns for line in works for work in line) / 1000, abs=1)


def test_gradients_have_the_highest_numbers_and_one_bucket_for_each_block():  # scores use the words' weights
    trace = iteration(SMALL.model, SMALL.strategy, SMALL.device, 2, 4)
    names = [node.name for node in sorted(trace.nodes[0], key=lambda node: node.id)]
    first = next(i for i, name in enumerate(names) if name.startswith("gradients of"))
    assert all(name.startswith("gradients of") for name in names[first:])
    assert [name.split()[-1] for name in names[first:]] == ["last", "block2", "block1", "positions", "words"]


def test_one_npu_stands_for_all_and_the_others_agree():
    job = Job(
        "tiny",
        ae.transformer("tiny", hidden=64, heads=4, blocks=2, sequence=32, vocabulary=64),
        ae.Strategy(tensor=4, data=4),
    )
    platform = suited((ae.Block("FullyConnected", 4, 100, 100), ae.Block("Ring", 4, 50, 500)), splits=4)
    alone = train(job, platform)
    shared, inner = grouped(platform, 4)
    everyone = ae.simulate(iteration(job.model, job.strategy, job.device, inner, 2), shared, everyone=True)
    assert alone.one_for_all
    assert not everyone.one_for_all
    assert alone.total_ns == everyone.total_ns


def test_training_is_ranked_as_on_the_slides_and_computes_the_same():
    for job in (SMALL, JOBS["DLRM"]):
        results = {system: train(job, case_study_platform(system, splits=16)) for system in SYSTEMS}
        assert len({result.compute_ns[0] for result in results.values()}) == 1
        times = {system: result.total_ns for system, result in results.items()}
        assert times["W-1D-600"] < times["W-1D-500"] < times["W-1D-350"] < min(times["Conv-3D"], times["Conv-4D"])


def test_data_parallel_training_with_themis_depends_on_bandwidth_only():
    job = Job(
        "GPT-2, 4 blocks",
        ae.transformer("4", hidden=1600, heads=25, blocks=4, sequence=1024, vocabulary=50_257),
        ae.Strategy(data=512),
    )
    for wafer, other in EQUALS:
        one = train(job, case_study_platform(wafer)).total_ns
        two = train(job, scheduled(case_study_platform(other), "Themis, SCF")).total_ns
        assert two == pytest.approx(one, rel=0.03)


def test_an_eighth_of_the_blocks_answers_as_a_quarter_does():
    platform = case_study_platform("Conv-4D", splits=8)
    answers = []
    for blocks in (6, 12):
        job = replace(SMALL, model=gpt3(blocks))
        now = train(job, platform).total_ns
        answers.append([now / change.result.total_ns for change in one_changes(job, platform)])
    assert answers[0] == pytest.approx(answers[1], rel=0.01)
    assert [(change.dimension, change.factor) for change in one_changes(SMALL, platform)][:3] == [
        (0, 2),
        (0, 0.5),
        (1, 2),
    ]


def test_samples():
    job = SMALL.with_samples(4)
    assert (SMALL.samples, job.samples, job.strategy.samples) == (32, 128, 128)
    result = train(job, case_study_platform("W-1D-350", splits=4))
    assert samples_per_s(job, result) == 128 / result.total_ns * 1e9


def test_jobs_that_can_not_run():
    with pytest.raises(ae.ConfigError, match=r"shared out among 512 NPUs; the network has 8"):
        train(SMALL, suited((ae.Block("Ring", 8, 100, 1),)))
    zero = Job("zero", gpt3(2), ae.Strategy(tensor=16, data=32, zero=3))
    with pytest.raises(ae.ConfigError, match=r"has no graph here; use data and tensor parallelism"):
        train(zero, case_study_platform("W-1D-350"))


# Cost.


def test_one_block_costs_what_a_list_of_it_does():
    block = ae.Block("Switch", 32, 50, 500)
    assert kinds(block) == kinds([block]) == ("Pod",)
    assert blocks_cost(block) == blocks_cost([block])


def test_what_blocks_cost():
    network = (ae.Block("Ring", 8, 100, 1), ae.Block("FullyConnected", 4, 10, 1), ae.Block("Switch", 2, 5, 1))
    assert kinds(network, node_npus=8) == ("Node", "Pod", "Pod")
    ring, connected, switch = 64 * 4 * 100, 16 * 6 * 7.4 * 10, 64 * (7.4 + 23.7 + 47.8) * 5
    assert blocks_cost(network, kinds(network, 8)) == pytest.approx(ring + connected + switch)
    assert kinds(network) == ("Node", "Pod", "Pod")
    assert blocks_cost(network, ("Node", "Node", "Node")) < blocks_cost(network)
    with pytest.raises(ae.ConfigError, match=r"3 dimensions and 1 kinds"):
        blocks_cost(network, ("Node",))


# Figures and sliders.


def test_sliders_simulate_what_they_say():
    pytest.importorskip("anywidget")
    platform = case_study_platform("Conv-4D", splits=4)
    view = ae.BandwidthSliders(SMALL, platform)
    start = view.result.total_ns
    assert repr(view) == f"BandwidthSliders({SMALL.name} on {platform.npus} NPUs)"
    view.dismiss()
    assert "as at the start" in repr(view)
    view.set(factor_2=2)
    assert view.factors == [1, 1, 2, 1]
    assert view.result.total_ns == train(SMALL, with_bandwidths(platform, [1, 1, 2, 1])).total_ns < start
    scene = view.scene(view.values)
    assert f"{start / view.result.total_ns:.3f} times as fast as at the start" in scene.headline
    assert scene.numbers["bandwidth of an NPU"] == (700, "700 GB/s")
    now, before = scene.bars[0].bars
    assert (now.size, before.size) == pytest.approx((view.result.total_ns / 1e6, start / 1e6), rel=1e-6)
    assert [bar.size for bar in scene.bars[1].bars] == pytest.approx(
        npu_bandwidths(with_bandwidths(platform, [1, 1, 2, 1]))
    )
    view.set(factor_2=1)
    assert "as at the start" in view.scene(view.values).headline


def test_sliders_ask_on_which_dimension_bandwidth_helps_most():
    pytest.importorskip("anywidget")
    platform = case_study_platform("Conv-4D", splits=4)
    view = ae.BandwidthSliders(SMALL, platform)
    answer = view.answer(view.values)
    times = []
    for d in range(4):
        factors = [1.0] * 4
        factors[d] = 2
        times.append(train(SMALL, with_bandwidths(platform, factors)).total_ns)
        assert f"on dimension {d}: {times[d] / 1e6:,.3f} ms" in answer.why
    assert answer.value == f"dimension {times.index(min(times))}"
