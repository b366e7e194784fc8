"""How fast searches are: strategies and plans for GPT-3 on 128 NPUs, bandwidth at the present cost, samples."""

import astra_edu as ae
from astra_edu.network.cost import network_cost

PODS = ae.Platform(
    (ae.Dimension.of("Switch", 8, 220, 1000), ae.Dimension.of("Switch", 16, 25, 1000)),
    ae.SystemConfig.of("halvingDoubling_ring", splits=1),
)
GPT3 = {"model": "gpt3", "device": "a100", "platform": PODS}
LIMIT = {"memory_bytes": ae.device("a100").memory_bytes}


def test_strategies(benchmark):
    space = {"strategy": ae.candidates("gpt3", 128, 128)}
    found = benchmark.pedantic(lambda: ae.search(space, "at_least_ns", LIMIT, run=ae.estimate, given=GPT3), rounds=3)
    assert found.exact


def test_plans(benchmark):
    space = {"strategy": ae.plans("gpt3", 128, 128)}
    found = benchmark.pedantic(lambda: ae.search(space, "at_least_ns", LIMIT, run=ae.estimate, given=GPT3), rounds=3)
    assert found.exact


def test_bandwidth_at_the_same_cost(benchmark):
    platform = ae.preset("conv-3d")
    space = {"platform": ae.bandwidths(platform, cost=network_cost(platform.network), steps=40)}
    given = {"workload": ae.Workload.micro("all-reduce", 2**30)}
    assert benchmark.pedantic(lambda: ae.search(space, given=given), rounds=3).exact


def test_samples(benchmark):
    """300 points of a function that takes no time: what Optuna and the neighbours take."""

    def run(x, y):
        return {"value": (x - 500) ** 2 + (y - 20) ** 2}

    space = {"x": range(1000), "y": range(1000)}
    found = benchmark.pedantic(lambda: ae.search(space, "value", budget=300, run=run, progress=False), rounds=3)
    assert found.evaluations == 300
