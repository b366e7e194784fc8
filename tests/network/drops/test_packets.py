"""Packets over links and queues: times by hand, room, marks, and that nothing is lost without being counted."""

from itertools import pairwise

import pytest

pytest.importorskip("networkx")

import networkx as nx

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.network.drops import Packets
from astra_edu.network.drops.cross import ConstantRate
from astra_edu.network.drops.marking import Marking, probability
from astra_edu.network.drops.network import PacketNetwork
from astra_edu.network.graph import GraphNetwork

RATE, LATENCY = 12.5, 500
BANDWIDTH = RATE * 1e9 / 2**30
FULL, ACK = 1538, 90
KIB = 1024
CONTROLS = ("none", "newreno", "cubic", "dctcp", "dcqcn")


def star(npus):
    return (ae.Block("Switch", npus, BANDWIDTH, LATENCY),)


def line(*latencies):
    """0 - s1 - s2 - ... - 1."""
    nodes = [0, *(f"s{k}" for k in range(1, len(latencies))), 1]
    graph = nx.Graph()
    for (tail, head), latency in zip(pairwise(nodes), latencies, strict=True):
        graph.add_edge(tail, head, bandwidth=BANDWIDTH, latency=latency)
    return GraphNetwork(graph)


def played(network, messages, **settings):
    """A network after messages (source, destination, bytes), all handed to it at 0 ns."""
    made = PacketNetwork(network, Packets(**settings))
    for source, destination, size in messages:
        made.send(source, destination, size, lambda _: None, None)
    made.run()
    return made


def incast(senders, size=100_000, **settings):
    return played(star(senders + 1), [(k, 0, size) for k in range(1, senders + 1)], **settings)


@pytest.mark.parametrize("packets", [1, 2, 7, 100])
@pytest.mark.parametrize("latencies", [(500,), (500, 500), (100, 2000, 7)])
def test_one_message_on_an_idle_path_takes_what_the_formula_says(packets, latencies):
    """Store and forward: every link's latency, the first packet once on each link but the last, all on the last."""
    network = played(line(*latencies), [(0, 1, packets * 1448)], control="none")
    there = 0
    for latency in latencies[:-1]:
        there = int(there + FULL / RATE + latency)
    expected = int(there + packets * FULL / RATE + latencies[-1])
    assert network.statistics()["time_ns"] == expected


def test_a_short_last_packet_takes_less():
    times = [played(line(500), [(0, 1, 1448 + rest)], control="none").statistics()["time_ns"] for rest in (1, 1448)]
    assert times == [int((FULL + 91) / RATE + 500), int(2 * FULL / RATE + 500)]


def test_a_handshake_takes_a_round_trip_and_its_last_packet_goes_first():
    plain, asked = (
        played(line(500, 500), [(0, 1, 1448)], handshake=handshake).statistics()["time_ns"]
        for handshake in (False, True)
    )
    assert asked - plain == pytest.approx(4 * (ACK / RATE + 500) + ACK / RATE, abs=4)


def test_a_window_of_ten_packets_doubles_in_every_round_trip():
    """10 + 20 + 40 packets are three round trips on a long path, one more is a fourth."""
    latency = 100_000
    times = [
        played(line(latency), [(0, 1, packets * 1448)]).statistics()["time_ns"] / latency
        for packets in (10, 11, 70, 71)
    ]
    assert times == pytest.approx([1, 3, 5, 7], abs=0.1)


def test_whole_messages_as_packets_without_headers_are_the_congestion_aware_network():
    block = ae.Block("Switch", 8, BANDWIDTH, LATENCY)
    ideal = Packets(mtu=2**30, headers=0, framing=0, control="none", buffer=None)
    trace = ae.traces.collective("all_reduce", 800_000, npus=8)
    system = ae.TraceSystem.of("direct")
    expected = ae.simulate(trace, ae.TracePlatform(block, system, congestion_aware=True))
    found = ae.simulate(trace, ae.TracePlatform(block, system), network=ideal)
    assert found.finish_ns == expected.finish_ns


