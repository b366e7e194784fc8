"""Exercise 2: what is special about its checks."""

import pytest

from astra_edu.course.check import ex2


@pytest.mark.parametrize("answer", [lambda step, npu, npus: npu, lambda step, npu, npus: (npu // step, 0)])
def test_a_player_shows_an_answer_up_to_where_it_breaks(answer):
    from astra_edu.course.widgets import Player

    player = Player(ex2.own_schedule(answer, 4))
    assert "our function" in player.data["problem"]


def test_predictions_are_answered_whatever_they_are():
    assert "simulator says 383.841 times" in ex2.predicted_growth(lambda: 1024).message
    assert ex2.ranking(lambda: ["fullyconnected", "ring", "switch"]).message.startswith("Right")
    assert "opposite" in ex2.ranking(lambda: ["Switch", "Ring", "FullyConnected"]).message
    assert "1 of your 3 places" in ex2.ranking(lambda: ["Ring", "FullyConnected", "Switch"]).message
