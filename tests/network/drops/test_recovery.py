"""What is sent again, and when: gaps, silence, acknowledgements that wait."""

from itertools import pairwise
from random import Random

import pytest
from halves import half

pytest.importorskip("networkx")

import astra_edu as ae
from astra_edu.clock.events import Clock
from astra_edu.network.drops import Packets
from astra_edu.network.drops.cross import ConstantRate
from astra_edu.network.drops.network import PacketNetwork
from astra_edu.network.drops.scoreboard import LOST, RESENT, SACKED, Scoreboard
from astra_edu.network.drops.timer import Alarm, RoundTrips
from tests.network.drops.test_packets import ACK, FULL, LATENCY, RATE, line

MILLISECOND = 1_000_000


class Notes:
    """Room without end that writes down which packets come, and when."""

    def __init__(self):
        self.came = []

    def take(self, port, packet):
        self.came.append((port.clock.now, packet.number))
        return True

    def leave(self, port, packet):
        pass

    @property
    def again(self):
        seen = set()
        return [number for _, number in self.came if number in seen or seen.add(number)]


class Refuses(Notes):
    """Drops packets with these numbers, each so many times."""

    def __init__(self, times):
        super().__init__()
        self.times = dict(times)

    def take(self, port, packet):
        if self.times.get(packet.number, 0) and packet.size == FULL:
            self.times[packet.number] -= 1
            return False
        return super().take(port, packet)


def losing(times, packets=30, **settings):
    """(network, flow, what 0 sent): a message to 1 over a switch that drops what `times` says."""
    network = PacketNetwork(line(LATENCY, LATENCY), Packets(**settings))
    sent, switch = network.route(0, 1)
    sent.room, switch.room = notes, _ = Notes(), Refuses(times)
    network.send(0, 1, packets * 1448, lambda _: None, None)
    network.run()
    return network, network.flows[0, 1, 0], notes


@pytest.mark.parametrize("control", ["none", "newreno", "cubic", "dctcp", "dcqcn"])
def test_go_back_n_sends_again_exactly_what_follows_the_lost_one(control):
    network, flow, notes = losing({5: 1}, control=control, retransmission="go-back-n")
    again = notes.again
    when = next(ns for k, (ns, number) in enumerate(notes.came) if number == 5 and k > 5)
    before = max(number for ns, number in notes.came if ns < when)
    assert again == list(range(5, before + 1))
    assert len(again) == flow.sender.retransmitted > 3
    assert flow.receiver.discarded == len(again) - 1  # all but the one that never came
    assert flow.sender.timeouts == 0
    assert len(network.messages) == 1


@pytest.mark.parametrize("control", ["none", "newreno", "cubic", "dctcp", "dcqcn"])
@pytest.mark.parametrize("lost", [[5], [2, 5, 6], [0, 1, 2]])
def test_selective_retransmission_sends_again_the_lost_ones_only(control, lost):
    network, flow, notes = losing(dict.fromkeys(lost, 1), control=control)
    assert sorted(notes.again) == lost
    assert (flow.sender.timeouts, flow.receiver.discarded) == (0, 0)
    assert network.statistics()["packets_dropped"] == len(lost)


def test_a_gap_counts_as_a_loss_once_so_many_packets_behind_it_have_come():
    """The third packet after the lost one arrives two packets' time after the first."""
    first, third = (
        next(ns for k, (ns, number) in enumerate(losing({2: 1}, duplicate_acks=count)[2].came) if number == 2 and k > 2)
        for count in (1, 3)
    )
    assert third - first == pytest.approx(2 * FULL / RATE, abs=3)


@pytest.mark.parametrize("retransmission", ["selective", "go-back-n"])
def test_a_lost_tail_is_noticed_by_silence_and_the_silence_doubles(retransmission):
    _, flow, notes = losing({29: 4}, retransmission=retransmission, min_rto_ns=MILLISECOND)
    times = [ns for ns, number in notes.came if number == 29]
    assert [after - before for before, after in pairwise(times)][1:] == [
        2 * MILLISECOND,
        4 * MILLISECOND,
        8 * MILLISECOND,
    ]
    assert 0 <= times[1] - times[0] - MILLISECOND < 10_000  # since the last acknowledgement
    assert flow.sender.timeouts == 4
    assert flow.control.window <= 3 * 1448


def test_a_sender_that_never_hears_anything_gives_up_and_the_network_says_so():
    network, flow, _ = losing({0: 1000})
    assert flow.sender.timeouts == 16
    assert network.messages == []
    assert network.blocked() == "the connection from NPU 0 to NPU 1 gave up after 16 timeouts"


@pytest.mark.parametrize("flow", ["pair", "message"])
def test_a_message_of_0_bytes_is_sent_again_too(flow):
    network = PacketNetwork((ae.Block("Switch", 4, 10, 500),), Packets(buffer="1 packet", flow=flow))
    there = []
    for npu in (1, 2, 3) * 2:
        network.send(npu, 0, 0, there.append, npu)
    network.run()
    assert network.statistics()["packets_dropped"] > 0
    assert sorted(there) == [1, 1, 2, 2, 3, 3]
    assert network.blocked() == ""