@pytest.mark.parametrize(("senders", "room"), [(8, 3), (5, 1), (4, 3)])
def test_a_burst_finds_as_much_room_as_there_is(senders, room):
    """Packets that come at once: one is on the link, `room` wait, the rest is dropped."""
    network = PacketNetwork(star(senders + 1), Packets(buffer=f"{room} packets"))
    seen = []
    network.schedule(10_000, lambda _: seen.append(network.statistics()), None)
    for k in range(1, senders + 1):
        network.send(k, 0, 1448, lambda _: None, None)
    network.run()
    assert seen[0]["packets_dropped"] == max(senders - 1 - room, 0)
    assert len(seen[0]["messages"]) == min(senders, 1 + room)
    assert len(network.messages) == senders


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("retransmission", ["selective", "go-back-n"])
@pytest.mark.parametrize(
    "more", [{}, {"ecn_kmin": 8 * KIB, "ecn_kmax": 16 * KIB, "ecn_pmax": 0.5}, {"shared_alpha": 1}]
)
def test_what_was_sent_arrived_or_was_dropped_and_no_queue_is_above_its_buffer(control, retransmission, more):
    buffer = 20 * KIB
    network = incast(6, control=control, retransmission=retransmission, buffer=buffer, **more)
    said = network.statistics()
    assert len(said["messages"]) == 6
    assert said["packets_sent"] + said["acks_sent"] == (
        said["packets_arrived"] + said["acks_arrived"] + said["packets_dropped"]
    )
    assert said["packets_dropped"] == sum(link.packets_dropped for link in said["links"]) > 0
    assert said["packets_sent"] - said["retransmissions"] == 6 * 70
    assert said["packets_arrived"] - said["packets_discarded"] == 6 * 70
    peaks = [link.peak_queue_bytes for link in said["links"] if isinstance(link.link[0], str)]
    assert 0.8 * buffer / (2 if "shared_alpha" in more else 1) < max(peaks) <= buffer
    assert all(0 <= queued <= buffer for queued in dict(said["queues"])["switch 0.0", 0] if isinstance(queued, int))


def test_the_same_seed_gives_the_same_run_and_another_one_another():
    red = {"control": "dctcp", "ecn_kmin": 5 * KIB, "ecn_kmax": 100 * KIB, "ecn_pmax": 0.3}
    first, again, other = (incast(4, seed=seed, **red).statistics() for seed in (1, 1, 2))
    assert first == again
    assert first["messages"] != other["messages"]


def test_acknowledgements_share_the_links():
    """Two NPUs that send to each other have links that carry a packet and an acknowledgement each time."""
    count = 2_000
    alone = played(star(2), [(0, 1, count * 1448)]).statistics()
    both = played(star(2), [(0, 1, count * 1448), (1, 0, count * 1448)]).statistics()
    assert {link.bytes_sent for link in both["links"]} == {count * (FULL + ACK)}
    assert {link.bytes_sent for link in alone["links"]} == {count * FULL, count * ACK}
    assert min(link.utilisation for link in both["links"]) > 0.95
    assert both["time_ns"] / alone["time_ns"] == pytest.approx((FULL + ACK) / FULL, rel=0.02)


def test_the_link_into_the_receiver_is_busy_all_the_time_and_says_what_waited():
    network = incast(4, size=1_000_000, buffer="1 MiB")
    said = network.statistics()
    links = {link.link: link for link in said["links"]}
    assert links["switch 0.0", 0].utilisation > 0.99
    assert links[1, "switch 0.0"].utilisation < 0.5
    series = said["queues"]["switch 0.0", 0]
    assert 100 < len(series) <= 401
    assert [ns for ns, _ in series] == sorted(ns for ns, _ in series)
    assert max(queued for _, queued in series) <= links["switch 0.0", 0].peak_queue_bytes < 2**20
    assert said["time_ns"] == max(message.arrived_ns for message in said["messages"])
    assert {message.message_bytes for message in said["messages"]} == {1_000_000}


