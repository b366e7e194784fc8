"""Topologies: each says everything of itself, and both engines, pictures, prices and files ask nothing else."""

import copy
import pickle
from collections import Counter
from itertools import combinations, pairwise, product
from math import prod

import pytest

import astra_edu as ae
from astra_edu.network.as_graph import as_graph, block_links
from astra_edu.network.bound import bandwidth_bound_ns, steps_that_meet
from astra_edu.network.cost import network_cost
from astra_edu.network.links import route_of
from astra_edu.network.topologies import TOPOLOGIES, Dragonfly, Mesh, Topology, Torus, register
from astra_edu.system.logical import logical_dimensions

nx = pytest.importorskip("networkx")

OURS = (("Mesh", 12), ("Torus", 12), ("Torus3x2x2", 12), ("Mesh5", 5), ("Hypercube", 8), ("Dragonfly", 24))
ALL = (("Ring", 5), ("FullyConnected", 5), ("Switch", 5), *OURS)


class Line(Topology):
    """NPUs in a row."""

    spelling = "Line"

    def links(self, npus):
        """Both ways between neighbours."""
        return [link for k in range(npus - 1) for link in ((k, k + 1), (k + 1, k))]

    def layout(self, npus):
        """From left to right."""
        return {npu: (npu / (npus - 1), 0.5) for npu in range(npus)}


@pytest.fixture
def line():
    yield register(Line())
    del TOPOLOGIES["Line"]


class TestOneOfYourOwn:
    def test_1_0s_engine(self, line):
        """Ring all-gather of 1 KiB on a line of 4: what NPU 3 sends to NPU 0 takes three hops, what others send one."""
        dimension = ae.Dimension.of("Line", 4, 50, 500)
        assert [dimension.message_ns(0, dimension.apart(0, to)) for to in (1, 2, 3)] == [500, 1000, 1500]
        assert dimension.links == 2
        near, far = (dimension.message_ns(1024, hops) for hops in (1, 3))
        ready = [10] * 4  # after the endpoint delay
        for _ in range(3):
            arrivals = [ready[3] + far, *(time + near for time in ready[:3])]
            ready = [max(own, there + 10) for own, there in zip(ready, arrivals, strict=True)]
        schedule = ae.schedule("all-gather", "ring", 4)
        assert ae.time_schedule(schedule, dimension, 1024).total_ns == max(ready)
        result = ae.simulate(
            ae.Workload.micro("all-gather", 1024), ae.Platform((dimension,), ae.SystemConfig.of("ring", splits=1))
        )
        assert max(ready) <= result.total_ns <= max(ready) + 100

    @pytest.mark.parametrize("aware", [False, True])
    def test_2_xs_engine(self, line, aware):
        network = ae.Block(Line(), 4, 50, 500)
        graph = nx.path_graph(4)
        nx.set_edge_attributes(graph, {edge: {"bandwidth": 50, "latency": 500} for edge in graph.edges})
        trace = ae.traces.collective("all_reduce", 1 << 20, 4)
        times = [
            ae.simulate(trace, ae.TracePlatform(n, ae.TraceSystem.of("direct"), congestion_aware=aware)).finish_ns
            for n in (network, ae.GraphNetwork(graph))
        ]
        assert times[0] == times[1]

    def test_it_is_drawn(self, line):
        player = ae.Player(ae.schedule("all-reduce", "ring", 4), topology="Line", step=1)
        assert player.svg().count("<circle") == 4
        assert [y for _, y in player.data["stage"]["nodes"]] == [210] * 4
        platform = ae.TracePlatform(ae.Block("Line", 4, 50, 500), ae.TraceSystem.of("ring"), congestion_aware=True)
        run = ae.simulate(ae.traces.collective("all_reduce", 1 << 20, 4), platform, record=True)
        places = [node[1:3] for node in ae.LinkPlayer(run).data["nodes"]]
        assert [x for x, _ in places] == sorted(x for x, _ in places)
        assert len({y for _, y in places}) == 1

    def test_it_has_a_price(self, line):
        assert network_cost([ae.Dimension.of("Line", 4, 50, 500)]) == 3 * 50 * 4.0

    def test_files_know_it(self, line, tmp_path):
        files = tmp_path / "network", tmp_path / "system"
        platforms = (
            ae.Platform((ae.Dimension.of("Line", 4, 50, 500),), ae.SystemConfig.of("ring")),
            ae.TracePlatform((ae.Block("Line", 4, 50, 500),), ae.TraceSystem.of("ring")),
        )
        for platform in platforms:
            with pytest.warns(UserWarning, match="ASTRA-sim doesn't know Line"):
                ae.save_astra_sim(platform, *files)
            loaded = ae.load_astra_sim(*files)
            assert loaded.network == platform.network
            assert type(loaded.network[0].topology) is Line

    def test_it_needs_no_registration_to_be_simulated(self):
        assert ae.Dimension.of(Line(), 4, 50, 500).hops(3) == 3
        with pytest.raises(ae.ConfigError, match="topology is 'Line'"):
            ae.Dimension.of("Line", 4, 50, 500)


