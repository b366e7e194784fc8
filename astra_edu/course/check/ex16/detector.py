"""How a detector of lies is judged: on many cards, whose truth is worked out, with the blind spots that people have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from astra_edu.course.check.asked import Answer, call, hint, shown
from astra_edu.course.check.ex16.card import Card
from astra_edu.course.check.ex16.laws import LAWS, bounds, broken
from astra_edu.course.check.verdict import NoAnswerError, Verdict


def _loose(law: str, factor: float) -> Callable[[Card], str]:
    """One whose bound is off by a factor, for the better of the liar or for the worse."""

    def found(card: Card) -> str:
        for each, (claimed, bound) in bounds(card).items():
            limit = bound * (factor if each == law else 1)
            if claimed > limit if each == "operations" else claimed < limit:
                return each
        return ""

    return found


def _in_16_bits(card: Card) -> str:
    return broken(replace(card, bits=16))


def _no_optimiser(card: Card) -> str:
    least = 4 * card.parameters / (card.tensor * card.pipeline) / 1e9
    law = broken(card)
    return "" if law == "memory" and (card.state_gb or 0) >= least * 0.999 else law


def _no_bubble(card: Card) -> str:
    law = broken(card)
    never = card.micro_batches * (card.pass_ms or 0)
    return "" if law == "pipeline" and card.iteration_ms >= never * 0.999 else law


def _sharing(card: Card) -> str:
    """As if the copies shared out everything."""
    law = broken(card)
    least = 16 * card.parameters / (card.tensor * card.pipeline * card.copies) / 1e9
    return "" if law == "memory" and (card.state_gb or 0) >= least * 0.999 else law


BLIND: tuple[tuple[Callable[[Card], str], str], ...] = (
    (lambda card: "", "You find nobody out. At least one card of each set lies."),
    (
        _in_16_bits,
        "You accuse measured runs. They compute in fewer bits than 16, and for these their machines have a higher "
        "peak: look at `bits`.",
    ),
    (
        _loose("operations", 2),
        "Who counts on 2:4 sparsity gets past you. Do you believe the MFU that a card claims? Whoever computes it "
        "chooses the peak; work it out from the tokens, with the dense one.",
    ),
    (_loose("bytes", 1 / 8), "Who takes Gbit/s for GB/s gets past you: a byte has 8 bits."),
    (_loose("bytes", 1 / 2), "Who leaves out the all-gather gets past you: an all-reduce sends its bytes twice."),
    (_no_optimiser, "Who leaves out the optimiser's state gets past you: 12 bytes for each parameter."),
    (_sharing, "Who shares out everything gets past you. What do the copies share out at ZeRO-0, and at ZeRO-1?"),
    (_no_bubble, "Who forgets that stages wait for each other gets past you."),
)
"""Detectors that miss something, and what they are told."""


def judge_detector(answer: Answer, cards: Sequence[Card]) -> Verdict:
    """Ask it about all these cards."""
    try:
        given = [_law(call(answer, {"card": card})) for card in cards]
    except NoAnswerError as problem:
        return problem.verdict
    wanted = list(map(broken, cards))
    if given == wanted:
        return Verdict(True, f"Right: of {len(cards)} cards you find the {sum(map(bool, wanted))} that lie, no other.")
    for rule, words in BLIND:
        if given == list(map(rule, cards)):
            return Verdict(False, words)
    card, own, law = next(each for each in zip(cards, given, wanted, strict=True) if each[1] != each[2])
    right = sum(mine == true for mine, true in zip(given, wanted, strict=True))
    count = f"{right} of {len(cards)} cards are judged right."
    where = f"Card {card.name} of set {card.number} (`ex16.cards({card.number})`)"
    if not law:
        return Verdict(False, f"{where} could be true, and you say that it breaks the law of {own}. {count}")
    if not own:
        return Verdict(False, f"{where} can't be true, and you find nothing wrong with it. {count}")
    return Verdict(False, f"{where} lies, but what it says fits the law of {own}. {count}")


def _law(value: object) -> str:
    if isinstance(value, str) and value in ("", *LAWS):
        return value
    words = ", ".join(repr(law) for law in LAWS)
    raise NoAnswerError(
        False, f'Your function returns {shown(value)}; it should return one of {words}, or "" for none.{hint(value)}'
    )
