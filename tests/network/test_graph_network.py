"""Graphs as networks: the same times as blocks, shortest ways, and what is said of graphs that are no networks."""

import random
from itertools import pairwise

import pytest

pytest.importorskip("networkx")

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.network.as_graph import as_graph, block_links, links_of
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.links import route_of

TOPOLOGIES = ("Ring", "Switch", "FullyConnected")
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")


def system(algorithm, **more):
    return ae.TraceSystem.of(algorithm, **more)


def all_reduce(network, algorithm="ring", size=1 << 20, aware=True, **more):
    platform = ae.TracePlatform(network, system(algorithm, **more), congestion_aware=aware)
    return ae.simulate(ae.traces.collective("all_reduce", size, platform.npus), platform)


def cycle(npus, bandwidth=50, latency=500):
    graph = nx.cycle_graph(npus)
    nx.set_edge_attributes(graph, {edge: {"bandwidth": bandwidth, "latency": latency} for edge in graph.edges})
    return graph


def tree(tors=2, per=2, spines=2):
    graph = nx.Graph()
    for npu in range(tors * per):
        graph.add_edge(npu, f"ToR {npu // per}", bandwidth=50, latency=500)
    for tor in range(tors):
        graph.add_edges_from([(f"ToR {tor}", f"spine {s}") for s in range(spines)], bandwidth=50, latency=700)
    return graph


@settings(max_examples=15, deadline=None)
@given(
    topology=st.sampled_from(TOPOLOGIES),
    power=st.integers(1, 4),
    algorithm=st.sampled_from(("ring", "direct", "halvingDoubling", "doubleBinaryTree")),
    collective=st.sampled_from(COLLECTIVES),
    size=st.integers(1000, 10**7),
    bandwidth=st.floats(0.5, 500),
    latency=st.integers(0, 3000),
    splits=st.integers(1, 3),
    active=st.integers(1, 3),
    aware=st.booleans(),
)
def test_a_block_as_a_graph_takes_as_long(
    topology, power, algorithm, collective, size, bandwidth, latency, splits, active, aware
):
    block = ae.Block(topology, 2**power, bandwidth, latency)
    how = system(algorithm, splits=splits, active_chunks=active, local_memory_bandwidth=1000)
    trace = ae.traces.collective(collective, size, block.npus)
    times = [
        ae.simulate(trace, ae.TracePlatform(network, how, congestion_aware=aware), everyone=True).finish_ns
        for network in (block, GraphNetwork(as_graph(block)))
    ]
    assert times[0] == times[1]


def test_the_public_regression_test_of_astra_sim_as_an_undirected_graph():
    result = all_reduce(GraphNetwork(cycle(8)), splits=4, local_memory_bandwidth=50)
    assert result.finish_ns == (117_780,) * 8
    assert not result.one_for_all  # nobody has shown that all NPUs of a graph are alike


@pytest.mark.parametrize("npus", [3, 4, 7, 8])
def test_a_ring_of_any_size_goes_as_a_block_does(npus):
    block = ae.Block("Ring", npus, 50, 500)
    graph = GraphNetwork(cycle(npus))
    for source in range(npus):
        for destination in set(range(npus)) - {source}:
            assert graph.route(source, destination) == [
                (name, ae.Block("FullyConnected", 2, 50, 500)) for name, _ in route_of((block,), source, destination)
            ]


def test_two_dimensions_with_their_ways_take_as_long_as_blocks():
    blocks = ae.Block("Ring", 4, 50, 500), ae.Block("Switch", 3, 20, 700)
    routes = {}
    for source in range(12):
        for destination in set(range(12)) - {source}:
            links = [name for name, _ in route_of(blocks, source, destination)]
            routes[source, destination] = [links[0][0], *(head for _, head in links)]
    graph = GraphNetwork(as_graph(blocks), dims=(4, 3), routes=routes)
    how = system(["ring", "direct"], splits=3, optimization="localBWAware", local_memory_bandwidth=100)
    trace = ae.traces.collective("all_reduce", 3_000_001, 12)
    found = [ae.simulate(trace, ae.TracePlatform(n, how, congestion_aware=True)).finish_ns for n in (blocks, graph)]
    assert found[0] == found[1]


@pytest.mark.parametrize("seed", range(10))
def test_ways_are_as_short_as_those_of_networkx(seed):
    rng = random.Random(seed)
    graph = nx.gnm_random_graph(14, 30, seed=seed, directed=True)
    graph.add_edges_from(pairwise([*range(14), 0]))
    for *_, attributes in graph.edges(data=True):
        attributes |= {"bandwidth": rng.choice([10, 50]), "latency": rng.randrange(5)}
    for shortest, weight in (("latency", "latency"), ("hops", None)):
        network = GraphNetwork(graph, npus=9, shortest=shortest)
        for source in range(9):
            for destination in set(range(9)) - {source}:
                way = [int(node) for node in network.way(source, destination)]
                best = nx.shortest_path_length(graph, source, destination, weight=weight)
                assert nx.path_weight(graph, way, "latency") == best if weight else len(way) - 1 == best


