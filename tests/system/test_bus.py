"""A shared bus: one NPU stands for all where it does what following all of them would."""

import gc
import random
import tracemalloc
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count

import pytest
from halves import half

import astra_edu as ae
from astra_edu.clock.loop_turns import TurnsClock
from astra_edu.network.folded import AmbiguousError
from astra_edu.run import run_loop
from astra_edu.system import Bus
from astra_edu.system.faithful import all_npus, bus_phases
from astra_edu.system.faithful.alone_bus import AloneBus, Knows, sides_of
from astra_edu.system.faithful.bus import Crossing, SharedBus
from astra_edu.system.faithful.same_ns import SameNs
from astra_edu.workload import Layer, Work

EXCHANGE = bus_phases.Exchange
TOPOLOGIES = {"ring": "Ring", "direct": "FullyConnected", "direct2": "FullyConnected", "halvingDoubling": "Switch"}


def loop(how, npus, size, bus, latency=500, **settings):
    """The result of three layers of 1.0 whose gradients are summed, gathered and summed."""
    system = ae.SystemConfig.of(how, bus=bus, **settings)
    platform = ae.Platform((ae.Dimension.of(TOPOLOGIES[how], npus, 50, latency),), system)
    sums, gathers = (Work(1000, kind, size) for kind in ("all-reduce", "all-gather"))
    nothing = Work(100, None, 0)
    layers = [Layer(f"{work.collective}", nothing, nothing, work, 10) for work in (sums, gathers, sums)]
    return ae.simulate(ae.Workload("DATA", tuple(layers)), platform, progress=False)


def story(result):
    return result.total_ns, [(s.chunk, s.step, s.queued_ns, s.start_ns, s.end_ns) for s in result.stays]


def everyone(monkeypatch):
    def ambiguous(*_):
        raise AmbiguousError

    monkeypatch.setattr(bus_phases.BusPhases, "begin", ambiguous)


@pytest.fixture
def exchanges(monkeypatch):
    """How many NPUs' phases have begun."""
    begun = []
    for module in (bus_phases, all_npus):
        monkeypatch.setattr(module, "Exchange", lambda *args: begun.append(args) or EXCHANGE(*args))
    return begun


def drawn(seed):
    draw = random.Random(seed)
    how = draw.choice(sorted(TOPOLOGIES))
    bus = Bus(
        *(draw.choice([0, 1, 5, 10, 100]) for _ in range(3)), draw.choice([0, 0.001, 0.01, 0.1]), draw.randint(0, 3)
    )
    settings = {
        "splits": draw.choice([1, 2, 4]),
        "active_chunks": draw.choice([1, 2, 3]),
        "queues": draw.choice([1, 1, 2]),
        "scheduling": draw.choice(["LIFO", "FIFO"]),
    }
    npus = draw.choice([2, 4, 8]) if how == "halvingDoubling" else draw.choice([2, 3, 4, 5, 8])
    return how, npus, draw.choice([64, 1000, 65536, 1_000_003]), bus, draw.choice([0, 1, 500]), settings


@pytest.mark.parametrize("seed", half(range(40)))
def test_one_npu_of_a_dimension_stands_for_all(seed, monkeypatch):
    *case, settings = drawn(seed)
    alone = story(loop(*case, **settings))
    everyone(monkeypatch)
    assert story(loop(*case, **settings)) == alone


@pytest.mark.parametrize("seed", half(range(40)))
def test_also_where_both_ends_of_a_bus_are_done_in_one_ns(seed, monkeypatch):
    how, npus, size, bus, latency, settings = drawn(seed)
    settings |= {"active_chunks": 1, "queues": 1, "boost": bool(seed % 4)}
    alone = story(loop(how, npus, size, replace(bus, L=0, o=0), latency, **settings))
    everyone(monkeypatch)
    assert story(loop(how, npus, size, replace(bus, L=0, o=0), latency, **settings)) == alone


@pytest.mark.parametrize("bus", [Bus(10, 5, 3, 0.001), Bus(0, 0, 0, 0.0038)])
@pytest.mark.parametrize("how", TOPOLOGIES)
def test_it_costs_no_more_where_there_are_more(how, bus, exchanges):
    begun = []
    for npus in (8, 32):
        loop(how, npus, 2**20, bus, splits=4)
        begun.append(len(exchanges))
        exchanges.clear()
    assert begun == [12, 12]


def test_where_more_is_to_happen_as_a_chunk_begins_all_are_followed(exchanges):
    """Without L the two ends of a bus are done in one ns, and only the last NPU begins the next chunk in between."""
    loop("ring", 7, 1_000_003, Bus(0, 0, 0, 0.001), splits=3, active_chunks=2)
    assert len(exchanges) > 7 * 9


