"""Old keywords and attributes work, and say what to write instead."""

import re
import tomllib
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.course.check import ex8
from astra_edu.course.plots import memory_bars
from astra_edu.course.studies.endpoint import COMM_OPT
from astra_edu.course.studies.memory_systems import Fabric, MixtureOfExperts, PrivateMemory, zero_infinity
from astra_edu.pipeline import Pass

ROOT = Path(__file__).resolve().parents[2]
KEPT = ae.memory("gpt2", ae.Strategy())
PIPELINE = ae.run_pipeline("interleaved", 2, 2, 10, 20, virtual=2)
MODEL = MixtureOfExperts(hidden=64, heads=4, blocks=2, experts=8)
MEMORY = PrivateMemory(Fabric(2, 4, 256, 2, 64), bandwidth=100)

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
    "Pass(chunk=...) is Pass(virtual_stage=...)": (lambda: Pass("F", 3, chunk=1), Pass("F", 3, 1)),
    "Pass.chunk is Pass.virtual_stage": (lambda: Pass("F", 3, 1).chunk, 1),
    "PassSpan.chunk is PassSpan.virtual_stage": (lambda: PIPELINE.spans[2].chunk, 1),
    "ex8.best_chunks is astra_edu.course.check.ex8.best_virtual": (lambda: ex8.best_chunks, ex8.best_virtual),
    "Strategy.order is Strategy.placement": (lambda: ae.Strategy().order, "tensor-first"),
    "Strategy.schedule is Strategy.pipeline_order": (lambda: ae.Strategy().schedule, "1f1b"),
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
