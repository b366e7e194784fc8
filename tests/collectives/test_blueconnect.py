"""The all-reduce over several dimensions is BlueConnect (M. Cho, U. Finkler, D. Kung, H. Hunter, MLSys 2019)."""

from fractions import Fraction
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import hierarchical_schedules

import astra_edu as ae
from astra_edu.collectives.hierarchical import Grid
from astra_edu.collectives.proof import replay

DIMS = st.lists(st.integers(2, 4), min_size=2, max_size=4).filter(lambda dims: prod(dims) <= 36)
ALL_REDUCES = hierarchical_schedules().filter(lambda made: made.collective == "all-reduce" and len(made.dims) > 1)


def transfers(schedule):
    return [sorted(schedule.step(k).transfers) for k in range(schedule.step_count)]


@settings(max_examples=25)
@given(st.sampled_from(["ring", "direct"]), DIMS)
def test_it_reduce_scatters_along_one_dimension_after_the_other_and_all_gathers_back(algorithm, dims):
    whole, up, down = (
        ae.hierarchical(collective, algorithm, dims) for collective in ("all-reduce", "reduce-scatter", "all-gather")
    )
    ae.prove(whole)
    assert transfers(whole) == transfers(up) + transfers(down)
    many = len(dims)
    assert [(group.phase, group.dimension) for group in whole.groups] == [
        *(("reduce-scatter", d) for d in range(many)),
        *(("all-gather", d) for d in reversed(range(many))),
    ]


@settings(max_examples=25)
@given(ALL_REDUCES)
def test_each_stage_is_among_npus_that_differ_in_one_coordinate_only(schedule):
    grid = Grid(schedule.dims, schedule.dims)
    for k in range(schedule.step_count):
        step = schedule.step(k)
        for sent in step.transfers:
            ends = zip(grid.address(sent.source), grid.address(sent.destination), strict=True)
            assert [d for d, (one, other) in enumerate(ends) if one != other] == [step.dimension]


@settings(max_examples=25)
@given(ALL_REDUCES)
def test_after_each_stage_upwards_an_npu_has_its_part_of_the_sum_over_the_dimensions_so_far(schedule):
    dims, grid = schedule.dims, Grid(schedule.dims, schedule.dims)
    last = {}
    for step, held in replay(schedule):
        if step.phase == "reduce-scatter":
            last[step.dimension] = [list(of_npu) for of_npu in held]
    assert list(last) == list(range(len(dims)))
    for d, held in last.items():
        for npu in range(schedule.npus):
            above = grid.address(npu)[d + 1 :]
            among = sum(1 << each for each in range(schedule.npus) if grid.address(each)[d + 1 :] == above)
            assert sum(mask == among for mask in held[npu]) == schedule.shards // prod(dims[: d + 1])


@pytest.mark.parametrize("dims", [(8, 4), (4, 4, 2), (2, 3, 4)])
def test_what_it_sends_in_each_dimension_is_what_the_paper_says(dims):
    schedule = ae.hierarchical("all-reduce", "ring", dims)
    steps = [schedule.step(k) for k in range(schedule.step_count)]
    for d, npus in enumerate(dims):
        sent = sum(len([t for t in step.transfers if t.source == 0]) for step in steps if step.dimension == d)
        assert Fraction(sent, schedule.shards) == Fraction(2 * (npus - 1), prod(dims[: d + 1]))


def test_the_system_layer_runs_it_unless_told_otherwise():
    """One chunk over 8 NPUs on quick links, then 4 on slow ones: stage by stage, as on a stopwatch."""
    network = ae.Dimension.of("Ring", 8, 100, 0), ae.Dimension.of("Switch", 4, 10, 0)
    how = {"splits": 1, "endpoint_delay": 0}
    size = 2**30

    def seconds(optimization):
        system = ae.SystemConfig.of("ring_ring", optimization=optimization, **how)
        return ae.simulate(ae.Workload.micro("all-reduce", size), ae.Platform(network, system)).total_ns / 1e9

    by_hand = 2 * 7 / 8 / (2 * 100) + 2 * 3 / 4 / 8 / 10
    assert seconds("localBWAware") == pytest.approx(by_hand, rel=1e-3)
    assert seconds("baseline") == pytest.approx(2 * 7 / 8 / (2 * 100) + 2 * 3 / 4 / 10, rel=1e-3)
