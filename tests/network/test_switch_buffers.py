"""Buffers that end: packets are dropped and sent again, or wait for room; none is lost for good."""

from collections import Counter

import pytest

pytest.importorskip("networkx")

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.network.buffers import SwitchBuffers
from astra_edu.network.graph import GraphNetwork

KIB = 1024
BANDWIDTH, LATENCY = 12.5e9 / 2**30, 500  # 12.5 bytes a ns
PACKET = 4 * KIB
OCCUPIED, CROSSING = int(PACKET / 12.5), int(LATENCY + PACKET / 12.5)


def sends(*messages, npus, start_us=None):
    """A trace of messages (source, destination, bytes), each NPU's own in their order, one after the other."""
    nodes = [[] for _ in range(npus)]
    for npu, micros in (start_us or {}).items():
        nodes[npu].append({"id": 0, "type": "COMP_NODE", "duration_micros": micros})
    for number, (source, destination, size) in enumerate(messages, start=1):
        attr = {"comm_src": source, "comm_dst": destination, "comm_size": size, "comm_tag": number}
        after = [0] if source in (start_us or {}) else []
        nodes[source].append({"id": number, "type": "COMM_SEND_NODE", "data_deps": after, "attr": attr})
        nodes[destination].append({"id": number + 1000, "type": "COMM_RECV_NODE", "attr": attr})
    return ae.traces.from_nodes(nodes)


def switch(npus, buffers, latency=LATENCY, bandwidth=BANDWIDTH):
    return ae.TracePlatform(ae.Block("Switch", npus, bandwidth, latency), congestion_aware=True, buffers=buffers)


def incast(senders, size, buffers, record=True, **more):
    trace = sends(*((n, 0, size) for n in range(1, senders + 1)), npus=senders + 1)
    return ae.simulate(trace, switch(senders + 1, buffers, **more), record=record)


def bytes_on(result):
    found = Counter()
    for use in result.uses:
        found[use.link] += use.size
    return found


def most_stored(result):
    """The most bytes that were in front of a link out of a switch at once."""
    most = Counter()
    for link in {use.link for use in result.uses if isinstance(use.link[0], str)}:
        changes = sorted(
            change
            for use in result.uses
            if use.link == link
            for change in ((use.queued_ns, 1, use.size), (use.free_ns, 0, -use.size))  # who leaves makes room first
        )
        stored = 0
        for _, _, size in changes:
            stored += size
            most[link] = max(most[link], stored)
    return max(most.values())


@settings(max_examples=15, deadline=None)
@given(
    topology=st.sampled_from(("Ring", "Switch", "FullyConnected")),
    power=st.integers(1, 3),
    algorithm=st.sampled_from(("ring", "direct", "halvingDoubling")),
    size=st.integers(100, 10**6),
    splits=st.integers(1, 3),
    active=st.integers(1, 3),
    flow_control=st.sampled_from(("drop", "credit")),
)
def test_without_end_and_in_one_piece_it_is_the_engines_own_network(
    topology, power, algorithm, size, splits, active, flow_control
):
    block = ae.Block(topology, 2**power, 50, 500)
    how = ae.TraceSystem.of(algorithm, splits=splits, active_chunks=active)
    trace = ae.traces.collective("all_reduce", size, 2**power)
    times = [
        ae.simulate(trace, ae.TracePlatform(block, how, congestion_aware=True, buffers=buffers)).finish_ns
        for buffers in (None, SwitchBuffers(None, None, flow_control))
    ]
    assert times[0] == times[1]


def test_packets_of_one_message_follow_each_other_closely():
    result = incast(1, 10 * PACKET, SwitchBuffers(None))
    assert result.total_ns == 2 * CROSSING + 9 * OCCUPIED
    whole = incast(1, 10 * PACKET, SwitchBuffers(None, None))
    assert whole.total_ns == 2 * int(LATENCY + 10 * PACKET / 12.5)


@pytest.mark.parametrize("flow_control", ["drop", "credit"])
def test_the_port_is_never_idle_while_there_is_room(flow_control):
    """n senders of k packets: the first is there after a crossing, then n · k leave one after the other."""
    result = incast(5, 8 * PACKET, SwitchBuffers(40 * PACKET, flow_control=flow_control))
    assert result.total_ns == CROSSING + 39 * OCCUPIED + CROSSING
    assert not result.lost


