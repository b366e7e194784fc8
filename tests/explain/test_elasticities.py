"""Elasticities and what a run doesn't depend on: closed forms, sums, and the same by hand."""

import contextlib
import json
import warnings
from dataclasses import replace
from math import log

import platforms_2
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.explain import changes, inputs_of_trace
from astra_edu.explain.inputs import another, grain
from astra_edu.formats import parse_network_2, parse_system_2
from astra_edu.formats.custom_traces import CustomTraces
from astra_edu.workload import Layer, Work

TIMES = ("latency of", "nic of", "router of", "endpoint delay", "compute times", "update times", "durations of")
SPEEDS = ("bandwidth of", "local memory bandwidth")


def ring(**settings):
    return ae.Platform(ae.Dimension.of("Ring", 8, 50, 500), ae.SystemConfig.of("ring", **({"splits": 1} | settings)))


def table_of(run):
    return run.explain(changes=False).elasticities


def sums(table):
    """What must be 1, and what must be 0, and by how much rounding can move them."""
    scaled = [name for name in table.index if name.startswith((*TIMES, *SPEEDS))]
    parts = table.loc[scaled]
    signs = [-1 if name.startswith(SPEEDS) else 1 for name in scaled]
    bandwidths = table.loc[[name for name in scaled if name.startswith(SPEEDS)]]
    sent = table.loc[[name for name in table.index if name.startswith("bytes of")]]
    rounding = parts["rounding"].sum() + sent["rounding"].sum() + 0.01
    return (parts["elasticity"] * signs).sum(), (bandwidths["elasticity"].sum() + sent["elasticity"].sum()), rounding


@pytest.mark.parametrize("size", [2**20, 2**24, 2**28])
@pytest.mark.parametrize("npus", [4, 8, 16])
def test_a_ring_all_reduce_has_the_elasticities_of_its_formula(size, npus):
    platform = ae.Platform(ae.Dimension.of("Ring", npus, 50, 500), ae.SystemConfig.of("ring", splits=1))
    table = table_of(ae.simulate(ae.Workload.micro("all-reduce", size), platform))
    steps = 2 * (npus - 1)
    wire = steps * size / npus / (2 * 50 * 2**30 / 1e9)
    latency, endpoint = steps * 500, (steps + 1) * 10
    total = wire + latency + endpoint + 1
    shares = {
        "bandwidth of dimension 0": -wire / total,
        "bytes of all collectives": wire / total,
        "latency of dimension 0": latency / total,
        "endpoint delay": endpoint / total,
    }
    for name, share in shares.items():
        assert table["elasticity"][name] == pytest.approx(share, abs=table["rounding"][name] + 0.001), name
    assert table["rounding"].max() <= 0.011
    assert table["elasticity"].abs().is_monotonic_decreasing


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.sampled_from(["Ring", "Switch", "FullyConnected"]), min_size=1, max_size=3),
    st.lists(st.sampled_from([12.5, 50, 100, 300]), min_size=3, max_size=3),
    st.lists(st.sampled_from([100, 500, 2000]), min_size=3, max_size=3),
    st.sampled_from(["all-reduce", "all-gather", "reduce-scatter"]),
    st.sampled_from([1, 4]),
    st.sampled_from([2**20, 2**24, 2**27]),
    st.integers(0, 100_000),
)
def test_elasticities_of_times_less_those_of_bandwidths_add_up_to_1(
    topologies, bandwidths, latencies, collective, splits, size, compute
):
    network = [
        ae.Dimension.of(name, 4, *speed) for name, *speed in zip(topologies, bandwidths, latencies, strict=False)
    ]
    system = ae.SystemConfig.of("_".join(["ring"] * len(network)), splits=splits)
    layer = Layer("layer", Work(compute, None, 0), Work(compute, None, 0), Work(compute, collective, size))
    run = ae.simulate(ae.Workload("DATA", (layer, layer)), ae.Platform(network, system))
    table = table_of(run)
    assume(table["smooth"].all())  # at a kink there are two of each
    one, none, rounding = sums(table)
    assert one == pytest.approx(1, abs=rounding)
    assert none == pytest.approx(0, abs=rounding)