def trace_platform(how, npus, bus, latency=500, aware=False, **settings):
    system = ae.TraceSystem.of(how, bus=bus, **settings)
    return ae.TracePlatform((ae.Block(TOPOLOGIES[how], npus, 50, latency),), system, congestion_aware=aware)


def trace_of(npus, size):
    trace = ae.traces.Builder(npus)
    trace.all_gather("b", size, after=trace.compute("compute", 1, after=trace.all_reduce("a", size)))
    trace.all_to_all("c", size)
    return trace.build()


@pytest.mark.parametrize("aware", [False, True])
@pytest.mark.parametrize("seed", half(range(40)))
def test_one_npu_stands_for_all_of_a_trace(seed, aware):
    how, npus, size, bus, latency, settings = drawn(seed)
    platform, trace = trace_platform(how, npus, bus, latency, aware, **settings), trace_of(npus, size)
    record = not aware  # else everyone is followed for the links' sake
    alone, everyone = (ae.simulate(trace, platform, record=record, everyone=all_) for all_ in (False, True))
    assert alone.finish_ns == everyone.finish_ns
    mine, theirs = (sorted((s.start_ns, s.end_ns) for s in run.stays if not s.npu) for run in (alone, everyone))
    assert mine == theirs


@pytest.mark.parametrize("aware", [False, True])
@pytest.mark.parametrize("how", TOPOLOGIES)
def test_also_with_several_chunks_at_once(how, aware):
    platform = trace_platform(how, 32, Bus(10, 5, 3, 0.001), aware=aware, splits=4, active_chunks=4)
    assert ae.simulate(ae.traces.collective("all_reduce", 2**20, 32), platform).one_for_all


@pytest.mark.parametrize("aware", [False, True])
def test_where_messages_take_as_long_as_the_bus_all_are_followed(aware):
    """All is over after 1 ns, on the bus and on the wire."""
    settings = {"splits": 4, "active_chunks": 4}
    platform = trace_platform("direct", 4, Bus(1, 0, 0, 0), 1, aware, **settings)
    trace = ae.traces.collective("all_reduce", 256, 4)
    alone, everyone = (ae.simulate(trace, platform, everyone=all_) for all_ in (False, True))
    assert alone.finish_ns == everyone.finish_ns
    assert not alone.one_for_all


def test_a_message_and_a_turn_foreseen_together_have_no_order_that_all_npus_share():
    same = SameNs()
    same.foresee(10, 5, None)
    same.foresee(10, 6, (1, "a"))
    with pytest.raises(AmbiguousError):
        same.foresee(10, 6, None)


def test_messages_of_two_senders_and_chunks_foreseen_together_have_none_either():
    same = SameNs()
    for message in ((1, "a"), (1, "b"), (1, "a")):
        same.foresee(10, 5, message)
    with pytest.raises(AmbiguousError):
        same.foresee(10, 5, (2, "a"))


def test_what_is_over_is_forgotten():
    same = SameNs()
    for ns in range(50_000):
        same.foresee(ns + 1, ns, None)
    assert len(same._last) < 20_000


class Steps:
    """A clock that does one thing after the other."""

    def __init__(self):
        self.now, self._steps, self._count = 0, [], count()

    def after(self, delay, action, what=None):
        heappush(self._steps, (self.now + delay, next(self._count), action, what))

    def run(self):
        while self._steps:
            self.now, _, action, what = heappop(self._steps)
            action(what)


def crossings(alone, bus, kinds):
    """When each of these crossings, (ns after the one before, how, bytes), is over, and how it leaves the sides."""
    steps = Steps()
    shared = used = SharedBus.with_memory(bus, steps, steps)
    if alone:
        used = AloneBus(shared, steps, Knows(bus), lambda: True)
    found = []
    for wait, how, size in kinds:
        steps.after(wait, lambda what: used.cross(*what, lambda _: found.append(steps.now), None), (how, size))
        steps.run()
        found.append([(side.before, side.last_ns, side.in_a_row) for side in sides_of(shared)])
    return found


@pytest.mark.parametrize("seed", half(range(100)))
def test_what_crosses_alone_is_known_after_the_first_of_its_kind(seed):
    draw = random.Random(seed)
    bus = Bus(draw.choice([0, 1, 10]), draw.choice([0, 1, 5]), draw.choice([0, 3, 50]), draw.choice([0, 0.01, 0.1]), 2)
    hows = [Crossing(True, False, False), *(Crossing(False, *map(bool, (k & 1, k & 2))) for k in range(4))]
    kinds = [(draw.choice([0, 1, 7, 100]), draw.choice(hows), draw.choice([1, 500, 70_000])) for _ in range(30)]
    assert crossings(True, bus, kinds) == crossings(False, bus, kinds)


