"""Order the steps: the steps of an algorithm are shuffled, some don't belong, and the prover judges every order."""

from __future__ import annotations

from typing import Any, ClassVar

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import several
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.order_job import (
    LETTERS,
    NPUS,
    PUZZLES,
    Judged,
    cards,
    code,
    furthest,
    judged,
    next_cards,
    original,
    steps_wanted,
)
from astra_edu.course.instruments.order_stage import PLACES, order_stage
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values

NOTHING = "-"


def _puzzle(name: Any) -> str:
    collective, algorithm, _ = PUZZLES[name]
    return f"{algorithm}, {collective}"


def _card(letter: Any) -> str:
    return "nothing yet" if letter == NOTHING else f"card {letter}"


def _order(values: Values) -> str:
    return "".join(values[place] for place in PLACES if values[place] != NOTHING)


def _placed(letters: str) -> Values:
    return dict(zip(PLACES, letters.ljust(len(PLACES), NOTHING), strict=True))


class OrderTheSteps(Instrument):
    """Five steps on cards: which belong to the algorithm, and in which order? The prover says it, message by message.

    Four NPUs. A card is put in the next place, and taken out again, by clicking it or with the menus. What is judged
    and played are the steps themselves, as ae.prove takes them; the first message that breaks a rule stops in red.

    >>> order = ae.OrderTheSteps("puzzle=ring-reduce-scatter first=E")
    >>> print(order.predict("D").said)
    You said D; it is B.
    >>> print(ae.OrderTheSteps("first=E second=B third=D").summary().splitlines()[1])
    ✓ Proved: 3 steps, and a reduce-scatter’s promise is kept.
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("puzzle", "algorithm", tuple(PUZZLES), words=_puzzle, menu=True, stored=False),
        *(Setting(place, f"{place} step", (NOTHING, *LETTERS), words=_card, menu=True) for place in PLACES),
    )
    start: ClassVar[Values] = {"puzzle": "ring-reduce-scatter", **_placed("")}
    _use = "order its cards"

    def check(self, values: Values) -> None:
        """See Instrument."""
        letters, wanted = [values[place] for place in PLACES], steps_wanted(values["puzzle"])
        for place, letter in list(zip(PLACES, letters, strict=True))[wanted:]:
            if letter != NOTHING:
                raise ConfigError(f"there is no {place} step: this algorithm has {wanted} on {NPUS} NPUs.")
        placed = [letter for letter in letters if letter != NOTHING]
        if len(set(placed)) < len(placed):
            raise ConfigError("a card can only be in one place.")
        if letters[: len(placed)] != placed:
            raise ConfigError("a place before it is empty; fill that one first.")

    def settle(self, values: Values, before: Values) -> tuple[Values, str]:
        """Another algorithm has other cards: none is placed."""
        if values["puzzle"] == before["puzzle"] or not _order(values) or _order(values) != _order(before):
            return values, ""
        return values | _placed(""), "Other cards: all places are empty again."

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        self.check(values)
        puzzle, letters = values["puzzle"], _order(values)
        found = judged(puzzle, letters)
        whole = original(puzzle)
        return Scene(
            title=f"{whole.algorithm} {whole.collective} on {NPUS} NPUs: {letters or 'no card'} of {LETTERS}",
            headline=_headline(puzzle, found),
            sentences=_task(puzzle, found),
            numbers={},
            stage=order_stage(puzzle, found),
            code=code(puzzle, letters) if letters else "",
            sets={f"card {card.letter}": _clicked(puzzle, letters, card.letter) for card in cards(puzzle)},
        )

    def question(self, values: Values) -> Question | None:
        """Which card comes next, as long as there is one."""
        puzzle, letters = values["puzzle"], _order(values)
        if not next_cards(puzzle, letters):
            return None
        left = [letter for letter in LETTERS if letter not in letters]
        place = PLACES[len(letters)]
        return Question(
            f"{_puzzle(puzzle)}: which card is the {place} step? Choose it here or click it.",
            choices=tuple(left),
            places={f"card {letter}": letter for letter in left},
        )

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        puzzle, letters = values["puzzle"], _order(values)
        (letter,) = next_cards(puzzle, letters)
        others = {each: _not_now(puzzle, letters, each) for each in LETTERS if each not in letters + letter}
        why = f"{letter} is in its place now; after it the rest can be put in order, and is proved."
        return Answer(letter, why, others=others, takes=_placed(letters + letter))


def _not_now(puzzle: str, letters: str, letter: str) -> str:
    """Why a card doesn't come next."""
    if error := judged(puzzle, letters + letter).error:
        return f"With {letter} the prover stops: {error}"
    rest, found = furthest(puzzle, letters + letter)
    return f"{letter} breaks no rule at once, but nothing after it helps. With {', then '.join(rest)}: {found.error}"


def _clicked(puzzle: str, letters: str, letter: str) -> Values:
    """The places once a card has been clicked: it goes to the next one, or out of its own."""
    if letter in letters:
        return _placed(letters.replace(letter, ""))
    return _placed(letters + letter if len(letters) < steps_wanted(puzzle) else letters)


def _headline(puzzle: str, found: Judged) -> str:
    """Short, so that what stands below it keeps its place."""
    if found.done:
        return f"✓ Proved: {several(len(found.cards), 'step')}, and a {original(puzzle).collective}’s promise is kept."
    if found.error:
        step = len(found.held) - (found.transfer is None)
        return f"✗ {'The prover stops in' if found.transfer else 'The promise isn’t kept after'} step {step}."
    if not found.cards:
        return "Click the first step."
    letters = "".join(card.letter for card in found.cards)
    left = several(steps_wanted(puzzle) - len(letters), "step")
    if next_cards(puzzle, letters):
        return f"{left} to go; so far no rule is broken."
    return f"{left} to go, but no order that begins with {', '.join(letters)} is right."


def _task(puzzle: str, found: Judged) -> tuple[str, ...]:
    take_out = "click a card that is placed to take it out"
    belong = {card.letter: card.wrong for card in cards(puzzle)}
    if found.done:
        wrong = "; ".join(f"{letter}: {why}" for letter, why in belong.items() if why)
        return (f"The cards that don’t belong: {wrong}.",)
    if found.error:
        return found.error, f"Play it to see where it goes wrong; {take_out}."
    return (
        f"Click a card to put it in the next place; {take_out}.",
        "A card says who sends which shard to whom, and whether the receiver adds it up or keeps it. "
        "“X1: 0+2” is shard X1 with the data of NPUs 0 and 2 added up.",
    )
