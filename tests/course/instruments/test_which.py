"""On which dimension twice the bandwidth helps most: what counts as the answer."""

import pytest

from astra_edu.course.instruments.which import MORE, NONE, answered, asked


def times(*found):
    return [(time, f"{time} ns") for time in found]


@pytest.mark.parametrize(
    ("found", "value"),
    [
        ((100, 60, 90), "dimension 0"),
        ((100, 90, 60), "dimension 1"),
        ((100, 60, 60, 90), MORE),
        ((100, 99.5, 99.2), NONE),
        ((100, 110, 98), "dimension 1"),
        ((100, 120, 130), NONE),
    ],
)
def test_the_least_time_is_the_answer_unless_others_are_as_short_or_it_is_no_shorter(found, value):
    now, *faster = times(*found)
    answer = answered(now, faster)
    assert answer.value == value
    assert answer.value in asked("this", len(faster)).choices
    assert answer.why.startswith("Now it takes 100 ns. With twice the bandwidth on dimension 0: ")


def test_of_one_dimension_it_is_how_many_times_as_fast():
    answer = answered((100, "100 ns"), [(80, "80 ns")])
    assert (answer.value, answer.why) == (1.25, "Now it takes 100 ns, then 80 ns.")
    assert not asked("this", 1).choices
