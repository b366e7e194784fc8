"""Old keywords and attributes work, and say what to write instead."""

import re
import tomllib
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.collectives import ALGORITHMS, Algorithm, ring
from astra_edu.collectives.registry import _ALGORITHMS
from astra_edu.course.plots import memory_bars
from astra_edu.course.studies.endpoint import COMM_OPT, accesses
from astra_edu.course.studies.memory_systems import Fabric, MixtureOfExperts, PrivateMemory, zero_infinity

ROOT = Path(__file__).resolve().parents[2]
RING = ae.schedule("all-gather", "ring", 4)
KEPT = ae.memory("gpt2", ae.Strategy())
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
