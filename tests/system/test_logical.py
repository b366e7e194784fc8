"""The dimensions that collectives see, and what the network costs."""

import pytest

import astra_edu as ae
from astra_edu.network import Part, Row
from astra_edu.network.cost import network_cost
from astra_edu.system.logical import logical_dimensions

TWO = (ae.Dimension.of("Ring", 8, 50, 500), ae.Dimension.of("Switch", 4, 25, 700))


@pytest.mark.parametrize(
    ("group", "sizes", "boundary"),
    [(1, [8, 4], 0), (2, [2, 4, 4], 1), (8, [8, 4], 1), (16, [8, 2, 2], 2), (32, [8, 4], 2)],
)
def test_a_group_takes_whole_dimensions_and_a_part_of_the_next(group, sizes, boundary):
    dims, found = logical_dimensions(TWO, group)
    assert [dimension.npus for dimension in dims] == sizes
    assert found == boundary


def test_a_part_of_a_ring_is_a_line_and_what_is_left_is_a_ring():
    inner, outer, _ = logical_dimensions(TWO, 4)[0]
    assert [inner.wires.path(0, to)[2] for to in range(4)] == [0, 1, 2, 3]
    assert not inner.wires.symmetric
    assert outer.wires.path(0, 1)[2] == 4
    assert outer.wires.symmetric


def test_both_parts_of_a_switch_are_alike():
    assert Part(TWO[1], 2, 1).symmetric
    assert Part(TWO[1], 2, 2).symmetric


def test_in_a_row_a_message_goes_over_the_highest_dimension_in_which_its_ends_differ():
    row = Row(TWO, 32)
    assert row.path(0, 7) == (0, TWO[0], 7)
    assert row.path(7, 8) == (1, TWO[1], 1)
    assert row.path(3, 24) == (1, TWO[1], 3)
    assert row.even
    assert not row.symmetric
    assert Row(TWO, 2, 8).path(0, 1) == (1, TWO[1], 1)


def test_a_group_must_divide_the_npus():
    with pytest.raises(ae.ConfigError, match="model_parallel_NPU_group is 5; it must divide the 32 NPUs"):
        logical_dimensions(TWO, 5)


@pytest.mark.parametrize(
    ("kind", "dollars"),
    [
        ("Node", 4 * 8 * 50 + (4 + 13) * 8 * 25),
        ("Package", 4 * 8 * 50 + (4 + 13) * 8 * 25),
        ("Pod", 7.4 * 8 * 50 + (7.4 + 23.7 + 47.8) * 8 * 25),
    ],
)
def test_links_switch_ports_and_nics_cost_by_their_bandwidth(kind, dollars):
    """A ring of 4 with 2 links each, twice; and a switch that ASTRA-sim gives a port for each of 8 NPUs."""
    ring = ae.Dimension("Ring", 4, 2, 50, 500, kind=kind)
    switch = ae.Dimension("Switch", 2, 1, 25, 500, kind=kind)
    assert network_cost([ring, switch]) == pytest.approx(dollars)


def test_one_dimension_is_a_network_that_costs_what_a_list_of_it_does():
    ring = ae.Dimension.of("Ring", 8, 50, 500)
    assert network_cost(ring) == network_cost([ring]) == 8 * 4 * 50
    for none in (None, [], ae.Block("Ring", 8, 50, 500)):
        with pytest.raises(ae.ConfigError, match="Dimension"):
            network_cost(none)


def test_fully_connected_npus_have_a_link_for_each_pair():
    assert network_cost([ae.Dimension.of("FullyConnected", 4, 10, 500)]) == 4 * 6 * 10


def test_links_of_a_tile_are_cheap():
    assert network_cost([ae.Dimension("Ring", 4, 2, 50, 500, kind="Tile")]) == 1 * 4 * 50


def test_a_tile_has_no_price_for_a_switch():
    with pytest.raises(ae.ConfigError, match="dimension 0 is a Tile with a switch"):
        network_cost([ae.Dimension("Switch", 4, 1, 50, 500, kind="Tile")])