def test_a_loop_that_keeps_something_outside_itself_is_told_where_each_npu_runs_it(registries):
    asked = []

    @ae.LOOPS.add("COUNTS_OUTSIDE")
    def counting(npu):
        """Every second collective is the larger one."""
        for _ in range(2):
            asked.append(npu)
            yield from npu.communicate(npu.layers[len(asked) == 2].weight_gradient)

    sizes = (4096, 2**20)
    layers = [Layer(f"{size}", Work(1, None, 0), Work(1, None, 0), Work(1, "all-reduce", size)) for size in sizes]
    network = (ae.Dimension.of("Ring", 4, 50, 500), ae.Dimension.of("Ring", 2, 50, 500))
    bus = ae.Platform(network, ae.SystemConfig.of("ring_ring", bus=Bus(L=1, o=2, g=3, G=0.01), splits=1))
    with pytest.raises(ae.ConfigError, match="must keep nothing outside itself"):
        ae.simulate(ae.Workload("COUNTS_OUTSIDE", tuple(layers)), bus, progress=False)


def test_a_stay_says_whose_end_it_was_started_at_where_all_are_followed():
    network = (ae.Dimension.of("Ring", 4, 50, 500), ae.Dimension.of("Ring", 2, 50, 500))
    system = ae.SystemConfig.of("ring_ring", bus=Bus(L=1, o=2, g=3, G=0.01), splits=2)
    work = Layer("layer", Work(1, None, 0), Work(1, None, 0), Work(1, "all-reduce", 2**16))
    run = ae.simulate(ae.Workload("DATA", (work,)), ae.Platform(network, system), progress=False)
    started = [(stay.after, stay.start_ns) for stay in run.stays]
    assert {after for after, _ in started} - {-1}
    assert all(run.stays[after].end_ns == ns for after, ns in started if after >= 0)


@pytest.mark.parametrize("boost", [False, True])
def test_where_all_are_followed_what_is_over_is_forgotten(boost, monkeypatch):
    """The record of NPU 0 grows with the passes, and little else."""
    everybody, made = all_npus.AllNpus, []
    monkeypatch.setattr(all_npus, "AllNpus", lambda *args: made.append(everybody(*args)) or made[-1])
    monkeypatch.setattr(run_loop, "_all_alike", lambda *_: False)
    network = (ae.Dimension.of("Ring", 4, 50, 500), ae.Dimension.of("Switch", 4, 50, 500))
    system = ae.SystemConfig.of("ring_direct", bus=Bus(L=1, o=2, g=3, G=0.01), splits=4, boost=boost)
    layers = [Layer(f"{k}", Work(1, None, 0), Work(1, None, 0), Work(1, "all-reduce", 2**16)) for k in range(3)]
    platform, work = ae.Platform(network, system), ae.Workload("DATA", tuple(layers))

    def kept(passes):
        made.clear()
        gc.collect()
        tracemalloc.start()
        result = ae.simulate(work, platform, passes=passes, progress=False)
        gc.collect()
        bytes_ = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert len(result.stays) == 36 * passes
        assert not made[0].plans
        assert not made[0].plans.streams
        assert not made[0]._messages
        return bytes_

    kept(1)
    assert (kept(6) - kept(2)) / 4 < 20 * 1024


def past(clock, back):
    """What happens, and when, if at 10 ns this is foreseen for so many ns before."""
    happened = []

    def do(name):
        happened.append((name, clock.exact))
        if name == "now":
            for ns in back:
                clock.at(clock.exact - ns, do, f"{ns} ns before")

    for ns, name in ((10, "now"), (10, "also now"), (12, "later")):
        clock.at(ns, do, name)
    clock.run()
    return happened


def test_the_earliest_of_what_is_foreseen_for_the_past_is_lost():
    clock = TurnsClock()
    assert past(clock, ()) == [("now", 10), ("also now", 10), ("later", 12)]
    assert not clock.lost
    assert past(TurnsClock(), (1,)) == [("now", 10), ("also now", 10), ("later", 12)]
    clock = TurnsClock()
    assert past(clock, (3, 1, 2)) == [
        ("now", 10), ("also now", 10), ("2 ns before", 8), ("1 ns before", 9), ("later", 12)
    ]  # fmt: skip
    assert clock.lost


