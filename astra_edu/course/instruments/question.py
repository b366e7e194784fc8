"""Predict, commit, confront: what an instrument asks before it shows a number, and what it says of the answer."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal

from astra_edu.base.errors import ConfigError, not_negative, shown


@dataclass(frozen=True)
class Question:
    """What the learner is to predict of a setting: a number, with its unit, or one of the choices.

    about: the setting's text, for which it is asked.
    """

    text: str
    unit: str = ""
    choices: tuple[str, ...] = ()
    about: str = ""


@dataclass(frozen=True)
class Answer:
    """What is true. value: a number in the question's unit, or one of its choices. why: the reason, in a sentence.

    near: by which factor a number may be off and still count as right.
    """

    value: float | str
    why: str
    near: float = 1.1


@dataclass(frozen=True)
class Confronted:
    """A prediction beside the answer. right: whether it counts as right. said: both, and by how much it was off."""

    predicted: float | str
    answer: float | str
    right: bool
    said: str
    why: str


def confront(question: Question, answer: Answer, predicted: float | str) -> Confronted:
    """Lay a prediction beside the answer. Raises ConfigError for one that can't be one.

    >>> asked = Question("How long does it take?", "ms")
    >>> confront(asked, Answer(20.0, "it needs 20"), 10).said
    'You said 10 ms; it is 20 ms: 2 times too little.'
    """
    if question.choices:
        if predicted not in question.choices:
            raise ConfigError(f"a prediction is {shown(predicted)}; there are {', '.join(question.choices)}.")
        right = predicted == answer.value
        said = f"You said {predicted}; {'so it is' if right else f'it is {answer.value}'}."
        return Confronted(str(predicted), answer.value, right, said, answer.why)
    number, true = not_negative("a prediction", predicted), float(answer.value)
    right = number == true or (min(number, true) > 0 and max(number, true) / min(number, true) <= answer.near)
    unit = f" {question.unit}" if question.unit else ""
    said = f"You said {_number(number)}{unit}; it is {_number(true)}{unit}: {_off(number, true)}."
    return Confronted(number, true, right, said, answer.why)


def _number(value: float, digits: int = 4) -> str:
    """With so many digits that count, in full from 1,000 on where it is whole."""
    in_full = value >= 1000 and value == round(value)
    rounded = value if in_full else float(Context(digits, ROUND_HALF_UP).create_decimal(value))  # as browsers round
    return f"{rounded:,.12f}".rstrip("0").rstrip(".")


def _off(number: float, true: float) -> str:
    if number == true:
        return "just that"
    if not true or not number:
        return f"off by {_number(abs(number - true))}"
    ratio = number / true
    if abs(ratio - 1) < 0.3:
        percent = Decimal(100 * abs(ratio - 1)).quantize(Decimal("0.1"), ROUND_HALF_UP)
        return f"{percent} % too {'much' if ratio > 1 else 'little'}"
    return f"{_number(ratio, 3)} times too much" if ratio > 1 else f"{_number(1 / ratio, 3)} times too little"
