"""A run as a file for Perfetto (ui.perfetto.dev) and chrome://tracing: Google's Trace Event Format.

The lanes of a result become threads of one process. A thread can't hold two spans at once, so where a dimension
carries several chunks at a time, it gets as many threads.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import inf, nextafter
from pathlib import Path
from typing import Any, Protocol

from astra_edu.base.errors import ConfigError
from astra_edu.base.intervals import gaps, in_rows
from astra_edu.base.units import format_bytes
from astra_edu.collectives import Collective

COMPUTE, EXPOSED = "compute", "exposed communication"

Span = tuple[str, str, str, Collective | None, int | None, str, int, float, float, float]
"""lane, layer, work, collective, chunk, phase, size (bytes), queued, start, end (ns): a result's Span unpacked."""


class Run(Protocol):
    """The part of a Result that is drawn. Times in ns."""

    @property
    def total_ns(self) -> float:
        """The end of the run."""

    @property
    def logical(self) -> Sequence[object]:
        """The dimensions."""

    @property
    def timeline(self) -> Sequence[Span]:
        """All spans of all lanes, in any order."""


def lanes(run: Run) -> dict[str, list[list[Span]]]:
    """{lane: its rows of spans in time order}; spans of one lane that overlap are on different rows.

    The lanes are compute, exposed communication (the time without compute), and the dimensions; each has a row.
    """
    found: dict[str, list[Span]] = {COMPUTE: [], EXPOSED: []}
    found |= {f"dimension {d}": [] for d in range(len(run.logical))}
    for span in run.timeline:
        found[span[0]].append(span)
    for start, end in gaps([_interval(span) for span in found[COMPUTE]], 0.0, run.total_ns):
        found[EXPOSED].append((EXPOSED, "", "", None, None, "exposed", 0, start, start, end))
    return {lane: in_rows(spans, _interval) or [[]] for lane, spans in found.items()}


def trace_events(run: Run) -> list[dict[str, Any]]:
    """The events of the trace: names of the process and its threads, then a complete event for each span.

    ts and dur in µs; what belongs to a span alone is in its args, with the unit in the name.
    """
    events = [meta("process_name", 1, 0, name="NPU 0 (all NPUs do the same)")]
    spans = []
    threads = [(lane, place, row) for lane, rows in lanes(run).items() for place, row in enumerate(rows, start=1)]
    for tid, (lane, place, row) in enumerate(threads, start=1):
        events.append(meta("thread_name", 1, tid, name=f"{lane}, place {place}" if place > 1 else lane))
        events.append(meta("thread_sort_index", 1, tid, sort_index=tid))
        spans += [_complete(span, tid) for span in row]
    return events + spans


def save_chrome_trace(run: Run, path: str | Path) -> Path:
    """Write a result as a trace and return the file's path. Raises ConfigError where it can't be written."""
    return save_events(trace_events(run), path)


def save_events(made: Sequence[dict[str, Any]], path: str | Path) -> Path:
    """Write events as a trace and return the file's path. Raises ConfigError where it can't be written."""
    target = Path(path)
    events = ",\n".join(json.dumps(event, ensure_ascii=False) for event in made)
    try:
        target.write_text(f'{{"displayTimeUnit": "ns", "traceEvents": [\n{events}\n]}}\n', encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{target} can't be written: {error.strerror}.") from error
    return target


def _interval(span: Span) -> tuple[float, float]:
    return span[-2:]


def _complete(span: Span, tid: int) -> dict[str, Any]:
    lane, layer, work, collective, chunk, phase, size, queued, start, end = span
    facts: dict[str, Any] = {"layer": layer, "work": work}
    name, category = f"{layer} {work}", "compute"
    if lane == EXPOSED:
        facts, name, category = {}, EXPOSED, "exposed"
    elif collective is not None:
        name, category = f"{layer} {phase}", "communication"
        facts |= {"collective": collective.value, "chunk": chunk, "phase": phase}
        facts |= {"size": format_bytes(size), "size_bytes": size, "waited_ns": start - queued}
    return event(name, category, 1, tid, start, end, facts)


def event(
    name: str, category: str, process: int, thread: int, start_ns: float, end_ns: float, facts: dict[str, Any]
) -> dict[str, Any]:
    """A complete event: something that lasts from start_ns to end_ns in a thread of a process."""
    first, last = round(start_ns), round(end_ns)
    times = {"ts": _microseconds(first), "dur": _microseconds(last - first)}
    facts = facts | {"start_ns": start_ns, "end_ns": end_ns}
    return {"name": name, "cat": category, "ph": "X", "pid": process, "tid": thread} | times | {"args": facts}


def _microseconds(ns: int) -> float:
    """Whole ns in µs. Perfetto multiplies by 1000 and cuts off, so a float just below would lose a ns."""
    us = ns / 1000
    return us if int(us * 1000) == ns else nextafter(us, inf)


def meta(what: str, process: int, thread: int, **args: object) -> dict[str, Any]:
    """A name, or a place in the order, of a process or one of its threads."""
    return {"name": what, "ph": "M", "pid": process, "tid": thread, "args": args}
