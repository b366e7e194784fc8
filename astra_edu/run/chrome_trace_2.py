"""A run of an execution trace for Perfetto and chrome://tracing: a process for each NPU, and one for the links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from astra_edu.base.intervals import in_rows
from astra_edu.base.units import format_bytes
from astra_edu.run.chrome_trace import event, meta, save_events
from astra_edu.traces.npu import Unit

if TYPE_CHECKING:
    from astra_edu.run.trace_result import TraceResult

T = TypeVar("T")
K = TypeVar("K")

_LANES = {Unit.COMPUTE: "compute", Unit.CPU: "CPU", Unit.COMMUNICATION: "communication", Unit.RECEIVE: "receives"}


def save_chrome_trace_2(result: TraceResult, path: str | Path) -> Path:
    """Write a result as a trace and return the file's path. Raises ConfigError where it can't be written."""
    return save_events(list(events_of(result)), path)


def events_of(result: TraceResult) -> Iterator[dict[str, Any]]:
    """The events: every node on the NPU that ran it; chunks in phases and messages on links, where recorded.

    What overlaps in one lane (receives, chunks of a dimension) gets as many threads as it needs. ts and dur in µs.
    """
    nodes = _grouped(result.ran, lambda ran: (ran.npu, ran.unit))
    chunks = _grouped(result.stays, lambda stay: (stay.npu, stay.phase.dimension))
    threads = count(1)
    for npu in sorted({npu for npu, _ in nodes}):
        yield meta("process_name", npu, 0, name="NPU 0 (all NPUs do the same)" if result.one_for_all else f"NPU {npu}")
    for (npu, unit), rans in nodes.items():
        ran_rows = in_rows(rans, lambda ran: (ran.start_ns, ran.end_ns))
        for name, thread, ran_row in _rows(_LANES[unit], npu, ran_rows, threads):
            yield name
            for ran in ran_row:
                facts = {"node": ran.node.id, "type": ran.node.type.name}
                yield event(ran.node.name, _LANES[unit], npu, thread, ran.start_ns, ran.end_ns, facts)
    for (npu, d), stays in chunks.items():
        stay_rows = in_rows(stays, lambda stay: (stay.start_ns, stay.end_ns))
        for name, thread, stay_row in _rows(f"dimension {d}", npu, stay_rows, threads):
            yield name
            for stay in stay_row:
                size = stay.phase.size
                facts = {"chunk": stay.chunk, "size": format_bytes(size), "size_bytes": size}
                facts["waited_ns"] = stay.start_ns - stay.queued_ns
                what = f"chunk {stay.chunk}: {stay.phase.collective.value}"
                yield event(what, "phase", npu, thread, stay.start_ns, stay.end_ns, facts)
    yield from _links(result, threads)


def _links(result: TraceResult, threads: Iterator[int]) -> Iterator[dict[str, Any]]:
    process = result.trace.npus
    if result.uses:
        yield meta("process_name", process, 0, name="links")
    for link, uses in _grouped(result.uses, lambda use: use.link).items():
        thread = next(threads)
        yield meta("thread_name", process, thread, name=f"{link[0]} to {link[1]}")
        for use in uses:
            facts = {"size_bytes": use.size, "waited_ns": use.start_ns - use.queued_ns, "there_ns": use.end_ns}
            yield event(format_bytes(use.size), "message", process, thread, use.start_ns, use.free_ns, facts)


def _grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    found: defaultdict[K, list[T]] = defaultdict(list)
    for item in items:
        found[key(item)].append(item)
    return found


def _rows(
    lane: str, npu: int, rows: Sequence[Sequence[T]], threads: Iterator[int]
) -> Iterator[tuple[dict[str, Any], int, Sequence[T]]]:
    """(the event that names it, its thread, what is in it) of each row of a lane."""
    for row, own in enumerate(rows):
        thread = next(threads)
        yield meta("thread_name", npu, thread, name=f"{lane}, place {row + 1}" if row else lane), thread, own
