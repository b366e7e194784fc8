"""How fast ae.sweep() is: 10,000 small runs, in this process and in two, kept in a file."""

import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from time import perf_counter

import pytest

import astra_edu as ae

GRID = {"npus": [2, 4, 8, 16, 32], "bandwidth": range(10, 210, 2), "latency": range(100, 2100, 100)}


def ring(npus, bandwidth, latency):
    network = (ae.Dimension.of("Ring", npus, bandwidth, latency),)
    return ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.Platform(network, ae.SystemConfig.of("ring")))


@pytest.mark.parametrize("processes", [0, 2])
def test_10_000_small_points(benchmark, processes, tmp_path):
    def swept():
        with ProcessPoolExecutor(processes) if processes else nullcontext() as executor:
            return ae.sweep(ring, GRID, executor, tmp_path / "runs.parquet", progress=False)

    start = perf_counter()
    table = benchmark.pedantic(swept, rounds=1)
    seconds = perf_counter() - start
    assert (len(table), table["error"].unique().tolist()) == (10_000, [""])
    where = f"{processes} processes" if processes else "this process"
    print(
        f"\n{len(table):,} points by {where}: {seconds:.1f} s, {table['seconds'].sum():.1f} s of them runs",
        file=sys.stderr,
    )
