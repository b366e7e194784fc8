"""Rounds of phases on congested links that are skipped: runs are the same as where every message is followed."""

from random import Random

import pytest

import astra_edu as ae
from astra_edu.network.links import Links
from astra_edu.run.everyone import Everyone
from astra_edu.run.hardware import Hardware
from astra_edu.run.networks import network_of
from astra_edu.system import rounds
from astra_edu.system.underway import Underway
from astra_edu.traces import Builder


def mixed(random, npus, sizes):
    """All-to-alls of all and of some, between them and beside them computing and messages: much is in the same ns."""
    trace, fine = Builder(npus), random.choice(((1,), (1, 2, 3), range(1, 60)))
    start = trace.compute("start", [random.choice(fine) for _ in range(npus)])
    before, beside = [[start] for _ in range(npus)], [[] for _ in range(npus)]
    for number in range(random.randint(1, 6)):
        size, kind = random.choice(sizes), random.choice(("compute", "beside", "messages", "some", "all", "all"))
        if kind == "compute":
            for npu in random.sample(range(npus), npus // 2):
                before[npu] = [trace.compute(f"{number}", random.choice(fine), after=before[npu], on=npu)]
        elif kind == "beside":
            for npu in random.sample(range(npus), npus // 3):
                ends = beside[npu] or before[npu]
                beside[npu] = [trace.compute(f"{number}", random.randint(1, 200), after=ends, on=npu)]
        elif kind == "messages":
            for _ in range(random.randint(1, npus)):
                here, there = random.sample(range(npus), 2)
                sent, received = trace.message(
                    f"{number}", size + 13, here, there, after=[*before[here], *beside[here]]
                )
                before[here], beside[there] = [sent], [*beside[there], received]
        else:
            members = random.sample(range(npus), random.randint(2, npus)) if kind == "some" else list(range(npus))
            after = list({operation.number: operation for npu in members for operation in before[npu]}.values())
            begin = random.choice((trace.all_to_all, trace.all_to_all, trace.all_to_all, trace.all_reduce))
            done = begin(f"{number}", size * npus, after=after, on=members, group=members)
            for npu in members:
                before[npu] = [done]
    return trace.build()


def case(seed):
    random = Random(f"rounds {seed}")
    npus = random.choice((5, 6, 8, 9, 12))
    topology = random.choice(("Ring", "Ring", "Switch", "FullyConnected"))
    block = ae.Block(topology, npus, random.choice((1, 25, 50, 1000)), random.choice((0, 1, 2, 10, 0.5, 250, 500)))
    system = ae.TraceSystem.of(
        "ring",
        splits=random.choice((1, 1, 2, 4)),
        active_chunks=random.choice((1, 1, 2, 3)),
        endpoint_delay=random.choice((0, 1, 2, 10)),
        local_memory_bandwidth=random.choice((None, None, 50)),
    )
    sizes = random.choice(((1, 53), (64, 1000), (4096, 65_536)))
    return mixed(random, npus, sizes), ae.TracePlatform(block, system, congestion_aware=True)


def said(run):
    return [(npu.finished_ns, [(ran.node.id, ran.start_ns, ran.end_ns) for ran in npu.ran]) for npu in run.npus]


def run_of(trace, platform, skips, network=network_of, hardware=None):
    run = Everyone(trace, platform, network(platform), hardware=hardware, skips=skips)
    run.run()
    return run


@pytest.fixture
def looks_often(monkeypatch):
    """Also in phases of few rounds."""
    monkeypatch.setattr(rounds, "FEWEST_ROUNDS", 1)
    monkeypatch.setattr(rounds, "LOOKS", 8)


@pytest.mark.usefixtures("looks_often")
def test_runs_that_skip_rounds_are_the_same():
    skipped = 0
    for seed in range(80):
        trace, platform = case(seed)
        quick, all_followed = run_of(trace, platform, True), run_of(trace, platform, False)
        assert said(quick) == said(all_followed), seed
        assert quick.messages.sent == all_followed.messages.sent
        assert not quick.messages.ends
        skipped += quick.rounds.skipped > 0
    assert skipped > 30


@pytest.mark.parametrize("topology", ["Ring", "Switch", "FullyConnected"])
def test_most_of_a_long_all_to_all_is_skipped(topology):
    platform = ae.TracePlatform(ae.Block(topology, 24, 50, 500), ae.TraceSystem.of("ring"), congestion_aware=True)
    trace = Builder(24)
    start = trace.compute("late", [1 + 7 * npu % 24 for npu in range(24)])
    trace.all_to_all("exchange", 2**20, after=start)
    trace = trace.build()
    quick, all_followed = run_of(trace, platform, True), run_of(trace, platform, False, lambda on: Links(on.network))
    assert said(quick) == said(all_followed)
    assert quick.rounds.skipped > 24 * (24 * 23 / 2) / 2
    assert ae.simulate(trace, platform).finish_ns == tuple(npu.finished_ns for npu in all_followed.npus)


def test_nothing_is_skipped_where_each_message_is_asked_for(monkeypatch):
    trace, platform = next(one for one in map(case, range(100)) if run_of(*one, True).rounds.skipped)
    monkeypatch.setattr(rounds.Rounds, "look", lambda _: pytest.fail("it is looked"))
    ae.simulate(trace, platform, everyone=True)
    ae.simulate(trace, platform, record=True)
    ae.simulate(trace, platform, network=network_of)
    with pytest.raises(pytest.fail.Exception):
        ae.simulate(trace, platform)


def test_what_comes_in_between_is_waited_for():
    """In the all-to-all of 15 NPUs the 16th computes, and then sends a message over their links."""
    platform = ae.TracePlatform(ae.Block("Ring", 16, 50, 500), ae.TraceSystem.of("ring"), congestion_aware=True)
    for micros in (50, 60, 75, 90):
        trace = Builder(16)
        start = trace.compute("start", [1 + 5 * npu % 16 for npu in range(16)])
        trace.all_to_all("exchange", 2**18, after=start, on=range(15), group=range(15))
        beside = trace.compute("beside", micros, on=15, after=start)
        trace.message("message", 200_000, 15, 3, after=beside)
        trace = trace.build()
        quick, all_followed = run_of(trace, platform, True), run_of(trace, platform, False)
        assert said(quick) == said(all_followed)
        assert quick.rounds.skipped


def test_what_comes_in_the_same_ns_as_one_that_is_known_to_wait_comes_after_it():
    """Messages to node s are on their way for long, and more so than the one beside them that comes as one of them."""
    networkx = pytest.importorskip("networkx")
    graph, wide = networkx.DiGraph(), {"bandwidth": 1000, "latency": 1}
    networkx.add_path(graph, range(24), **wide)
    graph.add_edge(23, "s", bandwidth=1000, latency=2000)
    graph.add_edge(24, "s", bandwidth=1000, latency=1700)
    graph.add_edge("s", 0, bandwidth=10, latency=1)
    graph.add_edge(0, 24, **wide)
    platform = ae.TracePlatform(ae.GraphNetwork(graph), ae.TraceSystem.of("ring", splits=1), congestion_aware=True)
    trace = Builder(25)
    trace.all_to_all("exchange", 24 * 1074, on=range(24), group=range(24))
    trace.message("message", 1074, 24, 0, after=trace.compute("beside", 1, on=24))
    trace = trace.build()
    for begins_ns in (10_298, 10_398):
        beside = Hardware(lambda npu, node, ns, begins_ns=begins_ns: begins_ns)
        quick, all_followed = (run_of(trace, platform, skips, hardware=beside) for skips in (True, False))
        assert said(quick) == said(all_followed)
        assert quick.rounds.skipped


def looked_at(looks, kind="all_to_all", **settings):
    """A run of a collective whose messages wait for links; looks(rounds, links) is called before each look."""
    platform = ae.TracePlatform(
        ae.Block("Ring", 12, 50, 20),
        ae.TraceSystem.of("ring", splits=2, active_chunks=2, **settings),
        congestion_aware=True,
    )
    trace = Builder(12)
    start = trace.compute("late", [1 + npu % 3 for npu in range(12)])
    getattr(trace, kind)("exchange", 2**20, after=start, group=Random(4).sample(range(12), 12))
    run = Everyone(trace.build(), platform, network_of(platform), skips=True)
    look = run.rounds.happen

    def happen():
        if run.network.over:
            looks(run.rounds, run.network)
        look()

    run.rounds.happen = happen
    run.run()
    return run


def test_all_that_decides_what_happens_next_is_looked_at():
    """The state differs if one thing does: a time, an order, how far an NPU is, what has come or who waits."""
    told = set()

    def differs(name, rounds_, links, one, attribute, value):
        phases = rounds_.phases.values()
        before, old = Underway(links, phases), getattr(one, attribute)
        assert before.state == Underway(links, phases).state
        setattr(one, attribute, value)
        assert Underway(links, phases).state != before.state, name
        setattr(one, attribute, old)
        told.add(name)

    def looks(rounds_, links):
        if not Underway(links, rounds_.phases.values()).known:
            return
        exchange = next(iter(rounds_.phases.values()))
        differs("how far", rounds_, links, exchange, "_arrived", exchange._arrived + 1)
        differs("where to", rounds_, links, exchange, "outward", exchange.inward)
        wires = [hop_link for one in rounds_.phases.values() for hop_link in links_of(one.outward.way)]
        for wire in wires:
            if wire.free_ns > links.now:
                differs("free", rounds_, links, wire, "free_ns", wire.free_ns + 1)
                first = wire.free_order > min(one.free_order for one in wires if one.free_ns > links.now)
                differs("order", rounds_, links, wire, "free_order", -1 if first else links.count)
            if wire.queue:
                first = wire.queue[0]
                differs("queued", rounds_, links, first, "queued_ns", first.queued_ns + 1)
                differs("who is queued", rounds_, links, first, "receiver", other_receiver(first, rounds_))
                differs("comes", rounds_, links, wire, "comes", not wire.comes)
        for one in rounds_.phases.values():
            for message in one.inward.early or ():
                differs("early", rounds_, links, message, "arrived", not message.arrived)
            if one.inward.waiting:
                differs("waiting", rounds_, links, one.inward, "waiting", [])

    looked_at(looks)
    assert told == {"how far", "where to", "free", "order", "queued", "who is queued", "comes", "early", "waiting"}


def links_of(hop):
    while hop is not None:
        yield hop.link
        hop = hop.next


def other_receiver(message, rounds_):
    return next(one for one in rounds_.phases.values() if one is not message.receiver)


def test_a_round_in_which_something_else_happened_is_not_skipped():
    def looks(rounds_, links):
        found = Underway(links, rounds_.phases.values())
        rounds_._skip(found, links.now - 1, links.now, [sent - 1 for sent in found.sent])
        assert not rounds_.skipped

    run = looked_at(looks)
    assert run.npus[0].finished_ns


@pytest.mark.usefixtures("looks_often")
@pytest.mark.parametrize(("kind", "known"), [("all_reduce", False), ("all_to_all", True)])
def test_phases_that_add_up_in_a_part_of_them_only_are_not_looked_at(kind, known):
    found = set()

    def looks(rounds_, links):
        found.add(Underway(links, rounds_.phases.values()).known)

    looked_at(looks, kind, local_memory_bandwidth=50)
    assert found
    assert (True in found) is known
