"""InfraGraph's files: spelled out as its own service spells them, and networks to files and back.

tests/data/infragraph/cluster.json is what the infragraph package 3.1.0 makes of cluster.yaml: the types of the nodes of
InfraGraphService().get_networkx_graph(), and each edge's ends and link.
"""

import json
import random
from pathlib import Path

import networkx as nx
import pytest
import yaml

import astra_edu as ae
from astra_edu.formats.infragraph_parts import Infrastructure

CLUSTER = Path(__file__).parents[1] / "data/infragraph/cluster.yaml"
PCIE = {"pcie": {"bandwidth": 60, "latency": 500}}
GB = 10**9 / 2**30


def test_every_node_and_edge_is_that_of_infragraph_s_service():
    found = Infrastructure.of(yaml.safe_load(CLUSTER.read_text()), "cluster")
    theirs = json.loads(CLUSTER.with_suffix(".json").read_text())
    assert found.nodes == theirs["nodes"]
    assert sorted([*sorted(edge[:2]), edge[3]] for edge in found.edges) == theirs["edges"]


def test_the_service_says_the_same_where_it_is_installed():
    infragraph = pytest.importorskip("infragraph", reason="infragraph isn't installed")
    from infragraph.infragraph_service import InfraGraphService

    system = infragraph.Infrastructure()
    system.deserialize(CLUSTER.read_text())
    service = InfraGraphService()
    service.set_graph(system)
    assert json.loads(CLUSTER.with_suffix(".json").read_text())["nodes"].keys() == set(service.get_networkx_graph())


def test_links_have_their_numbers_in_the_network_s_units():
    network = ae.load_infragraph(CLUSTER, links=PCIE)
    assert network.npus == 8
    numbers = {
        (0, "host.0.nvlsw.0"): (450 * GB, 250),
        (0, "host.0.card.0.asic.0"): (60, 500),
        (7, "host.1.card.1.asic.0"): (60, 500),
        ("host.1.card.1.asic.0", "host.1.card.1.port.1"): (100 * GB, 20),
        ("host.0.card.1.port.0", "leaf"): (400 / 8 * GB, 500),
        ("host.1.card.0.port.1", "spare.1.asic.0"): (400 / 8 * GB, 500),
    }
    for ends, (bandwidth, latency) in numbers.items():
        for block in (network.links[ends], network.links[ends[::-1]]):
            assert (block.bandwidth, block.latency) == (pytest.approx(bandwidth, rel=1e-11), latency)
    assert network.way(0, 3) == [0, "host.0.nvlsw.0", 3]
    assert network.way(0, 6)[::2] == [0, "host.0.card.0.port.0", "host.1.card.1.port.0", 6]
    assert network.graph.nodes[5]["infragraph"] == "host.1.xpu.1"


def test_it_runs():
    network = ae.load_infragraph(CLUSTER, links=PCIE, dims=(4, 2))
    platform = ae.TracePlatform(network, ae.TraceSystem.of(["ring", "ring"]), congestion_aware=True)
    assert ae.simulate(ae.traces.collective("all_reduce", "1 MiB", npus=8), platform).total_ns > 0


def notes(folder, **targets):
    path = folder / "notes.yaml"
    path.write_text(yaml.safe_dump(targets))
    return path


def said(**attributes):
    return [{"attribute": name, "value": value} for name, value in attributes.items()]


