"""Exercise 15: Meta's choice, the search it is held against, its cases, and what its notebook says of them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from answers.ex15 import FLAT, LONG, META, META_LONG, QUESTIONS, SHORT, least_by_trying, llama, took

import astra_edu as ae
from astra_edu.course.check import ex15
from astra_edu.course.check.ex15 import cases, reasons

SOLUTION = Path(__file__).parents[3] / "solutions" / "ex15_llama_on_16384.ipynb"


def test_metas_choices_are_the_published_rows():
    assert (META, META_LONG) == (cases.META, cases.META_LONG)
    for strategy, tokens in ((META, SHORT), (META_LONG, LONG)):
        assert strategy.npus == cases.GPUS
        assert strategy.samples * tokens == cases.TOKENS == 2**24
        assert strategy.micro_batches == 16
        assert took(strategy, tokens).fits


def test_guesses_are_answered_with_the_truth():
    less = 100 * (1 - ex15.best_found().total_ns / took(META).total_ns)
    verdict = ex15.predicted_less(lambda: 10)
    assert (verdict.ok, verdict.guess) == (True, True)
    assert f"the simulator says {less:,.6g} %" in verdict.message
    alone = took(replace(META, batch=128, **FLAT), LONG)
    assert f"the simulator says {100 * alone.bubble:,.6g} %" in ex15.predicted_bubble(lambda: 10).message
    assert not alone.fits
    assert alone.memory.buffers > alone.memory.total - ae.machine("h100").device.memory_bytes > 0
    assert alone.strategy.micro_batches == 1


def test_the_fastest_that_is_found_fits_and_beats_its_neighbours_in_the_whole_space():
    best = ex15.best_found()
    assert best.fits
    tried = cases._tried()
    assert len(set(tried)) == len(tried)
    assert all(each.npus == cases.GPUS and each.samples == META.samples for each in tried)
    h100 = ae.machine("h100")
    again = ae.fastest(llama(SHORT), tried, h100.device, h100.platform(cases.GPUS), fits=True)
    assert again.strategy == best.strategy
    for other in (
        {"tensor": 4, "context": 8},
        {"tensor": 1, "context": 32},
        {"zero": 0},
        {"micro_batch": 2},
        {"virtual": 2},
        {"recompute": "selective"},
        {"pipeline": 8, "data": 64, "virtual": 8},
        {"pipeline": 32, "data": 16, "virtual": 2},
    ):
        strategy = replace(best.strategy, **other, sequence_parallel=other.get("tensor") != 1)
        found = took(strategy)
        assert not found.fits or found.total_ns > best.total_ns, other


def test_every_reason_that_can_be_given_is_asked_for():
    asked = set(map(reasons.reason, reasons.CASES))
    assert asked == set(reasons.REASONS) - {"compute", "update"}
    answers = [tuple(map(rule, reasons.CASES)) for rule in (reasons.reason, *(rule for rule, _ in reasons._RULES))]
    assert len(set(answers)) == len(answers)


@pytest.mark.parametrize(("gpus", "tokens", "published"), [(8192, SHORT, 1), (16_384, SHORT, 1), (16_384, LONG, 16)])
def test_the_least_context_group_is_the_published_one(gpus, tokens, published):
    assert least_by_trying(npus=gpus, tensor=8, pipeline=16, samples=2**24 // tokens) == published


def test_what_the_notebook_says_of_fp32_gradients_holds():
    there = ae.machine("h100").device.memory_bytes
    best = ex15.best_found().strategy
    kept = [ae.memory(llama(SHORT), each, gradient_bytes=4).total - there for each in (META, best)]
    assert 4e9 < kept[0] < 5e9
    assert 14e9 < kept[1] < 15e9


def test_the_notebooks_own_answers_are_right():
    cells = json.loads(SOLUTION.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    said = ["".join(output["data"].get("text/plain", "")) for output in outputs if "data" in output]
    assert sum(text.startswith("✓ Right") for text in said) == len(QUESTIONS)