@pytest.mark.parametrize("aware", [False, True])
@pytest.mark.parametrize("algorithm", ["ring", "direct", "halvingDoubling"])
@pytest.mark.parametrize("memory", [None, 1600])
def test_those_of_a_trace_add_up_to_1_too(aware, algorithm, memory):
    network = ae.Block("Ring", 4, 100, 500), ae.Block("Switch", 4, 50, 700)
    system = ae.TraceSystem.of([algorithm] * 2, splits=2, local_memory_bandwidth=memory)
    nodes = [
        {"id": 0, "type": "COMP_NODE", "duration_micros": 500},
        {"id": 1, "type": "COMM_COLL_NODE", "data_deps": [0], "attr": {"comm_type": 0, "comm_size": 2**24}},
    ]
    trace = ae.traces.from_nodes([nodes] * 16)
    run = ae.simulate(trace, ae.TracePlatform(network, system, congestion_aware=aware))
    one, none, rounding = sums(table_of(run))
    assert one == pytest.approx(1, abs=rounding)
    assert none == pytest.approx(0, abs=rounding)


def test_a_graph_has_one_row_for_all_its_links():
    graph = ae.GraphNetwork(ae.as_graph(ae.Block("Ring", 4, 50, 500)))
    block = ae.Block("Ring", 4, 50, 500)
    trace, found = ae.traces.collective("all_reduce", 2**24, npus=4), []
    for network in (graph, block):
        platform = ae.TracePlatform(network, ae.TraceSystem.of("ring"), congestion_aware=True)
        found.append(table_of(ae.simulate(trace, platform))["elasticity"])
    for name in ("bandwidth", "latency"):
        assert found[0][f"{name} of all links (1 is as it is)"] == pytest.approx(found[1][f"{name} of dimension 0"])


def test_a_pipeline_has_the_elasticities_of_its_formula():
    count, forward, backward = 16, [100_000, 150_000, 100_000], [200_000, 250_000, 200_000]
    run = ae.run_pipeline("gpipe", 3, count, forward, backward)
    total = sum(forward) + sum(backward) + (count - 1) * (forward[1] + backward[1])  # the slow one sets the pace
    assert run.total_ns == total
    table = table_of(run)
    times = table["elasticity"][table["unit"] == "ns"]
    assert times.sum() == pytest.approx(1, abs=1e-3)
    for part in range(3):
        share = (1 if part != 1 else count) / total
        assert times[f"forward time of part {part} of the model"] == pytest.approx(share * forward[part], abs=1e-3)
        assert times[f"backward time of part {part} of the model"] == pytest.approx(share * backward[part], abs=1e-3)
    slow = forward[1] + backward[1]
    assert table["elasticity"]["micro-batches"] == pytest.approx(
        log((total + slow) / (total - slow)) / log((count + 1) / (count - 1))
    )


def test_at_a_kink_it_says_so():
    even = table_of(ae.run_pipeline("gpipe", 4, 64, forward_ns=100_000, backward_ns=200_000))
    assert not even["smooth"]["backward time of part 0 of the model"]  # a slower stage sets the pace, a faster doesn't
    uneven = table_of(ae.run_pipeline("gpipe", 4, 64, forward_ns=[100_000, 150_000, 100_000, 100_000], backward_ns=2))
    assert uneven["smooth"].all()


def test_sizes_are_changed_so_that_no_rest_makes_another_chunk():
    assert [grain(size, 4, 8) for size in (2**20, 44, 45)] == [32, 4, 1]
    assert [another(100, 104, 32), another(128, 129, 32), another(10, 9.9), another(1, 0.5)] == [96, 160, 9, 1]


def test_nothing_more_is_simulated_until_it_is_asked_for_and_then_once(monkeypatch):
    run = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ring())
    runs = []
    real = changes.simulate
    monkeypatch.setattr(changes, "simulate", lambda *what, **how: runs.append(1) or real(*what, **how))
    told = run.explain(changes=False)
    assert (repr(told), len(runs)) == (repr(run.explain(changes=False)), 0)
    table = told.elasticities
    asked = len(runs)
    assert told.elasticities is table
    assert len(runs) == asked >= 2 * 5


