"""What is said of packets, flits and ns-3 is what their links and flows count."""

import re

import pytest

import astra_edu as ae
from astra_edu.explain.of_packets import of_packets

nx = pytest.importorskip("networkx")


def two_leaves():
    """Four NPUs each, with one link between them that is as fast as an NPU's."""
    graph = nx.Graph([*((npu, f"leaf {npu // 4}") for npu in range(8)), ("leaf 0", "leaf 1")])
    nx.set_edge_attributes(graph, {edge: {"bandwidth": 10, "latency": 500} for edge in graph.edges})
    return ae.TracePlatform(ae.GraphNetwork(graph), ae.TraceSystem.of("direct"))


def run(network):
    trace = ae.traces.collective("all_reduce", "256 KiB", npus=8)
    return ae.simulate(trace, two_leaves(), network=network, progress=False)


def test_drops_and_timeouts_are_said_with_the_link_that_dropped_most():
    result = run(ae.Packets(buffer="8 KiB"))
    words, said = repr(result.explain()), result.statistics
    found = re.search(r"(\d+) packets were dropped, (\d+) of them in front of (leaf . → leaf .); (\d+) were", words)
    by_link = {f"{link.link[0]} → {link.link[1]}": link for link in said["links"]}
    assert int(found[1]) == sum(link.packets_dropped for link in by_link.values()) > 0
    assert int(found[2]) == by_link[found[3]].packets_dropped == max(link.packets_dropped for link in by_link.values())
    assert int(found[4]) == said["retransmissions"]
    assert f"after {said['timeouts']} timeouts: who waits" in words
    assert "marked" not in words
    assert "paused" not in words
    busiest, share = re.search(r"The link (.+) is busiest: it sends for ([\d.]+) % of the time", words).groups()
    assert by_link[busiest].utilisation == max(link.utilisation for link in by_link.values())
    assert float(share) == pytest.approx(100 * by_link[busiest].utilisation, abs=0.05)


def test_marks_and_pauses_are_said_and_that_nothing_was_dropped():
    result = run(ae.Packets(control="dcqcn", pfc_xoff=20_000))
    words, said = repr(result.explain()), result.statistics
    assert "No packet was dropped or sent again." in words
    assert f"{said['ecn_marks']:,} packets were marked (ECN)." in words
    assert f"Links were paused {said['pauses']} times (PFC), for {said['paused_ns'] / 1000:.3f} µs in all." in words


def test_flits_wait_and_are_not_lost():
    result = run(ae.Credits())
    words, links = repr(result.explain()), result.statistics["links"]
    stalled = [link for link in links if link["stalled_cycles"]]
    most = max(stalled, key=lambda link: link["stalled_cycles"])
    assert f"buffers of {len(stalled)} of {len(links)} links, most behind {most['from']} → {most['to']}, for" in words
    assert f"for {most['stalled_cycles']:,} cycles." in words
    assert "there was no deadlock" in words
    assert "dropped" not in words


def test_ns3s_rows_are_read_as_well_and_one_is_singular():
    rows = [
        {"from": 0, "to": "s", "utilisation": 0.25, "packets_dropped": 0},
        {"from": "s", "to": 1, "utilisation": 0.5, "packets_dropped": 1},
    ]
    said = {"packets_dropped": 1, "ecn_marks": 1, "retransmissions": 1, "timeouts": 1, "ns3_events": 9, "links": rows}
    drops, marks, busiest = of_packets(said)
    assert drops.startswith("1 packet was dropped, 1 of them in front of s → 1; 1 was sent again, after 1 timeout: who")
    assert marks == "1 packet was marked (ECN)."
    assert busiest == "The link s → 1 is busiest: it sends for 50.0 % of the time."


@pytest.mark.parametrize(
    "said", [{}, {"messages": 3}, {"links": 5}, {"links": [(0, 1)]}, {"links": [{"from": 0}]}, {"packets_dropped": "9"}]
)
def test_of_what_others_say_nothing_is_made_up(said):
    assert list(of_packets(said)) == []
