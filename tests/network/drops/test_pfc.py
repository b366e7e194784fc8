"""Pauses: nothing is lost where there is headroom, what stands behind waits, and circles are told."""

import pytest

pytest.importorskip("networkx")

import networkx as nx

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.network.drops import Packets
from astra_edu.network.drops.network import PacketNetwork
from astra_edu.network.drops.pfc import headroom
from astra_edu.network.drops.statistics import waiting_circle
from astra_edu.network.graph import GraphNetwork
from tests.network.drops.test_packets import BANDWIDTH, FULL, KIB, LATENCY, RATE, incast, played, star

XOFF = 20 * KIB
ENOUGH = XOFF + headroom(RATE, LATENCY, FULL)


@pytest.mark.parametrize("control", ["none", "newreno", "cubic", "dctcp", "dcqcn"])
@pytest.mark.parametrize("senders", [2, 7])
def test_with_headroom_nothing_is_dropped(control, senders):
    said = incast(senders, 300_000, control=control, pfc_xoff=XOFF, buffer=ENOUGH).statistics()
    assert (said["packets_dropped"], said["retransmissions"]) == (0, 0)
    assert said["packets_sent"] == senders * 208
    if control in ("none", "dcqcn"):
        assert said["pauses"] > 0 < said["paused_ns"]


def test_without_headroom_packets_are_dropped():
    assert incast(7, 300_000, control="none", pfc_xoff=XOFF, buffer=XOFF + FULL).statistics()["packets_dropped"] > 0


def test_a_switch_holds_of_each_link_no_more_than_xoff_and_what_is_on_its_way():
    network = incast(3, 300_000, control="none", pfc_xoff=XOFF, buffer=None)
    room = network.ports["switch 0.0", 0].room
    assert XOFF < room.peak <= ENOUGH
    assert set(room.held.values()) == {0}
    assert not any(port.paused for port in network.ports.values())


def test_a_pause_takes_the_latency_of_the_link():
    """One sender at twice the rate of the way on: what comes after xoff is two latencies' worth."""
    for latency in (100, 5_000):
        graph = nx.Graph()
        graph.add_edge(0, "s", bandwidth=2 * BANDWIDTH, latency=latency)
        graph.add_edge("s", 1, bandwidth=BANDWIDTH, latency=LATENCY)
        network = played(GraphNetwork(graph), [(0, 1, 2_000_000)], control="none", pfc_xoff=XOFF, buffer=None)
        filled = 2 * latency * RATE  # in at 2 RATE, out at RATE, for two latencies
        assert network.ports["s", 1].room.peak == pytest.approx(XOFF + filled, abs=3 * FULL)


def test_who_stands_behind_a_paused_link_waits_wherever_it_goes():
    """NPU 1 sends to the crowded NPU 0 and to the idle NPU 3: head-of-line blocking."""
    messages = [(1, 3, 100_000), *((k, 0, 500_000) for k in (1, 2, 4, 5, 6, 7))]

    def victim(**settings):
        network = played(star(8), messages, control="none", flow="message", **settings)
        return next(message.arrived_ns for message in network.messages if message.destination == 3)

    alone = victim(buffer=None)
    assert victim(pfc_xoff=XOFF, buffer=ENOUGH) > 2 * alone


def circle():
    """Three switches, each with an NPU, and ways that go clockwise over all three."""
    graph = nx.DiGraph()
    for k in range(3):
        for tail, head in ((k, f"s{k}"), (f"s{k}", k), (f"s{k}", f"s{(k + 1) % 3}")):
            graph.add_edge(tail, head, bandwidth=BANDWIDTH, latency=LATENCY)
    return GraphNetwork(graph)


def test_pauses_in_a_circle_are_a_deadlock_and_are_told():
    messages = [(k, (k + 2) % 3, 1_000_000) for k in range(3)]
    network = played(circle(), messages, control="none", pfc_xoff=XOFF, buffer=ENOUGH)
    assert len(network.messages) < 3
    assert network.blocked().startswith("paused links wait for each other in a circle (deadlock): s")
    assert len(played(circle(), messages, control="none", buffer=None).messages) == 3


def test_a_run_that_is_deadlocked_ends_with_the_reason():
    nodes = [[] for _ in range(3)]
    for k in range(3):
        attr = {"comm_src": k, "comm_dst": (k + 2) % 3, "comm_size": 1_000_000, "comm_tag": k}
        nodes[k].append({"id": 1, "type": "COMM_SEND_NODE", "attr": attr})
        nodes[(k + 2) % 3].append({"id": 2, "type": "COMM_RECV_NODE", "attr": attr})
    trace = ae.traces.from_nodes(nodes)
    platform = ae.TracePlatform(circle(), ae.TraceSystem.of("direct"))
    with pytest.raises(ConfigError, match="deadlock"):
        ae.simulate(trace, platform, network=Packets(control="none", pfc_xoff=XOFF, buffer=ENOUGH))


@pytest.mark.parametrize(
    ("paused", "length"),
    [
        ([], 0),
        ([("a", "b"), ("b", "c")], 0),
        ([("a", "b"), ("b", "a")], 2),
        ([("x", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("b", "d")], 3),
    ],
)
def test_circles_are_found(paused, length):
    found = waiting_circle(paused)
    assert len(found) == length
    assert all(found[k][1] == found[(k + 1) % length][0] for k in range(length))
    assert set(found) <= set(paused)


def test_npus_on_a_ring_pause_each_other_only_where_their_memory_ends():
    ring = (ae.Block("Ring", 6, BANDWIDTH, LATENCY),)
    messages = [(0, 3, 300_000), (1, 3, 300_000), (2, 3, 300_000)]
    free = PacketNetwork(ring, Packets(control="none", pfc_xoff=XOFF))
    ended = PacketNetwork(ring, Packets(control="none", pfc_xoff=XOFF, npu_buffer=ENOUGH))
    for network in (free, ended):
        for source, destination, size in messages:
            network.send(source, destination, size, lambda _: None, None)
        network.run()
        assert len(network.messages) == 3
    assert free.statistics()["pauses"] == 0 < ended.statistics()["pauses"]
    assert ended.statistics()["packets_dropped"] == 0
