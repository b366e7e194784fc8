"""In which order chunks go through the dimensions, worked out by hand."""

import pytest

from astra_edu.collectives import Collective, walk
from astra_edu.system.inter_dimension import Baseline, Dimensions, RoundRobin
from astra_edu.system.themis import Themis, ThemisFlex

MIB = 2**20
AR, RS, AG, A2A = (Collective(c) for c in ("all-reduce", "reduce-scatter", "all-gather", "all-to-all"))
ALL = (True, True, True)
THREE = Dimensions((8, 8, 8), (50, 50, 50))


def test_baseline_goes_up_and_an_all_gather_comes_down():
    assert Baseline(THREE).order(AR, 8, 100, ALL) == ((0, 1, 2), 8)
    assert Baseline(THREE).order(AG, 8, 100, ALL) == ((2, 1, 0), 8)
    assert Baseline(THREE).order(AR, 8, 5, ALL) == ((0, 1, 2), 5)


def test_round_robin_begins_one_dimension_further_on_each_time():
    policy = RoundRobin(THREE)
    orders = [policy.order(AR, 8, 100, ALL)[0] for _ in range(4)]
    assert orders == [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 1, 2)]
    assert policy.order(AG, 8, 100, ALL)[0] == (1, 0, 2)


def test_themis_begins_with_the_least_loaded_dimension():
    """8 x 8 x 8 alike, chunks of 16 MiB: the first sends 14, 1.75 and 7/32 MiB over the dimensions in order."""
    themis = Themis(Dimensions((8, 8, 8), (50, 50, 50)))
    assert themis.order(AR, 16 * MIB, 2**30, ALL)[0] == [0, 1, 2]
    assert [load.amount for load in themis.loads] == [14, 1.75, 0.21875]
    assert themis.order(AR, 16 * MIB, 2**30, ALL)[0] == [2, 1, 0]
    assert sorted((load.dimension, load.amount) for load in themis.loads) == [(0, 14.21875), (1, 3.5), (2, 14.21875)]
    assert themis.order(AR, 16 * MIB, 2**30, ALL)[0] == [1, 2, 0]  # equal loads stay as they were


def test_themis_counts_time_not_bytes():
    """Dimension 1 is four times as fast, so its 3.5 MiB cost what 0.875 would on dimension 0."""
    themis = Themis(Dimensions((4, 8), (25, 100)))
    themis.order(AR, 16 * MIB, 2**30, ALL)
    assert [load.amount for load in themis.loads] == [12, 0.875]


def test_themis_keeps_the_order_while_loads_differ_by_less_than_a_sixteenth_of_a_chunk():
    def second_order(gap_denominator):
        themis = Themis(Dimensions((2, 2), (50, 50), gap_denominator))
        themis.loads[0].amount = 0.5  # 1 MiB of a reduce-scatter over 2 NPUs
        return themis.order(AR, 16 * MIB, 2**30, ALL)[0]

    assert second_order(16) == [1, 0]
    assert second_order(15) == [0, 1]


def test_themis_leaves_dimensions_out_of_its_reckoning_that_take_no_part():
    themis = Themis(Dimensions((4, 1, 4), (50, 50, 50)))
    themis.order(AR, 16 * MIB, 2**30, (True, True, False))
    assert {load.dimension: load.amount for load in themis.loads} == {0: 12, 1: 0, 2: 0}


def test_themis_never_reorders_an_all_to_all():
    themis = Themis(Dimensions((8, 8), (50, 50)))
    themis.order(AR, 16 * MIB, 2**30, ALL)
    assert themis.order(A2A, 16 * MIB, 2**30, ALL) == ([0, 1], 16 * MIB)


def test_flexible_themis_makes_a_chunk_that_closes_the_gap():
    """After [14, 1.75] MiB, a reduce-scatter of c MiB begins with 7/8 c on dimension 1: c = 12.25 / (7/8) = 14."""
    themis = ThemisFlex(Dimensions((8, 8), (50, 50)))
    assert themis.order(AR, 8 * MIB, 2**30, ALL) == ([0, 1], 8 * MIB)
    themis.loads[0].amount, themis.loads[1].amount = 14, 1.75
    assert themis.order(AR, 8 * MIB, 2**30, ALL) == ([1, 0], 14 * MIB)
    assert ThemisFlex(Dimensions((8, 8), (50, 50))).order(AR, 8 * MIB, 5, ALL)[1] == 5


@pytest.mark.parametrize(("now", "amount"), [(7, 0), (0, 14)])
def test_collectives_of_one_ns_share_the_loads(now, amount):
    themis = Themis(Dimensions((8, 8), (50, 50)))
    themis.begin(0)
    themis.order(AR, 16 * MIB, 2**30, ALL)
    themis.begin(now)
    assert themis.loads[0].amount == amount


def test_an_all_reduce_over_several_dimensions():
    assert walk(AR, [0, 1], halves=False, one_each=False) == [(RS, 0), (AR, 1), (AG, 0)]
    assert walk(AR, [1, 0], halves=True, one_each=False) == [(RS, 1), (RS, 0), (AG, 0), (AG, 1)]
    assert walk(AR, [0, 1], halves=True, one_each=True) == [(AR, 0), (AR, 1)]
    assert walk(AG, [1, 0], halves=True, one_each=False) == [(AG, 1), (AG, 0)]
    assert walk(AR, [2], halves=False, one_each=False) == [(AR, 2)]
