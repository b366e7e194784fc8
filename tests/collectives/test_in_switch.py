"""A switch that adds up and copies: what links carry, how long it takes, and how near that is to what was measured."""

import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.base.units import GIB
from astra_edu.collectives import Rounds, register_algorithm, schedule
from astra_edu.collectives.arrays import expected, run
from astra_edu.collectives.claims import check_claims
from astra_edu.collectives.in_switch import IN_SWITCH
from astra_edu.collectives.msccl_write import to_msccl
from astra_edu.collectives.registry import _ALGORITHMS
from astra_edu.collectives.schedule import Carried, Op
from astra_edu.formats import format_system, format_system_2, parse_system
from astra_edu.measured.tables import table
from astra_edu.network.bound import bandwidth_bound_ns, steps_that_meet
from astra_edu.system import Bus

S = 840
COLLECTIVES = ("all-reduce", "reduce-scatter", "all-gather")
GB = 10**9 / GIB


def links(collective, npus, size=S):
    """(bytes up, bytes down) of an NPU's link when its largest buffer has `size` bytes: the formulas of the field."""
    return {
        "all-reduce": (size, size),
        "reduce-scatter": (size, size / npus),
        "all-gather": (size / npus, size * (npus - 1) / npus),
    }[collective]


def switch(npus=8, bandwidth=50, latency=500):
    return ae.Dimension.of("Switch", npus, bandwidth, latency)


def system(how="in-switch", **settings):
    return ae.SystemConfig.of(how, **{"splits": 1} | settings)


def trace_platform(*npus, aware=False, how="in-switch", **settings):
    blocks = tuple(ae.Block("Switch", n, 50, 500) for n in npus)
    return ae.TracePlatform(blocks, ae.TraceSystem.of(how, **{"splits": 1} | settings), congestion_aware=aware)


def asked(collective, size, npus=8):
    return ae.traces.collective(collective.replace("-", "_"), bytes=size, npus=npus)


@pytest.mark.parametrize("collective", COLLECTIVES)
@pytest.mark.parametrize("npus", [2, 3, 5, 8, 12])
def test_a_link_carries_the_data_once_whatever_the_number_of_npus(collective, npus):
    up, down = links(collective, npus)
    got = ae.counts(schedule(collective, "in-switch", npus), S)
    assert (got.steps, got.sent, got.received, got.total, got.fan_in) == (1, up, down, up * npus, 1)


@pytest.mark.parametrize("collective", COLLECTIVES)
@pytest.mark.parametrize("npus", [2, 3, 8])
def test_what_links_are_said_to_carry_is_enough_for_what_gets_where(collective, npus):
    check_claims(schedule(collective, "in-switch", npus))


