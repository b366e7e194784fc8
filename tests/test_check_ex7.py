"""The checks of exercise 7: right answers pass, plausible wrong ones are told why, and nothing is given away."""

import math
import re

import pytest

import astra_edu as ae
from astra_edu.course.check import ex7

RIGHT = {
    "data": {"weight gradient": "all-reduce"},
    "tensor": {"forward": "all-reduce", "input gradient": "all-reduce"},
    "pipeline": {},
    "ZeRO-3": {"forward": "all-gather", "input gradient": "all-gather", "weight gradient": "reduce-scatter"},
    "DLRM": {"forward": "all-to-all", "input gradient": "all-to-all", "weight gradient": "all-reduce"},
}


def table(way, phase, collective):
    """The right table, but for one entry."""
    return {**RIGHT, way: {**RIGHT[way], phase: collective}}


def data_bytes(parameters, element_bytes, copies, twice=2):
    return twice * parameters * element_bytes * (copies - 1) / copies


def tensor_bytes(micro_batch, micro_batches, tokens, hidden, blocks, tensor, all_reduces=4, twice=2, element_bytes=2):
    size = element_bytes * micro_batch * tokens * hidden
    return micro_batches * blocks * all_reduces * twice * size * (tensor - 1) / tensor


def gradient_bytes(parameters, tensor, data):
    return 4 * parameters / tensor * (data - 1) / data


def by_bytes(tensor_bytes, data_bytes):
    return "tensor-first" if tensor_bytes > data_bytes else "data-first"


# name: (check, a right answer, [(a wrong one, words of what it is told)])
NUMBERS = {
    "data_bytes": (
        ex7.data_bytes,
        data_bytes,
        [
            (lambda **c: data_bytes(**(c | {"element_bytes": 1})), "each takes element_bytes"),
            (lambda **c: data_bytes(**(c | {"element_bytes": 2})), "2 bytes for each number, as in fp16"),
            (lambda **c: data_bytes(**c, twice=1), "half of an all-reduce"),
            (lambda parameters, element_bytes, copies: 2 * parameters * element_bytes, "of n parts it sends n − 1"),
            (lambda parameters, element_bytes, copies: parameters * element_bytes, "each gradient once"),
            (lambda **c: data_bytes(**c) / c["copies"], "aren't divided among them"),
            (lambda parameters, element_bytes, copies: 2 * parameters * element_bytes / copies, "aren't divided"),
            (lambda parameters, element_bytes, copies: parameters * element_bytes * (copies - 1), "each of the others"),
            (lambda **c: 8 * data_bytes(**c), "You count bits"),
            (lambda **c: 1, "too small"),
        ],
    ),
    "tensor_bytes": (
        ex7.tensor_bytes,
        tensor_bytes,
        [
            (lambda **c: tensor_bytes(**(c | {"micro_batches": 1})), "every micro-batch"),
            (lambda **c: tensor_bytes(**(c | {"micro_batch": 1})), "several sequences"),
            (lambda **c: tensor_bytes(**(c | {"blocks": 1})), "one block"),
            (lambda **c: tensor_bytes(**c, all_reduces=2), "factor of 2 or 4 short"),
            (lambda **c: tensor_bytes(**c, twice=1), "factor of 2 or 4 short"),
            (lambda **c: tensor_bytes(**c, element_bytes=1, twice=1), "factor of 2 or 4 short"),
            (lambda **c: tensor_bytes(**c, all_reduces=8), "fewer all-reduces than linear layers"),
            (lambda **c: tensor_bytes(**c) / c["tensor"], "full size of the output"),
            (lambda **c: tensor_bytes(**c) * c["tensor"] / (c["tensor"] - 1), "of n parts it sends n − 1"),
            (lambda **c: 8 * tensor_bytes(**c), "You count bits"),
        ],
    ),
    "gradient_bytes": (
        ex7.gradient_bytes,
        gradient_bytes,
        [
            (lambda **c: gradient_bytes(**(c | {"tensor": 1})), "of a whole model. How much"),
            (lambda parameters, tensor, data: gradient_bytes(parameters, tensor, data * tensor), "Not among all NPUs"),
            (lambda parameters, tensor, data: gradient_bytes(parameters, data, tensor), "other way round"),
            (lambda parameters, tensor, data: gradient_bytes(parameters, tensor, tensor), "over the copies"),
            (lambda parameters, tensor, data: gradient_bytes(parameters, 1, tensor * data), "among all NPUs. How much"),
            (lambda **c: gradient_bytes(**c) / 2, "sends out and back"),
            (lambda parameters, tensor, data: 4 * parameters / tensor, "of n parts it sends n − 1"),
            (lambda **c: gradient_bytes(**c) / c["data"], "aren't divided among them"),
        ],
    ),
}
OTHERS = {
    "needed": (
        ex7.needed,
        lambda: RIGHT,
        [
            (lambda: {**RIGHT, "data": {}}, "4 of 5 are right. data, weight gradient, where you have no collective"),
            (lambda: table("data", "forward", "all-gather"), "data, forward.* whose activations does it lack"),
            (lambda: table("data", "input gradient", "all-reduce"), "belongs to a sample"),
            (lambda: table("data", "weight gradient", "reduce-scatter"), "all of them have the sum"),
            (
                lambda: table("tensor", "forward", "all-gather"),
                "tensor, forward, where you have all-gather: .*summands",
            ),
            (lambda: table("tensor", "input gradient", ""), "one summand of the gradient"),
            (lambda: table("tensor", "weight gradient", "all-reduce"), "anything to add up"),
            (lambda: table("pipeline", "forward", "all-gather"), "one neighbour. Is that a collective"),
            (lambda: table("pipeline", "input gradient", "all-gather"), "one neighbour before it"),
            (lambda: table("pipeline", "weight gradient", "all-reduce"), "on one stage"),
            (lambda: table("ZeRO-3", "forward", ""), "to compute the layer"),
            (lambda: table("ZeRO-3", "input gradient", ""), "were dropped again"),
            (lambda: table("ZeRO-3", "weight gradient", "all-reduce"), "how much does it need"),
            (lambda: table("DLRM", "forward", "all-gather"), "some tables' vectors for everyone's samples"),
            (lambda: table("DLRM", "input gradient", ""), "go back to the NPUs"),
            (lambda: table("DLRM", "weight gradient", ""), "has the small networks"),
            (lambda: {"data": RIGHT["data"]}, "Return a dict of dicts"),
            (lambda: table("data", "backward", "all-reduce"), "your phase for data is 'backward'"),
            (lambda: table("data", "forward", "broadcast"), "your collective for data, forward is 'broadcast'"),
        ],
    ),
    "order": (
        ex7.order,
        by_bytes,
        [
            (lambda tensor_bytes, data_bytes: by_bytes(data_bytes, tensor_bytes), "the larger of the two on the slow"),
            (lambda tensor_bytes, data_bytes: "tensor-first", "always the same"),
            (lambda tensor_bytes, data_bytes: "data-first", "always the same"),
            (lambda tensor_bytes, data_bytes: by_bytes(2 * tensor_bytes, data_bytes), r"Right in \d+ of 20 cases"),
            (lambda tensor_bytes, data_bytes: "tensor", "did you mean 'tensor-first'"),
        ],
    ),
}
CHECKS = NUMBERS | OTHERS
WRONG = [(name, wrong, words) for name, (_, _, all_wrong) in CHECKS.items() for wrong, words in all_wrong]
ALL = {name: check for name, (check, *_) in CHECKS.items()} | {"predicted_gib": ex7.predicted_gib}


