"""The same routers as BookSim 2's, as far as its figures say: tests/data/booksim."""

import math

import pytest

import astra_edu as ae
from astra_edu.network.credits.network import CreditNetwork
from tools.booksim import CYCLE_NS, FLIT, NETWORKS, SETTINGS, booksim, knee, ours

ROWS = booksim()
EMPTY = {(row.topology, row.traffic): row for row in ROWS if row.load == 0.0005}


def partner(traffic, npu):
    x, y = npu % 8, npu // 8
    return 8 * x + y if traffic == "transpose" else (x + 1) % 8 + 8 * ((y + 1) % 8)


def alone(topology, pairs):
    """Cycles of packets of four flits that have the network to themselves, one after the other."""
    blocks = NETWORKS[topology]
    made = CreditNetwork(SETTINGS, (blocks,) if isinstance(blocks, ae.Block) else tuple(blocks), 64)
    apart_ns, found = round(1000 * CYCLE_NS), []

    def send(ends):
        began = math.ceil(made.now / CYCLE_NS)
        made.send(*ends, 4 * FLIT, lambda _: found.append(math.floor(made.now / CYCLE_NS) - began), None)

    for k, ends in enumerate(pairs):
        made.schedule(k * apart_ns, send, ends)
    made.run()
    assert len(found) == len(pairs)
    return found


@pytest.mark.parametrize("traffic", ["transpose", "neighbour"])
@pytest.mark.parametrize("topology", NETWORKS)
def test_an_empty_network_s_latencies_are_booksim_s(topology, traffic):
    _, least, most = EMPTY[topology, traffic].latency
    found = alone(topology, [(npu, partner(traffic, npu)) for npu in range(64)])
    assert (min(found), max(found)) == (least, most)


@pytest.mark.parametrize("topology", NETWORKS)
def test_the_mean_of_an_empty_network_is_that_of_its_hops(topology):
    """BookSim's mean is 4 cycles for each router and 5 more, and what little its packets meet; ours is, without."""
    for traffic in ("uniform", "transpose", "neighbour"):
        row = EMPTY[topology, traffic]
        assert row.latency[0] == pytest.approx(4 * row.hops + 5, abs=0.1)
    assert alone(topology, [(0, 0), (0, 1), (0, 3), (0, 27)]) == [4 * routers + 5 for routers in (1, 2, 4, 7)]


@pytest.mark.parametrize(
    ("topology", "traffic", "load", "within"),
    [("mesh", "uniform", 0.3, 0.05), ("torus", "uniform", 0.4, 0.05), ("torus", "neighbour", 0.6, 0.05)],
)
def test_latency_under_load_is_booksim_s(topology, traffic, load, within):
    row = next(r for r in ROWS if (r.topology, r.traffic, r.load) == (topology, traffic, load))
    point = ours(topology, traffic, load, cycles=700, warm_up=400)
    assert point.mean_cycles == pytest.approx(row.latency[0], rel=within)
    assert point.accepted == pytest.approx(row.accepted, rel=0.05)


@pytest.mark.parametrize(("topology", "traffic"), [("mesh", "transpose"), ("torus", "transpose")])
def test_a_full_network_s_throughput_is_booksim_s(topology, traffic):
    row = next(r for r in ROWS if (r.topology, r.traffic, r.kind) == (topology, traffic, "throughput"))
    assert ours(topology, traffic, 1.0, cycles=600, warm_up=600).accepted == pytest.approx(row.accepted, rel=0.1)


def test_where_a_curve_bends():
    assert knee([(0.0, 10), (0.2, 20), (0.4, 60)]) == 0.25
    assert knee([(0.0, 10), (0.2, 20), (0.3, None)]) == 0.3
    assert knee([(0.0, 10), (0.2, 29)]) is None
