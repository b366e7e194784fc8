"""What the notebook lays beside ours is what stands in tests/data, and ours is made with the same settings."""

import csv
from pathlib import Path

import pytest

pytest.importorskip("networkx")

import astra_edu as ae
from astra_edu.course.studies.other_simulators import (
    BOOKSIM,
    BOOKSIM_FLITS,
    NS3_INCAST_NS,
    mesh_or_torus,
    ns3_incast,
)
from tools import booksim
from tools.against_ns3 import compared

DATA = Path(__file__).resolve().parents[2] / "data"


def test_booksim_s_latencies_are_the_stored_ones_below_160_cycles():
    stored = {}
    for row in booksim.booksim():
        if row.kind == "latency" and row.latency and row.load >= 0.05 and row.latency[0] < 160:
            stored.setdefault((row.topology, row.traffic), {})[row.load] = round(row.latency[0], 1)
    assert stored == BOOKSIM
    assert booksim.SETTINGS == BOOKSIM_FLITS


@pytest.mark.parametrize("topology", ["mesh", "torus"])
def test_the_networks_are_those_of_the_comparison(topology):
    blocks = booksim.NETWORKS[topology]
    assert mesh_or_torus(topology) == (blocks if isinstance(blocks, list) else [blocks])
    with pytest.raises(ae.ConfigError, match="mesh, torus"):
        mesh_or_torus("ring")


def test_ns3_s_times_are_the_stored_ones_and_ours_are_the_comparison_s():
    with (DATA / "ns3" / "cases.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["case"]: row for row in csv.DictReader(file)}
    for (senders, kib), ns in NS3_INCAST_NS.items():
        row = rows[f"incast{senders}-10g-TcpNewReno-{kib}k-rto200ms"]
        assert (int(row["total_ns"]), int(row["message_bytes"])) == (ns, 1_000_000)
        if senders <= 4:
            network = ns3_incast(senders, kib)
            network.run()
            assert network.statistics()["time_ns"] == compared(row).ours_ns
    assert sorted({senders for senders, _ in NS3_INCAST_NS}) == [2, 4, 8, 16, 32]
