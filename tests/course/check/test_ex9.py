"""Exercise 9: what its words rely on, and what is special about its checks."""

import re

import pytest
from answers.ex9 import GIB, QUESTIONS, strategy

import astra_edu as ae
from astra_edu.course.check import ex9
from astra_edu.explore.iteration import candidates, fastest, fitting


def test_a_guess_is_answered_with_the_truth():
    verdict = ex9.predicted_gib(lambda: 10)
    assert (verdict.ok, verdict.guess) == (True, True)
    assert "the simulator says 75.2715 GiB" in verdict.message
    assert ae.memory(ex9.MODEL, ae.Strategy()).activations / GIB == pytest.approx(75.2715, abs=5e-5)


@pytest.mark.parametrize(
    ("name", "wrong", "words"), [(name, *case) for name in ("fits", "fast") for case in QUESTIONS[name][1]]
)
def test_no_strategy_is_given_away(name, wrong, words):
    """The words may name kinds of memory and time, but no setting and no group's size that isn't the answer's own."""
    message = getattr(ex9, name)(wrong).message
    assert not re.search(r"ZeRO|zero=|sequence.parallel|interleav|1f1b|recompute=|tensor=|data=|virtual", message), (
        message
    )


@pytest.mark.parametrize("name", ["state_bytes", "kept_bytes"])
def test_no_value_is_given_away(name):
    """Only the wrong answer's own numbers stand in the last resort's sentence."""
    verdict = getattr(ex9, name)(lambda **case: 12345.0)
    assert "12,345" in verdict.message
    assert verdict.message.count("you have") == 1


def test_the_judge_of_fast_is_the_search():
    on = ex9.device()
    best = fastest(ex9.MODEL, fitting(ex9.MODEL, candidates(ex9.MODEL, 64, 128), on), on, ex9.PLATFORM)
    verdict = ex9.fast(lambda: best.strategy)
    assert verdict.ok
    assert "finds nothing faster" in verdict.message
    slower = ex9.fast(strategy(data=32, tensor=2, zero=2, sequence_parallel=True))
    time = ae.estimate(ex9.MODEL, strategy(data=32, tensor=2, zero=2, sequence_parallel=True)(), on, ex9.PLATFORM)
    assert f"{100 * (time.total_ns / best.total_ns - 1):.1f} % more" in slower.message


def test_half_the_memory_asks_for_another_answer():
    fast = strategy(data=32, tensor=2, zero=2, sequence_parallel=True)
    looped = {"pipeline_order": "interleaved", "virtual": 24}
    other = strategy(data=8, tensor=4, pipeline=2, zero=1, sequence_parallel=True, **looped)
    assert ex9.fast(fast, 80).ok
    assert not ex9.fast(fast, 40).ok
    assert "doesn't fit" in ex9.fast(fast, 40).message
    assert ex9.fast(other, 40).ok
