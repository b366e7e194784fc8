"""What happens in a beat of an endpoint, in words."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.units import several
from astra_edu.collectives import Op
from astra_edu.course.instruments.feed_beats import Beat, Film, Message


def said(found: Film, beat: Beat) -> str:
    """A beat as a few short sentences."""
    if beat.part == "start":
        return (
            "NPU 0’s data lie in HBM, its large memory: left as NPUs are today, right with ACE. In ACE a DMA engine "
            "moves shards, an ALU adds them, and state machines (FSM) know the step."
        )
    number = f"Step {beat.step + 1} of {len(found.going)}"
    if beat.part == "read":
        return f"{number}, to send. Baseline: {_fetched(beat)}. ACE: {_loaded(beat)}."
    if beat.part == "send":
        going, coming = found.going[beat.step], found.coming[beat.step]
        moved = f"{_moved(going, 'goes to', 'go out')}; {_moved(coming, 'comes from', 'come in')}"
        return f"{number}: {moved}. Baseline: {_written(beat)}. ACE: {_taken(beat, coming)}."
    if beat.part == "add":
        return f"{number}, the sum that stays. Baseline: {_fetched(beat)}. ACE: has it already."
    return f"{number}, the sum that stays. Baseline: writes {shards(beat.of(False, 'sum'))} to HBM. ACE: nothing to do."


def shards(which: Sequence[int]) -> str:
    """Shards by number, or how many."""
    if len(which) == 1:
        return f"shard {which[0]}"
    return f"{len(which)} shards" if len(which) > 2 else f"shards {' and '.join(map(str, which))}"


def _fetched(beat: Beat) -> str:
    own, received = beat.of(False, "own"), beat.of(False, "received")
    if not own:
        return "nothing to read"
    if not received:
        return f"cores read {shards(own)} from HBM: {several(len(own), 'read')}"
    reads = several(len(own) + len(received), "read")
    return (
        f"cores read {shards(own)}, and what was received to be added to {'it' if len(own) == 1 else 'them'}: {reads}"
    )


def _loaded(beat: Beat) -> str:
    if loaded := beat.of(True, "load"):
        return f"loads {shards(loaded)} into its SRAM: {several(len(loaded), 'read')}"
    return "no read, what it sends is in its SRAM"


def _moved(messages: Sequence[Message], one: str, many: str) -> str:
    which = shards([message.shard for message in messages])
    return f"{which} {one} NPU {messages[0].other}" if len(messages) == 1 else f"{which} {many}"


def _written(beat: Beat) -> str:
    arrived, sums = beat.of(False, "arrival"), beat.of(False, "sum")
    parts = [f"writes {shards(arrived)} to HBM as {'it' if len(arrived) == 1 else 'they'} came"] if arrived else []
    parts += [f"writes the sum of {shards(sums)}, which it keeps"] if sums else []
    return " and ".join(parts)


def _taken(beat: Beat, coming: Sequence[Message]) -> str:
    does = "adds" if coming[0].op is Op.REDUCE else "keeps"
    parts = [f"{does} {shards([message.shard for message in coming])} in its SRAM"]
    if stored := beat.of(True, "store"):
        parts.append(f"stores {shards(stored)} in HBM")
    return " and ".join(parts)
