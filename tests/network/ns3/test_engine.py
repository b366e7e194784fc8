"""The coupling of the engine's clock with ns-3's, against a Driver that is a heap of our own."""

from heapq import heappop, heappush

import pytest

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.network.ns3.engine import Engine
from astra_edu.network.ns3.wiring import PS, wiring

BLOCKS = (ae.Block("Switch", 4, 50, 500),)


class Heap:
    """Messages that take `ps` each. pauses: every run() returns first of all with nothing done. lost: their numbers."""

    def __init__(self, ps=1_500_400, pauses=False, lost=()):
        self.now, self.ps, self.pauses, self.lost, self.heap, self.ways, self.calls = 0, ps, pauses, lost, [], [], 0

    def way(self, nodes):
        self.ways.append((nodes[0], nodes[-1]))

    def send(self, now_ps, source, destination, message_bytes, number):
        assert now_ps >= self.now, "the engine sends in ns-3's past"
        self.now = now_ps
        assert message_bytes > 0
        if number not in self.lost:
            heappush(self.heap, (now_ps + self.ps, number))

    def run(self, until_ps):
        self.calls += 1
        if self.pauses and self.calls % 2:
            return False, []
        if self.heap and (until_ps < 0 or self.heap[0][0] <= until_ps):
            self.now, number = heappop(self.heap)
            return False, [number, self.now]
        self.now = max(self.now, until_ps)
        return True, []

    def ports(self):
        return [[0] * 5 for _ in range(8)]

    def connections(self):
        return [[0, 1, 0, 0, 0, 0, 0, 0, 1, 1]] if self.lost else []

    def events(self):
        return 0


def engine(**settings):
    return Engine(ae.Ns3(), wiring(BLOCKS), Heap(**settings))


@pytest.mark.parametrize("pauses", [False, True])
def test_a_message_arrives_at_the_next_whole_ns_and_its_answer_leaves_then(pauses):
    network, seen = engine(pauses=pauses), []

    def there(hops):
        seen.append(network.now)
        if hops:
            network.send(hops % 2, 1 - hops % 2, 1000, there, hops - 1)

    network.send(0, 1, 1000, there, 3)
    network.run()
    assert seen == [1501, 3002, 4503, 6004]  # 1500.4 ns each, and never before its time


def test_what_is_scheduled_and_what_arrives_happen_in_the_order_of_time():
    network, seen = engine(ps=2_000_000), []

    def note(what):
        seen.append((network.now, what))

    for ns in (0, 1999, 2000, 2001, 5000):
        network.schedule(ns, note, f"at {ns}")
    network.send(0, 1, 1, note, "message")
    network.schedule(1000, lambda _: network.send(1, 0, 1, note, "second"), None)
    network.run()
    assert seen == [
        (0, "at 0"),
        (1999, "at 1999"),
        (2000, "at 2000"),
        (2000, "message"),
        (2001, "at 2001"),
        (3000, "second"),
        (5000, "at 5000"),
    ]


def test_every_pair_gets_its_way_there_and_back_once():
    network = engine()
    for source, destination in ((0, 1), (0, 1), (1, 0), (2, 3)):
        network.send(source, destination, 0, lambda _: None, None)
    assert network._driver.ways == [(0, 1), (1, 0), (2, 3), (3, 2)]


def test_watching_happens_as_messages_arrive():
    network, looks = engine(pauses=True), []
    network.send(0, 1, 1, lambda _: None, None)
    network.run(lambda: looks.append(network.now))
    assert looks


def test_an_error_of_what_was_told_is_the_callers():
    network = engine()

    def broken(_):
        raise KeyError("mine")

    network.send(0, 1, 1, broken, None)
    with pytest.raises(KeyError, match="mine"):
        network.run()


def test_a_message_that_never_arrives_is_explained():
    platform = ae.TracePlatform(BLOCKS, ae.TraceSystem.of("ring"))
    with pytest.raises(ConfigError, match="the TCP connection from NPU 0 to NPU 1 was given up by ns-3"):
        ae.simulate(
            ae.traces.collective("all_reduce", 1000, npus=4), platform, network=lambda _: engine(lost=range(100))
        )


def test_the_older_of_two_networks_says_that_it_is_over():
    old, new = engine(), engine()
    with pytest.raises(ConfigError, match="one simulator in a process"):
        old.send(0, 1, 1, lambda _: None, None)
    with pytest.raises(ConfigError, match="one simulator in a process"):
        old.run()
    new.send(0, 1, 1, lambda _: None, None)
    new.run()
    assert new.now * PS >= 1_500_400
