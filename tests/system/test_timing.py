"""The time of one message, one schedule, one chunked collective: closed forms beside the simulator."""

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import PAIRS, schedules

import astra_edu as ae
from astra_edu.base.units import GIB
from astra_edu.system.faithful import quirks
from astra_edu.system.faithful.kth_messages import RowMessage
from astra_edu.system.followed import follow
from astra_edu.system.moves import moves

B = GIB / 1e9  # bytes per ns of one "GB/s"


def test_hops():
    ring = ae.Dimension.of("Ring", 8, 50, 500)
    assert [ring.hops(d) for d in range(1, 8)] == [1, 2, 3, 4, 3, 2, 1]
    assert ae.Dimension.of("FullyConnected", 8, 50, 500).hops(5) == 1
    assert ae.Dimension.of("Switch", 8, 50, 500).hops(5) == 2


def test_links_and_bandwidth():
    assert ae.Dimension("Ring", 8, links=5, bandwidth=50, latency=500).links_to_one == 4
    connected = ae.Dimension("FullyConnected", 8, links=15, bandwidth=50, latency=500)
    assert (connected.links_to_one, connected.injection_bandwidth) == (2, pytest.approx(14 * 50 * B))
    assert ae.Dimension("Switch", 8, links=6, bandwidth=25, latency=500).message_bandwidth == pytest.approx(150 * B)


def test_every_term_of_a_message_is_rounded_down():
    switch = ae.Dimension("Switch", 4, 1, bandwidth=1, latency=0.9, nic=0.3, router=0.9)
    assert switch.message_ns(2) == 1 + 1 + 0 + 0
    assert ae.Dimension("Switch", 4, 1, bandwidth=1, latency=936.25).message_ns(0) == 1872


def test_memory_can_be_the_slower_side():
    slow = ae.Dimension("Ring", 4, 2, 50, 10, hbm_latency=100, hbm_bandwidth=2, hbm_scale=1)
    assert slow.message_ns(1000) == 600


# The tutorials' closed forms: T = 1 + C × (one chunk), 1 being the workload file's update time.


def simulated(topology, implementation, npus, size, bandwidth=50, latency=500, splits=4, delay=10, links=None):
    dimension = ae.Dimension.of(topology, npus, bandwidth, latency, links)
    system = ae.SystemConfig.of(implementation, splits=splits, endpoint_delay=delay)
    return ae.simulate(ae.Workload.micro("all-reduce", size), ae.Platform((dimension,), system)).total_ns


NUMBERS = {
    "bandwidth": st.floats(0.5, 900),
    "latency": st.integers(0, 3000),
    "delay": st.integers(0, 100),
    "splits": st.integers(1, 8),
    "shares": st.integers(1, 10_000),
}