SNIPPET = """
import astra_edu as ae

class Row(ae.Topology):
    \"\"\"NPUs in a row, each with links to its neighbours.\"\"\"

    spelling = "Row"  # in files, menus and Block("Row", ...)

    def links(self, npus):
        return [link for k in range(npus - 1) for link in ((k, k + 1), (k + 1, k))]

    def layout(self, npus):  # for the players; left out, a circle
        return {k: (k / (npus - 1), 0.5) for k in range(npus)}

ae.topologies.register(Row())

dimension = ae.Dimension.of("Row", 4, 50, 500)  # ASTRA-sim 1.0's engine: GB/s and ns of a link
platform = ae.Platform((dimension,), ae.SystemConfig.of("ring"))
print(ae.simulate(ae.Workload.micro("all-reduce", 1 << 20), platform).explain())

block = ae.Block("Row", 4, 50, 500)  # 2.x's, message by message on the links
platform = ae.TracePlatform(block, ae.TraceSystem.of("ring"), congestion_aware=True)
run = ae.simulate(ae.traces.collective("all_reduce", 1 << 20, 4), platform, record=True)
ae.LinkPlayer(run)
ae.Player(ae.schedule("all-reduce", "ring", 4), topology="Row")
ae.save_astra_sim(platform, "network.yml", "system.json")
assert ae.load_astra_sim("network.yml", "system.json", congestion_aware=True).network == platform.network
"""


def test_the_lines_that_contributing_shows(tmp_path, monkeypatch, capsys):
    assert len(SNIPPET.strip().splitlines()) < 30
    monkeypatch.chdir(tmp_path)
    try:
        with pytest.warns(UserWarning, match="ASTRA-sim doesn't know Row"):
            exec(SNIPPET, {"__name__": "snippet"})
    finally:
        TOPOLOGIES.pop("Row", None)
    assert "critical path" in capsys.readouterr().out


class TestNames:
    def test_the_three_are_what_they_were(self):
        assert list(ae.Topology) == ["Ring", "FullyConnected", "Switch"]
        ring = ae.Topology.RING
        assert ring == "Ring" == str(ring) == ring.value == f"{ring}"
        assert ae.Topology("Ring") is ring is pickle.loads(pickle.dumps(ring)) is copy.deepcopy(ring)
        assert {ring: 1}["Ring"] == {"Ring": 1}[ring] == 1
        assert ae.Block("Ring", 8, 50, 500).topology is ring is ae.Dimension.of(ring, 8, 50, 500).topology
        assert ring != ae.Topology.SWITCH
        assert ring != "Switch"

    def test_numbers_are_part_of_the_name(self):
        assert Topology("Torus4x2") == Torus(4, 2) == "Torus4x2" != Torus(2, 4)
        assert pickle.loads(pickle.dumps(Torus(4, 2))).sides(8) == (4, 2)
        assert ae.Block("Dragonfly4x4", 32, 50, 500).topology.npus_per_router == 4

    @pytest.mark.parametrize(
        ("build", "words"),
        [
            (lambda: Topology("Rign"), "did you mean 'Ring'"),
            (lambda: Topology("Ring3"), "topology is 'Ring3'"),
            (lambda: Topology(3), "topology is 3"),
            (lambda: ae.Block("Torus3x3", 8, 50, 500), "npus is 8; a Torus3x3 has 9"),
            (lambda: ae.Block("Torus0x3", 8, 50, 500), "must be a whole number, 1 or more"),
            (lambda: Torus(*[2] * 7), "takes 6 numbers"),
            (lambda: type(ae.Topology.RING)(4), "takes no numbers"),
            (lambda: ae.Dimension.of("Hypercube", 12, 50, 500), "power of two, such as 16"),
            (lambda: ae.Dimension.of("Dragonfly", 12, 50, 500), "so a multiple of 8"),
            (lambda: ae.Dimension("Torus", 16, 3, 50, 500), "a Torus of 16 NPUs needs at least 4 links"),
            (lambda: register("Ring"), "register takes a topology"),
            (lambda: register(type("Other", (Topology,), {"spelling": "Ring"})()), "Ring is ASTRA-sim's"),
            (lambda: register(type("Other", (Topology,), {"spelling": "a b"})()), "must be a word"),
            (lambda: _halves().route(4, 0, 3), "a Halves of 4 NPUs has no way from NPU 0 to NPU 2"),
            (lambda: ae.Player(ae.schedule("all-reduce", "ring", 6), topology="Hypercube"), "a power of two"),
        ],
    )
    def test_what_is_no_topology_is_told_why(self, build, words):
        with pytest.raises(ae.ConfigError) as error:
            build()
        assert words in str(error.value)

    def test_a_class_made_again_takes_the_place_of_the_old_one(self):
        try:
            old = register(type("Other", (Liar,), {"spelling": "Other"})())
            new = register(type("Other", (Liar,), {"spelling": "Other"})())
            assert Topology("Other") is new
            assert old != new  # nothing stored for the one is taken for the other
        finally:
            del TOPOLOGIES["Other"]


