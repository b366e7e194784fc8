"""Flits: closed forms where nothing is in the way, what is always so, and what is said of a run."""

import math
from itertools import pairwise, product
from random import Random

import networkx as nx
import pytest

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.network.credits.load import PATTERNS
from astra_edu.network.credits.network import CreditNetwork
from astra_edu.network.credits.routes import routes, ways
from astra_edu.network.credits.settings import Credits
from astra_edu.network.credits.wiring import Wiring

GB = 1.073741824  # bytes per ns at 1 "GB/s" of 2**30
FLIT = 256
CYCLE = FLIT / (50 * GB)  # ns on a link of 50 GB/s


def fat_tree(spines=2, leaves=4, hosts=4, bandwidth=50):
    tree = nx.Graph()
    for leaf in range(leaves):
        tree.add_edges_from((leaf * hosts + k, f"leaf {leaf}") for k in range(hosts))
        tree.add_edges_from((f"leaf {leaf}", f"spine {spine}") for spine in range(spines))
    nx.set_edge_attributes(tree, bandwidth, "bandwidth")
    nx.set_edge_attributes(tree, 100, "latency")
    return ae.GraphNetwork(tree, npus=leaves * hosts, ties="spread")


def blocks(*parts):
    return tuple(ae.Block(kind, npus, 50, latency) for kind, npus, latency in parts)


NETWORKS = {
    "ring": blocks(("Ring", 8, 20)),
    "mesh": blocks(("Mesh", 16, 20)),
    "torus": blocks(("Ring", 4, 20), ("Ring", 4, 20)),
    "torus in one": (ae.Block("Torus", 16, 50, 20),),
    "hypercube": blocks(("Hypercube", 16, 20)),
    "switch": blocks(("Switch", 8, 20)),
    "two switches": blocks(("Switch", 4, 20), ("Switch", 4, 50)),
    "fully connected": blocks(("FullyConnected", 8, 20)),
    "dragonfly": (ae.Block(ae.topologies.Dragonfly(2, 2), 20, 50, 20),),
    "fat tree": fat_tree(),
}


def npus_of(network):
    return network.npus if isinstance(network, ae.GraphNetwork) else math.prod(block.npus for block in network)


def carried(network, messages, **settings):
    """(the network, when each message arrived) of (source, destination, bytes) that are all sent at 0 ns."""
    made = CreditNetwork(Credits(**{"flit": FLIT, "packet": 16 * FLIT} | settings), network, npus_of(network))
    arrived = []
    for k, (source, destination, size) in enumerate(messages):
        made.send(source, destination, size, lambda k: arrived.append((k, made.now)), k)
    made.run()
    return made, dict(arrived)


@pytest.mark.parametrize("router_delay", [1, 2, 3, 6])
@pytest.mark.parametrize(("flits", "latency", "hops"), [(1, 1, 1), (16, 1, 3), (7, 9, 4), (40, 30, 2)])
def test_a_message_alone_takes_its_routers_its_links_and_its_flits(router_delay, flits, latency, hops):
    ring = blocks(("Ring", 9, latency * CYCLE))
    _, arrived = carried(ring, [(8, (8 + hops) % 9, flits * FLIT)], router_delay=router_delay)
    own_ports, into_the_port = 2, 1
    cycles = into_the_port + own_ports + hops * latency + (hops + 1) * router_delay + flits - 1
    assert arrived[0] == math.ceil(cycles * CYCLE - 1e-9)


@pytest.mark.parametrize("ratio", [1, 2, 2.5, 4])
def test_the_slowest_link_sets_the_pace(ratio):
    line = nx.DiGraph()
    for tail, head, bandwidth in [(0, "a", 50), ("a", "b", 50 / ratio), ("b", 1, 50)]:
        line.add_edge(tail, head, bandwidth=bandwidth, latency=10 * CYCLE)
        line.add_edge(head, tail, bandwidth=bandwidth, latency=10 * CYCLE)
    flits = 33
    _, arrived = carried(ae.GraphNetwork(line), [(0, 1, flits * FLIT)], packet=64 * FLIT)
    tail = 2 * 3 - (ratio > 1)  # where it doesn't follow the flit before at once, it needs no cycle to get a channel
    assert arrived[0] == math.ceil((1 + tail + 3 * 10 + math.ceil((flits - 1) * ratio)) * CYCLE - 1e-9)


