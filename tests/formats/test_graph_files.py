"""A network that is a graph, saved and loaded: node-link JSON."""

import contextlib
import json
import random

import pytest

import astra_edu as ae
from astra_edu.formats import format_graph, parse_graph
from astra_edu.network.as_graph import as_graph

nx = pytest.importorskip("networkx")


def fat_tree(directed=False):
    graph = nx.DiGraph() if directed else nx.Graph()
    for npu in range(4):
        graph.add_edge(npu, f"leaf {npu // 2}", bandwidth=50, latency=500)
        graph.add_edge(f"leaf {npu // 2}", npu, bandwidth=40.5 if directed else 50, latency=500)
    for leaf in range(2):
        for spine in range(2):
            graph.add_edge(f"leaf {leaf}", f"spine {spine}", bandwidth=25, latency=700.25)
            graph.add_edge(f"spine {spine}", f"leaf {leaf}", bandwidth=25, latency=700.25)
    return graph


NETWORKS = {
    "plain": ae.GraphNetwork(fat_tree()),
    "one way faster than the other": ae.GraphNetwork(fat_tree(directed=True)),
    "settings": ae.GraphNetwork(
        fat_tree(),
        dims=(2, 2),
        shortest="hops",
        ties="spread",
        routes={(0, 3): [0, "leaf 0", "spine 1", "leaf 1", 3]},
    ),
    "switches that are numbers": ae.GraphNetwork(nx.relabel_nodes(fat_tree(), {"leaf 0": 4, "leaf 1": 5}), npus=4),
    "a torus": ae.GraphNetwork(as_graph(ae.Block("Torus", 16, 50, 500))),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_what_is_saved_is_what_is_loaded(name, tmp_path):
    network = NETWORKS[name]
    how = ae.TraceSystem.of(["ring"] * len(network.dims), endpoint_delay=7, splits=2)
    platform = ae.TracePlatform(network, how, congestion_aware=True)
    with pytest.warns(UserWarning, match="ASTRA-sim reads no graphs"):
        ae.save_astra_sim(platform, network=tmp_path / "net.json", system=tmp_path / "sys.json")
    loaded = ae.load_astra_sim(tmp_path / "net.json", tmp_path / "sys.json", congestion_aware=True)
    assert loaded.network == network
    assert hash(loaded.network) == hash(network)
    assert {link: (b.bandwidth, b.latency) for link, b in loaded.network.links.items()} == {
        link: (b.bandwidth, b.latency) for link, b in network.links.items()
    }
    npus = range(network.npus)
    assert all(loaded.network.way(a, b) == network.way(a, b) for a in npus for b in npus if a != b)
    trace = ae.traces.collective("all_reduce", 1 << 20, network.npus)
    assert ae.simulate(trace, loaded).finish_ns == ae.simulate(trace, platform).finish_ns
    assert format_graph(loaded.network) == format_graph(network)


def test_networks_that_differ_are_not_equal():
    for a in NETWORKS:
        for b in NETWORKS:
            assert (NETWORKS[a] == NETWORKS[b]) == (a == b)
    assert NETWORKS["plain"] != "plain"


@pytest.mark.parametrize("key", ["edges", "links"])
@pytest.mark.parametrize("directed", [False, True])
def test_networkx_reads_it_and_is_read(key, directed):
    graph = fat_tree(directed)
    text = json.dumps(nx.node_link_data(graph, edges=key))
    network = parse_graph(text)
    assert network == ae.GraphNetwork(graph)
    back = nx.node_link_graph(json.loads(format_graph(network)), edges="edges")
    assert dict(back.adj) == dict(graph.adj)


def test_each_edge_is_a_line():
    text = format_graph(NETWORKS["plain"])
    assert text.count('{"source"') == 8
    assert '    {"source": 0, "target": "leaf 0", "bandwidth": 50.0, "latency": 500.0},\n' in text


EDGE = {"source": 0, "target": 1, "bandwidth": 50, "latency": 500}
GOOD = {"directed": False, "multigraph": False, "graph": {}, "nodes": [{"id": 0}, {"id": 1}], "edges": [EDGE]}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"directed": 1}, "net.json: directed is 1; it must be true or false"),
        ({"multigraph": True}, "net.json is a multigraph"),
        ({"nodes": {"0": 1}}, "nodes is {'0': 1}; a list is expected"),
        ({"nodes": [0, 1]}, 'a node is 0; one looks like {"id": 0}'),
        ({"nodes": [{"id": [0]}]}, "a node is {'id': [0]}"),
        ({"nodes": [{"id": True}]}, "a node is {'id': True}"),
        ({"nodes": [], "edges": []}, "net.json: the graph has 0 NPUs"),
        ({"edges": [[0, 1]]}, "an edge is [0, 1]; one looks like"),
        ({"edges": [{"source": 0}]}, "an edge is {'source': 0}"),
        ({"edges": [EDGE | {"target": 7}]}, "an edge leads from 0 to 7; 7 is no node"),
        ({"edges": [EDGE, EDGE | {"source": 1, "target": 0}]}, "there are two edges from 1 to 0"),
        ({"edges": [EDGE | {"target": 0}]}, "net.json: the edge from 0 to 0 is a loop"),
        ({"edges": [EDGE | {"bandwidth": "fast"}]}, "bandwidth is 'fast'; it must be a number"),
        ({"edges": [EDGE | {"bandwidth": [1]}]}, "bandwidth is [1]; it must be a number"),
        ({"edges": [EDGE | {"latency": -1}]}, "latency is -1"),
        ({"edges": [{"source": 0, "target": 1, "weight": 3}]}, "the edge from 0 to 1 has no bandwidth"),
        ({"graph": []}, "graph is []; an object"),
        ({"graph": {"npus": 10**12}}, "the graph has no node 2"),
        ({"graph": {"npus": "two"}}, "npus is 'two'"),
        ({"graph": {"dims": [3]}}, "dims is (3,), which makes 3 NPUs"),
        ({"graph": {"dims": [[2]]}}, "dims is [2]; it must be a number"),
        ({"graph": {"shortest": []}}, "shortest is []"),
        ({"graph": {"ties": "x"}}, "ties is 'x'"),
        ({"graph": {"routes": {"0": 1}}}, "routes is {'0': 1}; a list is expected"),
        ({"graph": {"routes": [[0]]}}, "a route is [0]; one looks like"),
        ({"graph": {"routes": [[0, [1]]]}}, "a route is [0, [1]]"),
        ({"graph": {"routes": [[0, 5, 1]]}}, "over 5, which is no node"),
        ({"node": []}, "unknown key 'node'; did you mean 'nodes'"),
    ],
)
def test_what_is_no_network_is_told_why(changes, words, tmp_path):
    (tmp_path / "net.json").write_text(json.dumps(GOOD | changes))
    (tmp_path / "sys.json").write_text('{"scheduling-policy": "LIFO", "all-reduce-implementation": ["ring"]}')
    with pytest.raises(ae.ConfigError) as error:
        ae.load_astra_sim(tmp_path / "net.json", tmp_path / "sys.json")
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"nodes": [', "line 1, column"),
        ('{"nodes": [], "nodes": []}', "the key 'nodes' is there twice"),
        ("[]", "a JSON object is expected"),
        ("[" * 100_000, "nested deeper"),
        ('{"nodes": [{"id": NaN}]}', "NaN is no number"),
        (" " * (2**24 + 1), "has over 16 MiB"),
    ],
)
def test_what_is_no_json_is_told_why(text, words):
    with pytest.raises(ae.ConfigError) as error:
        parse_graph(text)
    assert words in str(error.value)


def test_damaged_files_give_a_network_or_a_sentence():
    random.seed(7)
    text = format_graph(NETWORKS["settings"])
    for _ in range(400):
        at, kind = random.randrange(len(text)), random.randrange(3)
        old, new = (
            random.choice(["0", "1", "50.0", '"leaf 0"', "null"]),
            random.choice(["null", "{}", "1e999", "-1", "[0]"]),
        )
        damaged = (
            text[:at] + text[at + random.randrange(1, 20) :],
            text[:at] + random.choice('"{}[]:,0-e.') + text[at + 1 :],
            text.replace(old, new, random.randrange(1, 3)),
        )[kind]
        with contextlib.suppress(ae.ConfigError):
            assert parse_graph(damaged).npus >= 2


def test_buffers_still_have_no_place(tmp_path):
    platform = ae.TracePlatform(NETWORKS["plain"], buffers=ae.SwitchBuffers(), congestion_aware=True)
    with pytest.raises(ae.ConfigError, match="buffers of switches"):
        ae.save_astra_sim(platform, tmp_path / "net.json", tmp_path / "sys.json")
