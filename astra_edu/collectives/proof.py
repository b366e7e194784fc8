"""Symbolic proof: replay a schedule on sets of contributors and compare with what the collective promises."""

from __future__ import annotations

from collections.abc import Iterator

from astra_edu.base.errors import ConfigError, instance_of
from astra_edu.base.progress import Bar
from astra_edu.collectives.collective import held_after, held_before, npus_in
from astra_edu.collectives.schedule import A_SCHEDULE, Op, Schedule, Step, Transfer

Held = list[list[int]]
"""held[npu][shard]: bit mask of the NPUs whose data are in that NPU's copy of the shard; 0 for no copy."""

MOST_HELD = 2**21
"""NPUs times shards: some seconds, and some hundred MiB."""


class ProofError(ValueError):
    """A schedule that doesn't do what its collective promises; says in which step, NPU and shard.

    >>> from dataclasses import replace
    >>> ring = ae.schedule("all-gather", "ring", 3)
    >>> last_step_missing = replace(ring, groups=(replace(ring.groups[0], count=1),))
    >>> try:
    ...     ae.prove(last_step_missing)
    ... except ae.ProofError as error:
    ...     print(str(error).partition(";")[0])
    After step 1, NPU 0's shard X1 (shard 1) must hold the data of NPU 1 but lacks the data of NPU 1

    step, transfer: which of them can't be carried out, where it is one.
    """

    def __init__(self, sentence: str, step: Step | None = None, transfer: Transfer | None = None) -> None:
        """What is wrong, in a sentence."""
        super().__init__(sentence)
        self.step = step
        self.transfer = transfer


def initial(schedule: Schedule) -> Held:
    """What every NPU holds before the first step. Raises ConfigError for more than fits into memory."""
    if schedule.npus * schedule.shards > MOST_HELD:
        raise ConfigError(
            f"{schedule.npus:,} NPUs with {schedule.shards:,} shards each are more than can be followed one by one; "
            f"NPUs times shards can be {MOST_HELD:,}. Take fewer NPUs."
        )
    blocks = schedule.blocks
    return [
        [
            held_before(schedule.collective, schedule.npus, npu, shard % blocks, schedule.root)
            for shard in range(schedule.shards)
        ]
        for npu in range(schedule.npus)
    ]


def replay(schedule: Schedule) -> Iterator[tuple[Step, Held]]:
    """Yield each step with what every NPU holds after it (one list, updated in place).

    Raises ProofError where a step can't be carried out: a shard sent by an NPU that hasn't got it, an NPU or
    shard that doesn't exist, or a contribution added a second time.
    """
    held = initial(schedule)
    npus, shards = range(schedule.npus), range(schedule.shards)
    for step in schedule.steps():
        arriving = []
        for transfer in step.transfers:
            source, destination, shard = transfer
            possible = source in npus and destination in npus and shard in shards and source != destination
            if not possible or not held[source][shard]:
                raise ProofError(_impossible(schedule, step, transfer), step, transfer)
            arriving.append((destination, shard, held[source][shard], transfer))
        for destination, shard, carried, transfer in arriving:
            row = held[destination]
            if step.op is Op.COPY:
                row[shard] = carried
            elif twice := row[shard] & carried:
                raise ProofError(
                    f"{_where(schedule, step, transfer)}, which would add {_npus(twice)} a second time: "
                    f"NPU {destination} already holds {_npus(row[shard])} of that shard.",
                    step,
                    transfer,
                )
            else:
                row[shard] |= carried
        yield step, held


def prove(schedule: Schedule) -> None:
    """Return silently if the schedule keeps its collective's promise; raise ProofError where it doesn't.

    >>> ae.prove(ae.schedule("all-reduce", "halving-doubling", 8))
    >>> ae.prove(ae.hierarchical("all-to-all", "direct", [4]))
    """
    instance_of("schedule", schedule, Schedule, A_SCHEDULE)
    held = initial(schedule)
    with Bar("proving", " steps", schedule.step_count) as bar:
        for step, held in replay(schedule):  # noqa: B007 - the last state is what counts
            bar.show(step.index + 1)
    prove_end(schedule, held)


def prove_end(schedule: Schedule, held: Held) -> None:
    """Raise ProofError if `held`, what every NPU holds after the last step, is not what was promised."""
    for npu in range(schedule.npus):
        for shard in range(schedule.shards):
            wanted = held_after(schedule.collective, schedule.npus, npu, shard % schedule.blocks, schedule.root)
            if wanted is not None and held[npu][shard] != wanted:
                raise ProofError(_unkept(schedule, npu, shard, held[npu][shard], wanted))


def _impossible(schedule: Schedule, step: Step, transfer: Transfer) -> str:
    source, destination, shard = transfer
    for name, value, limit in (
        ("NPU", source, schedule.npus),
        ("NPU", destination, schedule.npus),
        ("shard", shard, schedule.shards),
    ):
        if value not in range(limit):
            return f"Step {step.index + 1}: there is no {name} {value}; {name}s are 0 to {limit - 1}."
    if source == destination:
        return f"{_where(schedule, step, transfer)}: an NPU doesn't send to itself."
    return f"{_where(schedule, step, transfer)}, but NPU {source} has no copy of it then."


def _unkept(schedule: Schedule, npu: int, shard: int, got: int, wanted: int) -> str:
    last = "no step ever brought it there"
    for step in schedule.steps():
        if any(t.destination == npu and t.shard == shard for t in step.transfers):
            last = f"the last step that changed it was step {step.index + 1}"
    missing, extra = wanted & ~got, got & ~wanted
    problem = " and ".join(
        text for text in (missing and f"lacks {_npus(missing)}", extra and f"wrongly has {_npus(extra)}") if text
    )
    return (
        f"After step {schedule.step_count}, NPU {npu}'s shard {schedule.shard_name(shard)} (shard {shard}) must hold "
        f"{_npus(wanted)} but {problem}; {last}."
    )


def _where(schedule: Schedule, step: Step, transfer: Transfer) -> str:
    name = schedule.shard_name(transfer.shard)
    return (
        f"Step {step.index + 1}: NPU {transfer.source} sends shard {name} (shard {transfer.shard}) "
        f"to NPU {transfer.destination}"
    )


def _npus(mask: int) -> str:
    npus = npus_in(mask)
    if not npus:
        return "nothing"
    shown = ", ".join(map(str, npus[:8])) + (f", … ({len(npus)} in all)" if len(npus) > 8 else "")
    return f"the data of NPU{'s' if len(npus) > 1 else ''} {shown}"
