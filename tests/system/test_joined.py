"""Phases that are timed at once: what following every message says, to the nanosecond."""

import random
from functools import cache

import pytest
from halves import half

import astra_edu as ae
from astra_edu.network.unaware import Unaware
from astra_edu.run import joined
from astra_edu.run.everyone import Everyone
from astra_edu.system.joined.ring import latest_after, ring_ends
from tools.bench_cpp.mixes import mix
from tools.joined import compare


@cache
def compared(seed):
    """(Whether both agree, whether it was timed at once); None where nothing can be said."""
    found = compare(seed)
    return found and (found.agree, found.joined is not None)


@pytest.mark.parametrize("first", half(range(0, 500, 20)))
def test_random_runs_say_what_following_every_message_says(first):
    for seed in range(first, first + 20):
        found = compared(seed)
        assert found is None or found[0], seed


def test_most_random_runs_are_timed_at_once():
    found = [one for first in range(0, 200, 40) for k in range(20) if (one := compared(first + k)) is not None]
    assert sum(at_once for _, at_once in found) >= 0.45 * len(found)


def times_of(ran):
    return ran.npu, ran.node.id, ran.start_ns, ran.end_ns


@pytest.mark.parametrize("seed", [1, 4, 6])
def test_messages_that_meet_in_one_ns_and_decide_nothing_are_no_reason_to_follow_all(seed):
    case = mix(seed, aware=False)
    found = joined.run_joined(case.work, case.platform, record=False)
    followed = ae.simulate(case.work, case.platform, everyone=True, progress=False)
    assert found.network.doubts
    assert tuple(npu.finished_ns for npu in found.npus) == followed.finish_ns
    assert sorted(times_of(ran) for npu in found.npus for ran in npu.ran) == sorted(map(times_of, followed.ran))


def slowly(begun, edges, steps):
    """The same as latest_after, step by step."""
    for _ in range(steps):
        begun = [max(begun[i - 1] + edges[i], begun[i]) for i in range(len(begun))]
    return begun


@pytest.mark.parametrize("seed", half(range(200)))
def test_a_window_slides_round_the_ring(seed):
    draw = random.Random(seed)
    n = draw.randint(2, 9)
    begun, edges = [draw.randint(0, 99) for _ in range(n)], [draw.randint(1, 30) for _ in range(n)]
    steps = draw.randint(0, 3 * n)
    assert latest_after(begun, edges, steps) == slowly(begun, edges, steps)


def test_a_ring_of_1024_needs_no_steps():
    edges, none = [500] * 1024, [None] * 2046
    ends = ring_ends([0] * 1023 + [70_000], edges, 10, none)
    assert max(end.ns for end in ends) == 70_000 + 10 + 2046 * 510


def straggler(npus, how, network="Ring", late=80, collectives=3, **settings):
    trace = ae.traces.Builder(npus)
    after = trace.compute("work", [50] * (npus - 1) + [late])
    for k in range(collectives):
        after = trace.all_reduce(f"sum {k}", "1 MiB", after=after)
    system = ae.TraceSystem.of(how, **settings)
    return trace.build(), ae.TracePlatform(ae.Block(network, npus, 50, 500), system)


def both(trace, platform):
    default, everyone = (ae.simulate(trace, platform, everyone=one, progress=False) for one in (False, True))
    assert default.finish_ns == everyone.finish_ns
    assert [ran[:1] + ran[2:] for ran in default.ran] == [ran[:1] + ran[2:] for ran in everyone.ran]


@pytest.mark.parametrize("how", ["ring", "direct", "direct3", "halvingDoubling", "bidirectional-ring"])
@pytest.mark.parametrize("network", ["Ring", "Switch"])
def test_a_straggler(how, network):
    trace, platform = straggler(8, how, network)
    both(trace, platform)
    assert joined.can_join(trace, platform)
    assert joined.run_joined(trace, platform, record=False) is not None


@pytest.mark.parametrize("how", ["ring", "direct2", "halvingDoubling"])
@pytest.mark.parametrize("policy", ["FIFO", "SCF"])
def test_a_straggler_with_many_chunks_at_once(how, policy):
    both(*straggler(8, how, splits=8, active_chunks=3, queues=2, intra_dimension=policy))


def test_a_graph_as_its_blocks():
    trace, platform = straggler(8, "ring")
    graph = ae.TracePlatform(ae.GraphNetwork(ae.as_graph(platform.blocks)), platform.system)
    both(trace, graph)
    assert ae.simulate(trace, graph).finish_ns == ae.simulate(trace, platform).finish_ns


def test_512_npus_of_which_one_is_late_are_no_effort():
    trace, platform = straggler(512, "ring", collectives=8)
    assert joined.steps_of(trace, platform) == 8 * 512
    result = ae.simulate(trace, platform, progress=False)
    assert result.total_ns > 80_000


@pytest.mark.parametrize(
    "settings",
    [{"rendezvous": True}, {"endpoint_delay": 0}, {"inter_dimension": "themis"}],
    ids=["rendezvous", "endpoint 0", "themis"],
)
def test_what_can_be_disturbed_or_is_decided_by_the_first_is_followed(settings):
    trace, platform = straggler(4, "ring", **settings)
    assert not joined.can_join(trace, platform)
    both(trace, platform)


def test_npus_that_never_meet_are_told_as_before():
    trace = ae.traces.Builder(4)
    soon, late = (trace.cpu(name, 1, on=[0, 1, 2]) for name in ("soon", "late"))
    for first, other in ((0, 1), (1, 2), (2, 0)):
        starts = (
            trace.compute(f"{first} first", 0, after=soon, on=[first]),
            trace.cpu("work", 1, after=late, on=[other]),
        )
        trace.all_reduce(f"of {first} and {other}", 4096, group=(first, other), after=starts)
    _, platform = straggler(4, "ring")
    said = []
    for everyone in (False, True):
        with pytest.raises(ae.ConfigError) as told:
            ae.simulate(trace.build(), platform, everyone=everyone)
        said.append(str(told.value))
    assert said[0] == said[1]
    assert "never finish" in said[0]


def test_messages_are_counted_for_the_bar():
    trace, platform = straggler(8, "ring")
    run = joined.run_joined(trace, platform, record=False)
    followed = Everyone(trace, platform, Unaware(platform.blocks))
    followed.run()
    assert run.messages.sent == followed.messages.sent > 0