def test_a_connection_that_nobody_answers_is_given_up():
    network = PacketNetwork(line(LATENCY), Packets(handshake=True, first_rto_ns=1000))
    network.route(0, 1)[0].room = room = Refuses({})
    room.take = lambda port, packet: False
    ConstantRate(network, 1, 0, 1500, every_ns=10**9)
    network.send(0, 1, 1448, lambda _: None, None)
    network.run()
    assert network.blocked() == "the connection from NPU 0 to NPU 1 gave up after 16 timeouts"
    assert network.statistics()["acks_sent"] == 16


def test_a_connection_is_asked_for_again():
    network = PacketNetwork(line(LATENCY), Packets(handshake=True, first_rto_ns=50_000))
    network.route(0, 1)[0].room = room = Refuses({})
    room.take = lambda port, packet, asked=[]: bool(asked) or asked.append(packet) is not None
    network.send(0, 1, 1448, lambda _: None, None)
    network.run()
    assert network.messages[0].arrived_ns == pytest.approx(50_000 + 3 * LATENCY + 3 * ACK / RATE + FULL / RATE, abs=5)


def test_every_second_packet_is_acknowledged_and_the_last_after_a_while():
    network = PacketNetwork(line(LATENCY, LATENCY), Packets(ack_every=2, ack_delay_ns=70_000))
    network.route(1, 0)[0].room = acknowledgements = Notes()
    network.send(0, 1, 31 * 1448, lambda _: None, None)
    network.run()
    assert [number for _, number in acknowledgements.came] == [*range(2, 31, 2), 31]
    assert acknowledgements.came[-1][0] == network.statistics()["time_ns"] + 70_000


def test_the_timeout_is_that_of_the_rfc():
    """RFC 6298: SRTT + 4 RTTVAR, from the first sample R: R + 4 (R / 2)."""
    trips = RoundTrips(first_ns=9, least_ns=1, tick_ns=1)
    assert trips.timeout_ns == 9
    smoothed = variation = None
    for sample in (1000, 1200, 900, 5000):
        trips.measured(sample)
        if smoothed is None:
            smoothed, variation = sample, sample / 2
        else:
            variation = 0.75 * variation + 0.25 * abs(smoothed - sample)
            smoothed = 0.875 * smoothed + 0.125 * sample
        assert trips.timeout_ns == pytest.approx(smoothed + 4 * variation, abs=1)
    long = RoundTrips(first_ns=9, least_ns=10**6, tick_ns=1)
    long.measured(100)
    assert long.timeout_ns == 10**6


def test_an_alarm_can_be_put_off_and_brought_forward():
    clock, rang = Clock(), []
    alarm = Alarm(clock, lambda: rang.append(clock.now))
    alarm.set(100)
    clock.schedule(50, lambda _: alarm.set(200), None)
    clock.schedule(210, lambda _: alarm.set(1000), None)
    clock.schedule(220, lambda _: alarm.set(300), None)
    clock.schedule(400, lambda _: alarm.set(500), None)
    clock.schedule(450, lambda _: alarm.stop(), None)
    clock.run()
    assert rang == [200, 300]


def _recount(board):
    """(out, sacked, lost, resent) by looking at every packet."""
    numbers = range(board.una, board.nxt)
    return tuple(
        sum(board.size(number) for number in numbers if not mark or board.flags[number] & mark)
        for mark in (0, SACKED, LOST, RESENT)
    )


@pytest.mark.parametrize("seed", half(range(20)))
def test_the_scoreboard_counts_what_a_recount_counts(seed):
    """Packets that arrive, are lost, are sent again, time out, at random; a receiver that is a set of numbers."""
    random, board, there = Random(seed), Scoreboard(1000), set()
    board.add(40_500)
    for _ in range(400):
        number = board.next(rescue=random.random() < 0.3)
        if number is not None and random.random() < 0.7:
            board.sent(number)
            if random.random() < 0.8:
                there.add(number)
        elif random.random() < 0.1:
            board.lose_all()
        expected = next(k for k in range(board.end + 1) if k not in there)
        blocks = tuple((k, k + 1) for k in sorted(there) if k > expected)
        found = board.sack(blocks, 3)
        assert found <= 41_000
        board.advance(max(expected, board.una))
        assert (board.out, board.sacked, board.lost, board.resent) == _recount(board)
        lost = {k for k in range(board.una, board.nxt) if board.flags[k] & LOST}
        for k in range(board.una, board.nxt):
            if k not in there and sum(1 for other in there if other > k) >= 3:
                assert k in lost
        if board.una == board.end:
            break
    assert board.una == board.end
    assert (board.pipe, board.size(40)) == (0, 500)
