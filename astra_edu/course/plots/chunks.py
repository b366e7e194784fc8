"""Figure: one collective's chunks on their way through the dimensions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import cast

from astra_edu.base.errors import ConfigError, whole
from astra_edu.base.intervals import covered
from astra_edu.base.units import format_bytes
from astra_edu.course.plots.figure import Picture, TimeUnit, percent, text_table, time_unit
from astra_edu.course.plots.lanes import Block, Lanes, Window, lane_name, rows_of
from astra_edu.course.plots.looks import LOOKS, OTHER
from astra_edu.run.result import Result
from astra_edu.system.scheduler import Stay
from astra_edu.workload.npu import Task


def chunks(
    result: Result,
    layer: str | None = None,
    work: str | None = None,
    which: int = 0,
    start_ns: float | None = None,
    end_ns: float | None = None,
) -> Picture:
    """Draw the chunks of one collective as numbered blocks, a lane for each dimension.

    layer, work ("forward", "input gradient" or "weight gradient"): whose collective; the largest one of those that
    fit. which: the how-manieth of several of that size, from 0. start_ns, end_ns: the part to draw, by default from
    the call to the end. Chunks of other collectives are drawn grey and without a number.

    Raises ConfigError where there is no such collective, or nothing of it in the part.
    """
    stays = _choose(result, layer, work, which)
    task = cast(Task, stays[0].issued.what)
    begin, over = stays[0].issued.created_ns, max(stay.end_ns for stay in stays)
    window = Window.of(over, begin if start_ns is None else start_ns, end_ns)
    seen = [stay for stay in stays if stay.start_ns < window.end and stay.end_ns > window.start]
    if not seen:
        raise ConfigError(
            f"no chunk is on a dimension from {window.start:g} to {window.end:g} ns; this collective lasts from "
            f"{begin:g} to {over:g} ns."
        )
    unit = time_unit(window.end)
    picture = Lanes.of([lane_name(result, d) for d in range(len(result.logical))], window, unit)
    looks, written = set(), 0
    digits = len(str(max(stay.chunk for stay in stays)))
    for d in range(len(result.logical)):
        blocks = [_block(stay, stays[0], digits) for stay in result.stays if stay.phase.dimension == d]
        rows = rows_of(block for block in blocks if window.clip(block))
        picture.draw(d, rows)
        written += picture.write(d, rows, room=1.1)
        looks |= {block.look for row in rows for block in row}
    picture.legend(look for look in LOOKS if look in looks)
    count = len({stay.chunk for stay in stays})
    what = (
        f"{task.work.collective} of {format_bytes(task.work.size)} in {count} "
        f"{'chunk' if count == 1 else 'chunks'}, {task.kind} of layer {task.layer}"
    )
    hint = "" if written else " (too narrow for the chunks' numbers: draw a part)"
    picture.axes.set_title(what + hint, size=10, loc="left")
    return Picture(picture.figure, _alt(what, result, stays, window, unit), _table(seen, unit))


def _choose(result: Result, layer: str | None, work: str | None, which: int) -> Sequence[Stay]:
    """The stays of the collective that was asked for, in the order in which they ended."""
    by_collective: defaultdict[int, list[Stay]] = defaultdict(list)
    for stay in result.stays:
        by_collective[id(stay.issued)].append(stay)
    found = sorted(by_collective.values(), key=lambda stays: stays[0].issued.created_ns)
    tasks = [cast(Task, stays[0].issued.what) for stays in found]
    fitting = [
        (task.work.size, stays)
        for task, stays in zip(tasks, found, strict=True)
        if layer in (None, task.layer) and work in (None, task.kind)
    ]
    largest = [stays for size, stays in fitting if size == max(size for size, _ in fitting)]
    if not largest:
        names = dict.fromkeys(f"{task.kind} of {task.layer}" for task in tasks)
        raise ConfigError(
            f"this run has no collective with layer {layer!r} and work {work!r}; it has {', '.join(names) or 'none'}."
        )
    if whole("which", which, at_least=0) >= len(largest):
        raise ConfigError(f"which is {which}; the run has {len(largest)} such collectives, counted from 0.")
    return largest[which]


def _block(stay: Stay, chosen: Stay, digits: int) -> Block:
    if stay.issued is not chosen.issued:
        return Block(stay.start_ns, stay.end_ns, OTHER.name)
    name, number = stay.phase.collective.value, str(stay.chunk)
    return Block(
        stay.start_ns, stay.end_ns, name, (f"{LOOKS[name].short} {number}".ljust(digits + 3), number.rjust(digits))
    )


def _alt(what: str, result: Result, stays: Sequence[Stay], window: Window, unit: TimeUnit) -> str:
    begin, over = stays[0].issued.created_ns, max(stay.end_ns for stay in stays)
    words = [f"Chunks of the {what}: from {unit.named(begin)} to {unit.named(over)}, a lane for each dimension."]
    for d in range(len(result.logical)):
        mine = [stay for stay in stays if stay.phase.dimension == d]
        if not mine:
            words.append(f"Dimension {d} takes no part.")
            continue
        phases = dict.fromkeys(stay.phase.collective.value for stay in sorted(mine, key=lambda stay: stay.start_ns))
        busy = covered([(stay.start_ns, stay.end_ns) for stay in mine])
        words.append(
            f"Dimension {d} is busy with it for {unit.named(busy)} ({percent(busy / (over - begin))}): "
            f"{len(mine)} blocks of {' and '.join(phases)}."
        )
    if window != (begin, over):
        words.append(f"Drawn is the part from {unit.named(window.start)} to {unit.named(window.end)}.")
    return " ".join(words)


def _table(stays: Sequence[Stay], unit: TimeUnit) -> str:
    """A row for each chunk: its phases in their order, on which dimension, from when to when."""
    phases: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for stay in stays:
        short = LOOKS[stay.phase.collective.value].short
        times = f"{unit.text(stay.start_ns)} to {unit.text(stay.end_ns)}"
        phases[stay.chunk][stay.step] = f"{short} on {stay.phase.dimension}: {times}"
    steps = range(max(stay.step for stay in stays) + 1)
    rows: list[list[object]] = [[chunk, *(phases[chunk].get(step, "") for step in steps)] for chunk in sorted(phases)]
    return text_table(["chunk", *(f"phase {step + 1} ({unit.name})" for step in steps)], rows)