def test_a_shared_memory_gives_a_lone_queue_the_share_that_alpha_says():
    """Alone, a queue q ends where q = alpha x (size - q)."""
    size = 100 * KIB
    for alpha in (0.5, 1, 4):
        network = incast(4, control="none", buffer=size, shared_alpha=alpha)
        peak = max(link.peak_queue_bytes for link in network.statistics()["links"] if isinstance(link.link[0], str))
        assert peak == pytest.approx(size * alpha / (1 + alpha), abs=FULL)


def test_marks_fall_as_often_as_the_curve_says():
    from random import Random

    marking = Marking(1000, 3000, 0.4, Random(3))
    for queued in (1000, 1500, 2000, 3000, 3001):
        share = sum(marking.marks(queued) for _ in range(20_000)) / 20_000
        assert share == pytest.approx(probability(queued, 1000, 3000, 0.4), abs=0.01)
    assert [probability(queued, 1000, 1000, 0.4) for queued in (1000, 1001)] == [0, 1]


def test_messages_of_a_pair_follow_one_another_or_share_the_link():
    sizes = [(0, 1, 100 * 1448), (0, 1, 1448)]
    orders = [
        [message.message_bytes for message in played(star(2), sizes, flow=flow, control=control).messages]
        for flow in ("pair", "message")
        for control in ("newreno", "none")
    ]
    assert orders == [[144_800, 1448]] * 2 + [[1448, 144_800]] * 2


def test_datagrams_take_their_share_of_a_link():
    """Half as many datagrams as packets come to one queue: a third of what leaves it."""
    unlimited = Packets(control="none", buffer=None)
    network = PacketNetwork(star(4), unlimited)
    traffic = ConstantRate(network, 2, 1, FULL, every_ns=2 * FULL / RATE)
    network.send(0, 1, 2_000_000, lambda _: None, None)
    network.run()
    alone = played(star(4), [(0, 1, 2_000_000)], control="none", buffer=None).statistics()["time_ns"]
    assert network.statistics()["time_ns"] / alone == pytest.approx(1.5, rel=0.02)
    assert traffic.arrived == traffic.sent


def test_an_empty_message_arrives():
    assert [message.message_bytes for message in played(star(2), [(0, 1, 0)]).messages] == [0]


def test_rings_and_graphs_carry_a_collective():
    trace = ae.traces.collective("all_reduce", "1 MiB", npus=4)
    ring = ae.TracePlatform(ae.Block("Ring", 4, BANDWIDTH, LATENCY), ae.TraceSystem.of("ring"))
    graph = ae.TracePlatform(GraphNetwork(ae.as_graph(ring.network)), ae.TraceSystem.of("ring"))
    results = [ae.simulate(trace, platform, network=Packets()) for platform in (ring, graph)]
    assert results[0].finish_ns == results[1].finish_ns
    least = 6 * 2**18 * FULL / 1448 / RATE
    assert least < results[0].total_ns < 1.1 * least + 6 * LATENCY + 20_000
    assert results[0].statistics["packets_sent"] == 4 * 6 * 182


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"mtu": 52}, "headers"),
        ({"buffer": 1000}, "never pass"),
        ({"buffer": "no packets"}, "must be a number"),
        ({"buffer": "0 packets"}, "1 or more"),
        ({"control": "reno"}, "newreno"),
        ({"retransmission": "none"}, "go-back-n"),
        ({"ecn_kmax": 1000}, "ecn_kmin"),
        ({"ecn_kmin": 2000, "ecn_kmax": 1000}, "more than ecn_kmax"),
        ({"ecn_kmin": 1, "ecn_pmax": 1.5}, "probability"),
        ({"ecn_kmin": 8000, "buffer": 8000}, "never has more waiting"),
        ({"pfc_xon": 1000}, "pfc_xoff"),
        ({"pfc_xoff": 1000, "pfc_xon": 2000}, "more than pfc_xoff"),
        ({"pfc_xoff": 300 * KIB}, "needs a buffer"),
        ({"shared_alpha": 1, "buffer": None}, "buffer in bytes"),
        ({"shared_alpha": 0.001}, "never holds"),
        ({"flow": "all"}, "pair"),
        ({"window": 100}, "never pass"),
    ],
)
def test_settings_that_make_no_network_are_told(settings, word):
    with pytest.raises(ConfigError, match=word):
        Packets(**settings)


