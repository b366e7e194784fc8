"""The number that leads: never below what the links allow, and ASTRA-sim's own where nothing is shared."""

from itertools import product

import pytest
from halves import half

import astra_edu as ae
from astra_edu.workload import Layer, Work

GIB = 2**30


def on(topology, npus, algorithm, collective="all-reduce", size=GIB, bandwidth=50, **settings):
    platform = ae.Platform(
        (ae.Dimension.of(topology, npus, bandwidth, 500),), ae.SystemConfig.of(algorithm, **settings)
    )
    return ae.simulate(ae.Workload.micro(collective, size), platform)


def test_direct_on_a_switch_leads_with_what_its_links_allow():
    run = on("Switch", 16, "direct")  # 2 x 15/16 GiB at 50 GiB/s
    assert run.total_ns == 2_508_517
    assert run.bound_ns == pytest.approx(2 * 15 / 16 / 50 * 1e9, rel=1e-6)
    assert repr(run) == (
        "<at least 37,500.001 µs in all: the messages share links; ASTRA-sim's contention-free model says 2,508.517 "
        "µs: compute 0 ns, exposed communication 2,508.517 µs; 1,920 MiB sent per NPU>"
    )


@pytest.mark.parametrize(
    ("topology", "algorithm"),
    [("Ring", "ring"), ("Switch", "ring"), ("Switch", "halvingDoubling"), ("FullyConnected", "direct")],
)
def test_what_shares_no_link_leads_with_astra_sims_total(topology, algorithm):
    run = on(topology, 8, algorithm)
    assert run.bound_ns is None
    assert run.total == run.in_all.removesuffix(" in all")
    assert "least" not in repr(run)


def test_a_window_of_one_message_shares_no_link_of_a_switch():
    assert on("Switch", 16, "direct1").bound_ns is None
    assert on("Switch", 16, "direct2").bound_ns is not None


def test_each_dimension_is_judged_by_itself():
    """448 MiB to all over switches of 8: 7/8 of it leaves at 450, and again at 50 GB/s."""
    network = tuple(ae.Dimension.of("Switch", 8, gb, 500) for gb in (450, 50))
    platform = ae.Platform(network, ae.SystemConfig.of("direct_direct", splits=1))
    run = ae.simulate(ae.Workload.micro("all-to-all", 448 * 2**20), platform)
    assert run.total_ns == pytest.approx(1.217e6, rel=1e-3)
    assert run.bound_ns == pytest.approx(448 / 1024 * 7 / 8 / 50 * 1e9, rel=1e-4)  # 7.66 ms
    assert run.total == "at least 7,656.251 µs"


def test_several_chunks_at_once_may_put_more_on_links_than_they_carry():
    """No step shares a link, but 4 chunks that run together do."""
    run = on("Switch", 8, "halvingDoubling", active_chunks=4)
    assert run.bound_ns == pytest.approx(2 * 7 / 8 / 50 * 1e9, rel=1e-3)
    assert run.total_ns < run.bound_ns / 3


def test_what_a_loop_waits_for_comes_on_top_of_its_compute():
    """10 layers that compute 1 ms twice and wait for 16 MiB twice: 20 ms and 20 times 0.5859 ms."""
    work = Work(10**6, "all-reduce", 2**24)
    layers = [Layer(f"layer {k}", work, work, Work(0, None, 0)) for k in range(10)]
    platform = ae.Platform((ae.Dimension.of("Switch", 16, 50, 500),), ae.SystemConfig.of("direct"))
    run = ae.simulate(ae.Workload("MODEL", layers), platform)
    needs = 19 * 2 * 15 / 16 * 2**24 / (50 * GIB / 1e9)  # the first layer's input has no gradient
    assert run.total_ns < run.bound_ns
    assert run.bound_ns == pytest.approx(20e6 + needs * 20 / 19 - needs / 19, rel=0.02)


def test_a_part_of_a_dimension_is_judged_too():
    layer = Layer("layer", Work(1000, "all-reduce", 2**24), Work(0, None, 0), Work(0, None, 0))
    workload = ae.Workload("HYBRID_TRANSFORMER", (layer,), ("model_parallel_NPU_group:", "4"))
    switch = ae.Platform((ae.Dimension.of("Switch", 16, 50, 500),), ae.SystemConfig.of("direct"))
    run = ae.simulate(workload, switch)
    assert run.bound_ns == pytest.approx(1000 + 2 * 3 / 4 * 2**24 / (50 * GIB / 1e9), rel=1e-3)


BLOCKS = (("Switch", 16), ("Ring", 8), ("Ring", 9), ("FullyConnected", 8), ("Torus4x2", 8), ("Mesh4x2", 8))
WAYS = ("ring", "direct", "direct2", "halvingDoubling", "doubleBinaryTree", "oneDirect")


def trace_runs(network, how, collective, **settings):
    """The same trace without and with congestion; None where the algorithm doesn't do it."""
    platform = ae.TracePlatform(network, ae.TraceSystem.of(how, **settings))
    trace = ae.traces.collective(collective, 2**22, npus=platform.npus)
    try:
        return [
            ae.simulate(trace, ae.TracePlatform(network, platform.system, congestion_aware=aware))
            for aware in (False, True)
        ]
    except ae.ConfigError:
        return None