def _halves():
    return type("Halves", (Topology,), {"spelling": "Halves", "links": lambda _, n: [(0, 1), (1, 0), (2, 3), (3, 2)]})()


class TestAgainstNetworkX:
    """Links and distances of the same networks made by NetworkX."""

    @pytest.mark.parametrize("sides", [(4, 3), (4, 4), (2, 5), (3, 3, 3), (4, 2, 2), (6,)])
    @pytest.mark.parametrize("kind", [Mesh, Torus])
    def test_grids(self, kind, sides):
        grid = nx.grid_graph(tuple(reversed(sides)), periodic=kind is Torus)
        number = {
            place: sum(k * prod(sides[:d]) for d, k in enumerate(place if len(sides) > 1 else (place,)))
            for place in grid.nodes
        }
        self._agree(kind(*sides), nx.relabel_nodes(grid, number))

    @pytest.mark.parametrize("bits", [1, 2, 3, 5])
    def test_hypercubes(self, bits):
        cube = nx.hypercube_graph(bits)
        number = {place: sum(k << d for d, k in enumerate(place if bits > 1 else (place,))) for place in cube.nodes}
        if bits == 1:
            number = {place: k for k, place in enumerate(sorted(cube.nodes))}
        self._agree(Topology("Hypercube"), nx.relabel_nodes(cube, number))

    @pytest.mark.parametrize(("name", "make"), [("Ring", nx.cycle_graph), ("FullyConnected", nx.complete_graph)])
    def test_ring_and_fully_connected(self, name, make):
        for npus in range(3, 8):
            self._agree(Topology(name), make(npus))

    def _agree(self, topology, graph):
        npus = len(graph)
        links = topology.links(npus)
        assert len(links) == len(set(links)) == 2 * graph.number_of_edges()
        assert {frozenset(link) for link in links} == {frozenset(edge) for edge in graph.edges}
        lengths = dict(nx.all_pairs_shortest_path_length(graph))
        for a, b in product(range(npus), repeat=2):
            if a != b:
                assert len(topology.route(npus, a, b)) - 1 == lengths[a][b]
                assert topology.hops(npus, topology.apart(npus, a, b)) == lengths[a][b]
        assert topology.ports(npus) == max(degree for _, degree in graph.degree)