@given(st.sampled_from(COLLECTIVES), st.lists(st.integers(2, 4), min_size=1, max_size=3), st.data())
def test_it_goes_together_with_other_algorithms_over_several_dimensions(collective, dims, data):
    names = [data.draw(st.sampled_from(["in-switch", "ring", "direct"])) for _ in dims]
    made = ae.hierarchical(collective, names, dims)
    ae.prove(made)
    rng = np.random.default_rng(0)
    inputs = [rng.integers(0, 9, 24) for _ in range(made.npus)]
    for got, wanted in zip(run(made, inputs), expected(made, inputs), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_over_two_levels_the_second_switch_adds_up_an_eighth_of_the_data():
    made = ae.hierarchical("all-reduce", "in-switch", (8, 4))
    rounds = ae.counts(made, S).rounds
    assert [(r.sent, r.received) for r in rounds] == [(S, S / 8), (S / 8, S / 8), (S / 8, S * 7 / 8)]
    rounds = ae.counts(ae.hierarchical("reduce-scatter", "in-switch", (5, 4)), S).rounds
    assert [(r.sent, r.received) for r in rounds] == [(S, S / 5), (S / 5, S / 20)]


@pytest.mark.parametrize("collective", COLLECTIVES)
@pytest.mark.parametrize("npus", [2, 8, 64])
@pytest.mark.parametrize("size", [2**20, 2**30])
def test_time_is_two_crossings_and_the_busier_direction_s_bytes_in_both_versions(collective, npus, size):
    buffer = size * npus if collective == "all-gather" else size
    busiest = max(links(collective, npus, buffer))
    wanted = 10 + 1000 + busiest / (50 * GIB / 1e9) + 10  # ns: endpoint, up and down, bytes, endpoint
    own = schedule(collective, "in-switch", npus)
    assert ae.time_schedule(own, switch(npus), size).total_ns == pytest.approx(wanted, abs=1)
    on = ae.Platform(switch(npus), system())
    assert ae.simulate(ae.Workload.micro(collective, size), on).total_ns == pytest.approx(wanted, abs=2)
    assert ae.simulate(asked(collective, size, npus), trace_platform(npus)).total_ns == pytest.approx(wanted, abs=1)


def test_where_npus_differ_elsewhere_the_switch_takes_as_long():
    """A ring's NPUs are alike, a mesh's are followed one by one; the switch comes first in both."""
    own = ae.hierarchical("reduce-scatter", ["in-switch", "ring"], (4, 3))
    size = 12 * 2**20
    for topology in ("Ring", "Mesh"):
        time = ae.time_schedule(own, [switch(4), ae.Dimension.of(topology, 3, 50, 500)], size)
        (span,) = set(time.spans(0))
        assert span == pytest.approx((10, 10 + 1000 + size / (50 * GIB / 1e9)), abs=1)
        assert all(len(time.spans(k)) == len(own.step(k).transfers) for k in range(own.step_count))
        assert time.sent_bytes == size + size / 4 * 2 / 3


@pytest.mark.parametrize("collective", COLLECTIVES)
@given(st.integers(2, 64), st.integers(1, 2**32))
def test_no_link_carries_more_than_its_bandwidth(collective, npus, size):
    own, network = schedule(collective, "in-switch", npus), [switch(npus, latency=0)]
    assert steps_that_meet(own, network) == 0
    busiest = max(links(collective, npus, own.buffer_bytes(size)))
    least_ns = busiest / network[0].injection_bandwidth
    assert bandwidth_bound_ns(own, network, size) == pytest.approx(least_ns)
    assert ae.time_schedule(own, network, size, endpoint_delay=0).total_ns > least_ns - 1


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_reports_say_what_an_npu_sends_up(collective):
    size = 8 * 2**20
    on = ae.Platform(switch(), system())
    result = ae.simulate(ae.Workload.micro(collective, size), on)
    own = schedule(collective, "in-switch", 8)
    assert sum(result.stays[0].phase.duration.sent) == links(collective, 8, own.buffer_bytes(size))[0]
    assert ae.time_schedule(own, switch(), size).sent_bytes == links(collective, 8, own.buffer_bytes(size))[0]


def test_links_of_a_trace_s_run_are_never_busier_than_the_run_is_long():
    result = ae.simulate(asked("all-gather", 2**26), trace_platform(8))
    from astra_edu.network.loads import loads, way_in
    from astra_edu.system.faithful import quirks

    own, block = schedule("all-gather", "in-switch", 8), ae.Block("Switch", 8, 50, 500)
    found = loads(
        own, lambda group, shards: quirks.message_bytes(own, group, shards, 2**26), way_in(block, True), True, None
    )
    assert not found.shared
    up, down = (found.of["switch", "up"], found.of["switch", "down"])
    assert (up, down) == pytest.approx((2**26 / block.link_bandwidth, 7 * 2**26 / block.link_bandwidth))
    assert down < result.total_ns
    assert result.bound_ns is None


def test_nobody_adds_up_at_the_endpoint():
    slow = trace_platform(8, local_memory_bandwidth=1.0)
    fast = trace_platform(8)
    sums = asked("all-reduce", 2**20)
    assert ae.simulate(sums, slow).total_ns == ae.simulate(sums, fast).total_ns
    ring = trace_platform(8, how="ring", local_memory_bandwidth=1.0)
    assert ae.simulate(sums, ring).total_ns > ae.simulate(sums, trace_platform(8, how="ring")).total_ns


@pytest.mark.parametrize("late", [0, 3, 7])
@pytest.mark.parametrize("settings", [{}, {"active_chunks": 2}])  # at once, and message by message
def test_the_switch_waits_for_whoever_is_last(late, settings):
    """NPU `late` computes for 50 µs first; everybody has the sum one pass after that."""
    builder = ae.traces.Builder(npus=8)
    work = builder.compute("work", micros=[50 if npu == late else 1 for npu in range(8)])
    builder.all_reduce("sum", 2**20, after=work)
    one = ae.simulate(asked("all-reduce", 2**20), trace_platform(8)).total_ns
    result = ae.simulate(builder.build(), trace_platform(8, **settings))
    assert result.total_ns == pytest.approx(50_000 + one, abs=10)
    ends = [ran.end_ns for ran in result.ran if ran.node.name == "sum"]
    assert len(ends) == 8
    assert max(ends) - min(ends) <= 10


class TestMeasured:
    """NVLS on H200 and B200 (8 GiB): adding up in the switch on, and off."""

    ROWS = tuple(row for row in table("in_switch").rows if row["bytes"] == str(2**33))

    @staticmethod
    def ms(row, which):
        """From a bus bandwidth, which counts 2 (n - 1) / n times the data."""
        n = int(row["gpus"])
        return 2 * (n - 1) / n * int(row["bytes"]) / float(row[f"{which} (10^9 bytes/s)"]) / 1e6

    def measured(self, system):
        rows = [r for r in self.ROWS if r["system"] == system]
        return {int(r["gpus"]): self.ms(r, "on") for r in rows if float(r["on (10^9 bytes/s)"]) > 1.05 * self.off(r)}

    @staticmethod
    def off(row):
        return float(row["off (10^9 bytes/s)"])

    def simulated(self, npus, bandwidth):
        platform = ae.Platform(switch(npus, bandwidth * GB, 936.25), system())
        return ae.simulate(ae.Workload.micro("all-reduce", 2**33), platform).total_ns / 1e6

    @pytest.mark.parametrize(("system", "fitted"), [("H200", 270.3), ("B200", 478.9)])
    def test_one_bandwidth_fits_all_numbers_of_gpus_within_5_percent(self, system, fitted):
        """Fitted to 8 GPUs; time doesn't depend on how many there are, as the ring's does."""
        found = {n: self.simulated(n, fitted) / ms for n, ms in self.measured(system).items()}
        assert len(found) >= 3
        assert found[8] == pytest.approx(1, abs=0.002)
        assert all(abs(ratio - 1) < 0.05 for ratio in found.values()), found

    def test_at_the_link_s_450_gb_s_it_takes_0_6_of_the_measured_time(self):
        """NVLS moves 9/8 as much (an NPU's own part goes twice), and its links reach two thirds of their bandwidth."""
        ratio = self.simulated(8, 450) / self.measured("H200")[8]
        assert ratio == pytest.approx(0.60, abs=0.01)
        assert 9 / 8 * ratio == pytest.approx(0.68, abs=0.01)

    def test_at_best_it_is_7_4_as_fast_as_the_ring_and_measured_it_is_1_3_times(self):
        ring = ae.Platform(switch(8, 450 * GB, 936.25), system("ring"))
        gain = ae.simulate(ae.Workload.micro("all-reduce", 2**33), ring).total_ns / 1e6 / self.simulated(8, 450)
        assert gain == pytest.approx(7 / 4, rel=0.003)  # a ring's NPUs add up, too
        row = next(r for r in self.ROWS if (r["system"], r["gpus"]) == ("H200", "8"))
        assert self.ms(row, "off") / self.ms(row, "on") == pytest.approx(1.29, abs=0.01)


class TestRefused:
    def test_where_there_is_no_switch(self):
        for topology, instead in (("Ring", "ring"), ("FullyConnected", "direct"), ("Mesh", "direct")):
            dimension = ae.Dimension.of(topology, 8, 50, 500)
            with pytest.raises(ae.ConfigError, match=f"dimension 0 is a {topology}.*take {instead} there, or a Switch"):
                ae.time_schedule(schedule("all-reduce", "in-switch", 8), dimension, S)
            with pytest.raises(ae.ConfigError, match=f"dimension 0 is a {topology}"):
                ae.simulate(ae.Workload.micro("all-reduce", S), ae.Platform(dimension, system()))
            on = ae.TracePlatform(ae.Block(topology, 8, 50, 500), ae.TraceSystem.of("in-switch"))
            with pytest.raises(ae.ConfigError, match=f"dimension 0 is a {topology}"):
                ae.simulate(asked("all-reduce", S), on)

    def test_in_the_second_dimension_only(self):
        network = (switch(4), ae.Dimension.of("Ring", 4, 50, 500))
        ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.Platform(network, system("in-switch_ring")))
        with pytest.raises(ae.ConfigError, match="dimension 1 is a Ring"):
            ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.Platform(network, system("in-switch_in-switch")))

    def test_on_congestion_aware_networks_and_graphs(self):
        with pytest.raises(ae.ConfigError, match="when all of it is there"):
            ae.simulate(asked("all-reduce", S), trace_platform(8, aware=True))
        with pytest.raises(ae.ConfigError, match="congestion-aware"):
            ae.simulate(ae.Workload.micro("all-reduce", S), ae.Platform(switch(), system(), congestion_aware=True))
        graph = ae.GraphNetwork(ae.as_graph(ae.Block("Switch", 8, 50, 500)))
        with pytest.raises(ae.ConfigError, match="a graph says of no switch"):
            ae.simulate(asked("all-reduce", S), ae.TracePlatform(graph, ae.TraceSystem.of("in-switch")))

    def test_on_other_networks_which_would_carry_a_message_for_each_pair(self):
        for collective in COLLECTIVES:
            with pytest.raises(ae.ConfigError, match=r"in-switch: .* its switches don't add up; leave it out"):
                ae.simulate(asked(collective, 2**20), trace_platform(8), network=ae.Credits())
        tokens = asked("all-to-all", 2**13)  # are exchanged by the NPUs
        ring = trace_platform(8, how="ring")
        for platform in (trace_platform(8), ring):
            assert ae.simulate(tokens, platform, network=ae.Credits()).total_ns > 0
        pair = ae.traces.Builder(8)
        pair.all_reduce("of two", S, on=[2, 5], group=[2, 5])
        with pytest.raises(ae.ConfigError, match="carries each message by itself"):
            ae.simulate(pair.build(), trace_platform(8), network=ae.Packets(buffer="256 KiB"))
        builder = ae.traces.Builder(npus=8)
        builder.all_reduce("sum", 2**13, on=[0, 4], group=[0, 4])  # a ring, where there are several dimensions
        on = trace_platform(4, 2, how=["in-switch", "in-switch"])
        assert ae.simulate(builder.build(), on, network=ae.Credits()).total_ns > 0

    def test_with_rendezvous_or_a_shared_bus(self):
        with pytest.raises(ae.ConfigError, match="asks nobody"):
            ae.simulate(ae.Workload.micro("all-reduce", S), ae.Platform(switch(), system(rendezvous=True)))
        with pytest.raises(ae.ConfigError, match="asks nobody"):
            ae.simulate(asked("all-reduce", S), trace_platform(8, rendezvous=True))
        bus = ae.Platform(switch(), system(bus=Bus(10, 10, 10, 0.01)))
        with pytest.raises(ae.ConfigError, match="shared bus isn't known"):
            ae.simulate(ae.Workload.micro("all-reduce", 2**20), bus)

    def test_all_to_all_which_gets_nothing_of_it(self):
        with pytest.raises(ae.ConfigError, match=r"in-switch is not defined for all-to-all.*take: ring, direct"):
            schedule("all-to-all", "in-switch", 8)
        assert system().all_to_all[0].algorithm == "direct"
        assert trace_platform(8).implementations(ae.Collective.ALL_TO_ALL)[0].algorithm == "direct"

    def test_a_group_that_may_hang_on_several_switches(self):
        builder = ae.traces.Builder(npus=8)
        builder.all_reduce("sum", 2**20, on=[0, 4], group=[0, 4])
        trace = builder.build()
        assert ae.simulate(trace, trace_platform(8)).total_ns > 0
        blocks = (ae.Block("Switch", 4, 50, 500), ae.Block("Switch", 2, 50, 500))
        on = ae.TracePlatform(blocks, ae.TraceSystem.of(["in-switch"]))
        with pytest.raises(ae.ConfigError, match="several switches"):
            ae.simulate(trace, on)

    def test_files_for_others_say_that_astra_sim_has_no_such_switch(self):
        for write, settings in ((format_system, system()), (format_system_2, ae.TraceSystem.of("in-switch"))):
            with pytest.warns(UserWarning, match="ASTRA-sim has no switches that add up"):
                text = write(settings)
            assert "in-switch" in text
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert parse_system(format_system(system())) == system()
        with pytest.raises(ae.ConfigError, match="MSCCL"):
            to_msccl(schedule("all-reduce", "in-switch", 8))

    def test_memory_traffic_of_an_endpoint_that_adds_up_nothing(self):
        from astra_edu.course.studies.endpoint import traffic

        with pytest.raises(ae.ConfigError, match="the switch adds up"):
            traffic(schedule("all-reduce", "in-switch", 8))

    @pytest.mark.parametrize("given", [{"all-reduce": IN_SWITCH["all-reduce"]}, schedule("all-reduce", "in-switch", 8)])
    def test_an_algorithm_of_one_s_own_where_the_one_of_this_package_is(self, given):
        register_algorithm("own", given, shards=lambda npus: 1, in_switch=isinstance(given, dict))
        try:
            same = ae.simulate(asked("all-reduce", 2**20), trace_platform(8)).total_ns
            assert ae.simulate(asked("all-reduce", 2**20), trace_platform(8, how="own")).total_ns == same
            on = ae.TracePlatform(ae.Block("Ring", 8, 50, 500), ae.TraceSystem.of("own"))
            for everyone in (False, True):
                with pytest.raises(ae.ConfigError, match="own has a switch add up, and dimension 0 is a Ring"):
                    ae.simulate(asked("all-reduce", S), on, everyone=everyone)
            with pytest.raises(ae.ConfigError, match="when all of it is there"):
                ae.simulate(asked("all-reduce", S), trace_platform(8, how="own", aware=True))
        finally:
            del _ALGORITHMS["own"]

    def test_an_algorithm_of_one_s_own_that_does_not_say_that_it_needs_switches(self):
        register_algorithm("silent", {"all-reduce": IN_SWITCH["all-reduce"]}, shards=lambda npus: 1)
        try:
            with pytest.raises(ae.ConfigError, match=r"silent says what links carry .* in_switch=True"):
                ae.simulate(asked("all-reduce", S), trace_platform(8, how="silent"))
        finally:
            del _ALGORITHMS["silent"]

    @pytest.mark.parametrize(("carried", "said"), [(Carried(0, 1), "0 shards up"), (Carried(1, 0), "0 shards down")])
    def test_an_algorithm_of_one_s_own_whose_links_carry_less_than_gets_there(self, carried, said):
        def build(npus):
            (group,) = IN_SWITCH["all-reduce"](npus)
            return (replace(group, carried=carried),)

        register_algorithm("too-good", {"all-reduce": build}, shards=lambda npus: 1)
        try:
            with pytest.raises(ae.ConfigError, match=said):
                schedule("all-reduce", "too-good", 4)
        finally:
            del _ALGORITHMS["too-good"]

    def test_an_algorithm_of_one_s_own_in_which_npus_differ(self):
        def build(npus):
            return (Rounds("all", Op.REDUCE, 1, lambda s, i: [(1 - i, 0)], symmetric=False, carried=Carried(1, 1)),)

        register_algorithm("uneven", {"all-reduce": build}, shards=lambda npus: 1)
        try:
            with pytest.raises(ae.ConfigError, match="symmetric=True"):
                schedule("all-reduce", "uneven", 2)
        finally:
            del _ALGORITHMS["uneven"]


