"""What is said of a trace's run: what is true of it, and what can hardly be meant."""

import contextlib
import json
import warnings

import platforms_2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.course.check import ex13
from astra_edu.explain import explain
from astra_edu.explain.of_trace import HALF, TWICE
from astra_edu.formats import parse_network_2, parse_system_2
from astra_edu.formats.custom_traces import CustomTraces
from astra_edu.network.carriers import carrier
from astra_edu.network.graph import GraphNetwork
from astra_edu.system import RemoteMemory

MIB = 2**20


def ring(npus=8, **settings):
    system = {"splits": 4, "local_memory_bandwidth": 1600} | settings
    return ae.TracePlatform(ae.Block("Ring", npus, 50, 500), ae.TraceSystem.of("ring", **system))


def nodes(*listed, npus=8):
    """Every NPU does the same, one after the other: a dict is a node's attributes, a number a computation's µs."""
    own = []
    for k, what in enumerate(listed):
        kind = {"type": "COMP_NODE", "duration_micros": what} if isinstance(what, int) else {"type": "COMM_COLL_NODE"}
        attributes = {} if isinstance(what, int) else {"attr": what}
        own.append({"id": k, "data_deps": [k - 1] if k else [], **kind, **attributes})
    return ae.traces.from_nodes([own] * npus)


def all_reduce(size=MIB, **attributes):
    return {"comm_type": 0, "comm_size": size, **attributes}


def said(trace, platform, **options):
    return repr(explain(ae.simulate(trace, platform), **options))


def test_where_the_time_goes():
    words = said(nodes(100, all_reduce()), ring())
    assert words.startswith("All NPUs finish at 164.440 µs. They compute for 60.8 % of that, communicate for 39.2 %.\n")
    assert "the all-reduce of 1 MiB over 8 NPUs: 64.440 µs, in which an NPU sends 1.75 MiB at least" in words
    assert '26.5 of the 100 "GB/s" (2**30 bytes/s) of its links' in words
    for word in ("both at once", "wait for", "hidden", "have 0 bytes", "ns?", "Dimension"):
        assert word not in words


def test_communication_behind_computation():
    both = [
        {"id": 1, "type": "COMM_COLL_NODE", "attr": all_reduce()},
        {"id": 2, "type": "COMP_NODE", "duration_micros": 100},
    ]
    words = said(ae.traces.from_nodes([both] * 8), ring())
    assert "They compute for 100.0 % of that, communicate for 64.4 %, both at once for 64.4 %." in words
    assert "Communication is hidden behind computation: 0 ns of it is exposed" in words
    assert "was it filled" not in words


def test_computation_a_thousand_times_too_long():
    words = said(nodes(30_000, all_reduce(), 30_000), ring())
    assert "Communication is next to nothing: 64.440 µs of it is exposed" in words
    assert (
        "Computations take 931 times as long as communication. duration_micros is in µs: was it filled with ns?"
        in words
    )


def test_empty_collectives():
    assert "All collectives and messages of NPU 0 have 0 bytes" in said(nodes(all_reduce(0)), ring())
    assert "1 of the 2 collectives and messages of NPU 0 have 0 bytes" in said(
        nodes(all_reduce(0), all_reduce()), ring()
    )


def test_computations_without_a_duration():
    assert "2 computations of NPU 0 have no duration and take 1 ns each" in said(nodes(0, 0, all_reduce()), ring())
    roofline = ring(peak_performance=100, roofline=True)
    timed = {"id": 0, "type": "COMP_NODE", "attr": {"num_ops": 10**9, "tensor_size": 10**6}}
    assert "no duration" not in said(ae.traces.from_nodes([[timed]] * 8), roofline)


def test_nothing_is_communicated():
    words = said(nodes(5), ring())
    assert "Nothing is communicated, so the network makes no difference." in words
    assert "With twice the bandwidth of all links it would take 5000 ns, the same within 1 %." in words


def test_what_a_faster_network_would_save():
    found = explain(ae.simulate(nodes(all_reduce()), ring()))
    twice = ae.TracePlatform(ae.Block("Ring", 8, 100, 500), ring().system)
    near = ae.TracePlatform(ae.Block("Ring", 8, 50, 250), ring(endpoint_delay=5).system)
    expected = [ae.simulate(nodes(all_reduce()), platform).total_ns for platform in (twice, near)]
    assert dict(found.changes) == {TWICE: expected[0], HALF: expected[1]}
    assert "With twice the bandwidth of all links it would take 47.360 µs, 1.36 times as fast." in found.sentences
    assert not explain(ae.simulate(nodes(all_reduce()), ring()), changes=False).changes


def test_bandwidth_makes_no_difference():
    words = "It mostly communicates, and yet bandwidth makes no difference"
    assert words in said(nodes(all_reduce(64)), ring())
    assert words not in said(nodes(all_reduce()), ring())
    assert words not in said(nodes(100, all_reduce(64)), ring())


def test_more_than_the_links_carry():
    switch = ae.TracePlatform(ae.Block("Switch", 16, 50, 500), ae.TraceSystem.of("direct", splits=4))
    work = ae.traces.collective("all_to_all", bytes=2**30, npus=16)
    assert "at least: the messages share links; ASTRA-sim's contention-free model says" in said(work, switch)
    aware = ae.TracePlatform(switch.network, switch.system, congestion_aware=True)
    assert "share links" not in said(work, aware)


def test_what_an_all_gather_sends():
    """Its size is that of an NPU's own block."""
    words = said(ae.traces.collective("all_gather", bytes=MIB, npus=8), ring())
    assert "the all-gather of 1 MiB over 8 NPUs: 151.016 µs, in which an NPU sends 7 MiB at least" in words


TORUS = (ae.Block("Ring", 4, 50, 500), ae.Block("FullyConnected", 2, 25, 500))