def test_a_small_buffer_sends_a_window_in_a_round_trip():
    """One channel of `buffer` flits: so many flits leave in 3 + twice the latency cycles, from a switch to a switch."""
    latency, buffer, flits = 20, 5, 100
    line = nx.DiGraph()
    for tail, head, ns in [(0, "a", CYCLE), ("a", "b", latency * CYCLE), ("b", 1, CYCLE)]:
        line.add_edge(tail, head, bandwidth=50, latency=ns)
        line.add_edge(head, tail, bandwidth=50, latency=ns)
    for credit_delay in (0, 4):
        settings = {"packet": flits * FLIT, "virtual_channels": 1, "buffer": buffer, "credit_delay": credit_delay}
        _, arrived = carried(ae.GraphNetwork(line), [(0, 1, flits * FLIT)], **settings)
        windows = flits // buffer - 1
        last = windows * (3 + 2 * latency + credit_delay) + buffer - 1
        # the head goes through both pipelines; later flits find their channel given, and need no cycle for it
        exact = (1 + 2 * 3 + 1 + latency + 1 + last) * CYCLE
        assert exact - 4 * CYCLE <= arrived[0] <= exact + 4 * CYCLE


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("routing", ["dimension-order", "adaptive"])
@pytest.mark.parametrize("switching", ["wormhole", "cut-through"])
def test_every_flit_arrives_once_no_buffer_overflows_and_all_credits_return(name, routing, switching):
    network, random = NETWORKS[name], Random(name)
    npus = npus_of(network)
    ends = [random.sample(range(npus), 2) for _ in range(5 * npus)]
    messages = [(*pair, random.choice([0, 1, 700, 5000, 30_000])) for pair in ends]
    settings = Credits(
        flit=FLIT, packet=8 * FLIT, virtual_channels=4, buffer=8, routing=routing, switching=switching, seed=3
    )
    made = CreditNetwork(settings, network, npus)
    arrived = []
    for k, (source, destination, size) in enumerate(messages):
        made.send(source, destination, size, arrived.append, k)
    links = [*made.wiring.links.values(), *(port for two in made.wiring._ports for ports in two for port in ports)]
    fabric, step = made.fabric, made.fabric.step

    def watched():
        step()
        for link in links:
            if link.sink is not None:
                assert link.flits == sum(channel.count for channel in link.channels)
                for channel in link.channels:
                    assert 0 <= channel.count <= 8
                    assert 0 <= channel.credits <= 8 - channel.count
                    assert channel.count <= sum(p.flits for p in channel.packets) - channel.sent

    fabric.step = watched
    made.run()
    assert sorted(arrived) == list(range(len(messages)))
    assert fabric.inside == 0
    for channel in (channel for link in links for channel in link.channels):
        assert channel.owner is None
        assert not channel.count
        assert not channel.packets
        assert channel.link.sink is None or channel.credits == 8
    assert made.blocked() == ""
    flits = sum(max(1, sum(-(-piece // FLIT) for piece in pieces(size, 8 * FLIT))) for _, _, size in messages)
    assert made.statistics()["flits"] == flits
    into = sum(row["flits"] for row in made.statistics()["links"] if row["to"] == 0)
    if routing == "dimension-order" and name in ("switch", "fat tree", "dragonfly", "fully connected"):
        assert into == sum(
            max(1, sum(-(-p // FLIT) for p in pieces(size, 8 * FLIT))) for _, to, size in messages if to == 0
        )


def pieces(size, packet):
    return [min(packet, size - k) for k in range(0, size, packet)]


@pytest.mark.parametrize(
    ("name", "classes"),
    [("ring", 2), ("torus", 2), ("torus in one", 2), ("mesh", 1), ("hypercube", 1), ("fat tree", 1), ("switch", 1)],
)
def test_as_many_classes_as_there_are_circles_to_cut(name, classes):
    assert routes(NETWORKS[name], npus_of(NETWORKS[name])).classes == classes


def test_the_classes_of_a_torus_and_a_dragonfly_have_no_circle():
    """Read off the ways by another program: no circle among (link, class)."""
    for network in (blocks(("Ring", 5, 9), ("Ring", 7, 9)), (ae.Block("Torus", 36, 50, 9),), NETWORKS["dragonfly"]):
        found = routes(network, npus_of(network), from_everywhere=True)
        waits = nx.DiGraph()
        for way in (way for some in found.ways.values() for way in some):
            steps = [(hop.link, hop.of_class) for hop in way]
            waits.add_edges_from(pairwise(steps))
        assert nx.is_directed_acyclic_graph(waits)
        assert found.classes == 2
    without = routes(blocks(("Ring", 8, 9)), 8, dateline=False)
    assert without.classes == 1


def test_half_way_round_a_ring_both_ways_are_taken():
    ring = NETWORKS["ring"]
    assert {len(way) for way in ways(ring, 1, 5)} == {4}
    assert [way[0] for way in ways(ring, 1, 5)] == [(1, 2), (1, 0)]
    assert len(ways(ring, 1, 4)) == 1
    made, _ = carried(ring, [(1, 5, 200 * 16 * FLIT)], seed=1)
    out = {row["to"]: row["flits"] for row in made.statistics()["links"] if row["from"] == 1}
    assert sum(out.values()) == 3200
    assert 0.4 < out[0] / 3200 < 0.6


def circle(**settings):
    trace = ae.traces.Builder(8)
    for npu in range(8):
        trace.message(f"{npu}", "64 KiB", npu, (npu + 3) % 8)
    platform = ae.TracePlatform(NETWORKS["ring"])
    flits = {"flit": FLIT, "packet": 4096, "virtual_channels": 2, "buffer": 4} | settings
    return ae.simulate(trace.build(), platform, network=ae.Credits(**flits))


@pytest.mark.parametrize("settings", [{}, {"switching": "cut-through", "buffer": 16}])
def test_a_ring_without_a_dateline_stands_still_and_it_is_said_where(settings):
    assert circle(**settings).total_ns
    with pytest.raises(ConfigError) as told:
        circle(dateline=False, **settings)
    said = str(told.value)
    assert "8 of 8 NPUs never finish" in said
    assert "wait for each other's buffers in a circle (deadlock)" in said
    assert "and so on round 8 buffers. With dateline=True" in said
    pairs = [part.split(" waits for ") for part in said.partition("(deadlock): ")[2].split(", ")[:4]]
    for here, there in pairs:  # each buffer's link ends where the next one begins
        assert here.split(" (")[0].split(" -> ")[1] == there.split(" (")[0].split(" -> ")[0]
    assert [there for _, there in pairs[:3]] == [here for here, _ in pairs[1:]]


def test_what_is_said_of_a_run_adds_up():
    ring = NETWORKS["ring"]
    made, arrived = carried(ring, [(0, 1, 160 * FLIT)], packet=16 * FLIT)
    said = made.statistics()
    assert (said["packets"], said["flits"], said["flit_hops"]) == (10, 160, 480)
    assert said["cycle_ns"] == pytest.approx(CYCLE)
    (row,) = said["links"]
    assert (row["from"], row["to"], row["flits"]) == (0, 1, 160)
    cycles = round(arrived[0] / CYCLE)
    assert row["utilisation"] == pytest.approx(160 / cycles, rel=0.02)
    assert said["packet_latency_ns"]["max"] == pytest.approx(arrived[0], abs=1)
    assert row["most_flits"] <= row["buffer_flits"]
    made, _ = carried(ring, [(0, 2, 160 * FLIT), (1, 2, 160 * FLIT)], packet=16 * FLIT)
    rows = {(row["from"], row["to"]): row for row in made.statistics()["links"]}
    assert rows[1, 2]["flits"] == 320
    assert rows[0, 1]["stalled_cycles"] > 100  # half of the time it is the other's turn
    assert rows[1, 2]["stalled_cycles"] <= 320  # behind a head, which needs a cycle to get a channel


def test_a_trace_on_flits_takes_a_little_longer_than_on_links():
    platform = ae.TracePlatform(NETWORKS["torus"], ae.TraceSystem.of(["ring", "ring"]), congestion_aware=True)
    trace = ae.traces.collective("all_reduce", "1 MiB", npus=16)
    links = ae.simulate(trace, platform).total_ns
    small = ae.simulate(trace, platform, network=Credits(flit=256, packet=1024)).total_ns
    large = ae.simulate(trace, platform, network=Credits(flit=1024, packet=4096)).total_ns
    assert links < small < large < 1.2 * links


def test_adaptive_packets_go_round_what_is_in_the_way():
    mesh = ae.Block("Mesh", 64, 50, CYCLE)
    settings = {"flit": FLIT, "packet": 4 * FLIT, "buffer": 8, "ports": 1}
    fixed, adaptive = (
        ae.load_latency(mesh, Credits(routing=routing, **settings), "transpose", [0.25], cycles=400, warm_up=200)[0]
        for routing in ("dimension-order", "adaptive")
    )
    assert adaptive.accepted > 1.15 * fixed.accepted
    assert adaptive.mean_cycles < fixed.mean_cycles / 2


def test_the_patterns():
    mesh = ae.Block("Mesh", 16, 50, CYCLE)
    settings = Credits(flit=FLIT, packet=FLIT, ports=1)
    for pattern, longest in zip(PATTERNS, (7, 7, 7), strict=True):
        (point,) = ae.load_latency(mesh, settings, pattern, [0.02], cycles=3000)
        assert point.max_cycles >= 4 * longest + 2
        assert point.accepted == pytest.approx(0.02, rel=0.2)
        assert not point.saturated
    (own,) = ae.load_latency(mesh, settings, lambda source, _: source ^ 1, [0.01], cycles=2000)
    assert own.mean_cycles == own.max_cycles == 4 * 2 + 2


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Credits(flit=0), "flit is 0"),
        (lambda: Credits(flit=512, packet=256), "a packet of 256 bytes is less than a flit of 512"),
        (lambda: Credits(routing="adaptiv"), "did you mean 'adaptive'"),
        (lambda: Credits(switching="cut-through", buffer=3), "a buffer of 3 flits never has room for a packet of 16"),
        (lambda: Wiring(Credits(virtual_channels=1), NETWORKS["ring"], 8), "2 are needed here"),
        (lambda: Wiring(Credits(virtual_channels=2, routing="adaptive"), NETWORKS["ring"], 8),
         "3 are needed here, so that packets never wait in a circle and have one to choose freely"),
        (lambda: ae.load_latency(NETWORKS["ring"], Credits(), "transpose"), "these are [8]"),
        (lambda: ae.load_latency(NETWORKS["ring"], Credits(), "neighbor"), "did you mean 'neighbour'"),
        (lambda: ae.load_latency(NETWORKS["ring"], Credits(), loads=[1.5]), "1 is the most"),
        (lambda: ae.load_latency(NETWORKS["switch"], Credits(packet=FLIT), loads=[0.5], warm_up=0),
         "send to itself"),
        (lambda: ae.load_latency(NETWORKS["ring"], Credits(), loads=0.1), "loads is 0.1; give flits for each NPU"),
        (lambda: ae.load_latency(NETWORKS["ring"], Credits(), 5), "pattern is 5; give one of uniform, transpose"),
        (lambda: ae.load_latency(NETWORKS["ring"], Credits(), lambda source, random: 8), "gave 8; give an NPU, 0 to 7"),
        (lambda: ae.load_latency(NETWORKS["ring"], Credits(), lambda source, random: None), "gave None; give an NPU"),
        (lambda: ae.load_latency(NETWORKS["ring"], Credits(), lambda source: 1), "takes 1 positional argument"),
        (lambda: ae.load_latency(NETWORKS["ring"], ae.Packets()), "give an ae.Credits(...)"),
        (lambda: Credits(virtual_channels=257), "virtual_channels is 257; 256 is the most"),
        (lambda: Credits(router_delay=10**9), "router_delay is 1,000,000,000; 1,000 is the most"),
        (lambda: carried(blocks(("Ring", 600, 20)), []), "512 can be followed at most"),
        (lambda: carried(NETWORKS["ring"], [(0, 1, 2**40)]), "100,000,000 flits"),
    ],
)  # fmt: skip
def test_what_makes_no_network_is_told(wrong, words):
    with pytest.raises(ConfigError) as told:
        wrong()
    assert words in str(told.value)


def test_settings_are_the_same_run_twice():
    messages = [(a, b, 9000) for a, b in product(range(8), repeat=2) if a != b]
    first, second = (carried(NETWORKS["ring"], messages, seed=7)[1] for _ in range(2))
    assert first == second
