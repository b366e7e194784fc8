"""The four designs: what is said of them, and what ns-3's stored figures may and may not say."""

import json
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.course.studies import flat_or_hierarchical
from astra_edu.course.studies.flat_or_hierarchical import BUFFERS, DESIGNS, NS3, design, job, play, rows
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


def test_every_stored_buffer_has_all_designs_and_none_is_faster_than_its_links():
    stored = rows()
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
    lines = [line.strip("| ").split(" | ") for line in flat_or_hierarchical.__doc__.splitlines() if "KiB" in line[:12]]
    shown = {int(line[0].split()[0]) * 1024: [float(cell) for cell in line[1:]] for line in lines}
    stored = {size: [round(row.total_ns / 1e6, 3) for row in rows() if row.buffer_bytes == size] for size in BUFFERS}
    assert {size: stored[size] for size in shown} == shown
    assert all(stored[size] == shown[512 * 1024] for size in BUFFERS if size >= 512 * 1024)
    assert {row.packets_dropped > 0 for row in rows() if row.buffer_bytes >= 512 * 1024} == {False}


def test_the_optimised_hierarchy_is_fastest_of_those_with_slow_links_at_every_stored_buffer():
    at = {(row.design, row.buffer_bytes): row for row in rows()}
    for size in {row.buffer_bytes for row in rows()}:
        assert at["HierOpt", size].total_ns < at["Flat100G", size].total_ns
        assert at["HierOpt", size].total_ns < at["Hier", size].total_ns


@pytest.mark.skipif(bool(missing()), reason=missing() or "ns-3 is installed")
def test_ns3_says_again_what_is_stored():
    from dataclasses import replace

    [want] = [row for row in rows() if (row.design, row.buffer_bytes) == ("HierOpt", 512 * 1024)]
    assert play(want.network, lambda size: replace(NS3, buffer=size), [512 * 1024], designs=[design("HierOpt")]) == [
        want
    ]


def test_a_job_is_the_same_for_a_seed():
    assert [node.duration_micros for (node, _) in job(20).nodes] == [
        node.duration_micros for (node, _) in job(20).nodes
    ]
    assert [n.duration_micros for (n, _) in job(20).nodes] != [n.duration_micros for (n, _) in job(20, seed=2).nodes]
