"""Windows and rates against the formulas of the papers and RFCs, worked out here a second time."""

from dataclasses import replace
from math import inf

import pytest

pytest.importorskip("networkx")

from astra_edu.network.drops import Packets
from astra_edu.network.drops.controls import CONTROLS
from astra_edu.network.drops.controls.cubic import Cubic
from astra_edu.network.drops.controls.dcqcn import FAST, Dcqcn, Rates, calmed, cut, raised
from astra_edu.network.drops.controls.dctcp import Dctcp
from astra_edu.network.drops.controls.newreno import NewReno
from astra_edu.network.drops.network import PacketNetwork
from astra_edu.network.drops.reduction import Reduction
from astra_edu.network.drops.settings import CONTROL_NAMES
from astra_edu.network.ns3 import Ns3
from tests.network.drops.test_packets import BANDWIDTH, FULL, KIB, LATENCY, RATE, incast, star

MSS = 1000
SECOND = 1_000_000_000
DEFAULT_KMAX = {"dctcp": 30_000, "dcqcn": 120_000}


def test_every_name_has_a_control():
    assert tuple(CONTROLS) == CONTROL_NAMES


def test_newreno_grows_by_a_packet_for_each_and_then_by_one_in_a_window():
    control = NewReno(MSS, 10, RATE)
    for _ in range(10):
        control.acknowledged(0, 1, 0.0, True)
    assert control.window == 20 * MSS
    control.threshold = 20 * MSS
    for round_trip in range(1, 31):
        for _ in range(int(control.window / MSS)):
            control.acknowledged(0, 1, 0.0, True)
        assert control.window / MSS == pytest.approx(20 + round_trip, abs=1)


def test_newreno_halves_and_a_timeout_leaves_one_packet():
    control = NewReno(MSS, 10, RATE)
    control.lost(pipe=9_000)
    assert control.threshold == 4_500
    control.lost(pipe=1_000)
    assert control.threshold == 2 * MSS
    control.timed_out(pipe=8_000, again=False)
    assert (control.window, control.threshold) == (MSS, 4_000)
    control.timed_out(pipe=1_000, again=True)
    assert control.threshold == 4_000