def test_the_ring_s_share_of_its_time_falls_with_more_npus_and_the_switch_s_does_not():
    def ns(how, npus):
        on = ae.Platform(switch(npus, 400, 0), system(how))
        return ae.simulate(ae.Workload.micro("all-reduce", 2**30), on).total_ns

    gains = [ns("ring", npus) / ns("in-switch", npus) for npus in (2, 4, 8, 64)]
    assert gains == pytest.approx([1, 1.5, 1.75, 2 * 63 / 64], rel=2e-3)
    assert all(a < b for a, b in pairwise(gains))


def test_a_run_is_explained_in_both_versions_and_links_that_chunks_share_lead():
    size = 2**24
    run_1 = ae.simulate(ae.Workload.micro("all-reduce", size), ae.Platform(switch(), system()))
    assert "Dimension 0's bandwidth bounds this run" in str(run_1.explain())
    run_2 = ae.simulate(asked("all-reduce", size), trace_platform(8))
    assert "With twice the bandwidth of all links" in str(run_2.explain())
    assert "sends" not in str(run_2.explain())  # at least so much, which is said of NPUs that do it themselves
    at_once = ae.simulate(asked("all-reduce", size), trace_platform(8, splits=4, active_chunks=4))
    assert at_once.bound_ns == pytest.approx(size / (50 * GIB / 1e9), abs=1)
    assert at_once.bound_ns > at_once.total_ns
