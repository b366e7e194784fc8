"""Exercise 12: what its words rely on, and what is special about its checks."""

import random
from itertools import pairwise

import pytest
from answers.ex12 import GIB, arrival, crossing, load

pytest.importorskip("networkx")

import networkx as nx

import astra_edu as ae
from astra_edu.course.check import ex12
from astra_edu.course.check.ex12.cases import ALGORITHMS, CASES, fastest, hops, racks, time_ns, traffic
from astra_edu.network.graph import GraphNetwork


@pytest.mark.parametrize("letter", CASES)
def test_one_algorithm_is_clearly_the_fastest(letter):
    times = sorted(time_ns(letter, algorithm) for algorithm in ALGORITHMS)
    assert times[1] > 1.1 * times[0]
    assert {fastest(letter) for letter in CASES} == set(ALGORITHMS)


def test_the_guess_is_answered_with_the_tutorials_ratio():
    verdict = ex12.predicted_factor(lambda: 60)
    assert verdict.guess
    assert "63.19" in verdict.message  # as 40,008.217 to 633.217 µs, less what 1.0 takes for memory


@pytest.mark.parametrize("seed", range(20))
def test_a_message_arrives_when_the_simulator_says(seed):
    """Question 1's way as a graph from NPU 0 to NPU 1; for each link two more NPUs, whose message keeps it busy."""
    case = hops(random.Random(seed))
    links, later = case["links"], 1000
    way = [0, *(f"switch {k}" for k in range(1, len(links))), 1]
    graph = nx.DiGraph()
    nodes = [[{"id": 1, "type": "COMP_NODE", "duration_micros": later // 1000}, _send(0, 1, case["size"], after=1)]]
    nodes.append([_receive(0, 1, case["size"])])
    for k, (link, (bandwidth, latency)) in enumerate(zip(pairwise(way), links, strict=True)):
        source, sink = 2 + 2 * k, 3 + 2 * k
        graph.add_edge(*link, bandwidth=bandwidth, latency=latency)
        graph.add_edges_from([(source, link[0]), (link[1], sink)], bandwidth=1e9, latency=0)
        size = int((case["free_ns"][k] + later) * bandwidth * GIB / 1e9) if case["free_ns"][k] else 0
        nodes += [[_send(source, sink, size)], [_receive(source, sink, size)]] if size else [[], []]
    for npu in range(len(nodes)):  # or there would be no way back
        graph.add_edge(npu, "back", bandwidth=1, latency=1e9)
        graph.add_edge("back", npu, bandwidth=1, latency=1e9)
    platform = ae.TracePlatform(GraphNetwork(graph), congestion_aware=True)
    found = ae.simulate(ae.traces.from_nodes(nodes), platform).finish_ns[1] - later
    assert found == pytest.approx(arrival(**case), abs=3 * len(links))


def _send(source, destination, size, after=None):
    deps = [] if after is None else [after]
    return {"id": 2, "type": "COMM_SEND_NODE", "data_deps": deps, "attr": _ends(source, destination, size)}


def _receive(source, destination, size):
    return {"id": 2, "type": "COMM_RECV_NODE", "attr": _ends(source, destination, size)}


def _ends(source, destination, size):
    return {"comm_src": source, "comm_dst": destination, "comm_size": size, "comm_tag": source}


@pytest.mark.parametrize("npus", [4, 5, 6, 9, 16])
def test_the_ring_carries_as_many_messages_as_question_3_says(npus):
    platform = ae.TracePlatform(ae.Block("Ring", npus, 50, 500), ae.TraceSystem.of("direct"), congestion_aware=True)
    result = ae.simulate(ae.traces.collective("reduce_scatter", 1 << 20, npus), platform, record=True)
    clockwise = [use for use in result.uses if use.link == (0, 1)]
    assert len(clockwise) == crossing(npus)


def test_cases_have_one_bottleneck():
    for seed in range(50):
        case = traffic(random.Random(seed))
        times = sorted(size / case["bandwidths"][link] for link, size in load(case["messages"]).items())
        assert times[-1] > times[-2]


def test_racks_are_as_the_exercise_says():
    graph = racks()
    assert sorted(node for node in graph if isinstance(node, int)) == list(range(8))
    assert graph.degree["ToR 0"] == 5
