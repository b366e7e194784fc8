"""Exercise 5: what is special about its checks."""

import re

import pytest
from answers.ex5 import QUESTIONS

from astra_edu.course.check import ex5


@pytest.mark.parametrize("wrong", [wrong for wrong, _ in QUESTIONS["first_orders"][1]])
def test_no_order_is_given_away(wrong):
    message = ex5.first_orders(wrong).message
    assert not re.search(r"\[?[012], ?[012], ?[012]\]?", message.replace("0, 1 and 2", ""))


def test_predictions_are_answered_whatever_they_are():
    assert "simulator says 2.56736 times" in ex5.predicted_speedup(lambda: 2).message
    assert "7 of your 7" in ex5.helped(lambda: ["b", "G"]).message
    assert "5 of your 7" in ex5.helped(lambda: []).message


@pytest.mark.parametrize(("name", "made"), [("predicted_speedup", 100), ("helped", [])])
def test_a_wrong_prediction_counts_as_made_and_isnt_ticked(name, made):
    verdict = getattr(ex5, name)(lambda: made)
    assert verdict.ok
    assert repr(verdict).startswith("→ ")


def test_a_speedup_has_no_other_unit():
    assert "is that in" not in ex5.predicted_speedup(lambda: 2567).message
    assert "a factor 1,000 too high" in ex5.predicted_speedup(lambda: 2567).message


def test_a_speedup_below_0_is_no_time():
    verdict = ex5.predicted_speedup(lambda: -2)
    assert verdict.ok is False
    assert verdict.message == "Your guess is -2 times; guess a number above 0."
