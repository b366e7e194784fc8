"""How fast collectives are synthesized for a graph: 64 NPUs, links that are alike and links that differ."""

import pytest

import astra_edu as ae

NETWORKS = {
    "ring": ae.Block("Ring", 64, 50, 500),
    "torus": ae.Block("Torus8x8", 64, 50, 500),
    "fully connected": ae.Block("FullyConnected", 64, 50, 500),
    "switch": ae.Block("Switch", 64, 50, 500),
    "two rings": (ae.Block("Ring", 8, 200, 300), ae.Block("Ring", 8, 50, 700)),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_one_try_at_an_all_reduce_of_64_npus(benchmark, name):
    made = benchmark.pedantic(ae.synthesize, ("all-reduce", NETWORKS[name], "64 MiB"), {"tries": 1}, rounds=1)
    benchmark.extra_info["efficiency"] = round(made.efficiency, 3)


def test_its_bound(benchmark):
    made = ae.synthesize("all-gather", NETWORKS["torus"], "1 MiB", tries=1)
    benchmark.pedantic(lambda: made.bound_ns, rounds=1)


def test_sixteen_tries_on_a_torus_of_64_npus(benchmark):
    benchmark.pedantic(ae.synthesize, ("all-reduce", NETWORKS["torus"], "64 MiB"), rounds=1)