def test_an_npu_sends_itself_nothing():
    with pytest.raises(ConfigError, match="two NPUs"):
        played(star(2), [(1, 1, 10)])


def test_too_many_packets_are_told(monkeypatch):
    monkeypatch.setattr("astra_edu.network.drops.network.MOST_PACKETS", 50)
    with pytest.raises(ConfigError, match="more than 50 packets"):
        incast(2, size=10_000_000, control="none")


def test_a_record_has_every_packet_on_every_link_and_every_one_that_was_lost():
    platform = ae.TracePlatform(ae.Block("Switch", 9, 10, 500), ae.TraceSystem.of("direct"))
    builder = ae.traces.Builder(9)
    for npu in range(1, 9):
        builder.message(f"from {npu}", "64 KiB", npu, 0)
    result = ae.simulate(builder.build(), platform, network=Packets(buffer="32 KiB"), record=True, progress=False)
    said = result.statistics
    for link in said["links"]:
        uses = [use for use in result.uses if use.link == link.link]
        assert (len(uses), sum(use.size for use in uses)) == (link.packets_sent, link.bytes_sent)
        assert all(use.queued_ns <= use.start_ns < use.free_ns <= use.end_ns for use in uses)
        assert all(a.free_ns <= b.start_ns for a, b in pairwise(uses))
        assert sum(lost.link == link.link for lost in result.lost) == link.packets_dropped
    assert len(result.lost) == said["packets_dropped"] > 50
    assert said["buffer_bytes"] == 32 * 1024 >= said["peak_queue_bytes"]
    for lost in result.lost:
        assert (lost.link, lost.destination) == (("switch 0.0", 0), 0)
        waits = sum(u.size for u in result.uses if u.link == lost.link and u.queued_ns <= lost.time_ns < u.start_ns)
        assert waits + 2 * lost.size > 32 * 1024
    assert ae.simulate(builder.build(), platform, network=Packets(buffer="32 KiB"), progress=False).uses == ()


def test_a_direct_all_reduce_queues_in_an_oversubscribed_fabric_and_not_in_one_switch():
    """Two leaves of four NPUs with one link between them, as fast as an NPU's, beside one switch."""
    graph = nx.Graph([*((npu, f"leaf {npu // 4}") for npu in range(8)), ("leaf 0", "leaf 1")])
    nx.set_edge_attributes(graph, {edge: {"bandwidth": 10, "latency": 500} for edge in graph.edges})
    system = ae.TraceSystem.of("direct")
    one = ae.TracePlatform(ae.Block("Switch", 8, 10, 500), system)
    two = ae.TracePlatform(GraphNetwork(graph), system)
    trace = ae.traces.collective("all_reduce", "1 MiB", npus=8)

    def said(platform, buffer):
        return ae.simulate(trace, platform, network=Packets(buffer=buffer), progress=False).statistics

    small, large = said(one, 4 * KIB), said(one, 256 * KIB)
    assert small == large | {name: small[name] for name in small if name == "buffer_bytes"}
    assert small["packets_dropped"] == 0
    assert max(link.peak_queue_bytes for link in small["links"] if isinstance(link.link[0], str)) <= FULL
    assert said(two, 4 * KIB)["packets_dropped"] > 100
