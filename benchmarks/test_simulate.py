"""How fast simulate() is: against the C++ simulator on the reference cases, and on large systems."""

import json
import sys
from statistics import median
from time import perf_counter
from tracemalloc import get_traced_memory, start, stop
from warnings import catch_warnings

import pytest
from reference_1 import CASES, inputs_of

import astra_edu as ae
from astra_edu.workload import Layer

INPUTS = "exercises/inputs/asplos2022/ex3"


def test_against_the_cpp_simulator(benchmark):
    """The best of three of simulate() alone against one run of the whole C++ process, on 2 shared cores both."""
    ratios = {}
    for case in CASES:
        reference = case["result"].get("reference_wall_s")
        if reference:
            work, platform, passes = inputs_of(case)
            times = []
            for _ in range(3):
                begin = perf_counter()
                with catch_warnings(action="ignore"):
                    ae.simulate(work, platform, passes, progress=False)
                times.append(perf_counter() - begin)
            ratios[case["name"]] = reference / min(times), bool(platform.system.bus)
    without_bus = [ratio for ratio, bus in ratios.values() if not bus]
    benchmark.pedantic(lambda: None, rounds=1)
    figures = {
        "cases": len(ratios),
        "median": round(median(ratio for ratio, _ in ratios.values()), 1),
        "slowest without the shared bus": round(min(without_bus), 1),
        "slower than C++": [name for name, (ratio, _) in ratios.items() if ratio < 1],
    }
    benchmark.extra_info |= figures
    print(f"\n{json.dumps(figures)}", file=sys.stderr)


def gpt3(layers):
    """GPT-3's first block of exercise 3, `layers` times, without checkpoints."""
    block = [layer for layer in ae.load_workload(f"{INPUTS}/gpt3.txt").layers if layer.name.endswith("1")]
    names = [(f"{layer.name}-{k}", layer) for k in range(layers) for layer in block]
    made = (Layer(name, x.forward, x.input_gradient, x.weight_gradient, x.update_ns) for name, x in names)
    return ae.Workload("HYBRID_TRANSFORMER", tuple(made), ("model_parallel_NPU_group:", "16"))


def ring(n):
    return ae.Platform((ae.Dimension.of("Ring", n, 50, 500),), ae.SystemConfig.of("ring", splits=64))


def torus_and_switch(*sizes):
    network = [ae.Dimension.of("Ring", n, 50, 500) for n in sizes[:-1]] + [
        ae.Dimension.of("Switch", sizes[-1], 50, 500)
    ]
    how = "_".join(["ring"] * (len(sizes) - 1) + ["halvingDoubling"])
    return ae.Platform(network, ae.SystemConfig.of(how, splits=64))


def exercise_3(name):
    return ae.load_astra_sim(f"{INPUTS}/{name}.json", f"{INPUTS}/{name}.txt")


LARGE = {
    "exercise 3.2, GPT-3 on 256 NPUs": lambda: (ae.load_workload(f"{INPUTS}/gpt3.txt"), exercise_3("dgx2")),
    "2023's 3-1, Themis on 512 NPUs": lambda: (ae.Workload.micro("all-reduce", 2**30), ae.preset("3d-switch-themis")),
    "ring of 65,536, 64 splits": lambda: (ae.Workload.micro("all-reduce", 2**30), ring(65536)),
    "8x8x8x8x16, 64 splits": lambda: (ae.Workload.micro("all-reduce", 2**30), torus_and_switch(8, 8, 8, 8, 16)),
    "GPT-3 of 96 blocks, 64 splits, 4x4x4x8": lambda: (gpt3(96), torus_and_switch(4, 4, 4, 8)),
}


@pytest.mark.parametrize("name", LARGE)
def test_large(benchmark, name):
    work, platform = LARGE[name]()
    benchmark.pedantic(ae.simulate, (work, platform), {"progress": False}, rounds=3, warmup_rounds=1)
    start()
    result = ae.simulate(work, platform, progress=False)
    benchmark.extra_info["peak MB"] = round(get_traced_memory()[1] / 1e6, 1)
    stop()
    benchmark.extra_info["phases"] = len(result.stays)
    print(f"\n{name}: {len(result.stays):,} phases, peak {benchmark.extra_info['peak MB']} MB", file=sys.stderr)


def test_flits(benchmark):
    """An all-reduce of 1 MiB over a torus of 64 NPUs, flit by flit."""
    torus = ae.TracePlatform([ae.Block("Ring", 8, 50, 500)] * 2, ae.TraceSystem.of(["ring", "ring"]))
    trace = ae.traces.collective("all_reduce", "1 MiB", npus=64)

    def run():
        return ae.simulate(trace, torus, progress=False, network=ae.Credits())

    flit_hops = benchmark.pedantic(run, rounds=3).statistics["flit_hops"]
    benchmark.extra_info["flits on links per second"] = round(flit_hops / benchmark.stats["median"])
    print(f"\n{flit_hops:,} flits on links, {flit_hops / benchmark.stats['median']:,.0f} in a second")
    assert benchmark.stats["median"] < 60
