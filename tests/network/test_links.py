"""The links of the congestion-aware network: when a message is on which one, and what is said of that."""

from collections import Counter
from itertools import pairwise

import pytest

import astra_edu as ae
from astra_edu.run.link_times import bottleneck, kind_of, link_name, link_times, uses_of

MIB, GIB = 2**20, 2**30


def run(block, algorithm="direct", size=MIB, collective="all_reduce", **settings):
    platform = ae.TracePlatform(block, ae.TraceSystem.of(algorithm, **settings), congestion_aware=True)
    return ae.simulate(ae.traces.collective(collective, size, platform.npus), platform, record=True)


def by_link(result):
    found = {}
    for use in sorted(result.uses, key=lambda use: use.start_ns):
        found.setdefault(use.link, []).append(use)
    return found


@pytest.mark.parametrize("topology", ["Ring", "Switch", "FullyConnected"])
@pytest.mark.parametrize("algorithm", ["ring", "direct", "halvingDoubling"])
def test_a_link_carries_one_message_after_the_other_in_the_order_in_which_they_came(topology, algorithm):
    block = ae.Block(topology, 8, 50, 500)
    result = run(block, algorithm, splits=4, active_chunks=3)
    for uses in by_link(result).values():
        assert all(a.free_ns <= b.start_ns for a, b in pairwise(uses))
        assert all(a.queued_ns <= b.queued_ns for a, b in pairwise(uses))
        for before, use in pairwise([None, *uses]):
            assert use.start_ns == max(use.queued_ns, before.free_ns if before else 0)  # never idle for nothing
            assert use.free_ns - use.start_ns == block.occupied_ns(use.size)
            assert use.end_ns - use.start_ns == block.crossing_ns(use.size)


def test_a_switch_stores_and_forwards():
    """Every message that comes down from the switch queues there when all of it has come up."""
    result = run(ae.Block("Switch", 4, 50, 500))
    up = Counter(use.end_ns for use in result.uses if isinstance(use.link[1], str))
    down = Counter(use.queued_ns for use in result.uses if isinstance(use.link[0], str))
    assert up == down


def test_the_tutorials_direct_all_reduce_takes_39_375_us_more_where_messages_wait():
    """ASPLOS 2023, 3-2: 633.217 µs and 40,008.217 µs in 1.0. 97 ns of each are of the memory and the first ns."""
    block, trace = ae.Block("Switch", 64, 50, 500), ae.traces.collective("all_reduce", GIB, 64)
    how = ae.TraceSystem.of("direct", splits=4, optimization="localBWAware")
    times = [
        ae.simulate(trace, ae.TracePlatform(block, how, congestion_aware=aware)).total_ns for aware in (False, True)
    ]
    message = block.occupied_ns(GIB // 4 // 64)
    assert message == 78_125
    assert times == [633_217 - 97, 40_008_217 - 97]
    assert times[1] - times[0] == 4 * 2 * 63 * message == 39_375_000
    memory = ae.TraceSystem.of("direct", splits=4, optimization="localBWAware", local_memory_bandwidth=500_000)
    assert ae.simulate(trace, ae.TracePlatform(block, memory)).total_ns + 1 == 633_217
    assert ae.simulate(trace, ae.TracePlatform(block, memory, congestion_aware=True)).total_ns + 1 == 40_008_217


def test_the_busiest_links_and_the_longest_wait():
    result = run(ae.Block("Switch", 8, 50, 500), splits=1)
    times = link_times(result)
    message = 2441  # int(MIB / 8 / (50 * GIB / 1e9))
    assert len(times) == 16
    assert {(time.messages, time.size, time.busy_ns) for time in times} == {(14, 14 * MIB // 8, 14 * message)}
    assert times[0].share == 14 * message / result.total_ns
    assert max(time.longest_wait_ns for time in times) == 6 * message
    assert [time.link for time in times] == list(uses_of(result))  # equally busy: in the order of their names
    said = bottleneck(result)
    assert said.startswith("16 of 16 links are busiest: 83.2 % of 41.086 µs.")
    assert "NPU → switch and switch → NPU" in said
    assert "14.646 µs, in front of 0 → switch 0.0" in said


def test_one_link_is_named():
    attr = {"comm_src": 0, "comm_dst": 2, "comm_size": MIB, "comm_tag": 1}
    more = attr | {"comm_src": 1, "comm_tag": 2}
    nodes = [
        [{"id": 1, "type": "COMM_SEND_NODE", "attr": attr}],
        [{"id": 1, "type": "COMM_SEND_NODE", "attr": more}],
        [{"id": 1, "type": "COMM_RECV_NODE", "attr": attr}, {"id": 2, "type": "COMM_RECV_NODE", "attr": more}],
    ]
    platform = ae.TracePlatform(ae.Block("Switch", 3, 50, 500), congestion_aware=True)
    result = ae.simulate(ae.traces.from_nodes(nodes), platform, record=True)
    said = bottleneck(result)
    assert said.startswith("The link switch 0.0 → 2 is busiest: 65.")
    assert "The other 2 are busy for 32." in said
    assert "The longest wait is 19.531 µs, in front of switch 0.0 → 2." in said


def test_where_nobody_waits_and_where_latency_decides():
    said = bottleneck(run(ae.Block("FullyConnected", 4, 50, 50_000)))
    assert "No message waits for a link." in said
    assert "No link is busy for half of the time" in said


def test_links_are_listed_by_kind_and_number():
    result = run(
        (ae.Block("Switch", 12, 50, 500), ae.Block("Ring", 3, 50, 500)), ["direct", "ring"], optimization="localBWAware"
    )
    links = list(uses_of(result))
    kinds = [kind_of(link) for link in links]
    assert sorted(kinds, key=["NPU → NPU", "NPU → switch", "switch → switch", "switch → NPU"].index) == kinds
    up = [link[0] for link in links if kind_of(link) == "NPU → switch"]
    assert up == sorted(up)
    assert link_name(("switch 0.2", 35)) == "switch 0.2 → 35"
    assert (kind_of(("switch 0.2", 35)), kind_of((35, "switch 0.2"))) == ("switch → NPU", "NPU → switch")


def test_without_a_record_there_is_nothing_to_say():
    platform = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring"), congestion_aware=True)
    with pytest.raises(ae.ConfigError, match="record=True"):
        bottleneck(ae.simulate(ae.traces.collective("all_reduce", MIB, 4), platform))
    with pytest.raises(ae.ConfigError, match="record=True"):
        link_times("run")
