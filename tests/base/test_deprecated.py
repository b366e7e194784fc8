"""Old keywords and attributes work, and say what to write instead."""

import re
import tomllib
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.collectives import ALGORITHMS, Algorithm, ring
from astra_edu.collectives.registry import _ALGORITHMS
from astra_edu.course.check import ex8
from astra_edu.course.plots import memory_bars
from astra_edu.course.studies.endpoint import COMM_OPT, accesses
from astra_edu.course.studies.memory_systems import Fabric, MixtureOfExperts, PrivateMemory, zero_infinity
from astra_edu.network.bound import bandwidth_bound_ns
from astra_edu.pipeline import Pass

ROOT = Path(__file__).resolve().parents[2]
RING = ae.schedule("all-gather", "ring", 4)
KEPT = ae.memory("gpt2", ae.Strategy())
PIPELINE = ae.run_pipeline("interleaved", 2, 2, 10, 20, virtual=2)
PHASE = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring")).stays[0].phase
BLOCK = ae.Block("Ring", 4, 50, 500)
PLATFORM = ae.TracePlatform(BLOCK, ae.TraceSystem.of("ring"))
PLAN = ae.simulate(ae.traces.collective("all_reduce", "1 MiB", npus=4), PLATFORM, record=True).stays[0].phase
DIMENSION = ae.Dimension.of("Ring", 4, 50, 500)
ALL_REDUCE = ae.schedule("all-reduce", "ring", 4)
MODEL = MixtureOfExperts(hidden=64, heads=4, blocks=2, experts=8)
MEMORY = PrivateMemory(Fabric(2, 4, 256, 2, 64), bandwidth=100)


def registered():
    made = ae.register_algorithm("mine", {"all-gather": ring.all_gather}, chunks=lambda npus: npus)
    del _ALGORITHMS["mine"]
    return made


