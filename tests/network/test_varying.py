"""Links that vary: against sums on paper in fractions, and against the links that don't where nothing does."""

from fractions import Fraction
from math import inf

import pytest
from reference_2 import cases, inputs

import astra_edu as ae
from astra_edu.base.units import bytes_per_ns
from astra_edu.network import varying
from astra_edu.run.effort import messages_of

RING = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring", splits=1), congestion_aware=True)
RATE = Fraction(bytes_per_ns(50))


def one_message(size, source=0, destination=1, **settings):
    """When its receiver has it, sent at 0."""
    sent = {"comm_src": source, "comm_dst": destination, "comm_size": size, "comm_tag": 1}
    nodes = [[], [], [], []]
    nodes[source] = [{"id": 1, "type": "COMM_SEND_NODE", "attr": sent}]
    nodes[destination] = [{"id": 1, "type": "COMM_RECV_NODE", "attr": sent}]
    settings.setdefault("record", True)
    return ae.simulate(ae.traces.from_nodes(nodes), RING, **settings)


def expected(size, *steps):
    """By adding up: steps are (share, until_ns), one after the other; the ns until all bytes are on the link."""
    at, left = 0, Fraction(size)
    for share, until in steps:
        rate = Fraction(bytes_per_ns(share * 50))
        if until == inf or rate * (until - at) >= left:
            return at + left / rate
        left -= rate * (until - at)
        at = until
    raise AssertionError