def test_what_is_foreseen_for_parts_of_a_ns_is_one_turn():
    clock, happened = TurnsClock(), []

    def note(name):
        happened.append((name, clock.exact))

    for ns, name in ((2.5, "first"), (2.25, "second"), (3.75, "last")):
        clock.at(ns, lambda name: clock.zero.after(4, note, name), name)
    clock.run()
    assert happened == [("second", 6.25), ("first", 6.25), ("last", 7.75)]


def test_what_is_rounded_into_the_next_ns_is_lost_and_takes_its_turn():
    clock, happened = TurnsClock(), []

    def note(name):
        happened.append((name, clock.exact))

    for ns, name in ((1 - 2**-53, "lost"), (1.5, "turn")):
        clock.at(ns, lambda name: clock.zero.after(2**10, note, name), name)
    clock.run()
    assert happened == [("turn", 1025)]
    assert clock.lost


def test_a_piece_of_0_bytes_that_is_lost_is_named_where_all_wait_for_it():
    with pytest.raises(ae.ConfigError, match=r"waits for ever: .* a piece of 0 bytes is so"):
        loop("ring", 4, 4, Bus(5, 0, 0, 2), splits=2, active_chunks=1)


def drawn_in_several_dimensions(seed):
    draw = random.Random(seed)
    alike = draw.random() < 0.5
    latency, bandwidth = draw.choice([0, 1, 10, 500]), draw.choice([25, 50])
    network, hows = [], []
    for _ in range(draw.choice([2, 2, 3])):
        npus = draw.choice([2, 3, 4])
        if not alike:
            latency, bandwidth = draw.choice([0, 1, 10, 500]), draw.choice([25, 50])
        network.append(ae.Dimension.of(draw.choice(["Ring", "Switch", "FullyConnected"]), npus, bandwidth, latency))
        hows.append(draw.choice(["ring", "direct", "direct2"] + ["halvingDoubling"] * (npus != 3)))
    bus = Bus(*(draw.choice([0, 1, 5, 10, 100]) for _ in range(3)), draw.choice([0, 0.001, 0.01, 0.5]), 1)
    settings = {
        "splits": draw.choice([1, 2, 4]),
        "active_chunks": draw.choice([1, 2, 3]),
        "queues": draw.choice([1, 1, 2]),
        "optimization": draw.choice(["baseline", "localBWAware"]),
        "intra_dimension": draw.choice(["FIFO", "SCF", "RG"]),
        "inter_dimension": draw.choice(["baseline", "roundRobin"]),
        "rendezvous": draw.random() < 0.2,
    }
    system = ae.SystemConfig.of("_".join(hows), bus=bus, boost=False, **settings)
    kinds = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")
    layers = []
    for k in range(draw.choice([1, 2, 3])):
        works = [Work(draw.choice([0, 1, 100]), draw.choice(kinds), draw.choice([777, 4096, 65536])) for _ in range(3)]
        layers.append(Layer(f"{k}", *works, draw.choice([0, 10])))
    return ae.Workload(draw.choice(["DATA", "MODEL"]), tuple(layers)), ae.Platform(tuple(network), system)


def run_of(work, platform):
    """What a run says, and of how many NPUs."""
    result = ae.simulate(work, platform, progress=False)
    stays = [(*stay[1:3], stay.phase.dimension, *stay[4:]) for stay in result.stays]
    return result.total_ns, result.exposed_ns, stays


@pytest.mark.parametrize("first", range(0, 120, 10))
def test_one_npu_of_several_dimensions_stands_for_all_where_it_is_known(first, monkeypatch):
    followed, everybody = [], all_npus.AllNpus
    monkeypatch.setattr(all_npus, "AllNpus", lambda *args: followed.append(args) or everybody(*args))
    alone = {seed: run_of(*drawn_in_several_dimensions(seed)) for seed in range(first, first + 10)}
    assert len(followed) < 7
    monkeypatch.setattr(run_loop, "_all_alike", lambda *_: False)
    for seed, said in alone.items():
        assert run_of(*drawn_in_several_dimensions(seed)) == said, seed
    assert len(followed) > 10


@pytest.mark.parametrize("how", ["ring_ring", "direct_halvingDoubling"])
def test_several_dimensions_cost_no_more_where_there_are_more_npus(how, exchanges):
    begun = []
    for npus in (4, 16):
        network = [ae.Dimension.of("Switch", npus, 50, 500)] * 2
        system = ae.SystemConfig.of(how, bus=Bus(L=10, o=5, g=3, G=0.0038), splits=4, boost=False)
        ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.Platform(tuple(network), system), progress=False)
        begun.append(len(exchanges))
        exchanges.clear()
    assert begun == [12, 12]
