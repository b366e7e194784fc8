"""Steps of an algorithm in a wrong order, with some among them that don't belong: pieces, and what the prover says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations

from astra_edu.collectives import Schedule, schedule
from astra_edu.collectives.proof import Held, ProofError, initial, prove_end, replay
from astra_edu.collectives.schedule import Op, Rounds, Transfer

NPUS = 4
LETTERS = "ABCDE"
PUZZLES = {
    "ring-reduce-scatter": ("reduce-scatter", "ring", "EBDAC"),
    "ring-all-gather": ("all-gather", "ring", "CAEDB"),
    "halving-doubling-reduce-scatter": ("reduce-scatter", "halving-doubling", "DBACE"),
    "halving-doubling-all-gather": ("all-gather", "halving-doubling", "BEADC"),
    "direct-all-reduce": ("all-reduce", "direct", "CEBAD"),
}
"""name: (collective, algorithm, the letters of the steps that are right and then of those that aren't)."""


@dataclass(frozen=True)
class Card:
    """A step to be put in its place. wrong: what is wrong with it; "" if it belongs to the algorithm."""

    letter: str
    op: Op
    transfers: tuple[Transfer, ...]
    phase: str
    wrong: str = ""


@dataclass(frozen=True)
class Judged:
    """What the prover says of an order. held[k]: what NPUs hold after k steps, as far as these could be carried out.

    error: the rule that is broken, with the step and the message if it is one; "" if none is. done: whether nothing is
    missing.
    """

    cards: tuple[Card, ...]
    held: tuple[Held, ...]
    error: str = ""
    transfer: Transfer | None = None
    done: bool = False


def original(puzzle: str) -> Schedule:
    """The algorithm whose steps are to be put in order."""
    collective, algorithm, _ = PUZZLES[puzzle]
    return schedule(collective, algorithm, NPUS)


@lru_cache
def cards(puzzle: str) -> tuple[Card, ...]:
    """Five steps by their letters: the algorithm's own, and some with which no other order could be proved."""
    right = [Card("", step.op, step.transfers, step.phase) for step in original(puzzle).steps()]
    chosen = list(right)
    for card in _almost(right):
        new = not any((card.op, set(card.transfers)) == (other.op, set(other.transfers)) for other in chosen)
        if len(chosen) < len(LETTERS) and new and len(_proved(puzzle, [*chosen, card])) == 1:
            chosen.append(card)
    lettered = [replace(card, letter=letter) for card, letter in zip(chosen, PUZZLES[puzzle][2], strict=True)]
    return tuple(sorted(lettered, key=lambda card: card.letter))


def _proved(puzzle: str, among: Sequence[Card]) -> list[tuple[Card, ...]]:
    return [order for order in permutations(among, steps_wanted(puzzle)) if _judged(puzzle, order).done]


def _almost(right: Sequence[Card]) -> list[Card]:
    """Steps like the right ones, with what people get wrong, one kind after the other."""
    found = []
    for card in right:
        other = Op.COPY if card.op is Op.REDUCE else Op.REDUCE
        wrong = "the receiver keeps what arrives in place of its own" if other is Op.COPY else "the receiver adds it up"
        shifted = tuple(t._replace(shard=(t.shard + 1) % NPUS) for t in card.transfers)
        astray = tuple(t._replace(destination=_another(t)) for t in card.transfers)
        found.append(
            (
                replace(card, op=other, wrong=wrong),
                replace(card, transfers=shifted, wrong="it sends other shards"),
                replace(card, transfers=astray, wrong="it goes to other NPUs"),
            )
        )
    return [card for kind in zip(*found, strict=True) for card in kind]


def _another(transfer: Transfer) -> int:
    """The NPU after the right one, or the one after that where it would be the sender."""
    beyond = (transfer.destination + 1) % NPUS
    return beyond if beyond != transfer.source else (beyond + 1) % NPUS


def steps_wanted(puzzle: str) -> int:
    """How many steps the algorithm has."""
    return original(puzzle).step_count


def _schedule(puzzle: str, order: Sequence[Card]) -> Schedule:
    """The cards in this order as a schedule."""

    def rounds(card: Card) -> Rounds:
        def rule(_: int, npu: int) -> list[tuple[int, int]]:
            return [(t.destination, t.shard) for t in card.transfers if t.source == npu]

        return Rounds(card.phase, card.op, 1, rule, symmetric=False)

    return replace(original(puzzle), algorithm="yours", groups=tuple(map(rounds, order)))


@lru_cache(maxsize=4096)
def judged(puzzle: str, letters: str) -> Judged:
    """What the prover says of the cards in this order, as far as it goes."""
    by_letter = {card.letter: card for card in cards(puzzle)}
    return _judged(puzzle, tuple(by_letter[letter] for letter in letters))


def _judged(puzzle: str, order: tuple[Card, ...]) -> Judged:
    whole = _schedule(puzzle, order)
    held = [initial(whole)]
    try:
        for _, now in replay(whole):
            held.append([list(row) for row in now])
        if len(order) == steps_wanted(puzzle):
            prove_end(whole, held[-1])
    except ProofError as error:
        return Judged(order, tuple(held), str(error), error.transfer)
    return Judged(order, tuple(held), done=len(order) == steps_wanted(puzzle))


@lru_cache(maxsize=4096)
def next_cards(puzzle: str, letters: str) -> tuple[str, ...]:
    """The letters that can come next so that an order follows that is proved; none if it is whole or can't be saved."""
    left = [card.letter for card in cards(puzzle) if card.letter not in letters]
    missing = steps_wanted(puzzle) - len(letters)
    found = [rest[0] for rest in permutations(left, missing) if rest and judged(puzzle, letters + "".join(rest)).done]
    return tuple(dict.fromkeys(found))


def furthest(puzzle: str, letters: str) -> tuple[str, Judged]:
    """What comes furthest after these, with the fewest cards that don't belong, and what the prover says of it."""
    left = [card.letter for card in cards(puzzle) if card.letter not in letters]
    rests = ["".join(rest) for rest in permutations(left, steps_wanted(puzzle) - len(letters))]
    found = ((rest, judged(puzzle, letters + rest)) for rest in rests)
    return max(found, key=lambda one: (len(one[1].held), sum(not card.wrong for card in one[1].cards)))


def code(puzzle: str, letters: str) -> str:
    """The same in Python."""
    collective, algorithm, _ = PUZZLES[puzzle]
    steps = ",\n    ".join(
        f'("{card.op}", {[tuple(t) for t in card.transfers]})' for card in judged(puzzle, letters).cards
    )
    return f"""from dataclasses import replace
from astra_edu.collectives.schedule import Op, Rounds
steps = [  # (what the receiver does, [(source, destination, shard), ...])
    {steps}
]

def rounds(op, transfers):
    rule = lambda step, npu: [(to, shard) for source, to, shard in transfers if source == npu]
    return Rounds("step", Op(op), 1, rule, symmetric=False)

mine = replace(ae.schedule("{collective}", "{algorithm}", {NPUS}), groups=tuple(rounds(*step) for step in steps))
ae.prove(mine)"""
