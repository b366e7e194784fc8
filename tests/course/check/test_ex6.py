"""Exercise 6: what is special about its checks."""

import re

import pytest
from answers.ex6 import QUESTIONS

from astra_edu.course.check import ex6


@pytest.mark.parametrize("wrong", [wrong for wrong, _ in QUESTIONS["believable"][1]])
def test_the_number_is_not_given_away(wrong):
    right, _ = QUESTIONS["believable"]
    assert str(right()) not in re.findall(r"\d+", ex6.believable(wrong).message)


def test_predictions_are_answered_whatever_they_are():
    right = {"64 KiB": "fullyconnected", "4 MiB": "Switch", "256 MiB": "Ring"}
    assert "3 of your 3" in ex6.predicted_winners(lambda: right).message
    assert "1 of your 3" in ex6.predicted_winners(lambda: dict.fromkeys(right, "Ring")).message
    assert "0.0% longer" in ex6.predicted_splits(lambda: 8).message
    assert "27.4% longer" in ex6.predicted_splits(lambda: 64).message


@pytest.mark.parametrize(
    ("name", "made"), [("predicted_winners", dict.fromkeys(ex6.SIZES, "Ring")), ("predicted_splits", 1000)]
)
def test_a_wrong_prediction_counts_as_made_and_isnt_ticked(name, made):
    verdict = getattr(ex6, name)(lambda: made)
    assert verdict.ok
    assert repr(verdict).startswith("→ ")
