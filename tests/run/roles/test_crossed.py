"""Process groups that don't lie along the dimensions of the network: who is alike, and that it is true."""

from collections import Counter
from itertools import permutations

import pytest
from crossed_jobs import job
from halves import quarter
from tied_jobs import followed, said, shortcuts

import astra_edu as ae
from astra_edu.network.unaware import message_times
from astra_edu.run import run_trace
from astra_edu.run.roles import costs, roles_of
from astra_edu.run.roles.costs import Distances
from astra_edu.run.roles.followed import run_by_roles

MODEL = ae.transformer("small", hidden=64, heads=8, blocks=4, sequence=16, vocabulary=128)
LAYERS = (ae.Block("Switch", 2, 50, 500), ae.Block("Ring", 8, 25, 700))
FAR_AND_NEAR = [[0, 1, 2, 3], [4, 5, 8, 9], [6, 7, 10, 11], [12, 13, 14, 15]]
"""On LAYERS all neighbours are in other places of the switch; who is two places on is one or two hops away."""


@pytest.mark.parametrize("first", quarter(range(0, 200, 50)))
def test_random_jobs_whose_groups_cross_dimensions_take_no_wrong_short_way(first):
    taken = Counter()
    for seed in range(first, first + 50):
        trace, platform = job(seed)
        everyone = followed(trace, platform)
        if everyone is None:
            continue
        for way, found in shortcuts(trace, platform).items():
            taken[way] += 1
            assert found == everyone, (seed, way)
    assert taken["roles"] > 5


@pytest.mark.parametrize("dims", [*permutations((4, 8, 2)), (2, 4, 4, 2), (8, 8), (16, 4), (4, 16), (2, 32)])
def test_how_npus_are_divided_into_dimensions_makes_no_roles_where_messages_take_the_same_time(dims):
    """Tensor 4 x data 8 x pipeline 2: a ring's messages always differ in the first dimension that its group has."""
    npus = 64
    blocks = tuple(ae.Block("Switch", n, 50 / (d + 1), 500 + 100 * d) for d, n in enumerate(dims))
    platform = ae.TracePlatform(blocks, ae.TraceSystem.of(["ring"] * len(dims)))
    strategy = ae.Strategy(tensor=4, data=npus // 8, pipeline=2, batch=2 * npus // 8)
    trace = ae.traces.from_strategy(MODEL, strategy, "a100", network=platform)
    run = run_by_roles(trace, platform)
    assert run.roles.count == 2
    assert not run.in_doubt
    found = run_trace._of_roles(trace, platform, run.npus, run.roles.stands_for)
    assert said(found) == followed(trace, platform)


def sums(groups, how, micros=1, blocks=LAYERS):
    trace = ae.traces.Builder(16)
    trace.all_reduce("sum", 4096, group=groups, after=trace.compute("c", micros))
    return trace.build(), ae.TracePlatform(blocks, ae.TraceSystem.of(how))


@pytest.mark.parametrize(("how", "sizes"), [("ring", (16,)), (["direct"], (8, 8)), (["direct", "direct"], (16,))])
def test_only_the_messages_that_an_algorithm_sends_count(how, sizes):
    """With several implementations a process group runs a ring, whatever they are."""
    trace, platform = sums(FAR_AND_NEAR, how)
    run = run_by_roles(trace, platform)
    assert run.roles.sizes == sizes
    finish = tuple(run.npus[role].finished_ns for role in run.roles.of)
    assert finish == ae.simulate(trace, platform, everyone=True).finish_ns
    assert len(set(finish)) == len(sizes)


def test_groups_run_rings_that_begin_anywhere_where_dimensions_run_halving_doubling():
    turned = [group[k:] + group[:k] for k, group in enumerate(FAR_AND_NEAR)]
    slow = [9 if npu in (1, 5, 7, 13) else 1 for npu in range(16)]
    alone, several = (roles_of(*sums(turned, how, slow)) for how in (["halvingDoubling"], ["halvingDoubling"] * 2))
    assert (alone.count, several.count) == (8, 2)


@pytest.mark.parametrize(
    "kinds", [("Ring", "Switch"), ("Switch", "Ring"), ("FullyConnected", "Ring"), ("Ring", "Ring")]
)
@pytest.mark.parametrize("most", [costs.MOST_ROWS, 0])
def test_equal_numbers_mean_equal_times(kinds, most, monkeypatch):
    monkeypatch.setattr(costs, "MOST_ROWS", most)
    blocks = tuple(ae.Block(kind, 4, bandwidth, 500) for kind, bandwidth in zip(kinds, (50, 25), strict=True))
    distances, message_ns = Distances(blocks), message_times(blocks)
    all_times, next_times = {}, {}
    for members in permutations(range(0, 16, 3), 4):
        times = [[message_ns(here, there, 4096) if here != there else 0 for there in members] for here in members]
        assert all_times.setdefault(tuple(distances.to_all(members)), times) == times
        edges = [times[place - 1][place] for place in range(4)]
        assert next_times.setdefault(tuple(distances.to_neighbours(members)), edges) == edges
    assert len(next_times) <= len(all_times)
    if most:  # nothing is told apart that takes the same time
        assert len(all_times) == len({str(times) for times in all_times.values()})
        assert len(next_times) == len({str(edges) for edges in next_times.values()})


def test_two_dimensions_of_the_same_links_are_as_far():
    block = ae.Block("Switch", 4, 50, 500)
    alike, other = Distances((block, block)), Distances((block, ae.Block("Switch", 4, 50, 600)))
    pairs = [[0, 1], [0, 4]]
    assert [len({distances.to_all(pair)[0] for pair in pairs}) for distances in (alike, other)] == [1, 2]


def test_where_costs_are_too_many_to_look_at_roles_are_finer_and_as_true(monkeypatch):
    monkeypatch.setattr(costs, "MOST_ROWS", 0)
    trace, platform = sums(FAR_AND_NEAR, ["direct"])
    assert roles_of(trace, platform).count > 2
    run = run_by_roles(trace, platform)
    everyone = ae.simulate(trace, platform, everyone=True).finish_ns
    assert tuple(run.npus[role].finished_ns for role in run.roles.of) == everyone