def test_annotations_give_ranks_and_numbers(tmp_path):
    ranks = [{"name": f"host.{k // 4}.xpu.{k % 4}", "attributes": said(rank=str(7 - k))} for k in range(8)]
    annotation = notes(
        tmp_path,
        nodes=[*ranks, {"name": "host[0:2]bmc[0]", "attributes": said(address="10.0.0.1")}],
        links=[{"name": "pcie", "attributes": said(bandwidth="64 GBps", latency="1 us", lanes="16")}],
        edges=[{"ep1": "leaf[0]asic[0]", "ep2": "host[0]card[1]port[0]", "attributes": said(bandwidth="200 Gbps")}],
        graph=said(cluster="rack-a"),
    )
    network = ae.load_infragraph(CLUSTER, annotation=annotation, links=PCIE)
    assert network.graph.nodes[7]["infragraph"] == "host.0.xpu.0"
    block = network.links[7, "host.0.card.0.asic.0"]
    assert (block.bandwidth, block.latency) == (pytest.approx(64 * GB), 1000)
    assert network.links["host.0.card.1.port.0", "leaf"].bandwidth == pytest.approx(25 * GB)
    assert network.links["host.1.card.1.port.0", "leaf"].bandwidth == pytest.approx(50 * GB)
    assert network.graph.nodes["host.1.bmc.0"]["address"] == "10.0.0.1"
    assert network.graph.graph == {"cluster": "rack-a"}


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ({"nodes": [{"name": "host.9.xpu.0"}]}, "an annotation is for host.9.xpu.0, which isn't in the graph"),
        ({"nodes": [{"name": "host.0.xpu.0", "attributes": said(rank="3")}]}, "ranks of its 8 NPUs must be 0 to 7"),
        ({"links": [{"name": "pcie", "attributes": said(bandwidth="400G")}]}, "'400G'; a number and a unit are read"),
        ({"links": [{"name": "pcie", "attributes": said(bandwidth="4 furlongs")}]}, "the unit 'furlongs' of its bandw"),
        ({"racks": []}, "no 'racks' here; Allowed: nodes, edges, links, graph"),
        ({"nodes": {}}, "nodes is {}; a list is expected"),
        ({"nodes": [5]}, "nodes: 5 is no annotation; it has a list of attributes"),
        ({"links": [{"name": "pcie", "attributes": [{"value": 3}]}]}, "is no attribute; it has an attribute"),
        ({"graph": ["cluster"]}, "graph: 'cluster' is no attribute"),
        ({"nodes": [{"name": "host[a]xpu[0]"}]}, "needs whole numbers in its brackets"),
    ],
)
def test_annotations_that_make_no_sense(tmp_path, targets, words):
    with pytest.raises(ae.ConfigError, match=words):
        ae.load_infragraph(CLUSTER, annotation=notes(tmp_path, **targets), links=PCIE)


def random_network(seed):
    rng = random.Random(seed)
    npus, switches = (
        rng.randrange(2, 9),
        rng.sample(["left", "core 1", "core 0.1", "S_(2)", "npu"], rng.randrange(0, 4)),
    )
    graph = nx.Graph()
    graph.add_nodes_from(range(npus))
    names = [*range(npus), *switches]
    for k in range(1, len(names)):
        graph.add_edge(names[k], names[rng.randrange(k)])
    for _ in range(rng.randrange(4)):
        graph.add_edge(*rng.sample(names, 2))
    for ends in graph.edges:
        graph.edges[ends].update(
            bandwidth=rng.choice([50, 12.5, 370.67, 1 / 8]), latency=rng.choice([0, 0.5, 936.25, 500])
        )
    return ae.GraphNetwork(graph)


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("kind", ["yaml", "json"])
def test_a_network_to_a_file_and_back(tmp_path, seed, kind):
    network = random_network(seed)
    ae.save_infragraph(network, tmp_path / f"net.{kind}")
    again = ae.load_infragraph(tmp_path / f"net.{kind}")
    assert again == network
    assert again.nodes == network.nodes


def test_a_network_that_was_read_is_written_and_read_again(tmp_path):
    network = ae.load_infragraph(CLUSTER, links=PCIE)
    ae.save_infragraph(network, tmp_path / "again.yaml")
    assert ae.load_infragraph(tmp_path / "again.yaml") == network