@pytest.mark.parametrize(
    "share",
    [lambda _, ns: 1e-12, lambda _, ns: ns // 1000 % 2 * 1e-12, lambda _, ns: 1e-12 * (1 + ns // 1000)],
)
def test_a_message_that_would_meet_changes_for_ever_is_told(share, monkeypatch):
    monkeypatch.setattr(varying, "MOST_FOR_A_MESSAGE", 10_000)
    with pytest.raises(ae.ConfigError, match=r"a message meets more than 10,000 changes .* the link 0 -> 1; give"):
        one_message(2**20, network=ae.Varying(share, changes=1000))


@pytest.mark.parametrize("size", [1, 2**20, 10_000_019, 2**28])
@pytest.mark.parametrize(
    "steps",
    [
        [(1, 10_000), (0.5, inf)],
        [(0.3, 1), (1, 2), (0.7, inf)],
        [(1, 5_000), (0, 9_000), (2, 12_345), (0.25, inf)],
        [(0, 7_000), (1, inf)],
    ],
)
def test_a_message_that_meets_changes_is_the_sum_of_its_pieces(size, steps):
    times = [until for _, until in steps if until < inf]

    def share(link, ns):
        return next(share for share, until in steps if ns < until)

    result = one_message(size, network=ae.Varying(share, changes=times))
    (use,) = result.uses
    took = expected(size, *steps)
    assert (use.start_ns, use.free_ns, use.end_ns) == (0, int(took), int(500 + took))
    assert result.statistics["messages_that_met_a_change"] == (steps[0][0] == 0 or took > times[0])


def test_changes_every_so_many_ns_are_those_listed():
    def share(link, ns):
        return (1, 0.2, 0.6)[ns // 1000 % 3]

    every, listed = (
        one_message(10_000_019, network=ae.Varying(share, changes)).uses for changes in (1000, range(1000, 10**6, 1000))
    )
    assert every == listed
    steps = [((1, 0.2, 0.6)[k % 3], 1000 * (k + 1)) for k in range(10**3)]
    assert every[0].free_ns == int(expected(10_000_019, *steps))


def test_a_share_for_good_is_a_link_of_that_bandwidth():
    for share in (0.3, 0.5, 1, 3):
        slow = ae.TracePlatform(ae.Block("Ring", 4, 50 * share, 500), RING.system, congestion_aware=True)
        trace = ae.traces.collective("all_reduce", 1_000_003, npus=4)
        varied = ae.simulate(trace, RING, network=ae.Varying(lambda link, ns, share=share: share))
        assert varied.finish_ns == ae.simulate(trace, slow, everyone=True).finish_ns


def test_only_the_link_that_is_named_is_slower():
    def slow(link, ns):
        return 0.1 if link == (1, 2) else 1

    there, back = (one_message(2**20, *ends, network=ae.Varying(slow)) for ends in ((0, 2), (2, 0)))
    first, second = there.uses
    assert (first.link, second.link) == ((0, 1), (1, 2))
    assert second.free_ns - second.start_ns == int(2**20 / bytes_per_ns(5))
    assert first.free_ns - first.start_ns == int(2**20 / bytes_per_ns(50))
    assert back.total_ns < there.total_ns


CASES = [case for name in ("astra_sim_2", "astra_sim_2_random") for case in cases(name)]


def test_where_nothing_varies_every_npu_ends_when_it_does_in_astra_sim(tmp_path):
    """With functions that change nothing, small cases of both networks: each fortieth, as all take minutes."""
    tried = {False: 0, True: 0}
    for case in CASES[::40]:
        trace, platform = inputs(case, tmp_path)
        wanted = case.get("finish_ns", case.get("result"))
        if platform.npus > 16 or messages_of(trace, platform) > 1000 or platform.system.bus:
            continue
        same = {"compute": lambda npu, node, ns: ns, "down": lambda npu: ()}
        if platform.congestion_aware:
            same["network"] = ae.Varying(lambda link, ns: 1, changes=777, latency=lambda link, number, ns: ns)
        found = ae.simulate(trace, platform, **same).finish_ns
        tried[platform.congestion_aware] += 1
        assert list(found) == (wanted if isinstance(wanted, list) and len(wanted) == len(found) else list(found))
        if isinstance(wanted, int):
            assert set(found) == {wanted}
    assert min(tried.values()) > 3


def test_a_latency_of_ones_own_is_told_the_link_its_number_and_what_it_is():
    seen = []

    def latency(link, number, ns):
        seen.append((link, number, ns))
        return ns + 1000 * number

    trace = ae.traces.collective("all_gather", "1 MiB", npus=4)
    result = ae.simulate(trace, RING, network=ae.Varying(latency=latency), record=True)
    assert sorted(seen) == sorted(((k, (k + 1) % 4), number, 500) for k in range(4) for number in range(3))
    for use in result.uses:
        number = (use.end_ns - use.free_ns - 500) // 1000
        assert number in (0, 1, 2)


def test_jittered_latencies_are_the_same_for_a_seed_and_as_long_on_average():
    trace = ae.traces.collective("all_gather", "64 KiB", npus=4)
    runs = [ae.simulate(trace, RING, network=ae.Varying(latency=ae.jitter(0.5, seed))).total_ns for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]
    for kind in ("uniform", "exponential"):
        vary = ae.jitter(0.4, seed=5, kind=kind)
        drawn = [vary((0, 1), number, 1000) for number in range(4000)]
        assert sum(drawn) / 4000 == pytest.approx(1000, rel=0.02)
        assert min(drawn) >= 600
        assert vary((0, 1), 17, 1000) == drawn[17]
    assert max(ae.jitter(0.4)((0, 1), number, 1000) for number in range(4000)) <= 1400


def test_a_link_that_breaks_for_good_is_named_with_what_it_holds_up():
    def breaks(link, ns):
        return 0 if link == (0, 1) and ns >= 10_000 else 1

    with pytest.raises(
        ae.ConfigError, match=r"the link 0 -> 1 carries nothing from 10.000 µs on, with a message on it"
    ):
        one_message(2**20, network=ae.Varying(breaks, changes=[10_000]))
    with pytest.raises(ae.ConfigError, match=r"the link 0 -> 1 carries nothing from 10.000 µs on"):
        one_message(2**20, network=ae.Varying(breaks, changes=5000))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"bandwidth": lambda link, ns: 1 if ns < 3 else 0.5}, r"is 1 at 0 ns and 0.5 at \d+ ns, but changes has no"),
        ({"bandwidth": lambda link, ns: -1}, r"bandwidth\(\(0, 1\), 0\) gave -1; give a share, 0 or more"),
        ({"bandwidth": lambda link, ns: "half"}, "gave 'half'; give a share"),
        ({"latency": lambda link, number, ns: inf}, "gave inf; give ns, 0 or more"),
    ],
)
def test_what_a_function_says_wrongly_is_told(settings, says):
    trace = ae.traces.collective("all_gather", "1 MiB", npus=4)
    with pytest.raises(ae.ConfigError, match=says):
        ae.simulate(trace, RING, network=ae.Varying(**settings))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"bandwidth": 0.5}, "bandwidth is 0.5; give a function of a link and ns"),
        ({"latency": 5}, "latency is 5; give a function"),
        ({"changes": [5, 5]}, "give times in ascending order"),
        ({"changes": [0]}, "a time in changes is 0"),
        ({"changes": "often"}, "changes is 'often'; give times in ns"),
    ],
)
def test_what_makes_no_varying_links_is_told(settings, says):
    with pytest.raises(ae.ConfigError, match=says):
        ae.Varying(**settings)


def test_without_congestion_there_are_no_links_to_vary():
    unaware = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), RING.system)
    with pytest.raises(ae.ConfigError, match="give the platform congestion_aware=True"):
        ae.simulate(ae.traces.collective("all_gather", "1 MiB", npus=4), unaware, network=ae.Varying())


def test_jitter_of_what_is_none_is_told():
    for settings, says in (
        ({"spread": 2}, "spread is 2; it is 1 at most"),
        ({"spread": 0.1, "kind": "normal"}, "kind is 'normal'"),
        ({"spread": 0.1, "seed": -1}, "seed is -1"),
    ):
        with pytest.raises(ae.ConfigError, match=says):
            ae.jitter(**settings)
