"""Exercise 4: what its words rely on, and what is special about its checks."""

from dataclasses import replace
from functools import partial

import pytest
from answers.ex4 import INPUTS, QUESTIONS, loop

import astra_edu as ae
from astra_edu.course.check import ex4


@pytest.mark.parametrize("wrong", [wrong for wrong, _ in QUESTIONS["backward_order"][1]])
def test_the_order_is_not_given_away(wrong):
    assert "IG3" not in ex4.backward_order(wrong).message


def test_a_loop_that_also_waits_where_there_is_nothing_to_wait_for_is_right():
    assert ex4.my_loop(partial(loop, wait_after=True)).ok


def test_a_loop_is_judged_without_being_left_behind():
    before = dict(ae.LOOPS)
    ex4.my_loop(loop)
    ex4.my_loop(partial(loop, issue="late"))
    assert before == ae.LOOPS


def test_a_prediction_is_answered_whatever_it_is():
    assert "comes true" in ex4.predicted_effect(lambda: "The same", INPUTS).message
    wrong = ex4.predicted_effect(lambda: "faster", INPUTS)
    assert "doesn't come true" in wrong.message
    assert wrong.ok
    assert repr(wrong).startswith("→ ")


def test_a_case_says_which_order_wins():
    vanilla = ae.load_workload(INPUTS / "vanilla.txt", comm_scale=16)
    assert "weight gradient first is faster by 3.29%" in ex4.my_case(lambda: vanilla).message
    torus = ae.load_astra_sim(network=INPUTS / "torus.json", system=INPUTS / "torus.txt")
    assert "weight gradient first" in ex4.my_case(lambda: (replace(vanilla, loop="DATA_REORDER"), torus)).message


def test_the_torus_of_the_files_is_the_preset_that_a_case_runs_on():
    assert ae.load_astra_sim(network=INPUTS / "torus.json", system=INPUTS / "torus.txt") == ae.preset("torus")
