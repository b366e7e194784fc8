"""Who is first and last among the NPUs, in ASTRA-sim's boost mode and without it."""

from types import SimpleNamespace

import astra_edu as ae
from astra_edu.system.faithful.npu_order import NpuOrder


def phase(dimension, npus=4, algorithm="ring", flat=False):
    logical = SimpleNamespace(dimension=SimpleNamespace(npus=npus), how=SimpleNamespace(flat=flat))
    return SimpleNamespace(
        dimension=dimension, logical=logical, schedule=SimpleNamespace(traits=ae.ALGORITHMS[algorithm].traits)
    )


def ranks(order):
    return [order.rank(phase(d)) for d in range(3)]


def test_at_the_start_the_npus_stand_by_their_numbers():
    order = NpuOrder(3, boost=True)
    assert ranks(order) == [1, 2, 3]


def test_after_a_phase_those_that_took_no_part_come_first():
    order = NpuOrder(3, boost=True)
    order.woken((phase(1),))
    assert ranks(order) == [2, 3, 2]  # NPU 0 ends phases on 0 and 2, its neighbours those on 1


def test_npu_0_is_last_after_a_change_of_dimension():
    order = NpuOrder(3, boost=True)
    order.woken((phase(0), phase(1)))
    assert ranks(order) == [3, 3, 3]


def test_two_phases_on_one_dimension_keep_its_order():
    order = NpuOrder(3, boost=True)
    order.woken((phase(2), phase(2)))
    assert ranks(order) == [2, 2, 3]


def test_where_all_npus_are_one_row_nobody_sits_out():
    order = NpuOrder(3, boost=True)
    order.woken((phase(0, flat=True),))
    assert ranks(order) == [1, 2, 3]
