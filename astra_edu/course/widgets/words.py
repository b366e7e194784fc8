"""The sentences that say what a step does, for the live text of the player and the picture's description."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sized
from dataclasses import dataclass, field
from math import inf, prod
from typing import Any

from astra_edu.collectives import counts
from astra_edu.collectives.collective import REDUCING, npus_in
from astra_edu.collectives.schedule import Schedule, Step

SEND = "NPU {source} sends {shards}{holding} to NPU {destination}"
NOTHING = "NPU {npu} sends nothing and receives nothing in this step"
OWN = "its own data"
SENTENCES = {
    "send": SEND,
    "up": "NPU {source} sends {shards}{holding} up to the switch",
    "down": "the switch sends {shards}{holding} down to NPU {destination}",
    "nothing": NOTHING,
    "own": OWN,
    "holds": "NPU {npu} holds of {shard}: {holding}",
    "whose": "{source}→{destination}: NPU {source}’s data for NPU {destination}",
    "keeps": "NPU {npu} keeps {shard}, its own data for itself",
    "got": "NPU {npu} has got {shard}, NPU {peer}’s data for it",
    "waits": "NPU {npu} waits for {shard}, NPU {peer}’s data for it; {leaving} is its own data for NPU {peer}",
}
"""What the player says; all-to-all's table speaks of whose data they are and for whom."""


@dataclass
class Token:
    """The shards that go from one NPU to another in one step: they travel as one.

    held: for each shard, what the receiver holds of it once it has arrived (a bit mask of contributors).
    carried: what the sender held of it. start, end: when it is under way, in ns, where that is known.
    """

    source: int
    destination: int
    shards: list[int] = field(default_factory=list)
    carried: list[int] = field(default_factory=list)
    held: list[int] = field(default_factory=list)
    start: float = inf
    end: float = 0.0


class Sets:
    """Numbers the sets of contributors as they come up; number 0 is the empty set."""

    def __init__(self, schedule: Schedule) -> None:
        """Start with the empty set."""
        self.npus = schedule.npus
        self.masks = {0: 0}

    def number(self, mask: int) -> int:
        """The number of the set with this bit mask."""
        return self.masks.setdefault(mask, len(self.masks))

    def described(self) -> list[tuple[str, str, int]]:
        """By number: text for a cell, text for a sentence, how many members."""
        return [(short(m, self.npus), spoken(m, self.npus), m.bit_count()) for m in self.masks]


def short(mask: int, npus: int) -> str:
    """Contributors for a cell of the table: "0 2", "1–4", "Σ 5" when there are too many to list."""
    text = " ".join(_runs(mask))
    width = len(text) - text.count(" ") / 2 - text.count("–") / 5  # in digits
    return text if width <= (9 if npus <= 8 else 4.8) else f"Σ {mask.bit_count()}"


def spoken(mask: int, npus: int) -> str:
    """Contributors in a sentence: "the sum of NPUs 0, 2, 4–6"."""
    runs = _runs(mask)
    if not mask:
        return "nothing"
    if mask.bit_count() == 1:
        return f"NPU {runs[0]}'s data"
    if mask.bit_count() == npus:
        return "the full sum"
    return f"the sum of {mask.bit_count()} NPUs" if len(runs) > 8 else f"the sum of NPUs {', '.join(runs)}"


def _runs(mask: int) -> list[str]:
    """The members of a set, three or more in a row as "4–6"."""
    runs: list[list[int]] = []
    for npu in npus_in(mask):
        if runs and npu == runs[-1][-1] + 1:
            runs[-1].append(npu)
        else:
            runs.append([npu])
    return [text for run in runs for text in ([f"{run[0]}–{run[-1]}"] if len(run) > 2 else map(str, run))]


def shard_list(schedule: Schedule, shards: list[int]) -> str:
    """Shards in a sentence: "X0, X4", "8 shards (X0, X1, X2, …)"."""
    names = [schedule.shard_name(shard) for shard in shards[:4]]
    if len(shards) <= 4:
        return ", ".join(names)
    return f"{len(shards)} shards ({', '.join(names[:3])}, …)"


