"""Links without an event for each that is free again: the same runs as with one, to the order within a ns."""

from math import prod
from random import Random

import pytest
from halves import half

import astra_edu as ae
from astra_edu.network.links import Links
from astra_edu.network.timed_links import TimedLink, TimedLinks, Travel
from astra_edu.network.way import Way
from astra_edu.traces import Builder

COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")
SHAPES = ((3,), (4,), (6,), (8,), (2, 4), (4, 2), (2, 2, 2))


def mixed(random, npus):
    """Computing, messages and collectives of all and of some, of few lengths and sizes: much falls into the same ns."""
    trace, sizes = Builder(npus), random.choice(((64,), (5,), (4096, 8192), (53, 107, 65_536)))
    micros = random.choice(((1,), (1, 2, 5)))
    start = trace.compute("start", [random.choice(micros) for _ in range(npus)])
    before = [[start] for _ in range(npus)]
    for number in range(random.randint(3, 12)):
        size, kind = random.choice(sizes), random.choice(("compute", "some", "all", "messages", "messages"))
        if kind == "compute":
            for npu in random.sample(range(npus), npus - 1):
                before[npu] = [trace.compute(f"{number}", random.choice(micros), after=before[npu], on=npu)]
        elif kind == "messages":
            for _ in range(random.randint(1, npus)):
                here, there = random.sample(range(npus), 2)
                sent, received = trace.message(f"{number}", size + 13, here, there, after=before[here])
                before[here], before[there] = [sent], [*before[there], received]
        else:
            members = random.sample(range(npus), random.randint(2, npus)) if kind == "some" else list(range(npus))
            after = list({operation.number: operation for npu in members for operation in before[npu]}.values())
            begin = getattr(trace, random.choice(COLLECTIVES))
            done = begin(f"{number}", size * npus, after=after, on=members, group=members)
            for npu in members:
                before[npu] = [done]
    return trace.build()


def case(seed):
    random = Random(f"timed {seed}")
    shape = random.choice(SHAPES)
    latency, bandwidth = random.choice((0, 1, 10, 0.5, 500)), random.choice((25, 50, 1000))
    kinds = [random.choice(("Ring", "Switch", "FullyConnected")) for _ in shape]
    blocks = [ae.Block(kind, npus, bandwidth, latency) for kind, npus in zip(kinds, shape, strict=True)]
    system = ae.TraceSystem.of(
        [random.choice(("ring", "direct", "direct1")) for _ in shape],
        splits=random.choice((1, 2, 4)),
        active_chunks=random.choice((1, 2)),
        rendezvous=random.random() < 0.2,
        endpoint_delay=random.choice((0, 1, 10)),
        local_memory_bandwidth=random.choice((None, 1600)),
    )
    return mixed(random, prod(shape)), ae.TracePlatform(blocks, system, congestion_aware=True)


def said(run):
    """All of a run that could differ, in its order."""
    stays = [(stay.npu, stay.chunk, stay.step, stay.start_ns, stay.end_ns, stay.after) for stay in run.stays]
    ran = [(ran.npu, ran.node.id, ran.start_ns, ran.end_ns) for ran in run.ran]
    return run.finish_ns, tuple(run.exposed_ns), ran, stays, list(run.uses), run.statistics


@pytest.mark.parametrize("seed", half(range(40)))
def test_runs_are_the_same_with_an_event_for_each_free_link(seed):
    trace, platform = case(seed)
    quick, plain = (
        ae.simulate(trace, platform, record=True, progress=False, network=network)
        for network in (lambda where: TimedLinks(where.network), lambda where: Links(where.network))
    )
    assert said(quick) == said(plain)


def test_the_runs_that_are_compared_wait_for_links():
    waits = 0
    for seed in range(20):
        trace, platform = case(seed)
        waits += sum(use.start_ns > use.queued_ns for use in ae.simulate(trace, platform, record=True).uses)
    assert waits > 100


def sent_at_random(links, random, npus):
    """Who arrived when and what was on which link: messages that set off within a few ns, some as another arrives."""
    story, links.uses = [], []
    starts, ends = ([random.randrange(npus) for _ in range(100)] for _ in range(2))
    sizes = random.choice(((64,), (1, 20), (0, 8, 64), (100, 101, 300)))

    def arrived(what):
        story.append((what, links.now))
        if what < 60:
            send(what + 40)

    def send(what):
        if starts[what] != ends[what]:
            links.send(starts[what], ends[what], sizes[what % len(sizes)], arrived, what)

    for what in range(random.randint(2, 40)):
        links.schedule(random.randrange(60), send, what)
    links.run()
    return story, [*map(tuple, links.uses)]


