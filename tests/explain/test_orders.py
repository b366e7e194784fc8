"""Why orders change nothing: whenever there is a reason, runs in other orders take the same time."""

from dataclasses import replace
from random import Random

import pytest
from halves import half

import astra_edu as ae
from astra_edu.explain.orders import of_chunks, of_collectives, of_dimensions
from astra_edu.workload import Layer, Work

OTHERS = {
    of_chunks: {"intra_dimension": ["FIFO", "SCF", "RG"]},
    of_collectives: {"scheduling": ["LIFO", "FIFO"]},
    of_dimensions: {  # Themis may differ by some ns even on one dimension
        "inter_dimension": ["baseline", "roundRobin"],
        "optimization": ["baseline", "localBWAware"],
    },
}
COLLECTIVES = ["all-reduce", "all-gather", "reduce-scatter", "all-to-all"]


def layers(dice):
    sizes = [dice.choice([4, 2, 8]) for _ in range(dice.randint(1, 3))]
    network = tuple(ae.Dimension.of("Switch", n, dice.choice([10, 100]), 300) for n in sizes)
    system = ae.SystemConfig.of(
        "_".join(["direct"] * len(sizes)), splits=dice.choice([1, 1, 3]), active_chunks=dice.choice([1, 4])
    )

    def work():
        asks = dice.random() < 0.4
        return Work(dice.choice([10, 50_000]), dice.choice(COLLECTIVES) if asks else None, 2**20 if asks else 0)

    loop = dice.choice(["DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA"])
    workload = ae.Workload(loop, [Layer(f"l{k}", work(), work(), work()) for k in range(dice.randint(1, 3))])
    return workload, ae.Platform(network, system)


def trace(dice):
    blocks = tuple(
        ae.Block("Switch", dice.choice([2, 4]), dice.choice([10, 100]), 300) for _ in range(dice.randint(1, 3))
    )
    npus = 1
    for block in blocks:
        npus *= block.npus
    system = ae.TraceSystem.of(["direct"] * len(blocks), splits=dice.choice([1, 3]))
    asked = dice.choice(COLLECTIVES).replace("-", "_")
    return ae.traces.collective(asked, 2**20, npus=npus), ae.TracePlatform(blocks, system)


@pytest.mark.parametrize("seed", half(range(4, 6)))
def test_where_there_is_a_reason_no_other_order_takes_another_time(seed):
    dice, seen = Random(seed), {}
    for k in range(80):
        work, platform = (trace if k % 4 == 0 else layers)(dice)
        run = ae.simulate(work, platform, progress=False)
        for reason, settings in OTHERS.items():
            said = reason(run.stays)
            if not said:
                continue
            seen[said] = seen.get(said, 0) + 1
            for name, values in settings.items():
                for value in values:
                    other = replace(platform, system=replace(platform.system, **{name: value}))
                    assert ae.simulate(work, other, progress=False).total_ns == run.total_ns, (
                        said,
                        work,
                        platform,
                        name,
                    )
    assert len(seen) == 6, seen


def test_nothing_is_said_where_nothing_was_recorded():
    assert [reason([]) for reason in OTHERS] == ["", "", ""]


def test_tables_have_the_reason():
    network = ae.Dimension.of("Ring", 4, 50, 500), ae.Dimension.of("Switch", 4, 25, 700)
    platform = ae.Platform(network, ae.SystemConfig.of("ring_direct", splits=1))
    run = ae.simulate(ae.Workload.micro("all-reduce", 2**20), platform)
    reasons = run.explain(changes=False).independent_of["reason"]
    assert reasons["intra dimension"] == "no two chunks wait for the same dimension at once"
    assert reasons["scheduling"] == "there is one collective"
