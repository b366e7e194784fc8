"""How fast simulate() runs execution traces: against the C++ program, on large systems, and message by message."""

import sys
from statistics import median
from time import perf_counter

import pytest
from reference_2 import cases, inputs

import astra_edu as ae


def best_of_three(trace, platform):
    """The shortest of three runs, in seconds; one is enough where it takes long."""
    shortest = float("inf")
    for _ in range(3):
        begin = perf_counter()
        ae.simulate(trace, platform)
        shortest = min(shortest, perf_counter() - begin)
        if shortest > 1:
            break
    return shortest


def test_against_the_cpp_simulator(benchmark, tmp_path):
    """simulate() alone against one run of the whole C++ process, on 2 shared cores both."""
    ratios = {}
    scaling = []
    for case in cases():
        trace, platform = inputs(case, tmp_path)
        seconds = best_of_three(trace, platform)
        ratios.setdefault(case["aware"], []).append(case["wall_s"] / seconds)
        if case["name"].startswith("scale_") and platform.npus >= 1024:
            scaling.append((case["name"], 1000 * seconds, 1000 * case["wall_s"]))
    benchmark.pedantic(lambda: None, rounds=1)
    lines = [f"{'':24}{'cases':>7}{'median':>9}{'worst':>8}{'slower':>8}   (times as fast as C++)"]
    for aware, found in sorted(ratios.items()):
        name = "congestion-aware" if aware else "congestion-unaware"
        slower = sum(ratio < 1 for ratio in found)
        lines.append(f"{name:24}{len(found):7}{median(found):9.1f}{min(found):8.1f}{slower:8}")
    lines += [f"{name:40}{ours:10.1f} ms, C++ {theirs:10,.0f} ms" for name, ours, theirs in scaling]
    print("", *lines, sep="\n", file=sys.stderr)
    benchmark.extra_info["median"] = {str(aware): median(found) for aware, found in ratios.items()}


ALONE = {
    "direct on a switch": ("Switch", "direct", "all_reduce"),
    "ring on a ring": ("Ring", "ring", "all_reduce"),
    "all-to-all on a ring": ("Ring", "direct", "all_to_all"),
}


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("aware", [False, True], ids=["unaware", "aware"])
def test_message_by_message_64_npus(benchmark, name, aware):
    """All NPUs, every message: what asymmetric traces cost."""
    topology, algorithm, collective = ALONE[name]
    system = ae.TraceSystem.of(algorithm, splits=4, local_memory_bandwidth=1600)
    platform = ae.TracePlatform((ae.Block(topology, 64, 50, 500),), system, congestion_aware=aware)
    trace = ae.traces.collective(collective, bytes=2**30, npus=64)
    benchmark.pedantic(ae.simulate, (trace, platform), {"everyone": True}, rounds=3)