def wrong_text(schedule: Schedule, step: Step, place: int | None) -> str:
    """What is said of a step that can't be carried out. place: of its token that is marked, if it can be drawn."""
    what = "the message marked ✗" if place is not None else "one of its messages"
    return f"{start(schedule, step)}: {what} can't be sent, so the step isn't carried out."


def step_text(schedule: Schedule, step: Step, tokens: list[Token]) -> str:
    """What a step does: who sends what to whom, then the first of its messages in full."""
    begins = start(schedule, step)
    if not tokens:
        return f"{begins}: nothing moves."
    first = tokens[0]
    holding = ""
    if schedule.collective in REDUCING and len({*first.carried}) == 1:
        mask = first.carried[0]
        holding = f", {OWN if mask.bit_count() == 1 else spoken(mask, schedule.npus)},"
    example = SEND.format(
        source=first.source,
        destination=first.destination,
        shards=shard_list(schedule, first.shards),
        holding=holding,
    )
    more = f", and {len(tokens) - 1:,} more like it" if len(tokens) > 1 else ""
    return f"{begins}: {_who(schedule, tokens)} {_whom(schedule, step, tokens)} — {example}{more}."


def start(schedule: Schedule, step: Step) -> str:
    """How a sentence on a step begins."""
    where = f" along dimension {step.dimension}" if len(schedule.dims) > 1 else ""
    return f"Step {step.index + 1} of {schedule.step_count}, {step.phase}{where}"


def how_many(shards: Sized) -> str:
    """Such as "one shard"."""
    return "one shard" if len(shards) == 1 else f"{len(shards)} shards"


def _who(schedule: Schedule, tokens: list[Token]) -> str:
    senders = {t.source for t in tokens}
    sizes = {len(t.shards) for t in tokens}
    what = how_many(range(sizes.pop())) if len(sizes) == 1 else "shards"
    if len(senders) == schedule.npus:
        return f"every NPU sends {what}"
    return f"{len(senders)} NPUs send {what}" if len(senders) > 1 else f"NPU {min(senders)} sends {what}"


def _whom(schedule: Schedule, step: Step, tokens: list[Token]) -> str:
    d = step.dimension
    size, stride = schedule.dims[d], prod(schedule.dims[:d])
    ahead, differing = defaultdict(set), set()
    for t in tokens:
        i, j = t.source // stride % size, t.destination // stride % size
        ahead[t.source].add((j - i) % size)
        differing.add(i ^ j)
    receivers = {t.destination for t in tokens}
    distances = set.union(*ahead.values())
    if len(receivers) == 1:
        return f"to NPU {min(receivers)}"
    its = "its" if len(ahead) in (1, schedule.npus) else "their"
    if distances == {1} and size > 2:
        return "to the next NPU"
    if distances == {size - 1} and size > 2:
        return "to the NPU before"
    if all(found == {1, size - 1} for found in ahead.values()) and size > 3:
        return f"to each of {its} two neighbours"
    if len(differing) == 1 and len(tokens) == len(ahead):
        return f"to {its} partner" + (f", {min(differing)} away" if size > 2 else "")
    if all(len(found) == size - 1 for found in ahead.values()):
        return "to each of the others"
    return f"to {len(receivers)} NPUs" if len(ahead) == 1 else "on"


def counts_table(schedule: Schedule) -> dict[str, Any]:
    """A table of rounds, for when there are too many NPUs to draw; without numbers if even those take too long."""
    note = f"{schedule.npus:,} NPUs, {schedule.step_count:,} steps: too much to draw, showing counts"
    work = sum((1 if g.symmetric else schedule.npus) * (1 if g.uniform else g.count) for g in schedule.groups)
    if work <= 2_000_000:
        rounds = counts(schedule, schedule.shards_per_buffer).rounds
        rows = [[r.phase, f"{r.steps:,}", f"{r.sent:,.0f}", f"{r.received:,.0f}", f"{r.fan_in:,}"] for r in rounds]
    else:
        rows = [[g.phase, f"{g.count:,}", "—", "—", "—"] for g in schedule.groups]
    shown = 40
    if len(rows) > shown:
        rows = [*rows[:shown], [f"… {len(rows) - shown:,} more rounds", "", "", "", ""]]
    head = ["phase", "steps", "shards sent", "shards received", "messages in at once"]
    return {"note": note, "head": head, "rows": rows}
