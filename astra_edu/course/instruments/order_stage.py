"""The steps in the learner's order, played as far as the prover lets them: what NPUs hold, messages, cards to click."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.units import several
from astra_edu.collectives.collective import held_after, npus_in
from astra_edu.collectives.proof import initial
from astra_edu.collectives.schedule import Op, Schedule, Transfer
from astra_edu.course.instruments.order_job import NPUS, Card, Judged, cards, original
from astra_edu.course.instruments.scene import Box, Frame, Piece, Stage

WIDE, HIGH = 600.0, 206.0
NPU_WIDE, NPU_HIGH, NPU_PITCH, TOP = 108.0, 82.0, 163.0, 14.0
ROW, TOKEN = 19.0, 13.0
CARD_TOP, CARD_WIDE, CARD_HIGH, CARD_PITCH = 128.0, 112.0, 70.0, 121.0
SHOWN = 8
"""Messages that are written on a card."""
PLACES = ("first", "second", "third")
SIGNS = {Op.REDUCE: "+", Op.COPY: "="}


def order_stage(puzzle: str, found: Judged) -> Stage:
    """NPUs above, with what they hold of every shard; below them the cards."""
    whole = original(puzzle)
    steps = 1 + len(found.cards)
    frames = [Frame(f"NPU {k}", _home(k), f"NPU {k}") for k in range(NPUS)]
    for number, card in enumerate(cards(puzzle)):
        frames += _card(whole, card, number, found)
    pieces = [_held(whole, found, npu, shard, steps) for npu in range(NPUS) for shard in range(whole.shards)]
    for k, card in enumerate(found.cards, start=1):
        if k <= len(found.held):
            pieces += [_message(found, card, each, k, steps) for each in card.transfers]
    return Stage(f"{whole.algorithm} {whole.collective}", (WIDE, HIGH), _said(found), tuple(frames), tuple(pieces))


def _home(npu: int) -> Box:
    return (2 + npu * NPU_PITCH, TOP, NPU_WIDE, NPU_HIGH)


def _row(npu: int, shard: int) -> Box:
    x, y, wide, _ = _home(npu)
    return (x + 3, y + 3 + shard * ROW, wide - 6, ROW - 2)


def _token(npu: int, shard: int) -> Box:
    """At the right end of a row."""
    x, y, wide, high = _row(npu, shard)
    return (x + wide - TOKEN - 1, y + (high - TOKEN) / 2, TOKEN, TOKEN)


def _card(whole: Schedule, card: Card, number: int, found: Judged) -> list[Frame]:
    x, letters = 2 + number * CARD_PITCH, [each.letter for each in found.cards]
    place = f", {PLACES[letters.index(card.letter)]}" if card.letter in letters else ""
    what = "add up" if card.op is Op.REDUCE else "keep"
    lines = [f"{t.source} → {t.destination}: {whole.shard_name(t.shard)}" for t in card.transfers[:SHOWN]]
    if len(card.transfers) > SHOWN:
        lines[-1] = f"and {len(card.transfers) - SHOWN + 1} more"
    half = -(-len(lines) // 2)
    frames = [Frame(f"card {card.letter}", (x, CARD_TOP, CARD_WIDE, CARD_HIGH), f"{card.letter}{place}: {what}")]
    for k, line in enumerate(lines):
        column, row = divmod(k, half)
        place_of = (x + 5 + column * CARD_WIDE / 2, CARD_TOP + 18 + row * 14, 0.0, 0.0)
        frames.append(Frame(f"card {card.letter}, line {k}", place_of, line))
    return frames


def _target(whole: Schedule, shard: int) -> int:
    """Whose data a finished shard holds."""
    mask = 0
    for row in initial(whole):
        mask |= row[shard]
    return mask


def _held(whole: Schedule, found: Judged, npu: int, shard: int, steps: int) -> Piece:
    """What an NPU holds of a shard after each step: nothing, somebody's data, partial sums, all."""
    masks = [held[npu][shard] for held in found.held]
    masks += [masks[-1]] * (steps - len(masks))
    at = tuple(_row(npu, shard) if mask else None for mask in masks)
    looks = [_look(npu, mask, _target(whole, shard)) for mask in masks]
    if found.error and found.transfer is None:
        wanted = held_after(whole.collective, NPUS, npu, shard % whole.blocks, whole.root)
        if wanted is not None and masks[-1] != wanted:
            looks[-1], at = "wrong", (*at[:-1], _row(npu, shard))
    name = whole.shard_name(shard)
    says = tuple(f"{name}: {'+'.join(map(str, npus_in(mask))) or 'nothing'}" for mask in masks)
    return Piece(f"NPU {npu}, {name}", at, tuple(looks), title=f"what NPU {npu} holds of {name}", says=says)


def _look(npu: int, mask: int, target: int) -> str:
    if mask == target:
        return "complete"
    if mask.bit_count() > 1:
        return "partial sums"
    return "another’s data" if mask and npus_in(mask) != (npu,) else "own data"


def _message(found: Judged, card: Card, each: Transfer, k: int, steps: int) -> Piece:
    """A shard on its way in step k; the one that breaks a rule stops half-way."""
    start, end = _token(each.source, each.shard), _token(each.destination, each.shard)
    at: list[Box | None] = [None] * steps
    at[k - 1] = start
    broken = k == len(found.held)
    wrong = broken and each == found.transfer
    at[k] = _halfway(start, end) if wrong else start if broken else end
    looks = ["message"] * steps
    if wrong:
        looks[k] = "wrong"
    name = f"step {k}: {each.source} to {each.destination}, shard {each.shard}"
    says = tuple("✗" if wrong and step == k else SIGNS[card.op] for step in range(steps))
    return Piece(name, tuple(at), tuple(looks), title=name, says=says)


def _halfway(start: Box, end: Box) -> Box:
    return ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, TOKEN, TOKEN)


def _said(found: Judged) -> tuple[str, ...]:
    said = ["Before the first step every NPU has its own data only."]
    for k, card in enumerate(found.cards, start=1):
        if k > len(found.held):
            said.append("The prover doesn’t get so far.")
        elif k == len(found.held):
            said.append(f"✗ Step {k}, card {card.letter}: the message in red breaks a rule.")
        else:
            said.append(f"Step {k}, card {card.letter}: {_what(card)}")
    if found.error and found.transfer is None:
        said[-1] = f"✗ Step {len(found.cards)}, card {found.cards[-1].letter}: what is red isn’t what was promised."
    return tuple(said)


def _what(card: Card) -> str:
    senders = {t.source for t in card.transfers}
    each = several(len(card.transfers) // len(senders), "shard")
    kept = "adds it to what it has" if card.op is Op.REDUCE else "keeps it"
    return f"{_who(sorted(senders))} sends {each}; who receives one {kept}."


def _who(senders: Sequence[int]) -> str:
    return "each NPU" if len(senders) == NPUS else f"each of NPUs {', '.join(map(str, senders))}"
