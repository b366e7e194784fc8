"""Any network under the same engine: matching above it, the clock in it, and what a run says of it."""

from functools import partial
from heapq import heappop, heappush

import pytest

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.clock.events import Clock
from astra_edu.network.carriers import carrier
from astra_edu.network.links import Links, Use, route_of
from astra_edu.network.messages import Messages
from astra_edu.network.timed_links import TimedLinks

MIB = 2**20
TWO = ae.Block("Ring", 4, 50, 500), ae.Block("Switch", 2, 25, 700)


class Heap:
    """A second way to a network: one heap of everything, links by the time at which they are free again."""

    uses: list[Use] | None = None

    def __init__(self, platform):
        self.platform, self.now, self.heap, self.count, self.free, self.sent = platform, 0, [], 0, {}, 0

    def schedule(self, at_ns, do, what):
        self.count += 1
        heappush(self.heap, (at_ns, self.count, do, what))

    def run(self, watch=None):
        while self.heap:
            self.now, _, do, what = heappop(self.heap)
            do(what)

    def send(self, source, destination, message_bytes, arrived, what):
        self.sent += 1
        self._on(route_of(self.platform.network, source, destination), message_bytes, arrived, what)

    def _on(self, route, size, arrived, what):
        if not route:
            return arrived(what)
        (name, block), *rest = route
        start = max(self.now, self.free.get(name, 0))
        self.free[name], end = start + block.occupied_ns(size), start + block.crossing_ns(size)
        if self.uses is not None:
            self.uses.append(Use(name, size, self.now, start, self.free[name], end))
        self.schedule(end, lambda _: self._on(rest, size, arrived, what), None)

    def statistics(self):
        return {"messages": self.sent}

    def blocked(self):
        return ""


class Counted(Links):
    """The package's links with a `schedule` of one's own."""

    def __init__(self, where):
        super().__init__(where.network)
        self.asked = 0

    def schedule(self, at_ns, do, what):
        self.asked += 1
        super().schedule(at_ns, do, what)


class Lossy(Heap):
    """NPU 2's messages never arrive."""

    def send(self, source, destination, message_bytes, arrived, what):
        if source != 2:
            super().send(source, destination, message_bytes, arrived, what)

    def blocked(self):
        return "NPU 2's cable is out"


class Late(Links):
    """It has been used before."""

    def __init__(self, network):
        super().__init__(network)
        self.now = 7


def platform(*blocks, algorithms="ring", aware=True, **settings):
    blocks = blocks or (ae.Block("Ring", 8, 50, 500),)
    return ae.TracePlatform(blocks, ae.TraceSystem.of(algorithms, **settings), congestion_aware=aware)


def trace(npus=8, collective="all_reduce", size=MIB):
    return ae.traces.collective(collective, size, npus=npus)


@pytest.mark.parametrize(
    ("where", "collective"),
    [
        (platform(), "all_reduce"),
        (platform(algorithms="direct"), "all_to_all"),
        (platform(*TWO, algorithms=["ring", "direct"], splits=4), "all_reduce"),
        (platform(rendezvous=True), "all_gather"),
    ],
)  # fmt: skip
def test_a_foreign_network_of_the_same_links_gives_the_same_run(where, collective):
    own = ae.simulate(trace(8, collective), where, record=True)
    foreign = ae.simulate(trace(8, collective), where, record=True, network=Heap)
    assert foreign.finish_ns == own.finish_ns
    assert sorted(map(str, foreign.uses)) == sorted(map(str, own.uses))
    assert sorted(map(str, foreign.timeline)) == sorted(map(str, own.timeline))
    pandas = foreign.links.set_index(["from", "to"]).sort_index()
    assert pandas.equals(own.links.set_index(["from", "to"]).sort_index())


def test_links_with_a_schedule_of_their_own_ask_it_for_everything():
    """On a sheet: of each message, that it is there and that its link is free; before it, the endpoint's delay."""
    made = []
    own = ae.simulate(trace(), platform(), network=lambda where: made.append(Counted(where)) or made[0])
    assert own.finish_ns == ae.simulate(trace(), platform()).finish_ns
    assert made[0].asked >= 3 * 8 * 14


def test_everybody_is_followed_where_a_network_is_given():
    where = platform(aware=False)
    alone, foreign = ae.simulate(trace(), where), ae.simulate(trace(), where, network=Heap)
    assert (alone.one_for_all, foreign.one_for_all) == (True, False)
    assert alone.total_ns == foreign.total_ns
    assert foreign.statistics == {"messages": 8 * 14}
    assert foreign.uses == ()
    assert foreign.bound_ns is None


def test_the_effort_is_checked_first():
    with pytest.raises(ConfigError, match=r"as network= asks for it.*Leave out network="):
        ae.simulate(trace(4096, size="1 GiB"), platform(ae.Block("Ring", 4096, 50, 500)), network=Heap)


def test_why_messages_never_arrive_is_said_in_the_networks_words():
    with pytest.raises(ConfigError, match=r"of 8 NPUs never finish; .*; NPU 2's cable is out\.$"):
        ae.simulate(trace(), platform(), network=Lossy)


