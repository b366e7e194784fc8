"""Synthesized collectives: proved on random graphs, never below the bound, optimal where the optimum is known."""

import random
from collections import defaultdict
from itertools import combinations

import networkx as nx
import pytest
from halves import half

import astra_edu as ae
from astra_edu.explore.synthesis import lower_bound_ns
from astra_edu.explore.synthesis.stepped import _candidates, in_steps, stepped_ns
from astra_edu.explore.synthesis.ways import one_dimension, ways_of

pytestmark = pytest.mark.usefixtures("registries")

COLLECTIVES = ("all-gather", "reduce-scatter", "all-reduce")


def graph_of(seed, alike=False):
    """A strongly connected directed graph of 3 to 10 NPUs, with switches in some."""
    choose = random.Random(seed)
    npus = choose.randint(3, 10)
    graph = nx.gnp_random_graph(npus, choose.uniform(0.1, 0.6), seed=seed, directed=True)
    graph.add_edges_from((npu, (npu + 1) % npus) for npu in range(npus))
    if seed % 3 == 0:
        for npu in choose.sample(range(npus), 3):
            graph.add_edges_from([(npu, "switch"), ("switch", npu)])
    for edge in graph.edges:
        bandwidth, latency = (50, 500) if alike else (choose.choice([12, 25, 50, 100]), choose.choice([0, 300, 2000]))
        graph.edges[edge].update(bandwidth=bandwidth, latency=latency)
    return ae.GraphNetwork(graph)


def made_for(seed, tries=3, **more):
    choose = random.Random(f"what for {seed}")
    size, parts = choose.choice([2**16, 2**20, 10**7]), choose.choice([1, 2, 3])
    network = graph_of(seed, **more)
    return ae.synthesize(COLLECTIVES[seed % 3], network, size, parts=parts, tries=tries, seed=seed)


@pytest.mark.parametrize("seed", half(range(60)))
def test_it_is_proved_counted_and_simulated_on_random_graphs_and_never_faster_than_the_bound(seed):
    made = made_for(seed)
    ae.prove(made)
    each_gets = (made.npus - 1) * made.shards * (2 if made.collective == "all-reduce" else 1)
    assert sum(len(step.transfers) for step in made.steps()) == each_gets
    as_steps, as_trace = made.simulated_ns(), made.simulated_ns(steps=False)
    assert made.bound_ns <= min(made.planned_ns, made.matched_ns, as_steps, as_trace)
    if not any(isinstance(node, str) for node in made.network.nodes):
        assert as_steps == made.planned_ns
        assert as_trace <= made.matched_ns
        if made.collective != "all-reduce":  # of which one half begins before the other is over
            assert as_trace == made.matched_ns


def test_the_headline_has_the_time_in_steps_and_the_one_without():
    made = made_for(3)
    assert made.collective == "all-gather"
    ends = (made.simulated_ns(), "in steps"), (made.simulated_ns(steps=False), "without")
    said = [f"{ns / 1000:,.3f} µs (efficiency {made.bound_ns / ns:.2f}) {how}" for ns, how in ends]
    assert repr(made).endswith(f" steps, 18 shards; {', '.join(said)}>")
    assert said[0] != said[1]


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_shards_that_take_no_time_stay_in_order(collective):
    """One NPU hands on in the same ns what it has just got; backwards, it must have got all before."""
    graph = nx.path_graph(6, create_using=nx.DiGraph).to_undirected().to_directed()
    for tail, head in graph.edges:
        graph.edges[tail, head].update(bandwidth=400, latency=300 * (min(tail, head) == 2))
    made = ae.synthesize(collective, ae.GraphNetwork(graph), 60, tries=4)
    ae.prove(made)
    assert made.bound_ns <= made.simulated_ns() == made.planned_ns
    with pytest.raises(ae.ConfigError, match="give more bytes"):
        ae.synthesize(collective, ae.Block("Ring", 6, 400, 0), 60)


def test_a_bound_is_no_more_than_a_time_that_was_reached():
    """Sums of parts of a ns were more by 1e-11."""
    graph = nx.DiGraph([(0, 1), (1, 0)])
    for bandwidth in range(1, 60):
        for edge in graph.edges:
            graph.edges[edge].update(bandwidth=bandwidth, latency=0)
        made = ae.synthesize("all-reduce", ae.GraphNetwork(graph), 2**16, tries=1)
        assert made.bound_ns <= made.matched_ns
        assert made.efficiency <= 1