def by_hand(platform, d, **settings):
    network = platform.network
    return replace(platform, network=(*network[:d], replace(network[d], **settings), *network[d + 1 :]))


def test_what_nothing_depends_on_is_what_changes_nothing_by_hand():
    network = ae.Block("Ring", 4, 100, 500), ae.Block("Switch", 8, 50, 0), ae.Block("Ring", 2, 900, 0)
    system = ae.TraceSystem.of(["ring", "halvingDoubling", "ring"], splits=4)
    platform = ae.TracePlatform(network, system)
    trace = ae.traces.collective("all_reduce", 2**24, npus=64)
    run = ae.simulate(trace, platform)
    table = run.explain(changes=False).independent_of
    for d in range(3):
        others = [
            ae.simulate(trace, by_hand(platform, d, topology=name)).total_ns
            for name in ("Ring", "Switch", "FullyConnected")
        ]
        assert (f"topology of dimension {d}" in table.index) == (set(others) == {run.total_ns})
        factors = (0.5, 0.99, 1.01, 2)
        speeds = [
            ae.simulate(trace, by_hand(platform, d, bandwidth=network[d].bandwidth * f)).total_ns for f in factors
        ]
        assert (f"bandwidth of dimension {d}" in table.index) == (set(speeds) == {run.total_ns})
    assert "topology of dimension 1" in table.index
    assert table["reason"]["topology of dimension 1"] == (
        "its latency is 0, so that hops cost nothing, and without congestion sharing a link costs nothing, either"
    )
    assert table["reason"]["scheduling"] == "an NPU has one collective at a time"


def test_what_only_a_large_change_changes_is_not_called_independent():
    network = ae.Block("Ring", 4, 100, 500), ae.Block("Switch", 8, 50, 700)
    platform = ae.TracePlatform(network, ae.TraceSystem.of(["ring", "halvingDoubling"], splits=4))
    run = ae.simulate(ae.traces.collective("all_reduce", 2**24, npus=32), platform)
    told = run.explain(changes=False)
    halved = ae.simulate(run.trace, by_hand(platform, 1, bandwidth=25)).total_ns
    assert told.elasticities["elasticity"]["bandwidth of dimension 1"] == 0
    assert halved > run.total_ns
    assert "bandwidth of dimension 1" not in told.independent_of.index


def test_where_a_latency_changes_nothing_that_is_why_hops_do_not():
    network = ae.Block("Ring", 4, 100, 500), ae.Block("Switch", 8, 50, 700)
    platform = ae.TracePlatform(network, ae.TraceSystem.of(["ring", "halvingDoubling"], splits=4))
    run = ae.simulate(ae.traces.collective("all_reduce", 2**24, npus=32), platform)
    table = run.explain(changes=False).independent_of
    assert table["reason"]["topology of dimension 1"] == "the latency of dimension 1 changes nothing, either"


def test_the_same_number_for_every_topology_is_explained():
    trace = ae.traces.collective("all_reduce", 2**24, npus=8)
    runs = {}
    for topology in ("Ring", "FullyConnected", "Switch"):
        platform = ae.TracePlatform(ae.Block(topology, 8, 50, 500), ae.TraceSystem.of("ring"))
        runs[topology] = ae.simulate(trace, platform)
    said = {
        name: any("these two take the same time" in words for words in run.explain(changes=False).sentences)
        for name, run in runs.items()
    }
    assert said == {"Ring": True, "FullyConnected": True, "Switch": False}
    assert runs["Ring"].total_ns == runs["FullyConnected"].total_ns != runs["Switch"].total_ns