@pytest.mark.parametrize("name", CHECKS)
def test_the_right_answer(name):
    check, right, _ = CHECKS[name]
    verdict = check(right)
    assert verdict.ok, verdict


def test_none_says_that_nothing_is_needed():
    assert ex7.needed(lambda: RIGHT | {"pipeline": None}).ok
    assert "data, weight gradient, where you have no collective" in ex7.needed(lambda: RIGHT | {"data": None}).message
    missing = {way: row for way, row in RIGHT.items() if way != "pipeline"}
    assert "with an entry for each of" in ex7.needed(lambda: missing).message


@pytest.mark.parametrize(("name", "wrong", "words"), WRONG)
def test_wrong_answers_are_told_why(name, wrong, words):
    verdict = CHECKS[name][0](wrong)
    assert verdict.ok is False
    assert re.search(words, verdict.message), verdict


@pytest.mark.parametrize("name", CHECKS)
def test_mistakes_have_words_of_their_own(name):
    check, _, all_wrong = CHECKS[name]
    assert len({check(wrong).message for wrong, _ in all_wrong}) >= 4


@pytest.mark.parametrize("name", ALL)
def test_a_stub_is_not_answered_yet(name):
    def stub(*_, **__):
        raise NotImplementedError("How many?")

    verdict = ALL[name](stub)
    assert verdict.ok is None
    assert repr(verdict) == "… Not answered yet: How many?"


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("value", [None, "many", math.nan, math.inf, [None], {"a": 1}, -1, object()])
def test_an_answer_that_is_none(name, value):
    assert ALL[name](lambda *_, **__: value).ok is False


@pytest.mark.parametrize("name", CHECKS)
def test_a_function_that_breaks_is_reported_with_its_error(name):
    verdict = CHECKS[name][0](lambda *_, **__: 1 // 0)
    assert verdict.ok is False
    assert "ZeroDivisionError" in verdict.message


@pytest.mark.parametrize(("name", "wrong", "words"), [case for case in WRONG if case[0] in NUMBERS])
def test_no_right_value_is_given_away(name, wrong, words):
    check, right, _ = NUMBERS[name]
    asked = []
    check(lambda **case: asked.append(case) or right(**case))
    message = check(wrong).message.replace(",", "")
    for case in asked:
        assert f"{right(**case):.10g}" not in message


@pytest.mark.parametrize(("name", "wrong", "words"), [case for case in WRONG if case[0] == "needed"])
def test_no_collective_is_given_away(name, wrong, words):
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
    assert "factor 1.6 too low" in ex7.predicted_gib(lambda: 350).message


def test_bytes_decide_in_two_of_the_cases_and_waiting_in_the_third():
    faster = {case: min(ex7.ORDERS, key=lambda order, case=case: ex7.time_ns(case, order)) for case in ex7.CASES}
    assert faster == {"A": "tensor-first", "B": "data-first", "C": "tensor-first"}
    assert {case: by_bytes(*ex7.bytes_of(case)) for case in ex7.CASES} == faster | {"C": "data-first"}
    tensor, data = ex7.bytes_of("C")
    assert data / tensor < 1.2
