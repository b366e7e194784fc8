"""Exercise 7: what its words rely on, and what is special about its checks."""

import re

import pytest
from answers.ex7 import QUESTIONS, RIGHT, by_bytes, gradient_bytes, tensor_bytes

import astra_edu as ae
from astra_edu.course.check import ex7


def test_none_says_that_nothing_is_needed():
    assert ex7.needed(lambda: RIGHT | {"pipeline": None}).ok
    assert "data, weight gradient, where you have no collective" in ex7.needed(lambda: RIGHT | {"data": None}).message
    missing = {way: row for way, row in RIGHT.items() if way != "pipeline"}
    assert "with an entry for each of" in ex7.needed(lambda: missing).message


@pytest.mark.parametrize(("wrong", "words"), QUESTIONS["needed"][1])
def test_no_collective_is_given_away(wrong, words):
    message = ex7.needed(wrong).message
    if ": " in message and "of 5 are right" in message:
        hint = message.split(": ", 1)[1]
        assert not re.search("all-reduce|all-gather|reduce-scatter|all-to-all", hint)


def test_the_truth_is_what_the_toolkit_counts():
    strategy = ae.Strategy(tensor=4, data=3, micro_batch=2, batch=12)
    model = ae.transformer("x", hidden=64, heads=4, blocks=3, sequence=16, vocabulary=64)
    found = ae.communications(model, strategy)
    of_blocks = sum(c.sent_bytes for c in found if c.group == "tensor" and c.operator.startswith("block"))
    assert of_blocks == pytest.approx(tensor_bytes(2, 2, 16, 64, 3, 4))
    divided = [operator for operator in model.operators if operator.name.endswith(("_qkv", "_mlp1"))]
    names = {operator.name for operator in divided}
    gradients = sum(c.sent_bytes for c in found if c.group == "data" and c.operator in names)
    assert gradients == pytest.approx(gradient_bytes(sum(operator.parameters for operator in divided), 4, 3))


def test_a_prediction_is_compared_with_the_count():
    verdict = ex7.predicted_gib(lambda: 569)
    assert verdict.ok
    assert verdict.guess
    assert "very close" in verdict.message
    assert "factor 1.63 too low" in ex7.predicted_gib(lambda: 350).message


def test_bytes_decide_in_two_of_the_cases_and_waiting_in_the_third():
    faster = {case: min(ex7.ORDERS, key=lambda order, case=case: ex7.time_ns(case, order)) for case in ex7.CASES}
    assert faster == {"A": "tensor-first", "B": "data-first", "C": "tensor-first"}
    assert {case: by_bytes(*ex7.bytes_of(case)) for case in ex7.CASES} == faster | {"C": "data-first"}
    tensor, data = ex7.bytes_of("C")
    assert data / tensor < 1.2


@pytest.mark.parametrize("name", QUESTIONS)
def test_four_mistakes_have_words_of_their_own(name):
    assert len({getattr(ex7, name)(wrong).message for wrong, _ in QUESTIONS[name][1]}) >= 4
