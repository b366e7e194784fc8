"""The lanes of a training iteration: what the NPU computes, when it waits, and the chunks on every dimension."""

from __future__ import annotations

from astra_edu.base.intervals import in_rows
from astra_edu.base.units import format_bytes, format_ns, several
from astra_edu.course.instruments.charts import Block, Lanes
from astra_edu.course.instruments.training_bars import EXPOSED, LAYERS
from astra_edu.course.instruments.training_waits import LOOP_NS, TrainingRun, Wait, task_of
from astra_edu.system.queues import Stay

COMPUTE, WAITS = "compute", "exposed"
MOST_BLOCKS = 160
"""Chunks of one collective that follow each other in one phase are one block where there are more."""


def training_lanes(run: TrainingRun) -> Lanes:
    """Compute, waiting, and the dimensions, over µs, or ms where it is long."""
    groups = _groups(run)
    of_stay = {number: _name(group) for _, group in groups for number in group}
    waits = [_wait(run, k, wait, of_stay) for k, wait in enumerate(run.waits)]
    computed = [_compute(run, k, waits) for k in range(len(run.result.computed))]
    chunks = [_chunks(run, lane, group, of_stay) for lane, group in groups]
    lanes = (COMPUTE, WAITS, *dict.fromkeys(sorted(lane for lane, _ in groups)))
    return Lanes(
        "What the NPU does, and below it what it waits for",
        run.unit[0],
        lanes,
        (*computed, *waits, *chunks),
        run.result.total_ns / run.unit[1],
    )


def _groups(run: TrainingRun) -> list[tuple[str, list[int]]]:
    """(lane, numbers of the stays in a block): each stay by itself, or with those it follows in its collective."""
    stays = run.result.stays
    together = len(stays) > MOST_BLOCKS
    found: list[tuple[str, list[int]]] = []
    for d in range(len(run.result.logical)):
        mine = [k for k, stay in enumerate(stays) if stay.phase.dimension == d]
        for row, numbers in enumerate(in_rows(mine, lambda k: (stays[k].start_ns, stays[k].end_ns))):
            lane = f"dimension {d}" + (f", place {row + 1}" if row else "")
            for k in numbers:
                before = found[-1] if found and found[-1][0] == lane else None
                if together and before and _follows(stays[before[1][-1]], stays[k]):
                    before[1].append(k)
                else:
                    found.append((lane, [k]))
    return found


def _follows(one: Stay, other: Stay) -> bool:
    """Whether other is of the same collective and phase as one, and comes right after it."""
    same = one.issued is other.issued and one.step == other.step
    return same and one.end_ns == other.start_ns


def _name(group: list[int]) -> str:
    return f"stay {group[0]}"


def _compute(run: TrainingRun, k: int, waits: list[Block]) -> Block:
    task, start, end = run.result.computed[k]
    per = run.unit[1]
    before = tuple(
        block.name for block, wait in zip(waits, run.waits, strict=True) if 0 <= start - wait.end_ns <= LOOP_NS
    )
    title = f"the NPU computes {LAYERS[task.kind]} of {task.layer}, {format_ns(end - start)}"
    return Block(f"compute {k}", COMPUTE, start / per, end / per, task.kind, task.layer, title, before)


def _wait(run: TrainingRun, k: int, wait: Wait, of_stay: dict[int, str]) -> Block:
    because = tuple(dict.fromkeys(of_stay[number] for number in wait.meanwhile))
    title = f"{waited_for(wait)}, {format_ns(round(wait.end_ns - wait.start_ns))}; marked: what went on until they came"
    return Block(
        f"wait {k}", WAITS, wait.start_ns / run.unit[1], wait.end_ns / run.unit[1], EXPOSED, "waits", title, because
    )


def waited_for(wait: Wait) -> str:
    """In words."""
    if wait.task is None:
        return "the NPU waits until all collectives are done"
    return f"the NPU waits for {LAYERS[wait.task.kind]} of {wait.task.layer}"


def _chunks(run: TrainingRun, lane: str, group: list[int], of_stay: dict[int, str]) -> Block:
    first, last = run.result.stays[group[0]], run.result.stays[group[-1]]
    task, phase = task_of(first), first.phase
    which = f"chunk {first.chunk}" if len(group) == 1 else several(len(group), "chunk")
    queued = first.start_ns - first.queued_ns
    title = (
        f"{which} of {task.layer}’s {LAYERS[task.kind].removeprefix('the ')}, {phase.collective} of "
        f"{format_bytes(phase.chunk_bytes)}{' each' if len(group) > 1 else ''}, "
        + (f"after {format_ns(round(queued))} in the queue" if queued else "without waiting")
    )
    because = _because(run, group[0], of_stay)
    start, end = first.start_ns / run.unit[1], last.end_ns / run.unit[1]
    return Block(_name(group), lane, start, end, str(phase.collective), task.layer, title, because)


def _because(run: TrainingRun, k: int, of_stay: dict[int, str]) -> tuple[str, ...]:
    """What a chunk waited for last: who held its place, its phase before, or the compute that it comes from."""
    stay = run.result.stays[k]
    if stay.after >= 0:
        return (of_stay[stay.after],)
    made = [j for j, (_, _, end) in enumerate(run.result.computed) if end == stay.issued.created_ns]
    return tuple(f"compute {j}" for j in made)
