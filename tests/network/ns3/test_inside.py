"""ns-3 itself under the engine: closed forms, bounds, conservation, and the figures of tests/data/ns3."""

import csv
from pathlib import Path

import networkx as nx
import pandas as pd
import pytest

import astra_edu as ae
from astra_edu.network.ns3.installed import missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "ns-3 is installed")

MIB = 2**20
HEADERS = 54
DATA = Path(__file__).resolve().parents[2] / "data" / "ns3" / "cases.csv"


def platform(*blocks, algorithm="ring"):
    return ae.TracePlatform(blocks, ae.TraceSystem.of(algorithm, endpoint_delay=0))


def switch(npus, gb_per_s=12.5, latency=500):
    return ae.Block("Switch", npus, gb_per_s, latency)


def played(messages, network):
    """When each of [(at ns, source, destination, bytes)] has arrived, on a network of our own."""
    ends = {}

    def send(number):
        _, source, destination, size = messages[number]
        network.send(source, destination, size, lambda n: ends.setdefault(n, network.now), number)

    for number, (at_ns, *_) in enumerate(messages):
        network.schedule(at_ns, send, number)
    network.run()
    return [ends[n] for n in range(len(messages))]


@pytest.mark.parametrize("size", [1, 1000, 1448, 14_480])
def test_a_message_on_an_open_connection_takes_what_its_packets_take(size):
    """Up to ten segments, the first window: all leave at once, and a switch stores and forwards each."""
    bytes_per_ns = 12.5 * 2**30 / 1e9
    packets = [1448 + HEADERS] * (size // 1448) + ([size % 1448 + HEADERS] if size % 1448 else [])
    want = 2 * 500 + (sum(packets) + packets[-1 if len(packets) == 1 else 0]) / bytes_per_ns
    _, end = played([(0, 0, 1, 1), (100_000, 0, 1, size)], ae.Ns3()(platform(switch(2))))
    assert end - 100_000 == pytest.approx(want, abs=1.01)


def test_a_first_message_waits_for_the_handshake():
    first, second = played([(0, 0, 1, 1000), (50_000, 0, 1, 1000)], ae.Ns3()(platform(switch(2))))
    assert 2 * 2 * 500 < first - (second - 50_000) < 2 * 2 * 500 + 100


def test_every_byte_arrives_once_in_the_order_of_its_connection():
    messages = [(137 * k, k % 5, (k + 1 + k // 5 % 4) % 5, 1 + 7919 * k % 40_000) for k in range(200)]
    network = ae.Ns3(buffer="8 KiB")(platform(switch(5)))
    ends = played(messages, network)
    said = network.statistics()
    sent = {}
    for end, (at, a, b, size) in zip(ends, messages, strict=True):
        sent.setdefault((a, b), []).append((at, end, size))
    table = pd.DataFrame(said["connections"])
    got = dict(zip(zip(table["from"], table["to"], strict=True), table["bytes_received"], strict=True))
    assert got == {pair: sum(size for *_, size in of) for pair, of in sent.items()}
    assert all([end for _, end, _ in of] == sorted(end for _, end, _ in of) for of in sent.values())
    assert said["packets_dropped"] > 0
    assert said["retransmissions"] > 0


@pytest.mark.parametrize(("transport", "more"), [("TcpNewReno", 1.15), ("TcpCubic", 1.3), ("TcpDctcp", 1.15)])
def test_an_all_reduce_of_4_npus_takes_a_little_longer_than_its_bytes(transport, more):
    """CUBIC's HyStart ends the slow start early where a NIC's own queue delays acknowledgements."""
    result = ae.simulate(
        ae.traces.collective("all_reduce", MIB, npus=4), platform(switch(4)), network=ae.Ns3(transport)
    )
    bytes_per_ns = 12.5 * 2**30 / 1e9
    bound = 2 * 3 * (MIB / 4 * (1448 + HEADERS) / 1448 / bytes_per_ns + 2 * 500)
    assert bound < result.total_ns < more * bound
    assert max(link["utilisation"] for link in result.statistics["links"]) == pytest.approx(
        bound / result.total_ns, rel=0.05
    )


@pytest.mark.parametrize("blocks", [(switch(4), switch(4)), (switch(4), ae.Block("Ring", 4, 12.5, 500), switch(4))])
def test_hierarchical_networks_of_16_and_64_npus_run_and_have_their_spans(blocks):
    where = platform(*blocks)
    trace = ae.traces.collective("all_reduce", 256 * 1024, npus=where.npus)
    result = ae.simulate(trace, where, network="ns-3")
    again = ae.simulate(trace, where, network="ns-3")
    assert result.finish_ns == again.finish_ns
    assert len({span.lane for span in result.timeline}) >= 1
    assert [ran.npu for ran in result.ran].count(0) == 1
    assert len(result.ran) == where.npus
    sent = sum(one["bytes_received"] for one in result.statistics["connections"])
    own = ae.simulate(trace, where, everyone=True, record=True)
    assert result.total_ns > 0.3 * own.total_ns
    steps = [2 * (block.npus - 1) / block.npus for block in blocks]
    share, want = 1.0, 0.0
    for step, block in zip(steps, blocks, strict=True):
        want += step * share
        share /= block.npus
    assert sent == pytest.approx(where.npus * 256 * 1024 * want, rel=1e-3)


def test_a_fat_tree_of_16_npus_spreads_and_marks():
    tree = nx.Graph()
    for leaf in range(4):
        for npu in range(4):
            tree.add_edge(4 * leaf + npu, f"leaf {leaf}", bandwidth=12.5, latency=500)
        for spine in range(2):
            tree.add_edge(f"leaf {leaf}", f"spine {spine}", bandwidth=12.5, latency=500)
    network = ae.GraphNetwork(tree, ties="spread")
    where = ae.TracePlatform(network, ae.TraceSystem.of("direct"))
    said = ae.simulate(
        ae.traces.collective("all_to_all", MIB, npus=16), where, network=ae.Ns3("TcpDctcp", buffer="128 KiB")
    ).statistics
    links = {(link["from"], link["to"]): link for link in said["links"]}
    assert said["ecn_marks"] > 0
    assert all(links[f"leaf {leaf}", f"spine {spine}"]["packets_sent"] > 0 for leaf in range(4) for spine in (0, 1))
    stored = [link["peak_queue_bytes"] for (tail, _), link in links.items() if isinstance(tail, str)]
    assert 0 < max(stored) <= 128 * 1024 + 1502


@pytest.mark.parametrize(
    ("case", "within"),
    [
        ("incast8-10g-TcpNewReno-1024k", 0.005),
        ("incast8-100g-TcpCubic-1024k", 0.005),
        ("incast8-100g-TcpDctcp-1024k", 0.005),
        ("incast8-10g-TcpDctcp-32k", 0.005),
        ("incast2-10g-TcpNewReno-32k-rto200ms", 0.005),
    ],
)
def test_an_incast_is_what_a_script_of_ns3s_own_helpers_says(case, within):
    """Another program, with ns-3's routing and a clock of ns: tools/ns3_reference."""
    with DATA.open(encoding="utf-8") as file:
        row = next(row for row in csv.DictReader(file) if row["case"] == case)
    flows, size, buffer, mark = (int(row[name]) for name in ("flows", "message_bytes", "buffer_bytes", "mark_bytes"))
    settings = ae.Ns3(row["transport"], buffer=buffer, mark=mark or None, min_rto_ns=int(row["min_rto_ns"]))
    network = settings(platform(switch(flows + 1, int(row["link_gbps"]) * 1e9 / 8 / 2**30, int(row["latency_ns"]))))
    ends = played([(k * int(row["stagger_ns"]), k, flows, size) for k in range(flows)], network)
    said = network.statistics()
    assert max(ends) == pytest.approx(int(row["total_ns"]), rel=within)
    assert said["packets_dropped"] == pytest.approx(int(row["dropped_packets"]), rel=0.05)
    assert said["peak_queue_bytes"] == pytest.approx(int(row["most_bytes_queued"]), rel=0.05)


def test_an_error_of_a_callback_leaves_python_and_ns3_whole():
    network = ae.Ns3()(platform(switch(3)))
    network.send(0, 1, 5000, lambda _: 1 / 0, None)
    network.send(1, 2, 5000, lambda _: None, None)
    with pytest.raises(ZeroDivisionError):
        network.run()
    assert played([(0, 0, 1, 0)], ae.Ns3()(platform(switch(2))))[0] < 5000


def test_the_engine_and_ns3_share_one_clock():
    """A message that is sent at t by a timer of the engine's takes as long as one that is sent at another t."""
    network = ae.Ns3()(platform(switch(2)))
    times = [20_000, 33_333, 47_001, 1_000_000_007]
    ends = played([(0, 0, 1, 1), *((t, 0, 1, 1000) for t in times)], network)[1:]
    assert len({end - t for end, t in zip(ends, times, strict=True)}) == 1
