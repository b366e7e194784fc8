"""Clusters as graphs: how far NPUs are apart, what halves can exchange, and how long all-to-alls take there."""

from collections import Counter

import pytest

pytest.importorskip("networkx")

from itertools import pairwise

import networkx as nx

import astra_edu as ae
from astra_edu.base.units import GIB

NIC, NVLINK = 50, 400  # "GB/s"
B = GIB / 1e9  # bytes per ns of one "GB/s"
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")


def blocks(npus=4, nodes=8):
    return ae.Block("Switch", npus, NVLINK, 500), ae.Block("Switch", nodes, NIC, 1000)


def links(network, a, b):
    return len(network.way(a, b)) - 1


def took(network, collective="all_to_all", how="oneDirect", size=2**24):
    platform = ae.TracePlatform(network, ae.TraceSystem.of(how, splits=1), congestion_aware=True)
    return ae.simulate(ae.traces.collective(collective, size, platform.npus), platform).total_ns


class TestFatTree:
    def test_links_between_pairs(self):
        """Two over NVLink; then one, three or five switches, with one link more than switches."""
        tree = ae.fat_tree(blocks(4, 16), per_leaf=2, spines=2, per_pod=4, cores=2)
        by_pair = {(0, 3): 2, (0, 4): 2, (0, 7): 2, (0, 8): 4, (3, 31): 4, (0, 32): 6, (0, 63): 6}
        assert {pair: links(tree, *pair) for pair in by_pair} == by_pair
        assert tree.way(0, 3)[1] == "node 0"
        assert tree.way(0, 4)[1] == "leaf 0"
        assert [str(node).split()[0] for node in tree.way(0, 63)[1:-1]] == ["leaf", "spine", "core", "spine", "leaf"]
        assert (tree.npus, tree.dims) == (64, (4, 16))

    def test_how_many_links_there_are_and_how_fast(self):
        """4 leaves of 2 computers with 4 NPUs: 400 GB/s down, so 200 up to each of 2 spines; half of it with 2 : 1."""
        for over, up in ((1, 200), (2, 100), ((2, 1), 100), (0.5, 400)):
            tree = ae.fat_tree(blocks(), per_leaf=2, spines=2, oversubscription=over)
            count = Counter((block.bandwidth, block.latency) for block in tree.links.values())
            assert count == {(NVLINK, 500): 64, (NIC, 1000): 64, (up, 1000): 16}

    def test_cores_carry_what_spines_have_below_them_over_the_second_ratio(self):
        tree = ae.fat_tree(blocks(), per_leaf=2, spines=2, per_pod=2, cores=2, oversubscription=(2, 4))
        (rate,) = {block.bandwidth for (a, _), block in tree.links.items() if str(a).startswith("core")}
        assert rate == 2 * 100 / 4 / 2  # 2 leaves with 100 GB/s to this spine, over 4 : 1, over 2 cores

    @pytest.mark.parametrize("over", [1, 2, 4])
    def test_bisection_is_half_of_all_cards_over_the_ratio(self, over):
        tree = ae.fat_tree(blocks(), per_leaf=2, spines=2, oversubscription=over)
        assert ae.bisection_bandwidth(tree) == pytest.approx(16 * NIC / over)
        pods = ae.fat_tree(blocks(), per_leaf=2, spines=2, per_pod=2, cores=2, oversubscription=(1, over))
        assert ae.bisection_bandwidth(pods) == pytest.approx(16 * NIC / over)

    @pytest.mark.parametrize(("over", "within"), [(1, 1.25), (2, 1.15), (4, 1.1)])
    def test_an_all_to_all_takes_what_cards_or_uplinks_allow(self, over, within):
        """Of 32 NPUs 28 are on other computers, 24 on other leaves. Not less, and not much more, as NVLink's parts
        and messages stored at switches come on top."""
        size = 2**24
        cards = size * 28 / 32 / (NIC * B)
        uplinks = size * 24 / 32 / (NIC / over * B)
        least = max(cards, uplinks)
        time = took(ae.fat_tree(blocks(), per_leaf=2, spines=2, oversubscription=over), size=size)
        assert least < time < within * least

    def test_a_ring_of_neighbours_doesn_t_mind_spines_that_are_twice_too_few(self):
        """Only 4 of its 32 messages go over spines, one from each leaf."""
        full, half = (ae.fat_tree(blocks(), per_leaf=2, spines=2, oversubscription=n) for n in (1, 2))
        assert took(half, "all_reduce", "ring") < 1.1 * took(full, "all_reduce", "ring")

    def test_one_leaf_needs_no_spine(self):
        tree = ae.fat_tree(blocks(), per_leaf=8)
        assert {str(node).split()[0] for node in tree.nodes if isinstance(node, str)} == {"node", "leaf"}

    def test_messages_to_different_npus_take_different_spines(self):
        tree = ae.fat_tree(blocks(), per_leaf=2, spines=4)
        used = Counter(tree.way(0, to)[2] for to in range(8, 32))
        assert used == {f"spine 0.{k}": 6 for k in range(4)}


