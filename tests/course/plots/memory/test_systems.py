"""Figures of memory systems."""

from __future__ import annotations

from dataclasses import replace

import pytest

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots import bandwidth_sweep, packet_stages, training_parts
from astra_edu.course.plots.memory.hierarchy import memory_hierarchy
from astra_edu.course.studies.memory_systems import (
    Fabric,
    HierarchicalPool,
    MixtureOfExperts,
    PrivateMemory,
    Stage,
    Transfer,
    hiermem,
    zero_infinity,
)
from astra_edu.course.studies.memory_systems.case_study import GPU, SYSTEMS
from astra_edu.course.studies.memory_systems.fabric import IN_NODE, REMOTE

SMALL = MixtureOfExperts(hidden=256, heads=4, blocks=4, experts=8, sequence=128)

FABRIC = Fabric(nodes=2, gpus_per_node=4, in_bandwidth=256, out_switches=2, out_bandwidth=512)

POOL = HierarchicalPool(FABRIC, groups=4, group_bandwidth=100)


def both(model=SMALL, samples=1, optimiser_bytes=16, private=100.0, **pool):
    other = replace(POOL, **pool)
    memory = PrivateMemory(other.fabric, private)
    return (
        zero_infinity(model, GPU, memory, samples, optimiser_bytes),
        hiermem(model, GPU, other, samples, optimiser_bytes),
    )


def test_the_hierarchy_names_every_part_and_its_bandwidth():
    picture = memory_hierarchy(SYSTEMS["HierMem, baseline"])
    assert "256 groups of memory, M, 16 behind each of 16 out-node switches" in picture.alt
    assert picture.table.splitlines()[1].split()[-3:] == ["256", "100", "25,600"]
    texts = {text.get_text().strip() for text in picture.figure.axes[0].texts}
    assert {"M0", "M255", "O15", "I15", "G255", "256 GPUs", "100 × 10⁹\nbytes/s each"} <= texts
    with pytest.raises(ConfigError, match="5 groups can't be shared out equally among 2 out-node switches; 4 or 6"):
        memory_hierarchy(replace(POOL, groups=5))


def test_packets_are_drawn_where_they_are():
    transfer = Transfer((Stage(REMOTE, 40), Stage(IN_NODE, 80)), 4)
    picture = packet_stages(transfer)
    assert "4 packets through 2 stages take 90 ns; the slowest stage, in-node fabric, needs 20 ns" in picture.alt
    axes = picture.figure.axes[0]
    boxes = [[path.get_extents() for path in bars.get_paths()] for bars in axes.collections]
    assert [(box.x0, box.x1) for box in boxes[0]] == [(0, 10), (10, 20), (20, 30), (30, 40)]
    assert [(box.x0, box.x1) for box in boxes[1]] == [(10, 30), (30, 50), (50, 70), (70, 90)]
    assert [label.get_text() for label in axes.get_yticklabels()] == [REMOTE, f"slowest: {IN_NODE}"]
    with pytest.raises(ConfigError, match="65 packets; 64 are the most"):
        packet_stages({"many": replace(transfer, packets=65)})


def test_the_parts_of_an_iteration_are_drawn_and_told():
    times = dict(zip(("private", "pool"), both(), strict=True))
    picture = training_parts(times)
    rows = picture.table.splitlines()
    assert rows[0].split("  ")[0] in ("ns", "µs", "ms")
    faster = times["private"].total_ns / times["pool"].total_ns
    assert rows[2].split()[-1] == f"{faster:.2f}"
    assert f"{faster:.2f} times as fast" in picture.alt
    with pytest.raises(ConfigError, match="each bar needs a name"):
        training_parts({})


def test_sweeps_are_drawn_and_told():
    picture = bandwidth_sweep(
        [1, 10, 100], {"a": [3, 2, 1], "b": [6, 4, 2]}, of="a group", what="time (ms)", marks={"here": (10, 2)}
    )
    assert picture.figure.axes[0].get_xscale() == "log"
    assert picture.table.splitlines()[2].split() == ["10", "2", "4"]
    assert "Marked, here: 2 at 10." in picture.alt
    for bandwidths, series in (([1], {"a": [1]}), ([2, 1], {"a": [1, 2]}), ([1, 2], {"a": [1]}), ([1, 2], {})):
        with pytest.raises(ConfigError, match="give"):
            bandwidth_sweep(bandwidths, series, of="x", what="y")