@pytest.mark.parametrize("seed", range(40, 56))
def test_where_links_are_alike_steps_cost_nothing(seed):
    made = made_for(seed, alike=True)
    if not any(isinstance(node, str) for node in made.network.nodes):
        assert made.planned_ns <= made.matched_ns
        assert made.simulated_ns() == made.planned_ns


@pytest.mark.parametrize("seed", range(12))
def test_no_link_has_two_shards_at_once_neither_in_the_plan_nor_in_a_step(seed):
    made = made_for(seed)
    ways = {(way.source, way.destination): way.links for way in ways_of(made.network)}
    for step in made.steps():
        links = [link for source, to, _ in step.transfers for link in ways[source, to]]
        assert len(links) == len(set(links))
    busy = defaultdict(list)
    for each in made.matched:
        for link in each.way.links:
            busy[link].append((each.start_ns, each.end_ns))
    for spans in busy.values():
        assert all(before[1] <= after[0] for before, after in zip(sorted(spans), sorted(spans)[1:], strict=False))


def test_the_same_seed_gives_the_same_schedule():
    one, again, other = (ae.synthesize("all-reduce", graph_of(5), 2**20, tries=2, seed=seed) for seed in (1, 1, 2))
    said = [[step.transfers for step in made.steps()] for made in (one, again, other)]
    assert said[0] == said[1] != said[2]
    assert one.matched == again.matched


@pytest.mark.parametrize("collective", ["all-gather", "reduce-scatter"])
@pytest.mark.parametrize(
    ("topology", "npus", "parts", "steps"),
    [
        ("Ring", 8, 1, 4),  # 7 shards over two links
        ("Ring", 9, 1, 4),
        ("Ring", 5, 3, 6),
        ("FullyConnected", 7, 1, 1),
        ("Torus4x4", 16, 1, 4),  # 15 shards over four links
        ("Torus4x4", 16, 4, 15),
        ("Hypercube", 8, 1, 3),
        ("Mesh3x3", 9, 2, 8),  # 16 shards over the two links of a corner
    ],
)
def test_the_known_optimum_is_reached(collective, topology, npus, parts, steps):
    block = ae.Block(topology, npus, 50, 500)
    made = ae.synthesize(collective, block, parts * npus * 2**16, parts=parts, tries=40)
    assert made.step_count == steps
    assert made.planned_ns <= steps * block.crossing_ns(made.shard_bytes)  # a link takes on while a latency passes


def test_on_a_torus_of_9_it_may_lose_a_step():
    made = ae.synthesize("all-gather", ae.Block("Torus3x3", 9, 50, 500), 2**20, tries=50)
    assert made.step_count <= 3  # 8 shards over four links: two steps, where every match of a try is perfect


