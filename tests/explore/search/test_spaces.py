"""Platforms to search among: all there are, each once, and each what its features say."""

from itertools import combinations, permutations
from math import comb, prod

import pytest

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.network.cost import network_cost

CONV = ae.preset("conv-3d")


@pytest.mark.parametrize("steps", [3, 7, 20])
def test_bandwidths_spend_all_of_the_total_or_the_cost_in_every_way(steps):
    by_total = ae.bandwidths(CONV, total=350, steps=steps)
    cost = network_cost(CONV.network)
    by_cost = ae.bandwidths(CONV, cost=cost, steps=steps)
    assert len(by_total) == len(by_cost) == comb(steps - 1, 2)
    assert len({repr(platform.network) for platform in by_total}) == len(by_total)
    assert all(sum(dim.bandwidth for dim in each.network) == pytest.approx(350) for each in by_total)
    assert all(network_cost(each.network) == pytest.approx(cost) for each in by_cost)
    told = by_total.described()
    assert [row["network[1].bandwidth"] for row in told] == [each.network[1].bandwidth for each in by_total]


def test_shapes_are_all_products_with_all_blocks():
    blocks = [ae.Dimension.of("Ring", 4, 50, 500), ae.Dimension.of("Switch", 4, 25, 700)]
    found = ae.shapes(12, blocks, ae.SystemConfig.of("ring", splits=1), dimensions=3)
    sizes = {tuple(dim.npus for dim in each.network) for each in found}
    right = {(12,), (2, 6), (6, 2), (3, 4), (4, 3), (2, 2, 3), (2, 3, 2), (3, 2, 2)}
    assert sizes <= right
    assert all(prod(each) == 12 for each in sizes)
    only_rings = [each for each in found if {str(dim.topology) for dim in each.network} == {"Ring"}]
    rings = {tuple(dim.npus for dim in each.network) for each in only_rings}
    assert rings == right
    for each in found:
        assert len(each.system.all_reduce) == len(each.network)
        ae.simulate(ae.Workload.micro("all-reduce", 2**16), each, progress=False)


def test_algorithms_are_given_to_each_dimension():
    found = ae.algorithms(CONV, ["ring", "direct"])
    told = {tuple(how.spelling for how in each.system.all_reduce) for each in found}
    assert len(found) == len(told) == 8
    assert all(each.network == CONV.network and each.system.splits == CONV.system.splits for each in found)


def test_placements_are_all_orders_with_their_algorithms():
    found = ae.placements(CONV)
    pairs = list(zip(CONV.network, CONV.system.all_reduce, strict=True))
    assert [list(zip(each.network, each.system.all_reduce, strict=True)) for each in found] == [
        list(order) for order in permutations(pairs)
    ]
    alike = ae.Platform((CONV.network[0],) * 2, ae.SystemConfig.of("ring_ring", splits=1))
    assert len(ae.placements(alike)) == 1


def test_spaces_are_made_of_spaces():
    found = ae.bandwidths(ae.algorithms(CONV, ["ring", "direct"]), total=350, steps=5)
    assert len(found) == 8 * comb(4, 2)
    assert set(found.described()[0]) == {f"{name}[{d}]{end}" for d in range(3) for name, end in
                                         (("algorithm", ""), ("network", ".bandwidth"))}  # fmt: skip
    assert len({str(row) for row in found.described()}) == len(found)
    assert all(a is not b for a, b in combinations(found, 2))


def test_a_placement_is_better_for_a_group_that_says_much():
    """The tensor group takes the first dimension: it should be the fast one, whatever its place."""
    slow_first = ae.Platform(
        (ae.Dimension.of("Switch", 4, 5, 500), ae.Dimension.of("Switch", 4, 300, 500)),
        ae.SystemConfig.of("halvingDoubling_halvingDoubling", splits=1),
    )
    model = ae.transformer("small", hidden=512, heads=8, blocks=2, sequence=256, vocabulary=1000)
    given = {"model": model, "device": "a100", "strategy": ae.Strategy(tensor=4, data=4, micro_batch=2)}
    found = ae.search({"platform": ae.placements(slow_first)}, run=ae.estimate, given=given, progress=False)
    assert [dim.bandwidth for dim in found.best["platform"].network] == [300, 5]


def test_what_makes_no_sense_is_said():
    for make, words in (
        (lambda: ae.bandwidths(CONV), "either total"),
        (lambda: ae.bandwidths(CONV, total=1, cost=1), "either total"),
        (lambda: ae.bandwidths(CONV, total=100, steps=2), "3 dimensions need 3 or more"),
        (lambda: ae.bandwidths("ring", total=100), "platform"),
        (lambda: ae.algorithms(CONV, ["rings"]), "an algorithm is 'rings'"),
        (lambda: ae.shapes(12, [3], CONV.system), "a block is 3"),
        (lambda: ae.shapes(7, [ae.Dimension.of("Ring", 4, 50, 500)], CONV.system, dimensions=0), "dimensions is 0"),
        (lambda: ae.bandwidths(CONV, total=100, steps=10**9), "more than 50,000"),  # which is known before one is made
    ):
        with pytest.raises(ConfigError, match=words):
            make()


def test_shapes_with_other_bandwidths_say_what_they_have_and_nothing_of_what_they_have_not():
    blocks = [ae.Dimension.of("Ring", 2, 50, 500)]
    shared = ae.bandwidths(ae.shapes(8, blocks, ae.SystemConfig.of("ring", splits=1), dimensions=2), total=60, steps=2)
    names = [told["shape"] for told in shared.described()]
    assert names == ["Ring(8)", "Ring(2) × Ring(4)", "Ring(4) × Ring(2)"]
    turned = ae.placements(ae.shapes(8, blocks, ae.SystemConfig.of("ring", splits=1), dimensions=2))
    for platform, told in zip(turned, turned.described(), strict=True):
        assert told["shape"] == " × ".join(f"Ring({dim.npus}, 50 GB/s)" for dim in platform.network)
    found = ae.search({"platform": shared}, given={"workload": ae.Workload.micro("all-reduce", 2**10)}, progress=False)
    words = {each.shown["platform.shape"]: each.words for each in found.tried}
    assert words["Ring(8)"].endswith("platform.dimensions 1, platform.network[0].bandwidth (GB/s of 2**30) 60")
    assert "network[1].bandwidth (GB/s of 2**30) 30" in words["Ring(2) × Ring(4)"]
    assert found.table["platform.network[1].bandwidth (GB/s of 2**30)"].tolist().count(0) == 1
