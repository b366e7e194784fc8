"""A run as a file for Perfetto (ui.perfetto.dev) and chrome://tracing: Google's Trace Event Format.

Every NPU becomes a process and every lane of it a thread; the links are a process of their own. A thread can't hold
two spans at once, so where a dimension carries several chunks at a time, it gets as many threads.
"""

from __future__ import annotations

import json
from itertools import count
from math import inf, nextafter
from pathlib import Path
from typing import Any

from astra_edu.base.errors import instance_of
from astra_edu.base.files import write_text
from astra_edu.base.run import Run
from astra_edu.base.span import Span
from astra_edu.base.units import format_bytes
from astra_edu.run.lanes import lanes

Event = dict[str, Any]


def trace_events(run: Run) -> list[Event]:
    """The events of the trace: names of the processes and their threads, then a complete event for each span.

    ts and dur in µs; what belongs to a span alone is in its args, with the unit in the name.
    """
    events, spans, threads = [], [], count(1)
    shown, made = lanes(run), dict(run.npu_names)
    process_of: dict[int | None, int] = {npu: place for place, npu in enumerate(made, start=1)}  # 0 is the idle process
    process_of[None] = len(made) + 1
    names = [*made.values(), *["links" for _ in [None] if any(lane.npu is None for lane in shown)]]
    for process, name in enumerate(names, start=1):
        events.append(_meta("process_name", process, 0, name=name))
        events.append(_meta("process_sort_index", process, 0, sort_index=process))
    for lane in shown:
        for place, row in enumerate(lane.rows, start=1):
            process, thread = process_of[lane.npu], next(threads)
            name = f"{lane.name}, place {place}" if place > 1 else lane.name
            events.append(_meta("thread_name", process, thread, name=name))
            events.append(_meta("thread_sort_index", process, thread, sort_index=thread))
            spans += [_complete(span, process, thread) for span in row]
    return events + spans


def save_chrome_trace(run: Run, path: str | Path) -> Path:
    """Write a run as a trace and return the file's path. Raises ConfigError where it can't be written.

    >>> result = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    >>> result.save_chrome_trace("run.json").name
    'run.json'
    """
    instance_of("run", run, Run, "give what ae.simulate or ae.run_pipeline returns")
    events = ",\n".join(json.dumps(event, ensure_ascii=False) for event in trace_events(run))
    return write_text(path, f'{{"displayTimeUnit": "ns", "traceEvents": [\n{events}\n]}}\n')


def _complete(span: Span, process: int, thread: int) -> Event:
    """A complete event: something that lasts from one moment to another in a thread of a process."""
    first, last = round(span.start_ns), round(span.end_ns)
    name, category = _name(span)
    times = {"ts": _microseconds(first), "dur": _microseconds(last - first)}
    facts = _facts(span) | {"start_ns": span.start_ns, "end_ns": span.end_ns}
    return {"name": name, "cat": category, "ph": "X", "pid": process, "tid": thread} | times | {"args": facts}


def _name(span: Span) -> tuple[str, str]:
    """What is written on the span, and the category that one can search for."""
    if span.npu is None:
        return format_bytes(span.size), "message"
    if not span.layer:
        return span.kind, "idle"
    if span.chunk is not None:
        return f"{span.layer} {span.phase}", "communication"
    return (span.layer if span.collective or span.kind == span.lane else f"{span.layer} {span.work}"), span.lane


def _facts(span: Span) -> dict[str, Any]:
    facts: dict[str, Any] = {"layer": span.layer, "work": span.work} if span.layer else {}
    if span.node is not None:
        facts |= {"node": span.node}
    if span.collective is not None:
        facts |= {"collective": str(span.collective)}
    if span.chunk is not None:
        facts |= {"chunk": span.chunk, "phase": span.phase}
    if span.size:
        facts |= {"size": format_bytes(span.size), "size_bytes": span.size}
    if span.chunk is not None or span.npu is None:
        facts |= {"waited_ns": span.start_ns - span.queued_ns}
    return facts


def _microseconds(ns: int) -> float:
    """Whole ns in µs. Perfetto multiplies by 1000 and cuts off, so a float just below would lose a ns."""
    us = ns / 1000
    return us if int(us * 1000) == ns else nextafter(us, inf)


def _meta(what: str, process: int, thread: int, **args: object) -> Event:
    """A name, or a place in the order, of a process or one of its threads."""
    return {"name": what, "ph": "M", "pid": process, "tid": thread, "args": args}
