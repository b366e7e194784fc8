"""The lecture's cost table comes out of the schedules."""

import math

import pytest
from hypothesis import assume, given
from strategies import schedules

import astra_edu as ae

N, P = 840, 8


def cost(algorithm, collective="all-reduce", npus=P, size=N):
    return ae.counts(ae.schedule(collective, algorithm, npus), size)


def test_single_master_receives_everything():
    single = cost("single-master")
    assert single.received == (P - 1) * N
    assert single.fan_in == P - 1


def test_parameter_server_spreads_the_load_but_not_the_fan_in():
    server = cost("parameter-server")
    assert server.rounds[0].received == (P - 1) * N / P
    assert server.fan_in == P - 1


def test_ring_needs_the_most_rounds_and_the_least_fan_in():
    ring = cost("ring")
    assert ring.steps == 2 * (P - 1)
    assert ring.fan_in == 1
    assert all(r.total == N for r in ring.rounds)
    assert ring.total == 2 * (P - 1) * N
    assert ring.sent == 2 * (P - 1) / P * N


@pytest.mark.parametrize("npus", [2, 3, 7, 8, 100, 1024])
def test_trees_need_logarithmically_many_rounds(npus):
    depth = math.ceil(math.log2(npus))
    assert cost("binary-tree", npus=npus).steps <= 2 * depth
    assert cost("double-binary-tree", npus=npus).steps <= 2 * depth + 2
    assert cost("binary-tree", npus=npus).fan_in <= max(2, depth)


@pytest.mark.parametrize("npus", [2, 4, 6, 8, 64])
def test_an_inner_node_of_one_tree_is_a_leaf_of_the_other(npus):
    from astra_edu.collectives.tree import binary_tree, mirrored

    first, second = binary_tree(npus), mirrored(npus)
    assert all(not first.children[npu] or len(second.children[npu]) <= 1 for npu in range(npus))
    two_children = [npu for npu in range(npus) if len(first.children[npu]) == 2]
    assert all(not second.children[npu] for npu in two_children)


@pytest.mark.parametrize(("algorithm", "values"), [("naive", 48), ("single-master", 24), ("ring", 24)])
def test_the_four_npu_example_of_the_slides(algorithm, values):
    assert cost(algorithm, npus=4, size=4).total == values


def test_halving_doubling_and_direct_move_no_more_than_ring():
    assert cost("halving-doubling").sent == cost("direct").sent == cost("ring").sent
    assert cost("halving-doubling").steps == 6
    assert cost("direct").steps == 2


@given(schedules())
def test_counts_are_those_of_the_expanded_transfers(schedule):
    assume(schedule.algorithm != "in-switch")  # whose switch sends for NPUs: test_in_switch.py
    size = schedule.shards_per_buffer
    got = ae.counts(schedule, size)
    transfers = [step.transfers for step in schedule.steps()]
    everything = [t for step in transfers for t in step]
    assert got.steps == len(transfers) == sum(r.steps for r in got.rounds)
    assert got.total == len(everything)
    assert got.sent == max(sum(t.source == npu for t in everything) for npu in range(schedule.npus))
    assert got.received == max(sum(t.destination == npu for t in everything) for npu in range(schedule.npus))
    assert got.fan_in == max(
        len({t.source for t in step if t.destination == npu}) for step in transfers for npu in range(schedule.npus)
    )


def test_the_torus_walk_of_the_lecture():
    """A 12 MiB all-reduce on a 2 x 2 x 3 torus: what an NPU works on shrinks to a twelfth and grows back."""
    schedule = ae.hierarchical("all-reduce", "ring", (2, 2, 3))
    ae.prove(schedule)
    held = [12.0]
    for group in schedule.groups:
        size = schedule.dims[group.dimension]
        held.append(held[-1] / size if group.phase == "reduce-scatter" else held[-1] * size)
    assert held == [12, 6, 3, 1, 3, 6, 12]
    rounds = ae.counts(schedule, 12).rounds
    assert [(r.phase, r.steps, r.sent) for r in rounds] == [
        ("reduce-scatter", 1, 6),
        ("reduce-scatter", 1, 3),
        ("reduce-scatter", 2, 1),
        ("all-gather", 2, 1),
        ("all-gather", 1, 3),
        ("all-gather", 1, 6),
    ]


def test_a_hierarchical_all_reduce_moves_as_much_as_a_flat_one_but_little_on_the_slow_dimension():
    schedule = ae.hierarchical("all-reduce", "ring", (4, 4))
    rounds = ae.counts(schedule, 16).rounds
    assert sum(r.sent * r.steps for r in rounds) == ae.counts(ae.schedule("all-reduce", "ring", 16), 16).sent
    assert [
        sum(r.sent * r.steps for r, g in zip(rounds, schedule.groups, strict=True) if g.dimension == d) for d in (0, 1)
    ] == [24, 6]


def test_bytes_are_whole_where_they_can_be():
    cost = ae.counts(ae.schedule("scatter", "ring", 3), 1001)
    assert cost.total == 1001
    assert isinstance(cost.total, int)


def test_a_huge_ring_is_counted_and_timed_without_expanding_it():
    schedule = ae.schedule("all-reduce", "ring", 65536)
    calls = []
    for group in schedule.groups:
        rule = group.rule
        object.__setattr__(group, "rule", lambda s, i, rule=rule: calls.append((s, i)) or rule(s, i))
    assert ae.counts(schedule, 2**30).sent == 2 * 65535 * 2**14
    ring = ae.Dimension.of("Ring", 65536, bandwidth=50, latency=500)
    assert ae.time_schedule(schedule, [ring], 2**30).total_ns == 10 + 131070 * (500 + 152 + 10)
    assert len(calls) < 20