class TestRails:
    def test_links_between_pairs(self):
        rails = ae.rail_optimised(blocks())
        assert rails.way(0, 4) == [0, "rail 0.0", 4]
        assert rails.way(1, 29) == [1, "rail 1.0", 29]
        assert rails.way(0, 3) == [0, "node 0", 3]
        assert rails.way(0, 29) == [0, "node 0", 1, "rail 1.0", 29]  # PXN: to the rail by NVLink
        over = ae.rail_optimised(blocks(), pxn=False, spines=2)
        assert over.way(0, 29) == [0, "rail 0.0", "spine 1", "rail 1.0", 29]
        assert over.way(0, 4) == rails.way(0, 4)
        assert over.way(0, 3) == rails.way(0, 3)

    def test_several_leaves_of_a_rail_meet_at_spines(self):
        rails = ae.rail_optimised(blocks(), per_leaf=4, spines=4)
        assert rails.way(0, 12) == [0, "rail 0.0", 12]
        assert rails.way(0, 28) == [0, "rail 0.0", "spine 3", "rail 0.1", 28]
        assert rails.way(0, 29) == [0, "node 0", 1, "rail 1.0", "spine 3", "rail 1.1", 29]

    @pytest.mark.parametrize("collective", COLLECTIVES)
    @pytest.mark.parametrize("how", ["oneDirect", ["direct", "direct"], ["ring", "ring"], "oneRing"])
    def test_with_one_leaf_a_rail_it_is_the_network_of_two_blocks(self, collective, how):
        """ASTRA-sim's blocks cross a message's dimensions one after the other, which is PXN: the same to the ns."""
        assert took(ae.rail_optimised(blocks()), collective, how) == took(blocks(), collective, how)

    def test_same_rank_collectives_need_no_spine_and_others_do(self):
        over = {n: ae.rail_optimised(blocks(), pxn=False, spines=4, oversubscription=n) for n in (1, 4)}
        assert took(over[4], how=["direct", "direct"]) == took(over[1], how=["direct", "direct"])
        assert took(over[4]) > 2.5 * took(over[1])
        assert took(ae.rail_optimised(blocks())) < took(over[1])

    def test_a_fat_tree_of_one_leaf_a_computer_needs_spines_for_what_rails_do_without(self):
        """Equal ranks all-reduce: on rails one switch, in the tree three, and 4 : 1 makes it slower by far."""
        ranks = ["ring", "ring"]
        rails = took(ae.rail_optimised(blocks(), oversubscription=4), "all_reduce", ranks)
        tree = took(ae.fat_tree(blocks(), per_leaf=1, spines=2, oversubscription=4), "all_reduce", ranks)
        assert tree > 1.2 * rails

    def test_bisection(self):
        assert ae.bisection_bandwidth(ae.rail_optimised(blocks())) == pytest.approx(16 * NIC)
        two = ae.rail_optimised(blocks(), per_leaf=4, spines=2, oversubscription=2)
        assert ae.bisection_bandwidth(two) == pytest.approx(16 * NIC / 2)

    def test_spines_are_used_evenly(self):
        rails = ae.rail_optimised(blocks(), per_leaf=4, spines=4)
        used = Counter(
            link
            for a in range(32)
            for b in range(32)
            if a // 4 != b // 4
            for link in pairwise(rails.way(a, b))
            if "spine" in f"{link[0]}{link[1]}"
        )
        assert len(used) == 2 * 8 * 4
        assert len(set(used.values())) == 1