def test_one_packet_too_many_is_sent_again():
    result = incast(2, PACKET, SwitchBuffers(PACKET, timeout=50_000))
    assert result.finish_ns[1] == 2 * CROSSING
    assert result.finish_ns[2] == 50_000 + 2 * CROSSING
    (lost,) = result.lost
    assert lost == (("switch 0.0", 0), PACKET, CROSSING, 2, 0)


def test_a_timeout_shorter_than_the_way_is_over_as_soon_as_the_packet_is_lost():
    result = incast(2, PACKET, SwitchBuffers(PACKET, timeout=1))
    assert [packet.time_ns for packet in result.lost] == [CROSSING]
    assert result.total_ns == CROSSING + 1 + 2 * CROSSING


@settings(max_examples=30, deadline=None)
@given(
    senders=st.integers(1, 12),
    size=st.integers(1, 30 * PACKET),
    room=st.integers(1, 12),
    packet=st.integers(500, 9000),
    flow_control=st.sampled_from(("drop", "credit")),
)
def test_nothing_is_lost_for_good_and_no_buffer_overflows(senders, size, room, packet, flow_control):
    buffers = SwitchBuffers(room * packet, packet, flow_control, timeout=20_000)
    result = incast(senders, size, buffers)
    sent = bytes_on(result)
    assert sent["switch 0.0", 0] == senders * size
    again = Counter()
    for packet_ in result.lost:
        again[packet_.source] += packet_.size
    for npu in range(1, senders + 1):
        assert sent[npu, "switch 0.0"] == size + again[npu]
    assert most_stored(result) <= room * packet
    if flow_control == "credit":
        assert not result.lost
    best = 2 * int(LATENCY + min(size, packet) / 12.5) if senders == 1 else senders * size / 12.5 - senders * 31
    assert result.total_ns >= best


