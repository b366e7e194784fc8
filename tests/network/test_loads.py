"""The links of a ring are counted by hops: the same as one by one."""

from collections import Counter
from itertools import pairwise

import pytest

import astra_edu as ae
from astra_edu.network.loads import folded, way_in


@pytest.mark.parametrize("npus", range(2, 12))
def test_a_way_round_a_ring_by_hops_is_its_links_one_by_one(npus):
    ring = ae.Block("Ring", npus, 50, 500)
    way = way_in(ring, one=True)
    for destination in range(1, npus):
        links = Counter(folded(npus, *link) for link in pairwise(ring.topology.route(npus, 0, destination)))
        assert {link: often for link, _, often in way(0, destination)} == links