def test_every_way_is_a_way_and_no_npu_forwards_but_for_pxn():
    networks = {
        "tree": ae.fat_tree(blocks(), per_leaf=2, spines=2, per_pod=2),
        "spine": ae.rail_optimised(blocks(), per_leaf=4, pxn=False),
        "pxn": ae.rail_optimised(blocks(), per_leaf=4),
    }
    for name, network in networks.items():
        for a in range(32):
            for b in range(32):
                way = network.way(a, b)
                assert all(link in network.links for link in pairwise(way))
                inner = [node for node in way[1:-1] if isinstance(node, int)]
                other = name == "pxn" and a // 4 != b // 4 and a % 4 != b % 4
                assert inner == ([a // 4 * 4 + b % 4] if other else [])


@pytest.mark.parametrize("names", [("all", "b"), ("a", "others"), ("others", "all")])
def test_bisection_is_the_same_however_switches_are_called(names):
    graph = nx.Graph()
    for npu in range(4):
        graph.add_edge(npu, names[npu // 2], bandwidth=50, latency=500)
    graph.add_edge(*names, bandwidth=10, latency=500)
    assert ae.bisection_bandwidth(ae.GraphNetwork(graph)) == 10


def test_bisection_counts_each_direction_by_itself():
    line = nx.DiGraph()
    line.add_edge(0, 1, bandwidth=30, latency=1)
    line.add_edge(1, 0, bandwidth=50, latency=1)
    assert ae.bisection_bandwidth(ae.GraphNetwork(line)) == 30


class TestRefused:
    @pytest.mark.parametrize(
        ("make", "said"),
        [
            (lambda: ae.fat_tree(blocks(), per_leaf=3), r"per_leaf is 3, which doesn't divide 8 computers; 2 and 4 do"),
            (lambda: ae.fat_tree(blocks(), per_leaf=2, per_pod=3), "per_pod is 3, which doesn't divide 4 leaves"),
            (
                lambda: ae.rail_optimised(blocks(), per_leaf=5),
                "per_leaf is 5, which doesn't divide 8 computers; 4 and 2 do",
            ),
            (lambda: ae.fat_tree(blocks()[:1], per_leaf=2), "give two: a Switch of a computer's NPUs"),
            (lambda: ae.rail_optimised(ae.Block("Ring", 4, 50, 1)), "Ring of 4.*give two"),
            (lambda: ae.rail_optimised((ae.Block("Ring", 4, 50, 1), blocks()[1])), "give two"),
            (lambda: ae.fat_tree(blocks()[::-1], per_leaf=2), "1000 ns and network cards' 500 ns; inside they have to"),
            (lambda: ae.fat_tree(blocks(), per_leaf=2, oversubscription=0), "oversubscription is 0"),
            (
                lambda: ae.fat_tree(blocks(), per_leaf=2, oversubscription=(1, 2, 3)),
                "one for leaves and one for spines",
            ),
            (lambda: ae.rail_optimised(blocks(), pxn="yes"), "pxn is 'yes'"),
            (lambda: ae.rail_optimised(blocks(8, 65)), "520 NPUs; 512 is the most"),
            (lambda: ae.fat_tree(blocks(), per_leaf=2, spines=10**9), "4,000,000,064 links; a graph has 1,000,000"),
            (lambda: ae.fat_tree(blocks(8, 10**6), per_leaf=2), "links; a graph has 1,000,000"),
            (lambda: ae.bisection_bandwidth(blocks()), "network is .*give a GraphNetwork"),
        ],
    )
    def test_with_numbers_and_what_would_be_right(self, make, said):
        with pytest.raises(ae.ConfigError, match=said):
            make()