@given(npus=st.integers(2, 20), **NUMBERS)
def test_ring_closed_form(npus, bandwidth, latency, delay, splits, shares):
    m = shares * 1000
    chunk = delay + 2 * (npus - 1) * (latency + delay + int(m / (2 * bandwidth * B))) + (npus - 1) * 3 * (m // 500_000)
    got = simulated("Ring", "ring", npus, m * npus * splits, bandwidth, latency, splits, delay)
    assert abs(got - (1 + splits * chunk)) <= splits * 2 * (npus - 1)  # float rounding at a whole ns


@given(npus=st.integers(2, 20), **NUMBERS)
def test_direct_closed_form_on_fully_connected(npus, bandwidth, latency, delay, splits, shares):
    m = shares * 1000
    chunk = delay + 2 * (latency + delay + int(m / (bandwidth * B))) + 3 * (m // 500_000)
    got = simulated("FullyConnected", "direct", npus, m * npus * splits, bandwidth, latency, splits, delay)
    assert abs(got - (1 + splits * chunk)) <= splits * 2


def test_halving_doubling_closed_form_with_its_odd_memory_term():
    assert simulated("Switch", "halvingDoubling", 8, 2**20) == 58_449
    per_chunk = 10 + 2 * sum(1000 + 10 + int(2**28 / d / (50 * B)) for d in (2, 4, 8))
    assert simulated("Switch", "halvingDoubling", 8, 2**30) == 1 + 4 * (per_chunk + 603)


@given(schedules(), st.integers(0, 2**30), st.floats(1, 500), st.integers(0, 2000), st.integers(0, 100))
def test_time_is_at_least_what_the_bytes_need(schedule, size, bandwidth, latency, delay):
    dimension = ae.Dimension.of("Switch", schedule.npus, bandwidth, latency)
    time = ae.time_schedule(schedule, [dimension], size, delay)
    spans = [span for step in range(schedule.step_count) for span in time.spans(step)]
    assert len(spans) == sum(len(step.transfers) for step in schedule.steps())
    assert all(delay <= start <= end <= time.total_ns for start, end in spans)
    assert max((end for _, end in spans), default=0) + delay <= time.total_ns


def wired(topology, schedule):
    """A topology, or a switch where one is to add up."""
    return "Switch" if schedule.traits.in_switch else topology


@given(schedules(), st.integers(0, 2**28), st.floats(1, 500))
def test_more_bytes_or_less_bandwidth_is_never_faster(schedule, size, bandwidth):
    def total(size, bandwidth):
        dimension = ae.Dimension.of(wired("FullyConnected", schedule), schedule.npus, bandwidth, 100)
        return ae.time_schedule(schedule, [dimension], size).total_ns

    assert total(size, bandwidth) <= total(size * 2, bandwidth)
    assert total(size, bandwidth) <= total(size, bandwidth / 2)


@given(st.sampled_from(PAIRS), st.sampled_from([2, 4, 8]), st.integers(1, 2**24))
def test_an_npu_sends_only_what_has_reached_it(pair, npus, size):
    """Causality, from the same spans that the player draws: no shard leaves before it has arrived."""
    schedule = ae.schedule(*pair, npus)
    time = ae.time_schedule(schedule, [ae.Dimension.of(wired("Ring", schedule), npus, 50, 500)], size)
    arrived: dict[tuple[int, int], float] = {}
    for step in schedule.steps():
        spans = time.spans(step.index)
        for (source, _, shard), (start, _) in zip(step.transfers, spans, strict=True):
            assert start >= arrived.get((source, shard), 0)
        for (_, destination, shard), (_, end) in zip(step.transfers, spans, strict=True):
            arrived[destination, shard] = max(end, arrived.get((destination, shard), 0))


@given(st.integers(3, 12), st.integers(1, 11), st.integers(0, 50))
def test_a_window_never_has_more_messages_on_their_way_than_it_is_wide(npus, window, delay):
    window = min(window, npus - 1)
    row = [RowMessage(0, 8, 100 + 10 * min(d, npus - d), 0) for d in range(1, npus)] * 2
    own = moves(ae.schedule("all-reduce", "direct", npus), 8 * npus, delay, window, quirks.memory_ns)
    total, [spans], _ = follow([row], own)
    assert len(spans) == 2 * (npus - 1)
    assert max(sum(s <= t < e for s, e in spans) for t, _ in spans) <= window
    last_of_first = max(end for _, end in spans[: npus - 1])
    assert all(start >= last_of_first for start, _ in spans[npus - 1 :])
    assert total == max(end for _, end in spans) + delay


def test_hierarchical_phases_follow_each_other_on_their_own_dimensions():
    network = [ae.Dimension.of("Ring", 4, 100, 100), ae.Dimension.of("Switch", 4, 10, 1000)]
    schedule = ae.hierarchical("all-reduce", ["ring", "halving-doubling"], (4, 4))
    time = ae.time_schedule(schedule, network, 2**20)
    parts = [
        ae.time_schedule(ae.schedule("reduce-scatter", "ring", 4), network[:1], 2**20),
        ae.time_schedule(ae.schedule("all-reduce", "halving-doubling", 4), network[1:], 2**18),
        ae.time_schedule(ae.schedule("all-gather", "ring", 4), network[:1], 2**18),
    ]
    assert time.total_ns == sum(part.total_ns for part in parts)
    assert [s.dimension for s in time.stretches] == [0, 1, 1, 1, 1, 0]
    assert all(a.start_ns < b.start_ns for a, b in pairwise(time.stretches))


@pytest.mark.parametrize("delay", [0, 10, 75])
def test_where_npus_differ_each_dimension_begins_with_the_endpoint_too(delay):
    network = [ae.Dimension.of("Ring", 4, 100, 100), ae.Dimension.of("Switch", 4, 10, 1000)]
    schedule = ae.hierarchical("all-reduce", ["ring", "double-binary-tree"], (4, 4))
    assert not schedule.symmetric
    parts = [
        ae.time_schedule(ae.schedule("reduce-scatter", "ring", 4), network[:1], 2**20, delay),
        ae.time_schedule(ae.schedule("all-reduce", "double-binary-tree", 4), network[1:], 2**18, delay),
        ae.time_schedule(ae.schedule("all-gather", "ring", 4), network[:1], 2**18, delay),
    ]
    assert ae.time_schedule(schedule, network, 2**20, delay).total_ns == sum(part.total_ns for part in parts)


@pytest.mark.parametrize("places", [1, 2, 3, 8, 100])
def test_chunks_share_the_places_of_a_dimension(places):
    dimension = ae.Dimension.of("Ring", 8, 50, 500)
    platform = ae.Platform((dimension,), ae.SystemConfig.of("ring", splits=8, active_chunks=places))
    result = ae.simulate(ae.Workload.micro("all-reduce", 2**20), platform)
    alone = ae.time_schedule(ae.schedule("all-reduce", "ring", 8), [dimension], 2**17).total_ns
    assert result.total_ns == 1 + alone * -(-8 // places)
    for _, start, _ in [(s.chunk, s.start_ns, s.end_ns) for s in result.timeline]:
        assert sum(s.start_ns <= start < s.end_ns for s in result.timeline) <= places


@given(st.integers(1, 10**7), st.integers(1, 64))
def test_no_byte_is_lost_in_splitting(size, splits):
    from astra_edu.system.plan_1 import chunk_sizes

    assume(size >= splits)
    assert sum(chunk_sizes(size, splits)) == size


@pytest.mark.parametrize(
    ("scheduling", "order"),
    [("FIFO", "big big rest big big rest big big rest"), ("LIFO", "big big big rest big big rest big rest")],
)
def test_later_collectives_go_first_under_lifo_and_last_under_fifo(scheduling, order):
    """Three collectives of two chunks and a rest, issued together: the first chunk of the first has started."""
    dimension = ae.Dimension.of("Ring", 4, 50, 500)
    platform = ae.Platform((dimension,), ae.SystemConfig.of("ring", scheduling=scheduling, splits=2))
    timeline = ae.simulate(ae.Workload.micro("all-reduce", 2**20 + 1), platform, passes=3).timeline
    assert " ".join("big" if span.size > 1 else "rest" for span in timeline) == order


def test_the_reduction_term_that_notebook_03_names():
    """Its reduce-scatter runs for 303.260 us, its all-gather with the same messages for 303.131."""
    network, begins = ae.Dimension.of("Switch", 16, 25, 700, links=6), 51_382_784
    reduce, gather = (
        ae.time_schedule(ae.schedule(one, "halving-doubling", 16), network, size)
        for one, size in (("reduce-scatter", begins), ("all-gather", begins // 16))
    )
    assert [stretch.reduction_ns for stretch in reduce.stretches] == [75, 36, 18, 0]
    assert reduce.total_ns - gather.total_ns == 75 + 36 + 18
