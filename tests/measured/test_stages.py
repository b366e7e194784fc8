"""A pipeline's time in closed form, held against the same pipeline simulated."""

from __future__ import annotations

import random
from statistics import fmean

import pytest

import astra_edu as ae
from astra_edu.measured.clock import Clock
from astra_edu.measured.jobs import job_of
from astra_edu.measured.parameters import Parameters
from astra_edu.measured.stages import FORWARD, pipeline_seconds
from astra_edu.measured.step import step_of

PASSES_NS = 900_000


def job(seed: int) -> tuple[list[int], int, int, int, float]:
    """At random: both passes of each stage in ns, micro-batches, virtual stages, a message in ns, the forward share.

    Stages alike, some 5 % slower, or all of them up to 30 % apart; messages of all virtual stages up to 5 % of a stage.
    """
    draw = random.Random(seed)
    stages, virtual = draw.choice([2, 3, 4, 6, 8, 12, 16]), draw.choice([1, 1, 1, 2, 3, 4])
    most = stages * draw.randint(1, 8)
    micro_batches = most if virtual > 1 else draw.randint(1, most)
    uneven = draw.choice([lambda: 0, lambda: draw.choice([0, 0.05]), lambda: draw.uniform(-0.3, 0.3)])
    took = [round(PASSES_NS * (1 + uneven())) for _ in range(stages)]
    message = round(draw.choice([0, draw.uniform(0, 0.05)]) * PASSES_NS / virtual)
    return took, micro_batches, virtual, message, draw.choice([FORWARD, 1 / 4])


def simulated_ns(took: list[int], micro_batches: int, virtual: int, message: int, forward: float) -> int:
    forwards = [round(each * forward) for each in took]
    backwards = [both - first for both, first in zip(took, forwards, strict=True)]
    order = "interleaved" if virtual > 1 else "1f1b"
    run = ae.run_pipeline(order, len(took), micro_batches, forwards, backwards, p2p_ns=message, virtual=virtual)
    return run.total_ns


def error(seed: int) -> float:
    took, *others, message, forward = job(seed)
    said = pipeline_seconds([each * 1e-9 for each in took], *others, message * 1e-9, forward)
    return said / (simulated_ns(took, *others, message, forward) * 1e-9) - 1


@pytest.fixture(scope="module")
def errors() -> dict[int, float]:
    return {seed: error(seed) for seed in range(100)}


def test_a_hundred_random_pipelines_take_what_they_take_simulated(errors):
    assert max(map(abs, errors.values())) < 0.02
    assert fmean(map(abs, errors.values())) < 0.002


@pytest.mark.parametrize("seed", [106, 742, 1412, 1959])
def test_the_worst_of_two_thousand_are_known(seed):
    """The only ones beyond 2 %, of stages that differ, with no more micro-batches than stages: said to take longer."""
    took, micro_batches, *_ = job(seed)
    assert 0.02 < error(seed) < 0.042
    assert len({*took}) > 1
    assert micro_batches <= len(took)


@pytest.mark.parametrize("virtual", [1, 2, 4])
@pytest.mark.parametrize(("stages", "micro_batches"), [(1, 1), (2, 2), (4, 8), (8, 64)])
def test_stages_alike_take_exactly_that(stages, micro_batches, virtual):
    """Without messages as in arXiv 2104.04473; with messages, as many as are neither hidden nor sent beside others."""
    took, message = [PASSES_NS] * stages, 4_000
    sent = [4_000 * each for each in (0, _messages(stages, micro_batches, virtual))]
    for between, wait in zip((0, message), sent, strict=True):
        wanted = (micro_batches + (stages - 1) / virtual) * PASSES_NS + wait
        assert pipeline_seconds(took, micro_batches, virtual, between) == pytest.approx(wanted)
        if stages > 1:
            assert simulated_ns(took, micro_batches, virtual, between, FORWARD) == pytest.approx(wanted, rel=1e-6)


