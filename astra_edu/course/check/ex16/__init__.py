"""Checks for exercise 16, a machine lies: which of five predictions can't be true, by which law, and what could be."""

from __future__ import annotations

from collections.abc import Callable

from astra_edu.course.check.asked import Answer, call, hint, shown
from astra_edu.course.check.ex16.card import Card, sheet
from astra_edu.course.check.ex16.detector import judge_detector
from astra_edu.course.check.ex16.laws import LAWS, bounds, broken
from astra_edu.course.check.ex16.limits import (
    least_exchange_ms,
    least_iteration_ms,
    least_state_gb,
    most_tokens_per_s,
)
from astra_edu.course.check.ex16.sets import cards
from astra_edu.course.check.ex16.surprises import REASONS, surprises, why
from astra_edu.course.check.judge import judge
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.verdict import NoAnswerError, Verdict, guessed

__all__ = [
    "LAWS",
    "REASONS",
    "Card",
    "broken_law",
    "cards",
    "corrected",
    "least_exchange_ms",
    "least_iteration_ms",
    "least_state_gb",
    "most_tokens_per_s",
    "sheet",
    "surprises",
    "suspect",
    "why",
]

CHECKED = range(110, 122)
"""The sets that a check asks about."""
_TRIED = "It is noted. What you find below will say whether it was a good guess."


@guess
def suspect(answer: Answer) -> Verdict:
    """A guess, before anything is computed: the letter of a card that can't be true."""
    try:
        said = call(answer, {})
    except NoAnswerError as problem:
        return problem.verdict
    if not isinstance(said, str) or said.strip().upper() not in set("ABCDE"):
        return Verdict(False, f"Your function returns {shown(said)}; return a card's letter, such as 'A'.{hint(said)}")
    return guessed(f"You suspect card {said.strip().upper()}. {_TRIED}")


@question
def broken_law(answer: Answer) -> Verdict:
    """broken_law(card): the law that a card breaks, one of LAWS; "" if none."""
    return judge_detector(answer, [card for number in CHECKED for card in cards(number)])


@question
def corrected(answer: Answer) -> Verdict:
    """corrected(card): of a card that lies, the nearest figure that could be true instead of the false one."""
    liars = [card for number in CHECKED for card in cards(number) if broken(card)]

    def figure(card: Card) -> float:
        return bounds(card)[broken(card)][1]

    def always(law: str) -> Callable[[Card], float]:
        return lambda card: bounds(card)[law][1]

    return judge(
        answer,
        figure,
        [{"card": card} for card in liars],
        [
            Mistake(lambda card: bounds(card)[broken(card)][0], "That is the figure that the card claims."),
            Mistake(
                lambda card: figure(card) / bounds(card)[broken(card)][0],
                "That is how far the claim is off, as a factor; give the figure itself.",
            ),
            *(
                Mistake(always(law), f"You correct all cards by the law of the {law}; each breaks one of its own.")
                for law in LAWS
            ),
            Mistake(
                lambda card: bounds(card)["pipeline"][1] if broken(card) == "operations" else figure(card),
                "Where the operations are too many, give tokens/s: that is the figure which is false.",
            ),
        ],
        "Right: with this figure the card could be true. That it is doesn't follow.",
    )