def test_ties_go_to_the_next_npu_or_first_switch_or_spread():
    graph = GraphNetwork(tree(2, 3, 12))
    assert graph.way(0, 3) == graph.way(0, 3)
    assert {graph.way(0, npu)[2] for npu in (3, 4, 5)} == {"spine 0"}
    spread = GraphNetwork(tree(2, 3, 12), ties="spread")
    assert [spread.way(0, npu)[2] for npu in (3, 4, 5)] == ["spine 3", "spine 4", "spine 5"]  # 10 comes after 9
    assert GraphNetwork(cycle(6)).way(4, 1) == [4, 5, 0, 1]
    assert GraphNetwork(cycle(6)).way(1, 4) == [1, 2, 3, 4]


def test_fewest_hops_or_least_latency():
    graph = nx.Graph()
    graph.add_edge(0, 1, bandwidth=1, latency=100)
    graph.add_edge(0, "a", bandwidth=1, latency=10)
    graph.add_edge("a", 1, bandwidth=1, latency=10)
    assert GraphNetwork(graph).way(0, 1) == [0, "a", 1]
    assert GraphNetwork(graph, shortest="hops").way(0, 1) == [0, 1]
    graph.edges[0, 1]["latency"] = 20
    assert GraphNetwork(graph).way(0, 1) == [0, 1]  # as much latency, fewer hops
    assert GraphNetwork(graph, routes={(0, 1): [0, "a", 1]}).way(0, 1) == [0, "a", 1]
    assert GraphNetwork(graph, routes={(0, 1): [0, "a", 1]}).way(1, 0) == [1, 0]


def test_links_without_latency_are_no_trap():
    graph = nx.complete_graph(5)
    nx.set_edge_attributes(graph, {edge: {"bandwidth": 1, "latency": 0} for edge in graph.edges})
    assert GraphNetwork(graph).way(3, 1) == [3, 1]


def test_a_message_that_nothing_delays():
    graph = nx.Graph()
    graph.add_edge(0, "a", bandwidth=10, latency=100)
    graph.add_edge("a", 1, bandwidth=5, latency=50.5)
    network = GraphNetwork(graph)
    size, slowest = 10**6, 5 * 2**30 / 1e9
    assert network.message_ns(0, 1, size) == int(150.5 + size / slowest)
    work = ae.traces.collective("all_gather", size, 2)
    assert ae.simulate(work, ae.TracePlatform(network, system("direct"))).total_ns == 20 + int(150.5 + size / slowest)
    stored = int(100 + size / (2 * slowest)) + int(50.5 + size / slowest)
    aware = ae.TracePlatform(network, system("direct"), congestion_aware=True)
    assert ae.simulate(work, aware).total_ns == 20 + max(
        stored, int(50.5 + size / slowest) + int(100 + size / (2 * slowest))
    )


def test_each_direction_may_have_a_link_of_its_own():
    graph = nx.DiGraph()
    graph.add_edge(0, 1, bandwidth=10, latency=1)
    graph.add_edge(1, 0, bandwidth=5, latency=2)
    links = GraphNetwork(graph).links
    assert [(links[name].bandwidth, links[name].latency) for name in ((0, 1), (1, 0))] == [(10, 1), (5, 2)]


def test_logical_dimensions_on_one_physical_network():
    flat, two = (
        all_reduce(GraphNetwork(tree(4, 4), dims=dims), how, size=1 << 24, optimization="localBWAware")
        for dims, how in (((), "ring"), ((4, 4), ["ring", "ring"]))
    )
    assert two.platform.dims == (4, 4)
    assert two.platform.npus == flat.platform.npus == 16
    assert two.total_ns < flat.total_ns  # fewer steps
    assert GraphNetwork(tree(4, 4), dims=16).dims == (16,)


def test_numbers_for_switches_as_in_files_of_ns_3():
    graph = nx.Graph()
    for npu in range(4):
        graph.add_edge(npu, 4, bandwidth=50, latency=500)
    assert GraphNetwork(graph, npus=4).nodes == [0, 1, 2, 3, "4"]
    assert (
        all_reduce(GraphNetwork(graph, npus=4), "direct").total_ns
        == all_reduce(ae.Block("Switch", 4, 50, 500), "direct").total_ns
    )