def _messages(stages: int, micro_batches: int, virtual: int) -> float:
    if stages == 1:
        return 0
    if virtual > 1:  # the first and the last micro-batch's way through all parts; the others' are hidden
        return 2 * (stages * virtual - 1)
    return 2 * (stages - 1) * micro_batches / stages + 2 * (stages - 2)


@pytest.mark.parametrize("micro_batches", [1, 2, 3])
def test_fewer_micro_batches_than_stages(micro_batches):
    took = [3.0, 4.0, 5.0, 4.0, 3.0, 6.0]
    assert pipeline_seconds(took, micro_batches) == pytest.approx(sum(took) + (micro_batches - 1) * 6)


def test_a_stage_waits_for_the_forward_passes_of_the_next():
    """The second of four stages has three forward passes to do before its first backward pass."""
    took = [62_000_000, 41_000_000, 0, 11_000_000]
    forward = round(took[0] / 3)
    wait = 3 * forward + took[1] + 0 - 4 * forward  # the first one has four
    said = pipeline_seconds([each * 1e-9 for each in took], 10) * 1e9
    assert said == pytest.approx(10 * took[0] + wait, rel=1e-6)
    assert said == pytest.approx(simulated_ns(took, 10, 1, 0, FORWARD), rel=1e-6)


def row(seed: int) -> dict[str, object]:
    """A measured run at random, in a pipeline."""
    draw = random.Random(seed)
    stages, virtual, data = draw.choice([2, 4, 8]), draw.choice([1, 1, 2]), draw.choice([1, 2])
    micro_batches = stages * draw.randint(1, 6) if virtual > 1 else draw.randint(1, 6 * stages)
    tensor = draw.choice([1, 2, 8])
    return {
        "model": "GPT",
        "layers": stages * virtual * draw.randint(1, 4) + (draw.randint(0, stages - 1) if virtual == 1 else 0),
        "hidden": draw.choice([1024, 4096, 8192]),
        "heads": 16,
        "hardware": draw.choice(["A100", "H100", "B200"]),
        "gpus": stages * tensor * data,
        "tp": tensor,
        "pp": stages,
        "vp": virtual,
        "dp": data,
        "mbs": draw.choice([1, 4]),
        "gbs_seq": 0,
        "seq": draw.choice([1024, 4096]),
        "recompute": draw.choice(["none", "full"]),
        "system": draw.choice(["Megatron-LM", "Megatron-DeepSpeed", "nanotron"]),
    } | {"micro_batches": micro_batches}


def test_steps_of_a_hundred_random_runs_take_what_their_stages_take_simulated(monkeypatch):
    """The stages' times and messages are those that the step itself has."""
    given = []

    def noted(took, *others):
        given.append((took, *others))
        return pipeline_seconds(took, *others)

    monkeypatch.setattr("astra_edu.measured.step.pipeline_seconds", noted)
    errors, short = [], []
    for seed in range(100):
        run = row(seed)
        run["gbs_seq"] = run["mbs"] * run["dp"] * run.pop("micro_batches")
        found = job_of(run)
        step = step_of(found, Clock(found.machine, Parameters(), found.bits))
        took, micro_batches, virtual, message, forward = given.pop()
        assert (len(took), micro_batches, virtual) == (run["pp"], found.cut.micro_batches, run["vp"])
        assert forward == (1 / 4 if run["recompute"] == "full" else FORWARD)
        assert message > 0
        in_ns = [round(1e9 * each) for each in took]
        passes = simulated_ns(in_ns, micro_batches, virtual, round(1e9 * message), forward) * 1e-9
        error = (step.compute + step.host + step.sent + step.bubble) / passes - 1
        (short if virtual > 1 and micro_batches == len(took) else errors).append(error)
    assert max(map(abs, errors)) < 0.02
    assert fmean(map(abs, errors)) < 0.002
    assert max(map(abs, short)) < 0.06  # interleaved, with as many micro-batches as stages of which the last is quicker
    assert len(short) < 10
