"""Exercise 3: what is special about its checks."""

import re

import pytest
from answers.ex3 import GIVEN, QUESTIONS

from astra_edu.course.check import ex3

FOLDER = GIVEN["predicted_total"]


@pytest.mark.parametrize("wrong", [wrong for wrong, _ in QUESTIONS["enough_images"][1]])
def test_the_number_of_images_is_not_given_away(wrong):
    right, _ = QUESTIONS["enough_images"]
    assert str(right()) not in re.findall(r"\d+", ex3.enough_images(wrong, **FOLDER).message)


def test_predictions_are_answered_whatever_they_are():
    def winners(vgg16, gpt3, names=("VGG-16", "GPT-3")):
        return ex3.predicted_winners(lambda: dict(zip(names, (vgg16, gpt3), strict=True)), **FOLDER).message

    assert "Both" in winners("tpu", "dgx2", ("vgg16", "GPT 3"))
    assert "One of your two" in winners("DGX-2", "DGX-2")
    assert "Neither" in winners("DGX-2", "TPU")
    assert "simulator says 3,990.97 µs" in ex3.predicted_total(lambda: 3000, **FOLDER).message


@pytest.mark.parametrize(
    ("name", "made"), [("predicted_winners", {"VGG-16": "DGX-2", "GPT-3": "TPU"}), ("predicted_total", 1)]
)
def test_a_wrong_prediction_counts_as_made_and_isnt_ticked(name, made):
    verdict = getattr(ex3, name)(lambda: made, **FOLDER)
    assert verdict.ok
    assert repr(verdict).startswith("→ ")


def test_a_prediction_in_another_unit_is_asked_for_its_unit():
    in_ms = ex3.predicted_total(lambda: 3.5, **FOLDER).message
    assert "You said 3.5: is that in µs?" in in_ms
    assert "factor" not in in_ms