def test_a_dimension_that_nothing_crosses():
    words = "Dimension 1, of 2 NPUs, carries nothing"
    few = ae.TracePlatform(TORUS, ae.TraceSystem.of(["ring"]))
    every = ae.TracePlatform(TORUS, ae.TraceSystem.of(["ring", "direct"]))
    assert words in said(nodes(all_reduce()), few)
    assert "over 4 NPUs" in said(nodes(all_reduce()), few)
    assert words not in said(nodes(all_reduce()), every)
    assert '"GB/s" (2**30 bytes/s) of its links' in said(nodes(all_reduce()), every)
    assert "of the 125 " in said(nodes(all_reduce()), every)
    assert words in said(nodes(all_reduce(involved_dim=[True, False])), every)
    flat = ae.TracePlatform(TORUS, ae.TraceSystem.of("oneRing"))
    assert words not in said(nodes(all_reduce()), flat)


def test_several_alike_count_together():
    words = said(nodes(all_reduce(), {"comm_type": 7, "comm_size": MIB}, all_reduce()), ring())
    assert (
        "Most of the communication is 2 all-reduces of 1 MiB over 8 NPUs: 128.880 µs, in which an NPU sends 3.5 MiB"
        in words
    )


def test_process_groups_and_who_is_last():
    groups = {"1": [0, 1, 2], "2": [3]}
    own = [{"id": 1, "type": "COMM_COLL_NODE", "attr": all_reduce(pg_name="1")}]
    alone = [{"id": 1, "type": "COMP_NODE", "duration_micros": 5}]
    words = said(ae.traces.from_nodes([own, own, own, alone], groups), ring(4))
    assert "finishes last, at" in words
    assert "over 3 NPUs" in words


def test_waiting_and_messages():
    pipeline = ae.traces.from_nodes(ex13.pipeline(4, 2, MIB))
    words = said(pipeline, ring(4))
    assert words.startswith("NPU 0 finishes last, at")
    assert "Most of the comm" not in words
    assert "Dimension" not in words


def test_broadcasts_memory_and_replay():
    broadcast = {"id": 1, "type": "COMM_COLL_NODE", "duration_micros": 5, "attr": {"comm_type": 5}}
    load = {"id": 2, "type": "MEM_LOAD_NODE", "data_deps": [1], "attr": {"tensor_size": 64_000}}
    pool = ae.TracePlatform(ring().network, ring().system, RemoteMemory("PER_NPU_MEMORY_EXPANSION", 0, 64))
    words = said(ae.traces.from_nodes([[broadcast, load]] * 8), pool)
    assert "have 0 bytes" not in words
    assert words.startswith("All NPUs finish at 6000 ns. They compute for 0.0 % of that, communicate for 83.3 %.")
    replayed = {"id": 1, "type": "COMM_COLL_NODE", "duration_micros": 5, "attr": {"comm_type": 0}}
    assert "All NPUs finish at 5000 ns" in said(ae.traces.from_nodes([[replayed]] * 8), ring(replay_only=True))


def test_a_change_that_can_not_be_simulated_is_left_out():
    fast = ae.TracePlatform(ae.Block("Ring", 8, 1e15, 500), ring().system)
    assert [what for what, _ in explain(ae.simulate(nodes(all_reduce()), fast)).changes] == [HALF]


def test_a_graph_has_no_links_to_compare_with():
    nx = pytest.importorskip("networkx")
    graph = nx.cycle_graph(4)
    nx.set_edge_attributes(graph, 50, "bandwidth")
    nx.set_edge_attributes(graph, 500, "latency")
    platform = ae.TracePlatform(GraphNetwork(graph), ring().system, congestion_aware=True)
    found = explain(ae.simulate(nodes(all_reduce(), npus=4), platform))
    assert "sends 1.5 MiB at least." in repr(found)
    assert not found.changes


def test_the_page_of_a_notebook_is_escaped():
    html = explain(ae.simulate(nodes(all_reduce()), ring()))._repr_html_()
    assert html.startswith("<div><p><strong>All NPUs finish at")
    assert "&quot;GB/s&quot;" in html


@settings(max_examples=60, deadline=None)
@given(platforms_2.small_platforms(), st.sampled_from(["all_reduce", "all_gather", "all_to_all"]), st.booleans())
def test_something_is_said_of_every_run(files, collective, congestion_aware):
    result = None
    with contextlib.suppress(ae.ConfigError), warnings.catch_warnings(action="ignore"):
        system = parse_system_2(json.dumps(files["system"]), "sys.json", CustomTraces("sys.json"))
        platform = ae.TracePlatform(parse_network_2(files["network"]), system, congestion_aware=congestion_aware)
        result = ae.simulate(ae.traces.collective(collective, bytes=4096, npus=platform.npus), platform)
    if result and result.total_ns < 2**53:
        assert len(explain(result).sentences) >= 2


def test_a_change_that_slows_a_run_down_is_said_to_do_so():
    run = ae.simulate(nodes(all_reduce()), ring(), record=True)
    slower = ae.TracePlatform(ae.Block("Ring", 8, 5, 5000), ring().system)
    assert "times as long" in run.explain([ae.Change("slow links", platform=slower)]).sentences[-1]


def test_a_run_on_a_network_of_its_own_is_not_compared_with_runs_on_another():
    where = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring"))
    trace = ae.traces.collective("all_reduce", 2**20, npus=4)
    run = ae.simulate(trace, where, network=lambda platform: carrier(platform.network, True))
    assert run.explain().changes == ()
    assert ae.simulate(trace, where).explain().changes != ()
    with pytest.raises(ae.ConfigError, match="simulate it yourself and compare"):
        run.explain(changes=[ae.Change("the same", platform=where)])
