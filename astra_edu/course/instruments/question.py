"""Predict, commit, confront: what an instrument asks before it shows a number, and what it says of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Context, Decimal
from statistics import median
from typing import Any

from astra_edu.base.errors import ConfigError, not_negative, shown

Said = float | str | tuple[float, ...]
"""A prediction, or what is true: a number, a choice, or the ys of a curve."""


@dataclass(frozen=True)
class Drawing:
    """A curve that the learner draws: a y for each of the xs, from low to high.

    x, y: what the axes count, with their units. log: whether y goes by powers, as it does from low > 0 on only.
    """

    x: str
    xs: tuple[float, ...]
    y: str
    low: float
    high: float
    log: bool = False


@dataclass(frozen=True)
class Question:
    """What the learner is to predict of a setting: a number, with its unit, one of the choices, or a curve.

    about: the setting's text, for which it is asked. places: {what on the stage or in lanes: the choice that clicking
    it makes}; all choices stand below the question as well.
    """

    text: str
    unit: str = ""
    choices: tuple[str, ...] = ()
    about: str = ""
    places: dict[str, str] = field(default_factory=dict)
    drawing: Drawing | None = None


@dataclass(frozen=True)
class Answer:
    """What is true. value: a number in the question's unit, one of its choices, or a y for each x of its drawing.

    why: the reason, in a sentence. near: by which factor a number may be off and still count as right; of a drawing,
    the median of its points, and where y doesn't go by powers, near - 1 is the share of its range. others: {a choice
    that isn't right: why it isn't}. takes: settings, with the values that they have once a prediction is committed to.
    """

    value: Said
    why: str
    near: float = 1.1
    others: dict[str, str] = field(default_factory=dict)
    takes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Confronted:
    """A prediction beside the answer. right: whether it counts as right. said: both, and by how much it was off.

    counts: what would count as right, "" where it is just that or there is one choice only.
    """

    predicted: Said
    answer: Said
    right: bool
    said: str
    why: str
    counts: str = ""

    @property
    def word(self) -> str:
        """The verdict in a word: near enough where it counts as right and isn't just that."""
        return "Not this time" if not self.right else "Near enough" if self.counts else "Right"


def confront(question: Question, answer: Answer, predicted: Said | Sequence[float]) -> Confronted:
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
        why = f"{answer.others.get(str(predicted), '')} {answer.why}".strip()
        return Confronted(str(predicted), answer.value, right, said, why)
    if question.drawing:
        return _drawn(question.drawing, answer, predicted)
    assert not isinstance(answer.value, tuple)
    number, true = not_negative("a prediction", predicted), float(answer.value)
    right = number == true or (min(number, true) > 0 and max(number, true) / min(number, true) <= answer.near)
    unit = f" {question.unit}" if question.unit else ""
    said = f"You said {_number(number)}{unit}; it is {_number(true)}{unit}: {_off(number, true)}."
    exact = not true or _number(number) == _number(true)
    counts = (
        ""
        if exact
        else f"Between {_number(true / answer.near)} and {_number(true * answer.near)}{unit} counts as right."
    )
    return Confronted(number, true, right, said, answer.why, counts)


def _drawn(drawing: Drawing, answer: Answer, predicted: object) -> Confronted:
    xs, true = drawing.xs, answer.value
    assert isinstance(true, tuple)
    if not isinstance(predicted, (tuple, list)) or len(predicted) != len(xs):
        raise ConfigError(f"a prediction is {shown(predicted)}; give {len(xs)} numbers, one for each {drawing.x}.")
    said = tuple(not_negative("a prediction", y) for y in predicted)
    off = [_apart(drawing, y, t) for y, t in zip(said, true, strict=True)]
    worst = off.index(max(off))
    middle = median(off)
    words = (
        f"Your curve is off by {_times(drawing, middle)} in the median, most at {drawing.x} {_number(xs[worst])}: "
        f"you drew {_number(said[worst])}, it is {_number(true[worst])}."
    )
    counts = "" if max(off) == 1 else f"Up to {_times(drawing, answer.near)} in the median counts as right."
    return Confronted(said, true, middle <= answer.near, words, answer.why, counts)


def _times(drawing: Drawing, factor: float) -> str:
    return f"{_number(factor, 3)} times" if drawing.log else f"{_number(100 * (factor - 1), 3)} % of the range"


def _apart(drawing: Drawing, y: float, true: float) -> float:
    """By which factor two ys differ; where they don't go by powers, 1 and the share of the range."""
    if drawing.log:
        low, high = sorted((max(y, drawing.low), max(true, drawing.low)))
        return high / low
    return 1 + abs(y - true) / (drawing.high - drawing.low)


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
