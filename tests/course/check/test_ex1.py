"""Exercise 1: what is special about its checks."""

from astra_edu.course.check import ex1


def test_predictions_are_answered_whatever_they_are():
    assert "the simulator says 79.481 µs: a factor 4 too low" in ex1.predicted_time(lambda: 20).message
    assert repr(ex1.predicted_time(lambda: 20)).startswith("→ You said 20 µs")
    assert "is that in µs?" in ex1.predicted_time(lambda: 0.08).message
    assert "very close" in ex1.predicted_time(lambda: 78).message
    assert ex1.predicted_time(lambda: 0).ok is False
    assert ex1.predicted_time(lambda: None).ok is False
