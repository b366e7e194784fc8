"""A run of an execution trace for Perfetto and chrome://tracing: a process for each NPU, and one for the links."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from astra_edu.chrome_trace import event, meta, save_events
from astra_edu.execution import TraceResult
from astra_edu.execution.npu import Unit
from astra_edu.intervals import in_rows
from astra_edu.units import format_bytes

_THREADS = {Unit.COMPUTE: "compute", Unit.CPU: "CPU", Unit.COMMUNICATION: "communication", Unit.RECEIVE: "receives"}
_FIRST_CHUNKS = 100
"""Threads of chunks come after those of nodes."""


def save_chrome_trace_2(result: TraceResult, path: str | Path) -> Path:
    """Write a result as a trace and return the file's path. Raises ConfigError where it can't be written."""
    return save_events(list(events_of(result)), path)


def events_of(result: TraceResult) -> Iterator[dict[str, Any]]:
    """The events: every node on the NPU that ran it; chunks in phases and messages on links, where recorded.

    Receives may overlap and get as many threads as they need. ts and dur in µs.
    """
    npus = sorted({ran.npu for ran in result.ran})
    for npu in npus:
        yield meta("process_name", npu, 0, name="NPU 0 (all NPUs do the same)" if result.one_for_all else f"NPU {npu}")
        for unit, name in _THREADS.items():
            rans = [ran for ran in result.ran if ran.npu == npu and ran.unit is unit]
            for row, own in enumerate(in_rows(rans, lambda ran: (ran.start_ns, ran.end_ns))):
                thread = 10 * unit + row + 1
                yield meta("thread_name", npu, thread, name=f"{name}, place {row + 1}" if row else name)
                for ran in own:
                    facts = {"node": ran.node.id, "type": ran.node.type.name}
                    yield event(ran.node.name, name, npu, thread, ran.start_ns, ran.end_ns, facts)
    yield from _chunks(result)
    yield from _links(result)


def _chunks(result: TraceResult) -> Iterator[dict[str, Any]]:
    for npu, d in sorted({(stay.npu, stay.phase.dimension) for stay in result.stays}):
        stays = [stay for stay in result.stays if (stay.npu, stay.phase.dimension) == (npu, d)]
        for row, own in enumerate(in_rows(stays, lambda stay: (stay.start_ns, stay.end_ns))):
            thread = _FIRST_CHUNKS * (d + 1) + row
            yield meta("thread_name", npu, thread, name=f"dimension {d}" + (f", place {row + 1}" if row else ""))
            for stay in own:
                facts = {"chunk": stay.chunk, "size": format_bytes(stay.phase.size), "size_bytes": stay.phase.size}
                facts["waited_ns"] = stay.start_ns - stay.queued_ns
                name = f"chunk {stay.chunk}: {stay.phase.collective.value}"
                yield event(name, "phase", npu, thread, stay.start_ns, stay.end_ns, facts)


def _links(result: TraceResult) -> Iterator[dict[str, Any]]:
    links = list(dict.fromkeys(use.link for use in result.uses))
    process = result.trace.npus
    if links:
        yield meta("process_name", process, 0, name="links")
    for thread, link in enumerate(links, start=1):
        yield meta("thread_name", process, thread, name=f"{link[0]} to {link[1]}")
        for use in result.uses:
            if use.link == link:
                facts = {"size_bytes": use.size, "waited_ns": use.start_ns - use.queued_ns, "there_ns": use.end_ns}
                yield event(format_bytes(use.size), "message", process, thread, use.start_ns, use.free_ns, facts)
