"""A prediction beside the answer: whether it counts as right, and the words, which JavaScript must use too."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.course.instruments.question import Answer, Drawing, Question, confront

SHARED = Path(__file__).parents[2] / "js" / "confronted.json"
"""Cases that tests/js/confront.test.js takes, too."""
TIME, PLAIN = Question("How long?", "ms"), Question("How many?")
WHICH = Question("Which?", choices=("compute", "waiting"))
POWERS = Question("How long?", drawing=Drawing("size (MiB)", (1, 4, 16, 64), "time (µs)", 1, 1000, log=True))
EVEN = Question("How much is lost?", drawing=Drawing("workers", (1, 2, 4), "loss", 0, 2))


@pytest.mark.parametrize(
    ("question", "true", "predicted", "right", "said"),
    [
        (TIME, 20, 20, True, "You said 20 ms; it is 20 ms: just that."),
        (TIME, 20, 10, False, "You said 10 ms; it is 20 ms: 2 times too little."),
        (TIME, 20, 21, True, "You said 21 ms; it is 20 ms: 5.0 % too much."),
        (TIME, 20, 15, False, "You said 15 ms; it is 20 ms: 25.0 % too little."),
        (TIME, 2329.705, 1e6, False, "You said 1,000,000 ms; it is 2,330 ms: 429 times too much."),
        (TIME, 0, 3, False, "You said 3 ms; it is 0 ms: off by 3."),
        (TIME, 0.01234, 0, False, "You said 0 ms; it is 0.01234 ms: off by 0.01234."),
        (PLAIN, 7, 7, True, "You said 7; it is 7: just that."),
        (WHICH, "compute", "compute", True, "You said compute; so it is."),
        (WHICH, "compute", "waiting", False, "You said waiting; it is compute."),
        (
            POWERS,
            (10, 20, 40, 160),
            (10, 20, 40, 80),
            True,
            "Your curve is off by 1 times in the median, most at size (MiB) 64: you drew 80, it is 160.",
        ),
        (
            POWERS,
            (10, 20, 40, 160),
            (20, 20, 20, 80),
            False,
            "Your curve is off by 2 times in the median, most at size (MiB) 1: you drew 20, it is 10.",
        ),
        (
            EVEN,
            (1, 0.5, 0.25),
            (1.5, 0.7, 0.25),
            True,
            "Your curve is off by 10 % of the range in the median, most at workers 1: you drew 1.5, it is 1.",
        ),
        (
            EVEN,
            (1, 0.5, 0),
            (0, 1, 0),
            False,
            "Your curve is off by 25 % of the range in the median, most at workers 1: you drew 0, it is 1.",
        ),
    ],
)
def test_both_are_said_and_by_how_much_it_was_off(question, true, predicted, right, said):
    found = confront(question, Answer(true, "it is so"), predicted)
    assert (found.right, found.said, found.why) == (right, said, "it is so")


@pytest.mark.parametrize(
    ("question", "true", "predicted", "word", "counts"),
    [
        (TIME, 20, 20, "Right", ""),
        (TIME, 20, 21, "Near enough", "Between 18.18 and 22 ms counts as right."),
        (TIME, 20, 22, "Near enough", "Between 18.18 and 22 ms counts as right."),
        (TIME, 20, 22.1, "Not this time", "Between 18.18 and 22 ms counts as right."),
        (TIME, 20, 18.1, "Not this time", "Between 18.18 and 22 ms counts as right."),
        (TIME, 2329.7049, 2329.7051, "Right", ""),
        (TIME, 0, 3, "Not this time", ""),
        (WHICH, "compute", "compute", "Right", ""),
        (WHICH, "compute", "waiting", "Not this time", ""),
        (POWERS, (10, 20, 40, 160), (10, 20, 40, 160), "Right", ""),
        (POWERS, (10, 20, 40, 160), (10, 20, 40, 80), "Near enough", "Up to 1.1 times in the median counts as right."),
        (
            POWERS,
            (10, 20, 40, 160),
            (20, 20, 20, 80),
            "Not this time",
            "Up to 1.1 times in the median counts as right.",
        ),
        (
            EVEN,
            (1, 0.5, 0.25),
            (1.1, 0.6, 0.25),
            "Near enough",
            "Up to 10 % of the range in the median counts as right.",
        ),
    ],
)
def test_what_counts_as_right_is_said_where_it_is_not_just_that(question, true, predicted, word, counts):
    found = confront(question, Answer(true, "it is so"), predicted)
    assert (found.word, found.counts) == (word, counts)


def test_a_choice_that_is_not_right_is_told_why():
    answer = Answer("compute", "It computes.", others={"waiting": "Nothing waits."})
    assert confront(WHICH, answer, "waiting").why == "Nothing waits. It computes."
    assert confront(WHICH, answer, "compute").why == "It computes."


@pytest.mark.parametrize(
    ("question", "predicted"),
    [
        (WHICH, "network"),
        (TIME, -1),
        (TIME, "ten"),
        (TIME, float("nan")),
        (EVEN, (1, 2)),
        (EVEN, 1),
        (EVEN, (1, -1, 1)),
    ],
)
def test_what_is_no_prediction_is_refused(question, predicted):
    true = (1, 1, 1) if question.drawing else "compute" if question.choices else 1
    with pytest.raises(ae.ConfigError, match="a prediction is"):
        confront(question, Answer(true, ""), predicted)


def cases():
    numbers = [0, 0.001, 0.5, 1, 7.25, 12.3456, 99.95, 100, 999.5, 1000, 1234, 2329.705, 1e6, 123456789.5]
    for true in numbers:
        for predicted in (true, true * 1.05, true * 0.8, true * 3, true / 7, 0, 55):
            yield TIME, Answer(true, ""), predicted
    for said in ((10, 20, 40, 80), (1, 1.5, 2.25, 7), (1000, 0, 33.3, 160)):
        yield POWERS, Answer((10, 20, 41.7, 160.25), "", near=2), said
    for said in ((1.5, 0.75, 0.2), (0, 0, 0), (2, 2, 2)):
        yield EVEN, Answer((1, 0.5, 0.25), ""), said
    for others in ({}, {"waiting": "Nothing waits."}):
        yield from ((WHICH, Answer("compute", "It computes.", others=others), choice) for choice in WHICH.choices)


def test_javascript_is_given_the_same_cases():
    """Renew the file with `python tests/course/instruments/test_question.py`."""
    assert json.loads(SHARED.read_text()) == json.loads(shared())


def shared():
    found = []
    for question, answer, predicted in cases():
        said = confront(question, answer, predicted)
        given = {"question": asdict(question), "answer": asdict(answer), "predicted": predicted}
        found.append(
            given | {"right": said.right, "said": said.said, "counts": said.counts, "word": said.word, "why": said.why}
        )
    return json.dumps(found, indent=0, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SHARED.write_text(shared())
