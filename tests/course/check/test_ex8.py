"""Exercise 8: what its words rely on, and what is special about its checks."""

from __future__ import annotations

import math

import pytest
from answers.ex8 import ORDERS_WITH_WORDS

from astra_edu.course.check import ex8
from astra_edu.course.check.ex8.runs import BACKWARD_NS, FORWARD_NS
from astra_edu.pipeline import ORDERS, closed_form, run_pipeline


def test_a_prediction_is_answered():
    assert "27.2727 %" in ex8.predicted_bubble(lambda: 40).message
    assert ex8.predicted_bubble(lambda: 1).guess


@pytest.mark.parametrize("share", [0.1, 0.05, 0.25])
def test_the_number_of_micro_batches_may_be_found_with_rounding_errors(share):
    """(p - 1) (1 - x) / x is 27.000000000000004 for 4 stages and a tenth, and rounded up 28."""
    verdict = ex8.micro_batches(lambda stages, share: max(1, math.ceil((stages - 1) * (1 - share) / share)))
    assert verdict.ok, verdict


def test_no_sentence_about_a_wrong_order_has_an_address_in_it():
    for wrong, _ in ORDERS_WITH_WORDS:
        assert "0x" not in ex8.order(wrong).message


def test_orders_are_judged_without_being_left_behind():
    before = dict(ORDERS)
    ex8.order(ORDERS["gpipe"])
    assert before == ORDERS


def test_facts_that_the_words_of_the_exercise_rely_on():
    gpipe, one = (run_pipeline(name, 8, 2**k, FORWARD_NS, BACKWARD_NS) for name, k in (("gpipe", 4), ("1f1b", 9)))
    assert f"{gpipe.bubble:.0%}" == "30%"
    assert max(gpipe.in_flight) == 16
    assert f"{one.bubble:.1%}" == "1.3%"
    assert f"{closed_form.bubble(64, 192):.0%}" == "25%"
