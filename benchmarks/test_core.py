"""How fast the core is: importing it, making and proving schedules, timing them, simulating the tutorial."""

import subprocess
import sys

import pytest

import astra_edu as ae


def test_import(benchmark):
    benchmark.pedantic(subprocess.run, ([sys.executable, "-c", "import astra_edu"],), {"check": True}, rounds=10)


def test_import_of_bare_python(benchmark):
    benchmark.pedantic(subprocess.run, ([sys.executable, "-c", "pass"],), {"check": True}, rounds=10)


@pytest.mark.parametrize("npus", [16, 64, 1024])
def test_make_a_ring(benchmark, npus):
    benchmark(ae.schedule, "all-reduce", "ring", npus)


@pytest.mark.parametrize("npus", [16, 64, 1024])
def test_prove_a_ring(benchmark, npus):
    schedule = ae.schedule("all-reduce", "ring", npus)
    benchmark.pedantic(ae.prove, (schedule,), rounds=1 if npus > 100 else 10)


@pytest.mark.parametrize("npus", [16, 64, 1024])
def test_prove_halving_doubling(benchmark, npus):
    schedule = ae.schedule("all-reduce", "halving-doubling", npus)
    benchmark.pedantic(ae.prove, (schedule,), rounds=1 if npus > 100 else 10)


def test_count_and_time_a_ring_of_65536(benchmark):
    dimension = ae.Dimension.of("Ring", 65536, 50, 500)

    def count_and_time():
        schedule = ae.schedule("all-reduce", "ring", 65536)
        return ae.counts(schedule, 2**30), ae.time_schedule(schedule, [dimension], 2**30)

    benchmark(count_and_time)


@pytest.mark.parametrize("splits", [4, 64])
def test_simulate_exercise_1(benchmark, splits):
    platform = ae.Platform((ae.Dimension.of("Ring", 8, 50, 500),), ae.SystemConfig.of("ring", splits=splits))
    work = ae.Workload.micro("all-reduce", 2**20)

    benchmark(ae.simulate, work, platform)
