"""The four designs: what is said of them, and what ns-3's stored figures may and may not say."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.course.studies import flat_or_hierarchical
from astra_edu.course.studies.flat_or_hierarchical import BUFFERS, DESIGNS, NS3, OURS, design, job, play, rows
from astra_edu.network.carriers import carrier
from astra_edu.network.ns3.installed import missing

NOTEBOOK = Path(__file__).resolve().parents[3] / "notebooks" / "21_networks_and_congestion.ipynb"


def test_only_the_names_are_published():
    for one in DESIGNS:
        assert [parameter.what for parameter in one.parameters if parameter.published] == ["name"]
        assert len(one.parameters) == 3 + len(one.network)
        assert one.platform.npus == 64
    with pytest.raises(ae.ConfigError, match="Flat100G, Flat800G, Hier, HierOpt"):
        design("Flat400G")


def test_without_an_end_to_buffers_the_designs_take_what_notebook_21_shows():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    printed = "".join("".join(output.get("text", "")) for cell in cells for output in cell.get("outputs", []))
    lines = [line for line in printed.splitlines() if "up to 20 µs late" in line]
    shown = {line.split(",")[0]: float(line.split("late")[1].split()[0]) for line in lines}

    def endless(_):
        return lambda platform: carrier(platform.network, congestion_aware=True, buffers=ae.SwitchBuffers(None))

    found = play("endless", endless, [0])
    assert {row.design: round(row.total_ns / 1000, 1) for row in found} == shown
    assert {row.packets_dropped for row in found} == {0}


NS3_NAME, OURS_NAME, SEEDS = "TcpNewReno", "ae.Packets", (1, 2, 3, 4, 5)


@pytest.mark.parametrize(("network", "seed"), [(NS3_NAME, 1), *((OURS_NAME, seed) for seed in SEEDS)])
def test_every_stored_buffer_has_all_designs_and_none_is_faster_than_its_links(network, seed):
    stored = [row for row in rows(network) if row.seed == seed]
    assert {row.buffer_bytes for row in stored} <= set(BUFFERS)
    assert len({row.buffer_bytes for row in stored}) >= 5
    for size in {row.buffer_bytes for row in stored}:
        assert [row.design for row in stored if row.buffer_bytes == size] == [one.name for one in DESIGNS]
    # Bytes that the slowest links have to carry, both ways of an all-reduce, with the headers of 9,000-byte packets.
    bytes_per_ns = {"Flat100G": 12.5, "Flat800G": 100, "Hier": 12.5, "HierOpt": 12.5}
    sent = {"Flat100G": 2 * 63 / 64, "Flat800G": 2 * 63 / 64, "Hier": 2 * 7 / 8, "HierOpt": 2 * 7 / 8 / 8}
    for row in stored:
        assert row.total_ns > sent[row.design] * 2**20 / bytes_per_ns[row.design]
        assert row.peak_queue_bytes <= row.buffer_bytes
        assert row.retransmissions >= 0.9 * row.packets_dropped


def test_the_table_in_the_docstring_is_the_stored_one():
    said = [line for line in flat_or_hierarchical.__doc__.splitlines() if line.startswith("| ")]
    lines = [line.strip("| ").split(" | ") for line in said if "KiB" in line[:12]]
    ours = [line for line in lines if " to " in line[1]]
    lines = [line for line in lines if " to " not in line[1]]
    shown = {int(line[0].split()[0]) * 1024: [float(cell) for cell in line[1:]] for line in lines}
    stored = {
        size: [round(row.total_ns / 1e6, 3) for row in rows(NS3_NAME) if row.buffer_bytes == size] for size in BUFFERS
    }
    assert {size: stored[size] for size in shown} == shown
    assert all(stored[size] == shown[512 * 1024] for size in BUFFERS if size >= 512 * 1024)
    assert {row.packets_dropped > 0 for row in rows(NS3_NAME) if row.buffer_bytes >= 512 * 1024} == {False}
    assert [int(line[0].split()[0]) * 1024 for line in ours] == list(BUFFERS)
    for line in ours:
        for one, cell in zip(DESIGNS, line[1:], strict=True):
            size = int(line[0].split()[0]) * 1024
            ms = [r.total_ns / 1e6 for r in rows(OURS_NAME) if (r.design, r.buffer_bytes) == (one.name, size)]
            assert cell == f"{min(ms):.2f} to {max(ms):.2f}"


def test_the_optimised_hierarchy_is_fastest_of_those_with_slow_links_at_every_stored_buffer():
    at = {(row.network, row.seed, row.design, row.buffer_bytes): row for row in rows()}
    for network, seed in [(NS3_NAME, 1), *((OURS_NAME, seed) for seed in SEEDS)]:
        for size in BUFFERS:
            assert at[network, seed, "HierOpt", size].total_ns < at[network, seed, "Flat100G", size].total_ns
            assert at[network, seed, "HierOpt", size].total_ns < at[network, seed, "Hier", size].total_ns


def test_ours_is_what_is_stored_and_near_ns3_s():
    at = {(row.network, row.design, row.buffer_bytes): row for row in rows() if row.seed == 1}
    for size in (32 * 1024, 512 * 1024):
        for row in play(OURS_NAME, lambda size: replace(OURS, buffer=size), [size], designs=[design("HierOpt")]):
            assert row == at[OURS_NAME, row.design, size]
    times = {key[1:]: row.total_ns for key, row in at.items() if key[0] == NS3_NAME}
    ratios = [at[OURS_NAME, *key].total_ns / ns for key, ns in times.items()]
    assert len(ratios) == 24
    assert sum(abs(ratio - 1) < 0.01 for ratio in ratios) >= 15


@pytest.mark.skipif(bool(missing()), reason=missing() or "ns-3 is installed")
def test_ns3_says_again_what_is_stored():
    [want] = [row for row in rows(NS3_NAME) if (row.design, row.buffer_bytes) == ("HierOpt", 512 * 1024)]
    assert play(want.network, lambda size: replace(NS3, buffer=size), [512 * 1024], designs=[design("HierOpt")]) == [
        want
    ]


def test_a_job_is_the_same_for_a_seed():
    assert [node.duration_micros for (node, _) in job(20).nodes] == [
        node.duration_micros for (node, _) in job(20).nodes
    ]
    assert [n.duration_micros for (n, _) in job(20).nodes] != [n.duration_micros for (n, _) in job(20, seed=2).nodes]