def test_a_process_group_runs_over_the_graph():
    attr = {"comm_type": 0, "comm_size": 1 << 20, "pg_name": "1"}
    nodes = [[{"id": 1, "type": "COMM_COLL_NODE", "attr": attr}] if npu in (1, 3) else [] for npu in range(4)]
    trace = ae.traces.from_nodes(nodes, {"1": [1, 3]})
    result = ae.simulate(
        trace, ae.TracePlatform(GraphNetwork(cycle(4)), system("ring"), congestion_aware=True), record=True
    )
    assert {use.link for use in result.uses} == {(1, 2), (2, 3), (3, 0), (0, 1)}


def test_the_graph_is_read_once():
    graph = cycle(4)
    network = GraphNetwork(graph)
    graph.remove_node(2)
    graph.edges[0, 1]["bandwidth"] = 1
    assert len(network.links) == 8
    assert network.links[0, 1].bandwidth == 50


def test_every_link_of_blocks_is_listed():
    assert len(block_links((ae.Block("Ring", 5, 50, 500),))) == 10
    assert len(block_links((ae.Block("Ring", 2, 50, 500),))) == 2
    assert len(block_links((ae.Block("FullyConnected", 5, 50, 500),))) == 20
    two = ae.Block("Switch", 3, 50, 500), ae.Block("Ring", 4, 20, 700)
    assert len(block_links(two)) == 2 * 12 + 2 * 12
    platform = ae.TracePlatform(GraphNetwork(tree()))
    assert len(links_of(platform.network)) == 2 * tree().number_of_edges()


BAD = [
    (lambda: GraphNetwork(nx.path_graph(3)), "the edge from 0 to 1 has no bandwidth"),
    (lambda: GraphNetwork("ring"), "give a NetworkX graph"),
    (lambda: GraphNetwork(nx.MultiGraph(cycle(3))), "one edge with the sum of bandwidths"),
    (lambda: GraphNetwork(nx.relabel_nodes(cycle(4), {2: 7})), "has no node 2; its 4 NPUs should be the nodes 0 to 3"),
    (lambda: GraphNetwork(nx.relabel_nodes(cycle(4), {2: "x"})), "has no node 2; its 3 NPUs"),
    (lambda: GraphNetwork(cycle(4), npus=5), "has no node 4"),
    (lambda: GraphNetwork(nx.Graph()), "it needs 2 at least"),
    (
        lambda: GraphNetwork(nx.union(cycle(3), nx.relabel_nodes(cycle(3), lambda n: n + 3))),
        "no way from NPU 0 to NPU 3",
    ),
    (lambda: GraphNetwork(_one_way()), "no way from NPU 1 to NPU 0"),
    (lambda: GraphNetwork(_with(cycle(3), 0, 0)), "is a loop"),
    (lambda: GraphNetwork(cycle(3, bandwidth=0)), "the edge from 0 to 1: bandwidth is 0"),
    (lambda: GraphNetwork(cycle(3, latency=-1)), "the edge from 0 to 1: latency is -1"),
    (lambda: GraphNetwork(cycle(3, bandwidth="fast")), "the edge from 0 to 1: bandwidth is 'fast'"),
    (lambda: GraphNetwork(cycle(4), dims=(2, 3)), "which makes 6 NPUs; the graph has 4"),
    (lambda: GraphNetwork(cycle(4), dims=("a",)), "dims is 'a'"),
    (lambda: GraphNetwork(cycle(4), shortest="latencies"), "did you mean 'latency'"),
    (lambda: GraphNetwork(cycle(4), ties="spred"), "did you mean 'spread'"),
    (lambda: GraphNetwork(cycle(4), routes={(0, 2): [0, 1]}), "doesn't lead from one end"),
    (lambda: GraphNetwork(cycle(4), routes={(0, 2): [0, 9, 2]}), "over 9, which is no node"),
    (lambda: GraphNetwork(cycle(4), routes={(0, 2): [0, 2]}), "from 0 to 2, where there is no link"),
    (lambda: GraphNetwork(_with(_with(cycle(3), 0, ("a",)), 0, "('a',)")), "two switches are called"),
    (lambda: ae.TracePlatform(GraphNetwork(cycle(4)), system("ring", inter_dimension="themis")), "Themis"),
    (lambda: all_reduce(GraphNetwork(cycle(4)), ["ring", "ring"]), "the network has 1 dimensions"),
    (lambda: all_reduce((GraphNetwork(cycle(4)),)), "or a GraphNetwork"),
]


def _with(graph, a, b):
    graph.add_edge(a, b, bandwidth=50, latency=500)
    return graph


def _one_way():
    graph = nx.DiGraph()
    graph.add_edge(0, 1, bandwidth=50, latency=500)
    return graph


@pytest.mark.parametrize(("build", "words"), BAD)
def test_what_is_no_network_is_told_why(build, words):
    with pytest.raises(ae.ConfigError) as error:
        build()
    assert words in str(error.value)