def damaged(change):
    content = yaml.safe_load(CLUSTER.read_text())
    change(content)
    return content


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda top: top["links"][0].pop("physical"), r"without numbers: ethernet \(bandwidth, latency\)\. Give them"),
        (lambda top: top["edges"][0].update(scheme="ring"), "how the scheme ring joins two endpoints isn't"),
        (lambda top: top["edges"][0].pop("scheme"), "edge 1: scheme is None; it must be one2one or many2many"),
        (lambda top: top["edges"][0].update(link="ether"), "edge 1: link is 'ether'; did you mean 'ethernet'"),
        (lambda top: top["edges"][0]["ep1"].update(component="card"), "'card' is a device; name a component in it"),
        (lambda top: top["edges"][0]["ep1"].update(component="xpu.port"), "goes into xpu, which is no device"),
        (lambda top: top["edges"][0]["ep1"].update(component="xpu[9]"), r"\[9\] asks for number 9; there are 0 to 3"),
        (lambda top: top["edges"][0]["ep2"].update(instance="leave"), "ep2: instance is 'leave'; did you mean 'leaf'"),
        (lambda top: top["edges"][0]["ep2"].update(instance="leaf[x]"), r"\[x\] is no index and no slice"),
        (lambda top: top["instances"][0].update(device="host"), "instance host: device is 'host'; "),
        (lambda top: top["instances"][0].pop("count"), "instance host: count is None; it must be a number"),
        (lambda top: top["devices"][1]["components"][2].update(name="server"), "the device server contains itself"),
        (lambda top: top["devices"][0]["components"][0].update(choice="gpu"), "component asic: choice is 'gpu'; "),
        (lambda top: top["devices"][0].update(connections=[]), "has no 'connections' here; .* older schema"),
        (lambda top: top["devices"].append(top["devices"][0]), "its name is 'card'; each needs one of its own"),
        (lambda top: top["edges"].append(top["edges"][0] | {"link": "two"}) or top["links"].append({"name": "two"}),
         "have two links, ethernet and two; give one with their sum"),
        (lambda top: top["links"][0]["physical"]["bandwidth"].update(gigabits_per_second=-1), "bandwidth is -1"),
        (lambda top: top.update(edges=5), "edges is 5; a list is expected"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(tmp_path, change, words):
    path = tmp_path / "cluster.yaml"
    path.write_text(yaml.safe_dump(damaged(change)))
    with pytest.raises(ae.ConfigError, match=words):
        ae.load_infragraph(path, links=PCIE)


def test_a_bandwidth_in_transfers_and_types_that_are_not_there():
    with pytest.raises(ae.ConfigError, match="link pcie: its bandwidth is in GT/s; how many bytes a transfer has"):
        ae.load_infragraph(CLUSTER)
    with pytest.raises(ae.ConfigError, match="0 components of the type 'gpu'; there are cpu, management, port, "):
        ae.load_infragraph(CLUSTER, links=PCIE, npus="gpu")
    with pytest.raises(ae.ConfigError, match="a link has bandwidth and latency, no 'width'"):
        ae.load_infragraph(CLUSTER, links={"pcie": {"width": 5}})


@pytest.mark.parametrize("text", ["devices: [", "{", "5", "[]", ""])
def test_files_that_are_none(tmp_path, text):
    (tmp_path / "odd.yaml").write_text(text)
    with pytest.raises(ae.ConfigError, match=r"odd.yaml"):
        ae.load_infragraph(tmp_path / "odd.yaml")


def test_what_the_schema_has_not_is_not_written(tmp_path):
    one_way = nx.DiGraph([(0, 1, {"bandwidth": 50, "latency": 5}), (1, 0, {"bandwidth": 25, "latency": 5})])
    with pytest.raises(ae.ConfigError, match="the same in both directions; that from 0 to 1 isn't"):
        ae.save_infragraph(ae.GraphNetwork(one_way), tmp_path / "x.yaml")
    ring = ae.as_graph(ae.Block("Ring", 4, 50, 500))
    with pytest.raises(ae.ConfigError, match="InfraGraph has no routes"):
        ae.save_infragraph(ae.GraphNetwork(ring, routes={(0, 1): [0, 3, 2, 1]}), tmp_path / "x.yaml")
    named = nx.relabel_nodes(ae.as_graph(ae.Block("Switch", 2, 50, 500)), {"switch 0.0": "spine/1"})
    with pytest.raises(ae.ConfigError, match="a switch is called 'spine/1'"):
        ae.save_infragraph(ae.GraphNetwork(named), tmp_path / "x.yaml")


def test_slices_without_an_end_are_refused_before_they_fill_the_memory(tmp_path):
    path, notes = tmp_path / "ring.json", tmp_path / "notes.json"
    ae.save_infragraph(ae.GraphNetwork(ae.as_graph(ae.Block("Ring", 4, 50, 500))), path)
    notes.write_text('{"nodes": [{"name": "npu[0:999999]xpu[0:999999]", "attributes": []}]}')
    with pytest.raises(ae.ConfigError, match="stands for over 1,000,000 components"):
        ae.load_infragraph(path, annotation=notes)
    path.write_text(path.read_text().replace("npu[0]", "npu[0:1000000000000]", 1))
    with pytest.raises(ae.ConfigError, match="asks for number 4; there are 0 to 3"):
        ae.load_infragraph(path)