def test_goodput_collapses_when_packets_are_dropped_but_not_with_credits():
    size, buffer = 64 * KIB, 128 * KIB
    dropped = incast(16, size, SwitchBuffers(buffer, timeout=500_000))
    credits = incast(16, size, SwitchBuffers(buffer, flow_control="credit"))
    endless = incast(16, size, SwitchBuffers(None))
    assert credits.total_ns == endless.total_ns
    assert dropped.total_ns > 20 * endless.total_ns
    rounds = -(-(dropped.total_ns - endless.total_ns) // 500_000)
    assert rounds == len({packet.time_ns // 500_000 for packet in dropped.lost})  # a timeout for each burst of losses


def test_news_of_room_takes_the_latency_of_the_link():
    """Room for one packet: it goes up, down, and the news goes back before the next one sets off."""
    result = incast(1, 6 * PACKET, SwitchBuffers(PACKET, flow_control="credit"))
    round_ns = CROSSING + OCCUPIED + LATENCY
    assert result.total_ns == 5 * round_ns + 2 * CROSSING


def test_enough_room_for_the_round_trip_is_enough():
    whole = incast(1, 60 * PACKET, SwitchBuffers(None)).total_ns
    round_trip = CROSSING + OCCUPIED + LATENCY
    enough = -(-round_trip // OCCUPIED)
    times = [
        incast(1, 60 * PACKET, SwitchBuffers(n * PACKET, flow_control="credit")).total_ns for n in range(1, enough + 1)
    ]
    assert times == sorted(times, reverse=True)
    assert times[-1] == whole < times[-2]


def test_who_stands_behind_a_packet_that_waits_waits_too():
    """NPUs 1 and 2 share a link. 1 sends to NPU 0, as 4 others do; 2 to NPU 3, to which nobody else sends."""
    others = range(4, 8)
    graph = nx.Graph([(1, "left"), (2, "left"), ("left", "right"), ("right", 0), ("right", 3)])
    graph.add_edges_from((npu, "right") for npu in others)
    nx.set_edge_attributes(graph, {edge: {"bandwidth": BANDWIDTH, "latency": LATENCY} for edge in graph.edges})
    trace = sends(*((npu, 3 if npu == 2 else 0, 40 * PACKET) for npu in (1, 2, *others)), npus=8)
    times = {}
    for room in (None, 12 * PACKET):
        buffers = SwitchBuffers(room, flow_control="credit")
        platform = ae.TracePlatform(GraphNetwork(graph), congestion_aware=True, buffers=buffers)
        times[room] = ae.simulate(trace, platform).finish_ns[3]
    assert times[None] < 82 * OCCUPIED + 4 * CROSSING  # it takes turns with NPU 1's on the shared link
    assert times[12 * PACKET] > 1.5 * times[None]


def circle(buffers, switches=4):
    """Switches in a ring, an NPU at each; everybody sends to the one two switches on, the same way round."""
    graph = nx.DiGraph()
    for k in range(switches):
        for ends in ((k, f"s{k}"), (f"s{k}", k), (f"s{k}", f"s{(k + 1) % switches}")):
            graph.add_edge(*ends, bandwidth=BANDWIDTH, latency=LATENCY)
    trace = sends(*((k, (k + 2) % switches, 64 * PACKET) for k in range(switches)), npus=switches)
    return ae.simulate(trace, ae.TracePlatform(GraphNetwork(graph), congestion_aware=True, buffers=buffers))


def test_credits_can_deadlock_and_the_run_says_so():
    assert circle(SwitchBuffers(None)).total_ns
    assert circle(SwitchBuffers(4 * PACKET)).lost
    with pytest.raises(ae.ConfigError, match=r"in a circle \(deadlock\): on s0 -> s1"):
        circle(SwitchBuffers(4 * PACKET, flow_control="credit"))


def test_only_some_switches_have_buffers():
    two = ae.Block("Switch", 4, BANDWIDTH, 500), ae.Block("Switch", 2, BANDWIDTH, 500)
    trace = sends((1, 0, 64 * PACKET), (2, 0, 64 * PACKET), (4, 5, 64 * PACKET), (6, 5, 64 * PACKET), npus=8)
    for only, lossy in ((None, {"switch 0.0", "switch 0.1"}), ("switch 0.1", {"switch 0.1"}), (("switch 1.",), set())):
        buffers = SwitchBuffers(8 * PACKET, only=only, timeout=20_000)
        result = ae.simulate(trace, ae.TracePlatform(two, congestion_aware=True, buffers=buffers))
        assert {packet.link[0] for packet in result.lost} == lossy


def stragglers(npus, most_us):
    """An all-reduce that everybody enters at another time."""
    nodes = [
        [
            {"id": 1, "type": "COMP_NODE", "duration_micros": 7 * npu % most_us},
            {"id": 2, "type": "COMM_COLL_NODE", "data_deps": [1], "attr": {"comm_type": 0, "comm_size": 1 << 20}},
        ]
        for npu in range(npus)
    ]
    return ae.traces.from_nodes(nodes)


def test_fewer_senders_and_fewer_bytes_fit_into_the_buffers():
    """A flat direct all-reduce of stragglers loses packets where a hierarchical one of the same NPUs loses none."""
    wide = 800e9 / 8 / 2**30
    buffers = SwitchBuffers(64 * KIB, only="switch 1.")
    flat = ae.TracePlatform(
        ae.Block("Switch", 32, wide, 500),
        ae.TraceSystem.of("direct"),
        congestion_aware=True,
        buffers=SwitchBuffers(64 * KIB),
    )
    two = ae.TracePlatform(
        (ae.Block("Switch", 8, wide, 250), ae.Block("Switch", 4, wide / 8, 500)),
        ae.TraceSystem.of(["direct", "direct"], optimization="localBWAware"),
        congestion_aware=True,
        buffers=buffers,
    )
    trace = stragglers(32, 20)
    lossy, safe = ae.simulate(trace, flat), ae.simulate(trace, two)
    assert lossy.lost
    assert not safe.lost
    assert safe.total_ns < lossy.total_ns


BAD = [
    (lambda: SwitchBuffers(0), "size is 0"),
    (lambda: SwitchBuffers("1 kiB", "4 KiB"), "a buffer of 1,024 bytes never holds a packet of 4,096 bytes"),
    (lambda: SwitchBuffers(1000, None), "never holds a packet of a whole message"),
    (lambda: SwitchBuffers(flow_control="credits"), "did you mean 'credit'"),
    (lambda: SwitchBuffers(timeout=0), "timeout is 0"),
    (lambda: SwitchBuffers("big"), "write bytes"),
    (lambda: ae.TracePlatform(ae.Block("Switch", 4, 50, 500), buffers=SwitchBuffers()), "congestion_aware=True"),
    (lambda: ae.TracePlatform(ae.Block("Switch", 4, 50, 500), congestion_aware=True, buffers=4096), "SwitchBuffers"),
    (lambda: incast(1, 10**8, SwitchBuffers(100, 10)), "more than 3,000,000 packets"),
]


@pytest.mark.parametrize(("build", "words"), BAD)
def test_what_is_no_buffer_is_told_why(build, words):
    with pytest.raises(ae.ConfigError) as error:
        build()
    assert words in str(error.value)