@pytest.mark.parametrize(
    ("network", "words"),
    [
        (Heap(platform()), "give \"ns-3\", or what is called with the platform"),
        (17, "network is 17; give"),
        ("ns3", "the only word is \"ns-3\""),
        (lambda where: Late(where.network), "(now) is 7; a run begins"),
        (lambda _: Clock(), "which has no send and no statistics and no blocked; see CONTRIBUTING"),
    ],
)  # fmt: skip
def test_what_is_no_network_is_told(network, words):
    with pytest.raises(ConfigError) as told:
        ae.simulate(trace(), platform(), network=network)
    assert words in str(told.value)


class Wrong(Links):
    """Links, but for one method."""

    def __init__(self, where, **own):
        super().__init__(where.network)
        self.__dict__ |= {name: partial(method, self) for name, method in own.items()}


def twice(self, source, destination, message_bytes, arrived, what):
    for ns in (5, 7):
        self.schedule(self.now + ns, arrived, what)


def later(ns):
    return lambda self, source, destination, size, arrived, what: self.schedule(self.now + ns, arrived, what)


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({"send": twice}, "has said twice that a message (tag "),
        ({"send": later(5.5)}, "times are whole ns, such as int(...); 15.5 ns is of type float"),
        ({"send": later(60.0)}, "70.0 ns is of type float"),
        ({"send": later(float("nan"))}, "nan ns is of type float"),
        ({"send": later(-5)}, "is to do something at 5 ns, when it is 10 ns already"),
        ({"send": lambda self, *given: None}, "since 10 ns and never says that they have arrived (nor of 7 more)"),
        ({"statistics": lambda self: None}, "what statistics() gave is None; give a dict"),
        ({"statistics": lambda self: [1]}, "what statistics() gave is [1]; give a dict"),
        ({"send": lambda self, *given: None, "blocked": lambda self: 5}, "never ends; 5."),
        ({"send": lambda self, *given: None, "blocked": lambda self: None}, "never says that they"),
    ],
)
def test_a_network_that_does_what_it_must_not_is_told(own, words):
    with pytest.raises(ConfigError) as told:
        ae.simulate(trace(), platform(), network=lambda where: Wrong(where, **own), progress=False)
    assert words in str(told.value)


class Behind(Heap):
    """Its messages arrive so many ns after they are sent, past its own `schedule`."""

    def __init__(self, where, ns):
        super().__init__(where)
        self.ns = ns

    def send(self, source, destination, message_bytes, arrived, what):
        Heap.schedule(self, self.now + self.ns, arrived, what)


class Slots:
    """A network that nothing can be put on."""

    __slots__ = ("count", "heap", "now", "ns")

    def __init__(self, ns):
        self.now, self.heap, self.ns, self.count = 0, [], ns, 0

    schedule = Heap.schedule

    def send(self, source, destination, message_bytes, arrived, what):
        self.schedule(self.now + self.ns, arrived, what)

    run, statistics, blocked = Heap.run, lambda self: {}, lambda self: ""


@pytest.mark.parametrize(
    ("network", "words"),
    [
        (lambda where: Behind(where, -5), "arrives at 5 ns and was sent at 10 ns; the network's time must never go"),
        (lambda where: Behind(where, 5.5), "15.5 ns is of type float"),
        (lambda _: Slots(5.5), " ns by the network's clock; its times must be whole ns"),
    ],
)
def test_a_network_with_a_clock_of_its_own_is_watched_as_well(network, words):
    with pytest.raises(ConfigError) as told:
        ae.simulate(trace(), platform(), network=network, progress=False)
    assert words in str(told.value)


def test_what_a_network_of_ones_own_is_given_is_whole_ns():
    """Nothing that an NPU does is refused: rooflines, memories, compute= and down= on a watched network."""
    own = {"compute": lambda npu, node, ns: 1.5 * ns, "down": lambda npu: [(7, 10_000)] if npu == 3 else []}
    builder = ae.traces.Builder(8)
    builder.all_reduce("gradients", MIB, after=builder.compute("backward", micros=21))
    same = [ae.simulate(builder.build(), platform(), network=n, **own).finish_ns for n in (Heap, None)]
    assert same[0] == same[1]


def test_a_network_is_for_traces_and_buffers_are_the_platforms_own():
    with pytest.raises(ConfigError, match="network= is for a Trace"):
        ae.simulate(ae.Workload.micro("all-reduce", MIB), ae.preset("ring"), network=Heap)
    buffered = ae.TracePlatform(ae.Block("Switch", 4, 50, 500), congestion_aware=True, buffers=ae.SwitchBuffers())
    with pytest.raises(ConfigError, match="leave out one of buffers= and network="):
        ae.simulate(trace(4), buffered, network=Heap)


def test_the_platforms_networks_say_what_they_did():
    where = platform(algorithms="direct")
    assert ae.simulate(trace(), where, record=True).statistics == {"links_used": 16}
    network = carrier(where.network, True)
    assert isinstance(network, TimedLinks)
    messages, there = Messages(network), []
    messages.send(0, 2, 7, 4096, lambda what: there.append((what, network.now)), "sent")
    messages.receive(2, 0, 7, 4096, lambda what: there.append((what, network.now)), "received")
    messages.receive(2, 0, 8, 4096, there.append)
    network.run()
    crossing = where.blocks[0].crossing_ns(4096)
    assert there == [("sent", 2 * crossing), ("received", 2 * crossing)]
    assert messages.unmatched() == [((8, 0, 2, 4096), False)]