def cubic_after_a_loss(packets, round_trip_ns, seconds):
    """[(seconds since the loss, window in packets)] of CUBIC, with as many acknowledgements as its window allows."""
    control = Cubic(MSS, packets, RATE)
    control.threshold = packets * MSS
    control.acknowledged(0, 1, round_trip_ns, True)
    control.lost(pipe=packets * MSS)
    control.window = control.threshold
    found, now, acked = [], 0, 0
    while now < seconds * SECOND:
        step = max(round_trip_ns // int(control.window / MSS), 1)
        now += step
        acked += 1
        control.counted(MSS, False, acked, acked + int(control.window / MSS))
        control.acknowledged(now, 1, round_trip_ns, True)
        found.append((now / SECOND, control.window / MSS))
    return found


def test_cubic_follows_the_curve_of_the_rfc():
    """W(t) = 0.4 (t - K)³ + Wmax, K = ((Wmax - W) / 0.4)^(1/3), on a long path; the curve is a round trip ahead."""
    largest, round_trip = 1000, 100_000_000
    back = ((largest - 700) / 0.4) ** (1 / 3)
    for seconds, window in cubic_after_a_loss(largest, round_trip, 14)[::100]:
        curve = 0.4 * (seconds - back) ** 3 + largest
        ahead = 0.4 * (seconds + 0.1 - back) ** 3 + largest
        assert min(curve, 700) - 15 <= window <= ahead + 15


def test_cubic_is_not_slower_than_newreno_on_a_short_path():
    """In the TCP-friendly region it grows by 3 x 0.3 / 1.7 = 0.53 packets in a round trip."""
    found = cubic_after_a_loss(100, 1_000_000, 0.05)
    grown = found[-1][1] - 70
    assert grown == pytest.approx(50 * 3 * 0.3 / 1.7, rel=0.15)


def test_cubic_remembers_less_of_a_window_that_shrinks_and_forgets_with_a_timeout():
    control = Cubic(MSS, 100, RATE)
    for packets, largest, threshold in ((100, 100, 70), (80, 68, 56), (60, 51, 42)):
        control.window = packets * MSS
        control.lost(pipe=0)
        assert (control._largest, control.threshold) == (largest, threshold * MSS)
    control.timed_out(pipe=0, again=False)
    assert control.window == MSS


def test_cubic_leaves_slow_start_when_acknowledgements_come_for_longer_than_a_round_trip():
    control = Cubic(MSS, 10, RATE)
    for k in range(1, 100):
        control.counted(MSS, False, k, k + 20)
        control.acknowledged(k * 100_000, 1, 500_000, True)
    assert 16 * MSS <= control.threshold < 60 * MSS


def test_dctcp_counts_marks_as_its_recurrence_says():
    """alpha <- (1 - 1/16) alpha + F / 16: after n windows F + (1 - F) (15/16)^n."""
    control = Dctcp(MSS, 10, RATE)
    una = 0
    for n in range(1, 60):
        for k in range(1, 11):
            una += 1
            control.counted(MSS, k > 7, una, una + 10)
        expected = 0.3 + 0.7 * (15 / 16) ** n
        assert control.alpha == pytest.approx(expected, abs=0.06)
    control.window = 10_000
    control.marked(pipe=3)
    assert control.threshold == pytest.approx(10_000 * (1 - control.alpha / 2))


def test_dctcp_keeps_the_queue_near_its_threshold():
    """No drops, a busy link and a queue about K in the second half (RFC 8257's reason to be)."""
    kmin = 60 * KIB
    network = incast(2, 4_000_000, control="dctcp", ecn_kmin=kmin, buffer="1 MiB")
    said = network.statistics()
    half = [queued for ns, queued in said["queues"]["switch 0.0", 0] if ns > said["time_ns"] / 2]
    assert said["packets_dropped"] == 0 < said["ecn_marks"]
    assert kmin * 0.8 < max(half) < kmin + 30 * FULL
    newreno = incast(2, 4_000_000, buffer="1 MiB").statistics()
    assert said["peak_queue_bytes"] < newreno["peak_queue_bytes"]


def test_dcqcn_cuts_and_comes_back_as_the_paper_says():
    rates = cut(Rates(10.0, 10.0, 10.0))
    assert (rates.current, rates.goal, rates.alpha) == (5.0, 10.0, 1.0)
    for n in range(1, FAST + 1):
        rates = raised(rates, by_time=True)
        assert rates.current == pytest.approx(10 - 5 / 2**n)
    again = cut(Rates(4.0, 4.0, 10.0, alpha=0.5))
    assert (again.current, again.goal) == (3.0, 4.0)
    assert again.alpha == pytest.approx(0.5 * 255 / 256 + 1 / 256)
    assert calmed(again).alpha == pytest.approx(again.alpha * 255 / 256)
    for _ in range(FAST + 1):
        again = raised(again, by_time=True)
    assert again.goal == pytest.approx(4.0 + 0.001 * 10)
    for _ in range(FAST + 1):
        again = raised(again, by_time=False)
    assert again.goal == pytest.approx(4.0 + (FAST + 1) * 0.001 * 10 + 0.01 * 10)
    assert cut(Rates(0.011, 0.011, 10.0, alpha=1.0)).current == 0.01


def test_dcqcn_runs_its_timers_when_it_is_asked():
    control = Dcqcn(MSS, 10, 10.0)
    assert control.speed(0) == 10.0
    control.notified(1_000)
    assert control.speed(1_000 + 54_999) == 5.0
    assert control.speed(1_000 + 55_000) == 7.5
    assert control.speed(1_000 + 3 * 55_000) == pytest.approx(10 - 5 / 8)
    control.counted(10_000_000, False, 0, 0)
    assert control.rates.counted == 1


def test_dcqcn_slows_senders_down_before_a_buffer_is_full():
    marks = {"ecn_kmin": 30 * KIB, "ecn_kmax": 120 * KIB, "ecn_pmax": 0.2, "buffer": "4 MiB"}
    plain = incast(8, 2_000_000, control="none", **marks).statistics()
    controlled = incast(8, 2_000_000, control="dcqcn", **marks).statistics()
    assert controlled["packets_dropped"] == 0 < plain["packets_dropped"]
    assert controlled["peak_queue_bytes"] < plain["peak_queue_bytes"]


@pytest.mark.parametrize("control", ["dctcp", "dcqcn"])
def test_who_slows_down_for_marks_has_marks_without_asking(control):
    """As if they had been asked for; the queue stays shorter than without them, and less is lost."""
    alone = incast(8, 1_000_000, control=control).statistics()
    asked = incast(8, 1_000_000, control=control, ecn_kmin=30_000, ecn_kmax=DEFAULT_KMAX[control]).statistics()
    plain = incast(8, 1_000_000, control={"dctcp": "newreno", "dcqcn": "none"}[control]).statistics()
    assert alone == asked
    assert plain["ecn_marks"] == 0 < alone["ecn_marks"]
    assert alone["peak_queue_bytes"] <= plain["peak_queue_bytes"]
    assert alone["packets_dropped"] < plain["packets_dropped"]


@pytest.mark.parametrize(
    ("given", "dctcp", "dcqcn"),
    [
        ({}, (30_000, 30_000), (30_000, 120_000)),
        ({"buffer": None}, (30_000, 30_000), (30_000, 120_000)),
        ({"buffer": "32 KiB"}, (16_384, 16_384), (4_096, 16_384)),
        ({"buffer": "10 packets"}, (7_690, 7_690), (1_922, 7_690)),
        ({"buffer": "64 KiB", "shared_alpha": 1}, (16_384, 16_384), (4_096, 16_384)),
        ({"pfc_xoff": 40_000}, (20_000, 20_000), (5_000, 20_000)),
        ({"ecn_kmin": 7}, (7, 7), (7, 7)),
        ({"ecn_kmin": 7, "ecn_kmax": 9}, (7, 9), (7, 9)),
    ],
)  # fmt: skip
def test_marks_without_asking_fit_into_the_buffer(given, dctcp, dcqcn):
    assert Packets(control="dctcp", **given).marks == dctcp
    assert Packets(control="dcqcn", **given).marks == dcqcn
    asked = dctcp if "ecn_kmin" in given else None
    assert [Packets(control=control, **given).marks for control in ("none", "newreno", "cubic")] == 3 * [asked]
    assert replace(Packets(control="dctcp"), **given).marks == dctcp


def test_dctcp_and_ns3s_dctcp_mark_at_the_same_threshold():
    for buffer in (None, "1 MiB", "40 KiB"):
        assert Packets(control="dctcp", buffer=buffer).marks == 2 * (Ns3("TcpDctcp", buffer=buffer).mark,)


def test_a_paced_sender_without_a_control_sends_at_the_rate_of_its_link():
    network = PacketNetwork(star(3), Packets(control="none"))
    network.send(1, 0, 1448 * 100, lambda _: None, None)
    network.send(1, 2, 1448 * 100, lambda _: None, None)
    network.run()
    first, second = (message.arrived_ns for message in network.messages)
    assert (
        second == int(200 * FULL / RATE + int(FULL / RATE) + 2 * LATENCY) == pytest.approx(first, abs=FULL / RATE + 1)
    )
    assert BANDWIDTH > 0


def test_proportional_rate_reduction_ends_at_the_threshold():
    """20 packets in the network, one lost, the threshold 10: for two that arrive one leaves (RFC 6937)."""
    recovery = Reduction(flight=19 * MSS)
    pipe, sent = 19 * MSS, 0
    for _ in range(19):
        pipe -= MSS
        window = recovery.window(MSS, pipe, 10 * MSS, MSS, good=False)
        while pipe + MSS <= window:
            pipe, sent = pipe + MSS, sent + 1
            recovery.sent += MSS
    assert pipe == 10 * MSS
    assert sent == 10


def test_nothing_limits_what_has_no_control():
    control = CONTROLS["none"](MSS, 10, RATE)
    control.lost(5)
    control.timed_out(5, again=False)
    assert (control.window, control.speed(0)) == (inf, RATE)