@pytest.mark.parametrize("latency", [0, 500])
def test_without_latencies_hops_make_no_difference(latency):
    told = []
    for topology in ("Ring", "Switch"):
        network = ae.Block(topology, 8, 50, latency)
        run = ae.simulate(
            ae.traces.collective("all_reduce", 2**24, npus=8), ae.TracePlatform(network, ae.TraceSystem.of("direct"))
        )
        told.append(
            (run.total_ns, "how many hops a topology has makes no difference" in repr(run.explain(changes=False)))
        )
    assert (told[0][0] == told[1][0], told[0][1], told[1][1]) == (latency == 0,) * 3
    one = ae.Platform(ae.Dimension.of("Ring", 8, 50, latency), ae.SystemConfig.of("direct", splits=1))
    words = repr(ae.simulate(ae.Workload.micro("all-reduce", 2**20), one).explain(changes=False))
    assert ("how many hops a topology has makes no difference" in words) == (latency == 0)


def test_hidden_communication_and_none_at_all_are_the_reasons():
    def run(size, compute):
        layer = Layer(
            "layer", Work(compute, None, 0), Work(compute, None, 0), Work(0, "all-reduce" if size else None, size)
        )
        return ae.simulate(ae.Workload("DATA", (layer, Layer("first", *[Work(compute, None, 0)] * 3))[::-1]), ring())

    hidden = run(2**16, 10**6).explain(changes=False).independent_of
    assert hidden["reason"]["bandwidth of dimension 0"] == "compute hides all communication"
    assert hidden["reason"]["algorithm of dimension 0"] == "compute hides all communication"
    none = run(0, 10**6).explain(changes=False).independent_of
    assert none["reason"]["topology of dimension 0"] == none["reason"]["splits"] == "nothing is communicated"


@pytest.mark.parametrize("wide", [1, 100])
def test_dimensions_that_the_critical_path_leaves_out_are_named(wide):
    network = (
        ae.Dimension.of("Ring", 4, 1, 500),
        ae.Dimension.of("Ring", 4, wide, 1),
        ae.Dimension.of("Ring", 4, wide, 1),
    )
    platform = ae.Platform(network, ae.SystemConfig.of("ring_ring_ring", splits=16))
    told = ae.simulate(ae.Workload.micro("all-reduce", 2**26), platform).explain(changes=False)
    on_path = {name for segment in told.path if segment.stay for name in [segment.lane]}
    idle = [f"dimension {d}" for d in range(3) if f"dimension {d}" not in on_path]
    said = [words for words in told.sentences if words.startswith("Nothing on the critical path waits for")]
    assert (len(said), [name for name in idle if name.split()[1] not in said[0]]) == (1, []) if idle else not said


def test_replayed_traces_depend_on_durations_alone():
    nodes = [{"id": 0, "type": "COMP_NODE", "duration_micros": 500}]
    nodes.append(
        {"id": 1, "type": "COMM_COLL_NODE", "duration_micros": 7, "attr": {"comm_type": 0, "comm_size": 2**20}}
    )
    system = ae.TraceSystem.of("ring", replay_only=True)
    run = ae.simulate(ae.traces.from_nodes([nodes] * 4), ae.TracePlatform(ae.Block("Ring", 4, 50, 500), system))
    told = run.explain(changes=False)
    assert told.elasticities["elasticity"]["durations of computations"] == pytest.approx(1)
    assert set(told.independent_of["reason"]["bandwidth of dimension 0":].unique()) >= {inputs_of_trace.REPLAYED}


@settings(max_examples=40, deadline=None)
@given(platforms_2.small_platforms(), st.sampled_from(["all_reduce", "all_to_all"]), st.booleans())
def test_any_run_of_a_trace_has_tables(files, collective, congestion_aware):
    run = None
    with contextlib.suppress(ae.ConfigError), warnings.catch_warnings(action="ignore"):
        system = parse_system_2(json.dumps(files["system"]), "sys.json", CustomTraces("sys.json"))
        platform = ae.TracePlatform(parse_network_2(files["network"]), system, congestion_aware=congestion_aware)
        run = ae.simulate(ae.traces.collective(collective, 4096, npus=platform.npus), platform)
    if run and run.total_ns < 2**53:
        told = run.explain(changes=False)
        columns = ["value", "unit", "less", "more", "elasticity", "rounding", "smooth"]
        assert list(told.elasticities.columns) == columns
        assert told.independent_of["tried"].map(bool).all()