@pytest.mark.parametrize("parts", [1, 4])
def test_on_a_torus_of_64_it_is_near_the_optimum(parts):
    made = ae.synthesize("all-gather", ae.Block("Torus8x8", 64, 50, 500), 2**20, parts=parts, tries=2)
    assert -(-63 * parts // 4) <= made.step_count <= -(-63 * parts // 4) + 2


def brute_force_cut_ns(network, shards_of, shard_bytes):
    """The worst of all sets of nodes: what must get in, over the links in, and the smallest of their latencies."""
    worst = 0
    for count in range(1, len(network.nodes)):
        for group in map(set, combinations(network.nodes, count)):
            inside = sum(isinstance(node, int) for node in group)
            over = [block for (tail, head), block in network.links.items() if head in group and tail not in group]
            if inside and over and shards_of(inside):
                rate = sum(1 / block.occupied_ns(shard_bytes) for block in over)
                lag = min(block.crossing_ns(shard_bytes) - block.occupied_ns(shard_bytes) for block in over)
                worst = max(worst, shards_of(inside) / rate + lag)
    return worst


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_is_no_less_than_that_of_the_worst_cut(seed):
    network, parts = graph_of(seed), 2
    if len(network.nodes) > 9:
        pytest.skip("too many sets")
    worst = brute_force_cut_ns(network, lambda inside: (network.npus - inside) * parts, 2**20)
    least = min(block.crossing_ns(2**20) - block.occupied_ns(2**20) for block in network.links.values())
    most = max(block.crossing_ns(2**20) - block.occupied_ns(2**20) for block in network.links.values())
    found = lower_bound_ns(network, ae.Collective.ALL_GATHER, 2**20, parts)
    assert found >= (worst - most + least) * (1 - 1e-6)


@pytest.mark.parametrize(
    ("collective", "network", "bound"),
    [
        ("all-gather", ae.Block("Ring", 8, 50, 0), 4 * 19531),  # 7 shards one by one over two links
        ("all-reduce", ae.Block("Ring", 8, 50, 0), 7 * 19531),  # 2 x 7 x 8 shards over 16 links
        ("all-reduce", ae.Block("Switch", 4, 50, 0), 6 * 19531),  # 2 x 3 x 4 over 4 links up
        ("reduce-scatter", ae.Block("FullyConnected", 5, 50, 500), 20031),
    ],
)
def test_bounds_by_hand(collective, network, bound):
    assert lower_bound_ns(one_dimension(network), ae.Collective(collective), 2**20) == pytest.approx(bound, rel=1e-9)


def test_every_engine_runs_it_once_it_is_registered():
    made = ae.synthesize("all-reduce", ae.Block("Ring", 8, 50, 500), 2**20, tries=2)
    ae.register_algorithm("made-for-a-ring", made)
    again = ae.schedule("all-reduce", "made-for-a-ring", 8)
    assert [step.transfers for step in again.steps()] == [step.transfers for step in made.steps()]
    assert ae.counts(again, 2**20).total == 2 * 7 * 2**20
    dimension = ae.Dimension.of("Ring", 8, 50, 500)
    one_way = 8 * (dimension.message_ns(2**17) + 10) + 10 + 4 * 3 * 119  # 1.0: both directions for each message
    assert ae.time_schedule(again, dimension, 2**20).total_ns == pytest.approx(one_way, rel=0.1)
    platform = ae.Platform(dimension, ae.SystemConfig.of("made-for-a-ring", splits=1))
    assert ae.simulate(ae.Workload.micro("all-reduce", 2**20), platform).total_ns > 8 * 500
    trace, totals = ae.traces.collective("all_reduce", 2**20, npus=8), []
    for network in (ae.Block("Ring", 8, 50, 500), made.network):
        for aware in (False, True):
            system = ae.TraceSystem.of("made-for-a-ring", splits=1, endpoint_delay=0)
            totals.append(ae.simulate(trace, ae.TracePlatform(network, system, congestion_aware=aware)).total_ns)
    assert totals == [made.planned_ns] * 4


def test_the_player_plays_it():
    pytest.importorskip("anywidget")
    made = ae.synthesize("all-gather", ae.Block("Mesh3x3", 9, 50, 500), 2**20, tries=2)
    ae.register_algorithm("made-for-a-mesh", made)
    assert ae.Player(ae.schedule("all-gather", "made-for-a-mesh", 9))


def test_a_message_takes_the_way_that_was_planned():
    graph = nx.DiGraph()
    graph.add_edges_from([(0, 1), (1, 2), (2, 0)], bandwidth=50, latency=100)
    graph.add_edge(0, 2, bandwidth=50, latency=5000)  # further than round over NPU 1
    made = ae.synthesize("all-gather", ae.GraphNetwork(graph), 2**20)
    assert ae.GraphNetwork(graph).way(0, 2) == [0, 1, 2]
    assert made.network.way(0, 2) == [0, 2]
    assert made.simulated_ns() == made.planned_ns


def test_on_links_that_differ_it_beats_what_knows_no_links():
    network = ae.Block("Ring", 4, 200, 300), ae.Block("Ring", 4, 25, 700)
    table = ae.synthesize("all-reduce", network, "16 MiB", parts=2, tries=4).compared()
    assert list(table.index[:2]) == ["synthesized, as a trace", "synthesized"]
    assert {"ring", "direct", "double-binary-tree"} <= set(table.index)
    assert table["efficiency"].max() <= 1
    assert (table["total (µs)"] * table["efficiency"]).round(3).nunique() == 1  # all of one bound


def test_links_that_differ_lose_less_in_mended_steps():
    network = ae.Block("Ring", 4, 100, 500), ae.Block("Ring", 4, 25, 700)
    made = ae.synthesize("all-gather", network, 2**20, parts=2, tries=4)
    links, shard_bytes = made.network.links, made.shard_bytes
    mended, _ = in_steps(made.matched, links, shard_bytes)
    unmended = stepped_ns(next(_candidates(made.matched)), links, shard_bytes)
    assert made.matched_ns < mended < unmended


def test_what_cannot_be_synthesized_is_said():
    ring = ae.Block("Ring", 4, 50, 500)
    for arguments, said in (
        (("all-to-all", ring), "collective"),
        (("all-gather", "Ring"), "network is 'Ring'"),
        (("all-gather", ring, 1, 2), "shards of less than a byte"),
        (("all-gather", ring, 2**40, 2**20), "is the most"),
    ):
        with pytest.raises(ae.ConfigError, match=said):
            ae.synthesize(*arguments)
