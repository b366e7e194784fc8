"""Tiles, waves and launches, counted one by one; and what they do to a device's times."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.explore.iteration.plans import Plan
from astra_edu.workload.compute import Compute, Kernels, Tile

SIZES = st.integers(1, 3000)
GEMMS = st.builds(ae.Gemm, SIZES, SIZES, SIZES, st.integers(1, 40))
TILES = st.builds(Tile, st.sampled_from([16, 64, 128, 256]), st.sampled_from([16, 64, 128]), st.floats(0.1, 1))
KERNELS = st.builds(
    Kernels,
    units=st.integers(1, 200),
    tiles=st.lists(TILES, min_size=1, max_size=3),
    splits=st.lists(st.integers(1, 8), min_size=1, max_size=3),
    ramp=st.integers(0, 200),
)
SIMPLE = ae.Device("simple", flops_per_s=100e9, memory_bytes_per_s=10e9)
MODEL = ae.transformer("small", hidden=512, heads=8, blocks=4, sequence=128, vocabulary=1000)
PLATFORM = ae.Platform((ae.Dimension.of("Switch", 8, 220, 1000),), ae.SystemConfig.of("ring", splits=1))


def ns_of_units(gemm: ae.Gemm, kernels: Kernels, tile: Tile, split: int, flops_per_ns: float) -> float:
    """Give the tiles out one by one to the unit that is free first; how long that takes."""
    k = -(-gemm.k // split) + kernels.ramp
    rate = flops_per_ns / kernels.units * tile.share
    free = [0.0] * kernels.units
    for _ in range(len(range(0, gemm.m, tile.rows)) * len(range(0, gemm.n, tile.columns)) * gemm.count * split):
        first = free.index(min(free))
        free[first] += 2 * tile.rows * tile.columns * k / rate
    return max(free)


@given(GEMMS, KERNELS)
def test_a_product_takes_as_long_as_its_tiles_given_out_one_by_one(gemm, kernels):
    few = replace(gemm, m=gemm.m % 700 + 1, n=gemm.n % 700 + 1, count=gemm.count % 4 + 1)
    best = min(
        ns_of_units(few, kernels, tile, split, flops_per_ns=100) for tile in kernels.tiles for split in kernels.splits
    )
    device = replace(SIMPLE, memory_bytes_per_s=None, kernels=kernels)
    assert device.gemm_ns(few) == pytest.approx(best)


@given(GEMMS, KERNELS)
def test_no_shape_is_quicker_than_the_peak(gemm, kernels):
    assert 0 < kernels.share(gemm) <= 1
    assert replace(SIMPLE, kernels=kernels).gemm_ns(gemm) >= SIMPLE.gemm_ns(gemm) * (1 - 1e-12)


def test_full_tiles_in_full_waves_reach_the_peak():
    kernels = Kernels(units=108, tiles=(Tile(256, 128),))
    full = ae.Gemm(256 * 108, 128 * 4, 777)
    assert (kernels.waves(full, Tile(256, 128)), kernels.share(full)) == (4, 1)
    one_more = replace(full, m=full.m + 1)  # four tiles more, which have a wave of their own
    assert kernels.waves(one_more, Tile(256, 128)) == 5
    assert kernels.share(one_more) == pytest.approx(4 / 5 * one_more.m / full.m)


def test_a_small_product_is_better_off_with_small_tiles_or_a_split():
    long = ae.Gemm(256, 256, 8192)
    alone = Kernels(units=100, tiles=(Tile(256, 256),), ramp=64)
    assert alone.share(long) == pytest.approx(1 / 100 * 8192 / (8192 + 64))
    small = replace(alone, tiles=(Tile(256, 256), Tile(64, 64, 0.5)))  # 16 tiles, each half as quick
    assert small.share(long) == pytest.approx(16 / 100 * 8192 / (8192 + 64) * 0.5)
    split = replace(alone, splits=(1, 8))  # 8 tiles of 1,024
    assert split.share(long) == pytest.approx(8 / 100 * 1024 / (1024 + 64))


def test_each_kernel_is_launched_on_the_device_and_by_the_host():
    phase = Compute((ae.Gemm(6, 15, 10), ae.Gemm(100, 100, 100)), 1000, 250, kernels=3)
    launched = replace(SIMPLE, kernels=Kernels(units=1, tiles=(Tile(1, 1),), launch_ns=7, host_ns=100))
    assert launched.compute_ns(phase) == pytest.approx(SIMPLE.compute_ns(phase) + 5 * 7)
    assert launched.host_ns(phase) == 500
    assert (SIMPLE.host_ns(phase), launched.host_ns(Compute())) == (0, 0)
    assert Compute((), 5).launches == 0  # what reads and writes nothing is part of another kernel
    assert Compute((), 5, 6).launches == 1


def test_tiles_can_bind_a_product_that_memory_would_bind():
    small = ae.Gemm(6, 15, 10)
    assert SIMPLE.bound(Compute((small,))) == "memory"
    wide = replace(SIMPLE, kernels=Kernels(units=10, tiles=(Tile(64, 64),)))
    assert wide.bound(Compute((small,))) == "operations"
    assert wide.gemm_ns(small) == pytest.approx(2 * 64 * 64 * 10 / 10)  # a unit does 10 operations a ns


def with_host(host_ns: float) -> ae.Device:
    """An A100 whose tiles are so small that only the host is new."""
    return replace(ae.device("a100"), kernels=Kernels(units=1, tiles=(Tile(1, 1),), host_ns=host_ns))


def test_an_iteration_is_no_quicker_than_its_host():
    cut = ae.Strategy(data=8)
    without = ae.estimate(MODEL, cut, "a100", PLATFORM)
    quick, slow, slower = (ae.estimate(MODEL, cut, with_host(ns), PLATFORM) for ns in (1, 100_000, 200_000))
    assert quick.split == without.split
    assert "launching" not in without.split
    assert slow.split["compute"] == without.split["compute"]
    both = [at.split["compute"] + at.split["launching"] for at in (slow, slower)]
    assert both[1] == pytest.approx(2 * both[0])  # all the host's
    kernels = both[0] / 100_000
    assert kernels == pytest.approx(round(kernels))
    assert sum(slow.split.values()) == slow.total_ns


def test_recomputing_and_collectives_are_launched_as_well():
    plain = ae.estimate(MODEL, ae.Strategy(data=8), with_host(10**6), PLATFORM)
    again = ae.estimate(MODEL, ae.Strategy(data=8, recompute="full"), with_host(10**6), PLATFORM)
    tensor = ae.estimate(MODEL, ae.Strategy(tensor=8), with_host(10**6), PLATFORM)
    ahead = MODEL.blocks[0]
    forward = sum(MODEL.operators[i].forward(1).launches for i in ahead) * len(MODEL.blocks)
    took = [sum(at.split[part] for part in ("compute", "repeated", "launching")) / 10**6 for at in (plain, again)]
    assert took[1] - took[0] == pytest.approx(forward, abs=0.1)
    of_tensor = sum(ns for part, ns in tensor.split.items() if part not in ("exchange", "update")) / 10**6
    collectives = of_tensor - took[0]
    assert collectives == pytest.approx(round(collectives), abs=0.1)
    assert collectives >= 4 * len(MODEL.blocks)


def test_a_plan_counts_the_host_operator_by_operator():
    """So it is never below the estimate, where the host is ahead of the device at long products."""
    cut = ae.Strategy(data=8, batch=8)
    plan = Plan((0,), (cut,))
    for host_ns in (1, 30_000, 10**6):
        whole, by_plan = (ae.estimate(MODEL, each, with_host(host_ns), PLATFORM) for each in (cut, plan))
        assert by_plan.total_ns >= whole.total_ns * (1 - 1e-9)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Tile(0, 128), "rows of a tile is 0; it must be a whole number, 1 or more."),
        (lambda: Tile(128, 128, 1.5), "share of a tile is 1.5; it is a part of the peak, 1 at most."),
        (lambda: Kernels(units=0), "units of a device is 0; it must be a whole number, 1 or more."),
        (lambda: Kernels(units=1, tiles=()), r"a device has no tiles; give tiles such as Tile\(256, 128\)."),
        (lambda: Kernels(units=1, tiles=[128]), r"a tile is 128; give tiles such as Tile\(256, 128\)."),
        (lambda: Kernels(units=1, splits=()), r"a device has no splits; give at least \(1,\)."),
        (lambda: Kernels(units=1, splits=(0,)), "a split is 0; it must be a whole number, 1 or more."),
        (lambda: Kernels(units=1, ramp=-1), "ramp of a tile is -1; it must be a whole number, 0 or more."),
        (lambda: Kernels(units=1, launch_ns=-1), "launch_ns is -1"),
        (lambda: replace(SIMPLE, kernels=108), r"simple: kernels is 108; give some such as Kernels\(units=108\)."),
        (lambda: Compute(kernels=-1), "kernels is -1; it must be a whole number, 0 or more."),
    ],
)
def test_what_is_wrong_is_said(make, sentence):
    with pytest.raises(ConfigError, match=sentence):
        make()