@pytest.mark.parametrize("seed", range(60))
def test_messages_on_links_alone_wait_and_go_on_in_the_same_order(seed):
    random = Random(f"links {seed}")
    shape = random.choice(((3,), (5,), (8,), (2, 3), (4, 2)))
    latency, bandwidth = random.choice((0, 1, 2, 5, 7, 20)), random.choice((1, 8, 10, 1000))
    kinds = [random.choice(("Ring", "Ring", "Switch", "FullyConnected")) for _ in shape]
    network = tuple(ae.Block(kind, npus, bandwidth, latency) for kind, npus in zip(kinds, shape, strict=True))
    quick, plain = (sent_at_random(kind(network), Random(f"sent {seed}"), prod(shape)) for kind in (TimedLinks, Links))
    assert quick == plain


@pytest.fixture
def events(monkeypatch):
    """What happens at links: each setting off, and each message at the end of one."""
    happened = []
    for kind in (TimedLink, Travel):
        once = kind.happen
        monkeypatch.setattr(
            kind, "happen", lambda self, *given, once=once: (happened.append(self), once(self, *given))[1]
        )
    return happened


def test_a_message_that_comes_as_one_before_it_leaves_is_no_event_at_the_link(events):
    """On a sheet: 10 messages over 3 links, each 1,000 ns on a link. At the second and third link each comes in the ns
    in which the one before it leaves, so that only the first comes as an event."""
    links, story = TimedLinks((ae.Block("Ring", 8, 50, 500),)), []
    for number in range(10):
        links.send(0, 3, 53_688, lambda what: story.append((what, links.now)), number)
    links.run()
    assert story == [(number, 4500 + 1000 * number) for number in range(10)]
    set_off, at_the_end, of_the_first = 30, 10, 2
    assert len(events) == set_off + at_the_end + of_the_first


def test_a_message_behind_one_that_waits_is_no_event_at_the_link(events):
    """On a sheet: NPU 1 sends two messages to NPU 2, the second after 1,000 ns. What NPU 0 sends there sets off for
    that link at 0 ns, comes to it at 1,500 ns, and is known to wait until 2,000 ns, when both have left."""
    links, story = TimedLinks((ae.Block("Ring", 8, 50, 500),)), []
    for number, source in enumerate((1, 1, 0)):
        links.send(source, 2, 53_688, lambda what: story.append((what, links.now)), number)
    links.run()
    assert story == [(0, 1500), (1, 2500), (2, 3500)]
    set_off, at_the_end = 4, 3
    assert len(events) == set_off + at_the_end


def test_messages_to_one_npu_that_meet_go_on_in_the_order_in_which_they_came():
    """On a sheet: 53,688 bytes take 1,000 ns over 50 GB/s, and 500 more until they are there."""
    links, story = TimedLinks((ae.Block("Switch", 4, 50, 500),)), []
    for source in (2, 0, 1):
        links.send(source, 3, 53_688, lambda what: story.append((what, links.now)), source)
    links.run()
    assert story == [(2, 3000), (0, 4000), (1, 5000)]
    assert links.statistics() == {"links_used": 4}
    assert links.blocked() == ""


class Asked(TimedLinks):
    """The platform's own network, but that each message is counted."""

    def __init__(self, network):
        super().__init__(network)
        self.asked = 0

    def send(self, source, destination, message_bytes, arrived, what):
        self.asked += 1
        super().send(source, destination, message_bytes, arrived, what)


def test_a_subclass_is_asked_to_send_each_message():
    trace = ae.traces.collective("all_reduce", "1 MiB", npus=4)
    platform = ae.TracePlatform((ae.Block("Ring", 4, 50, 500),), ae.TraceSystem.of("ring"), congestion_aware=True)
    asked = Asked(platform.network)
    counted = ae.simulate(trace, platform, network=lambda _: asked, progress=False)
    assert counted.finish_ns == ae.simulate(trace, platform, everyone=True, progress=False).finish_ns
    assert asked.asked == 4 * 6  # each of 4 NPUs sends 2 (4 - 1) messages


class Around:
    """A network of one's own that hands its messages on to the platform's, by their ways."""

    def __init__(self, network):
        self.inner = TimedLinks(network)

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def way(self, source, destination, message_bytes):
        inner = self.inner.way(source, destination, message_bytes)

        class Over(Way):
            def carry(self, message):
                inner.carry(message)

        return Over()


def test_a_way_may_be_around_another():
    trace = ae.traces.collective("all_reduce", "1 MiB", npus=4)
    platform = ae.TracePlatform((ae.Block("Ring", 4, 50, 500),), ae.TraceSystem.of("ring"), congestion_aware=True)
    around = ae.simulate(trace, platform, network=lambda platform: Around(platform.network), progress=False)
    assert around.finish_ns == ae.simulate(trace, platform, everyone=True, progress=False).finish_ns