@pytest.mark.parametrize(("routers", "per", "groups"), [(4, 2, 3), (2, 1, 3), (3, 2, 7), (1, 2, 4), (4, 2, 1)])
def test_dragonflies(routers, per, groups):
    """Counted on paper: a link for each NPU, for each two routers of a group, and for each two groups."""
    dragonfly, npus = Dragonfly(routers, per), routers * per * groups
    graph = nx.DiGraph(dragonfly.links(npus))
    assert graph.number_of_edges() == 2 * (npus + groups * routers * (routers - 1) // 2 + groups * (groups - 1) // 2)
    size = routers * per
    for a, b in product(range(npus), repeat=2):
        if a == b:
            continue
        way = dragonfly.route(npus, a, b)
        assert all(link in graph.edges for link in pairwise(way))
        across = sum(_group(x) != _group(y) for x, y in pairwise(way[1:-1]))
        assert across == (a // size != b // size)  # one link between groups
        assert len(way) - 1 <= 5
    routers_only = [link for link in graph.edges if all(isinstance(end, str) for end in link)]
    far = [link for link in routers_only if _group(link[0]) != _group(link[1])]
    pairs = {frozenset(pair) for pair in combinations(map(str, range(groups)), 2)}
    assert {frozenset(map(_group, link)) for link in far} == pairs
    assert len(far) == groups * (groups - 1)
    assert max(Counter(tail for tail, _ in far).values(), default=0) == -(-(groups - 1) // routers)


def _group(router):
    return router.split()[1].split(".")[0]


@pytest.mark.parametrize(("name", "npus"), ALL)
class TestEveryOne:
    def test_routes_are_along_links_and_default_ways_are_no_longer(self, name, npus):
        topology = Topology(name)
        links = set(topology.links(npus))
        for a, b in product(range(npus), repeat=2):
            if a != b:
                way = topology.route(npus, a, b)
                assert (way[0], way[-1]) == (a, b)
                assert set(pairwise(way)) <= links
                shortest = Topology.route(topology, npus, a, b)
                assert len(way) == len(shortest) or topology.spelling == "Dragonfly"

    def test_links_of_blocks_have_every_route(self, name, npus):
        blocks = (ae.Block("Switch", 2, 25, 700), ae.Block(name, npus, 50, 500), ae.Block("Ring", 2, 10, 100))
        links = block_links(blocks)
        for source, destination in product(range(4 * npus), repeat=2):
            for link, block in route_of(blocks, source, destination):
                assert links[link] is block

    @pytest.mark.parametrize("aware", [False, True])
    @pytest.mark.parametrize("algorithm", ["ring", "direct"])
    def test_as_a_graph_with_its_ways_it_takes_as_long(self, name, npus, algorithm, aware):
        block = ae.Block(name, npus, 50, 500)
        routes = {
            (a, b): [a, *(head for (_, head), _ in route_of((block,), a, b))]
            for a, b in product(range(npus), repeat=2)
            if a != b
        }
        graph = ae.GraphNetwork(as_graph(block), routes=routes)
        how = ae.TraceSystem.of(algorithm, splits=2, local_memory_bandwidth=1000)
        trace = ae.traces.collective("all_reduce", 1_000_003, npus)
        times = [ae.simulate(trace, ae.TracePlatform(n, how, congestion_aware=aware)).finish_ns for n in (block, graph)]
        assert times[0] == times[1]

    @pytest.mark.parametrize("algorithm", ["ring", "direct"])
    def test_1_0_agrees_with_messages_followed_one_by_one(self, name, npus, algorithm):
        dimension = ae.Dimension.of(name, npus, 50, 500)
        schedule = ae.schedule("all-gather", algorithm, npus)
        ready = [10.0] * npus
        for step in schedule.steps():
            after = list(ready)
            for source, destination, _ in step.transfers:
                hops = len(dimension.topology.route(npus, source, destination)) - 1
                there = ready[source] + int(int(hops * 500) + 10_000 / dimension.message_bandwidth)
                after[destination] = max(after[destination], there + 10)
            ready = after
        assert ae.time_schedule(schedule, dimension, 10_000).total_ns == max(ready)

    def test_nothing_is_faster_than_its_links(self, name, npus):
        dimension = ae.Dimension.of(name, npus, 50, 500)
        for algorithm in ("ring", "direct"):
            schedule = ae.schedule("all-reduce", algorithm, npus)
            if not steps_that_meet(schedule, [dimension]):
                bound = bandwidth_bound_ns(schedule, [dimension], 1 << 20)
                assert bound <= ae.time_schedule(schedule, dimension, 1 << 20).total_ns

    def test_layouts_have_a_place_for_everything(self, name, npus):
        topology = Topology(name)
        places = topology.layout(npus)
        assert set(places) == set(range(npus)) | {end for link in topology.links(npus) for end in link}
        assert len({(round(x, 3), round(y, 3)) for x, y in places.values()}) == len(places)
        assert all(-1e-9 <= value <= 1 + 1e-9 for point in places.values() for value in point)

    def test_pictures_and_explanations(self, name, npus):
        schedule = ae.schedule("all-reduce", "direct", npus)
        assert "</svg>" in ae.Player(schedule, topology=name, step=1).svg()
        dims = ae.hierarchical("all-reduce", "direct", (npus, 2))
        assert "</svg>" in ae.Player(dims, topology=[name, "Switch"], step=1).svg()
        network = ae.Dimension.of(name, npus, 50, 500), ae.Dimension.of("Switch", 2, 25, 500)
        result = ae.simulate(
            ae.Workload.micro("all-reduce", 1 << 20), ae.Platform(network, ae.SystemConfig.of("ring_direct"))
        )
        assert "dimension" in str(result.explain())
        assert network_cost(network) > 0


def test_halving_doubling_on_a_hypercube_has_neighbours_only():
    """All messages go over one link, as if all NPUs were connected."""
    schedule = ae.schedule("all-reduce", "halving-doubling", 16)
    cube, connected = (ae.Dimension.of(name, 16, 50, 500) for name in ("Hypercube", "FullyConnected"))
    assert not steps_that_meet(schedule, [cube])
    assert ae.time_schedule(schedule, cube, 1 << 20).total_ns == ae.time_schedule(schedule, connected, 1 << 20).total_ns


def test_a_torus_in_one_dimension_costs_what_its_rings_cost():
    rings = [ae.Dimension.of("Ring", 4, 50, 500), ae.Dimension.of("Ring", 4, 50, 500)]
    assert network_cost([ae.Dimension.of("Torus", 16, 50, 500)]) == network_cost(rings) == 2 * 16 * 50 * 4.0


def test_routers_take_their_time_in_every_switch():
    plain, slow = (ae.Dimension("Dragonfly", 24, 1, 50, 500, router=router) for router in (0, 7))
    for to, routers in ((1, 1), (2, 2), (23, 4)):
        apart = plain.apart(0, to)
        assert slow.message_ns(100, apart) - plain.message_ns(100, apart) == 7 * routers


def test_a_group_ends_where_a_topology_of_ours_does():
    network = (ae.Dimension.of("Ring", 4, 50, 500), ae.Dimension.of("Torus", 16, 50, 500))
    assert logical_dimensions(network, 4)[1] == 1
    with pytest.raises(ae.ConfigError, match="end inside a dimension that is a Torus"):
        logical_dimensions(network, 16)


def test_the_menus_of_the_widgets_know_them():
    torus = ae.Dimension.of("Torus4x2", 8, 50, 500)
    platform = ae.Platform((torus,), ae.SystemConfig.of("direct"))
    what_if = ae.WhatIf(platform, ae.Workload.micro("all-reduce", 1 << 20))
    assert what_if.result.platform.network == (torus,)
    what_if.values = what_if.values | {"topology_0": "Hypercube"}
    assert what_if.values["algorithm_0"] == "halvingDoubling"
    what_if.values = what_if.values | {"npus_0": 7}
    assert "power of two" in what_if.data["problem"]
    explorer = ae.Explorer(network=(("Torus4x2", 8, 50, 500),))
    assert explorer.choice.network[0].topology == "Torus4x2"
    explorer.set(topology_0="Hypercube")
    assert "Hypercube" in str(explorer.choice.network)


class Liar(Topology):
    """A line of NPUs that says of itself what isn't so."""

    spelling = "Liar"

    def links(self, npus):
        return [link for k in range(npus - 1) for link in ((k, k + 1), (k + 1, k))]


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"symmetric": True}, "says that it is symmetric, but of 3 NPUs 0 and 2 are 2 apart"),
        ({"equidistant": True}, "says that it is equidistant, but of 3 NPUs 0 and 1 are 1 apart, and 0 and 2 are 2"),
        ({"own_links": True}, "of each two NPUs' own, but of 3 NPUs 0 has none to 2"),
        ({"switched": True}, "says that it is switched, but of 2 NPUs 0 has a link to 1 without a switch"),
        ({"links": lambda self, npus: [(0, npus)]}, r"has the link \(0, 2\); a link is"),
        ({"links": lambda self, npus: [(0, 0)]}, "two different nodes"),
        ({"links": Topology.links}, "has no method links"),
        ({"links": lambda self, npus: [3]}, "has the link 3"),
        ({"links": lambda self, npus: [(0, 1)]}, "no way from NPU"),
        ({"route": lambda self, npus, a, b: [a, b]}, "of 3 NPUs goes from 0 to 2 over 0 to 2, which is none of its"),
        ({"route": lambda self, npus, a, b: [a]}, r"goes from 0 to 1 by \[0\]"),
        (
            {"goes_round": True, "links": lambda self, n: [(i, j) for i in range(n) for j in range(n) if i != j]},
            "goes round",
        ),
    ],
)
def test_a_topology_that_claims_what_is_not_so_is_refused(claims, words):
    liar = type("Liar", (Liar,), claims)()
    for use in (lambda: ae.Dimension.of(liar, 4, 50, 500), lambda: ae.Block(liar, 4, 50, 500), lambda: register(liar)):
        with pytest.raises(ae.ConfigError, match=words):
            use()
    assert "Liar" not in TOPOLOGIES