@pytest.mark.parametrize("case", half(product(WAYS, ("all_reduce", "all_to_all", "all_gather"))), ids="-".join)
def test_the_bound_of_a_trace_is_never_above_the_congestion_aware_network(case):
    (how, collective), judged = case, 0
    for (topology, npus), splits, settings in product(
        BLOCKS, (1, 3), ({}, {"optimization": "localBWAware"}, {"active_chunks": 3})
    ):
        runs = trace_runs(ae.Block(topology, npus, 50, 500), how, collective, splits=splits, **settings)
        if runs:
            unaware, aware = runs
            assert aware.bound_ns is None
            assert (unaware.bound_ns or 0) <= aware.total_ns
            judged += 1
    assert judged


def test_two_dimensions_and_the_congestion_aware_network():
    network = ae.Block("Switch", 8, 450, 500), ae.Block("Switch", 8, 50, 500)
    unaware, aware = trace_runs(network, "direct", "all_to_all")
    assert unaware.total_ns < unaware.bound_ns / 4
    assert unaware.bound_ns <= aware.total_ns
    assert unaware.bound_ns == pytest.approx(2**22 * 7 / 8 / (50 * GIB / 1e9), rel=1e-3)


def test_direct_on_a_switch_as_a_trace():
    switch = ae.TracePlatform(ae.Block("Switch", 8, bandwidth=50, latency=500), ae.TraceSystem.of("direct"))
    run = ae.simulate(ae.traces.collective("all_reduce", "1 MiB", npus=8), switch)
    assert run.total_ns == 6912
    assert run.bound_ns == pytest.approx(2 * 7 / 8 * 2**20 / (50 * GIB / 1e9))
    assert repr(run) == (
        "<at least 34.180 µs in all: the messages share links; ASTRA-sim's contention-free model says 6912 ns (all "
        "NPUs alike): compute 0 ns, exposed communication 6912 ns>"
    )


def test_messages_of_a_trace_that_share_a_link():
    """Seven NPUs send NPU 0 a MiB each: its link from the switch takes seven times as long as one."""
    builder = ae.traces.Builder(8)
    for npu in range(1, 8):
        builder.message(f"from {npu}", 2**20, npu, 0)
    network = ae.TracePlatform(ae.Block("Switch", 8, 50, 500), ae.TraceSystem.of("direct"))
    run = ae.simulate(builder.build(), network)
    assert run.bound_ns == pytest.approx(7 * 2**20 / (50 * GIB / 1e9))
    assert run.total.startswith("at least")


def test_groups_of_a_trace_that_share_links():
    """Even and odd NPUs of a ring: every message goes over two links, so two groups' messages are on each."""
    builder = ae.traces.Builder(8)
    builder.all_reduce("sum", 2**20, group=[[0, 2, 4, 6], [1, 3, 5, 7]])
    block = ae.Block("Ring", 8, 50, 500)
    system = ae.TraceSystem.of("ring")
    unaware, aware = (
        ae.simulate(builder.build(), ae.TracePlatform(block, system, congestion_aware=aware)) for aware in (False, True)
    )
    assert unaware.bound_ns == pytest.approx(2 * 2 * 3 / 4 * 2**20 / (50 * GIB / 1e9), rel=1e-3)
    assert unaware.total_ns < unaware.bound_ns < aware.total_ns


def test_what_a_trace_waits_for_comes_on_top_of_its_compute():
    builder = ae.traces.Builder(8)
    before = builder.compute("before", 100)
    sums = builder.all_reduce("sum", 2**20, after=before)
    builder.compute("after", 100, after=sums)
    network = ae.TracePlatform(ae.Block("Switch", 8, 50, 500), ae.TraceSystem.of("direct"))
    run = ae.simulate(builder.build(), network)
    assert run.bound_ns == pytest.approx(200_000 + 2 * 7 / 8 * 2**20 / (50 * GIB / 1e9))


def test_an_estimate_leads_with_what_the_links_of_its_groups_allow():
    """A tensor group's all-reduces by direct on a switch: each takes what the busiest NPU's bytes need."""
    strategy = ae.Strategy(tensor=8, data=8, batch=64)

    def took(algorithm):
        network = ae.Dimension.of("Switch", 8, 220, 1000), ae.Dimension.of("Switch", 8, 25, 1000)
        return ae.estimate("gpt3", strategy, "a100", ae.Platform(network, ae.SystemConfig.of(algorithm)))

    free, shared = took("halvingDoubling_halvingDoubling"), took("direct_halvingDoubling")
    assert free.bound_ns is None
    assert "least" not in repr(free)
    assert shared.tensor_ns < free.tensor_ns / 3
    # halving-doubling sends as much without sharing: it is the bound and its latencies
    assert shared.total_ns < shared.bound_ns
    assert shared.bound_ns == pytest.approx(free.total_ns, rel=0.02)
    assert repr(shared).startswith(
        f"<at least {shared.bound_ns / 1e6:,.3f} ms: the messages share links; ASTRA-sim's contention-free model says "
        f"{shared.total_ns / 1e6:,.3f} ms by data 8 × tensor 8"
    )


def test_the_fastest_strategy_is_not_one_that_no_network_could_reach():
    """By direct on a switch copies look better than they can be."""
    switch = ae.Platform((ae.Dimension.of("Switch", 8, 25, 1000),), ae.SystemConfig.of("direct"))
    ways = [ae.Strategy(data=8), ae.Strategy(pipeline=8, batch=8)]
    looks = [ae.estimate("22b", way, "a100", switch) for way in ways]
    found = ae.fastest("22b", ways, "a100", switch)
    assert looks[0].total_ns < looks[1].total_ns < looks[0].bound_ns
    assert found.strategy.pipeline == 8
