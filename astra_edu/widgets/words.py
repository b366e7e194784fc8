"""The sentences that say what a step does, for the live text of the player and the picture's description."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from math import prod

from astra_edu.collectives.collective import REDUCING, npus_in
from astra_edu.collectives.schedule import Schedule, Step

SEND = "NPU {source} sends {chunks}{holding} to NPU {destination}"
NOTHING = "NPU {npu} sends nothing and receives nothing in this step"
HOLDS = "NPU {npu} holds of {chunk}: {holding}"


@dataclass(frozen=True)
class Token:
    """The chunks that go from one NPU to another in one step: they travel as one.

    held: for each chunk, what the receiver holds of it once it has arrived (a bit mask of contributors).
    carried: what the sender held of it.
    """

    source: int
    destination: int
    chunks: list[int] = field(default_factory=list)
    carried: list[int] = field(default_factory=list)
    held: list[int] = field(default_factory=list)


def short(mask: int, npus: int) -> str:
    """Contributors for a cell of the table: "0 2", "1–4", "Σ 5" when there are too many to list."""
    members = npus_in(mask)
    runs: list[list[int]] = []
    for npu in members:
        if runs and npu == runs[-1][-1] + 1:
            runs[-1].append(npu)
        else:
            runs.append([npu])
    parts = [f"{run[0]}–{run[-1]}" if len(run) > 2 else " ".join(map(str, run)) for run in runs]
    text = " ".join(parts)
    return text if len(text) <= (9 if npus <= 8 else 5) else f"Σ {len(members)}"


def spoken(mask: int, schedule: Schedule) -> str:
    """Contributors in a sentence: "the sum of NPUs 0, 1, 2"."""
    members = npus_in(mask)
    if not members:
        return "nothing"
    if len(members) == 1:
        return f"NPU {members[0]}'s data"
    if len(members) == schedule.npus:
        return "the full sum"
    return f"the sum of NPUs {', '.join(map(str, members))}"


def chunk_list(schedule: Schedule, chunks: list[int]) -> str:
    """Chunks in a sentence: "X0, X4", "8 chunks (X0, X1, X2, …)"."""
    names = [schedule.chunk_name(chunk) for chunk in chunks[:4]]
    if len(chunks) <= 4:
        return ", ".join(names)
    return f"{len(chunks)} chunks ({', '.join(names[:3])}, …)"


def step_text(schedule: Schedule, step: Step, tokens: list[Token]) -> str:
    """What a step does: who sends what to whom, then the first of its messages in full."""
    where = f" along dimension {step.dimension}" if len(schedule.dims) > 1 else ""
    start = f"Step {step.index + 1} of {schedule.step_count}, {step.phase}{where}"
    if not tokens:
        return f"{start}: nothing moves."
    first = tokens[0]
    masks = {*first.carried}
    holding = f", {spoken(masks.pop(), schedule)}," if schedule.collective in REDUCING and len(masks) == 1 else ""
    example = SEND.format(
        source=first.source,
        destination=first.destination,
        chunks=chunk_list(schedule, first.chunks),
        holding=holding,
    )
    more = f", and {len(tokens) - 1:,} more like it" if len(tokens) > 1 else ""
    return f"{start}: {_who(schedule, tokens)} {_whom(schedule, step, tokens)} — {example}{more}."


def _who(schedule: Schedule, tokens: list[Token]) -> str:
    senders = {t.source for t in tokens}
    sizes = {len(t.chunks) for t in tokens}
    size = sizes.pop() if len(sizes) == 1 else 0
    what = {0: "chunks", 1: "one chunk"}.get(size, f"{size} chunks")
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
    if distances == {1} and size > 2:
        return "to its right-hand neighbour" if len(ahead) == schedule.npus else "to the next NPU"
    if distances == {size - 1} and size > 2:
        return "to its left-hand neighbour"
    if all(found == {1, size - 1} for found in ahead.values()) and size > 3:
        return "to each of its two neighbours"
    if len(differing) == 1 and len(tokens) == len(ahead):
        return f"to its partner, {min(differing)} away" if size > 2 else "to its partner"
    if all(len(found) == size - 1 for found in ahead.values()):
        return "to each of the others"
    return f"to {len(receivers)} NPUs" if len(ahead) == 1 else "to another"