CASES = {
    "Memory.fits(on=...) is Memory.fits(device=...)": (lambda: KEPT.fits(on="a100"), KEPT.fits("a100")),
    "memory_bars(on=...) is memory_bars(device=...)": (
        lambda: memory_bars({"alone": KEPT}, on="a100").table,
        memory_bars({"alone": KEPT}, "a100").table,
    ),
    "zero_infinity(gpu=...) is zero_infinity(device=...)": (
        lambda: zero_infinity(MODEL, gpu="a100", memory=MEMORY),
        zero_infinity(MODEL, "a100", MEMORY),
    ),
    "MixtureOfExperts.work(gpu=...) is MixtureOfExperts.work(device=...)": (
        lambda: MODEL.work(gpu=ae.device("a100"), gpus=8, samples=1),
        MODEL.work(ae.device("a100"), 8, 1),
    ),
    "Endpoint.remaining(npu=...) is Endpoint.remaining(device=...)": (
        lambda: COMM_OPT.remaining(npu=ae.device("v100")),
        COMM_OPT.remaining(ae.device("v100")),
    ),
    "Strategy(order=...) is Strategy(placement=...)": (
        lambda: ae.Strategy(order="data-first"),
        ae.Strategy(placement="data-first"),
    ),
    "Strategy(schedule=...) is Strategy(pipeline_order=...)": (
        lambda: ae.Strategy(schedule="gpipe"),
        ae.Strategy(pipeline_order="gpipe"),
    ),
    "Pass.chunk is Pass.virtual_stage": (lambda: Pass("F", 3, 1).chunk, 1),
    "PassSpan.chunk is PassSpan.virtual_stage": (lambda: PIPELINE.spans[2].chunk, 1),
    "ex8.best_chunks is astra_edu.course.check.ex8.best_virtual": (lambda: ex8.best_chunks, ex8.best_virtual),
    "Phase.size is Phase.chunk_bytes": (lambda: PHASE.size, 2**18),
    "Phase.final_size is Phase.final_bytes": (lambda: PHASE.final_size, 2**18),
    "Phase.lane is Phase.logical": (lambda: PHASE.lane, PHASE.logical),
    "PhasePlan.size is PhasePlan.chunk_bytes": (lambda: PLAN.size, 2**20),
    "time_schedule(size=...) is time_schedule(collective_bytes=...)": (
        lambda: ae.time_schedule(ALL_REDUCE, DIMENSION, size=2**20).total_ns,
        ae.time_schedule(ALL_REDUCE, DIMENSION, 2**20).total_ns,
    ),
    "bandwidth_bound_ns(size=...) is bandwidth_bound_ns(collective_bytes=...)": (
        lambda: bandwidth_bound_ns(ALL_REDUCE, [DIMENSION], size=2**20),
        bandwidth_bound_ns(ALL_REDUCE, [DIMENSION], 2**20),
    ),
    "Dimension.message_ns(size=...) is Dimension.message_ns(message_bytes=...)": (
        lambda: DIMENSION.message_ns(size=2**20),
        DIMENSION.message_ns(2**20),
    ),
    "Block.message_ns(size=...) is Block.message_ns(message_bytes=...)": (
        lambda: BLOCK.message_ns(size=2**20, hops=1),
        BLOCK.message_ns(2**20, 1),
    ),
    "RemoteMemory.access_ns(size=...) is RemoteMemory.access_ns(tensor_bytes=...)": (
        lambda: ae.RemoteMemory("MEMORY_POOL", 100, 50).access_ns(size=2000),
        140,
    ),
    "Strategy.order is Strategy.placement": (lambda: ae.Strategy().order, "tensor-first"),
    "Strategy.schedule is Strategy.pipeline_order": (lambda: ae.Strategy().schedule, "1f1b"),
    "Transfer.chunk is Transfer.shard": (lambda: [t.chunk for t in RING.step(1).transfers], [3, 0, 1, 2]),
    "Schedule.chunks is Schedule.shards": (lambda: RING.chunks, 4),
    "Schedule.chunks_per_buffer is Schedule.shards_per_buffer": (lambda: RING.chunks_per_buffer, 4),
    "Schedule.chunk_name is Schedule.shard_name": (lambda: RING.chunk_name(2), "X2"),
    "Schedule(chunks=...) is Schedule(shards=...)": (
        lambda: ae.Schedule(RING.collective, "ring", npus=4, chunks=4, groups=RING.groups, traits=RING.traits),
        RING,
    ),
    "Algorithm.chunks is Algorithm.shards": (lambda: ALGORITHMS["ring"].chunks("all-reduce", 8), 8),
    "Algorithm(chunks=...) is Algorithm(shards=...)": (
        lambda: Algorithm("mine", dict(ALGORITHMS["ring"]), chunks=lambda collective, npus: npus).shards("gather", 3),
        3,
    ),
    "register_algorithm(chunks=...) is register_algorithm(shards=...)": (
        lambda: registered().shards("all-gather", 3),
        3,
    ),
    "Access.chunk is Access.shard": (lambda: next(accesses(RING)).chunk, 0),
}


@pytest.mark.parametrize("words", CASES)
def test_an_old_name_works_and_the_warning_says_the_new_one(words):
    old, wanted = CASES[words]
    with pytest.warns(
        DeprecationWarning, match=re.escape(f"{words} now; the old name goes with release 0.3.")
    ) as caught:
        found = old()
    assert found == wanted
    assert {warning.filename for warning in caught} == {__file__}


def test_a_module_has_no_other_names():
    with pytest.raises(AttributeError, match="ex8' has no attribute 'chunks'"):
        _ = ex8.chunks


def test_both_names_at_once_are_refused():
    with pytest.raises(TypeError, match="old name"):
        KEPT.fits("a100") and KEPT.fits(on="a100", device="a100")


def test_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == ae.__version__
    assert (
        re.search(r"^## (\S+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[1] == ae.__version__
    )


def test_what_is_loaded_late_is_listed():
    for name in ("check", "measured", "plots", "studies", "traces", "widgets"):
        assert name in dir(ae)
        assert name in ae.__all__
        assert getattr(ae, name).__name__.endswith(name)
