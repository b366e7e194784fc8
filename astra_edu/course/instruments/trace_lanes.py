"""The run of a training step in lanes: what the NPU computes and what it communicates."""

from __future__ import annotations

from astra_edu.course.instruments.charts import Block, Lanes
from astra_edu.course.instruments.trace_job import NODES, REDUCES, Step
from astra_edu.course.instruments.trace_words import micros

CRITICAL, COMPUTE, COMMUNICATION = "critical path", "compute", "communication"


def kind(name: str) -> str:
    """Of a node."""
    return COMMUNICATION if name in REDUCES else COMPUTE


def trace_lanes(step: Step) -> Lanes:
    """A block for each node. It marks the nodes that it waited for."""
    blocks = tuple(_block(step, name) for name in NODES)
    return Lanes("The run on every NPU", "µs", (COMPUTE, COMMUNICATION), blocks, step.us)


def _block(step: Step, name: str) -> Block:
    ran = step.ran[name]
    parents, busy = step.waited_for(name)
    waits = [*parents, *([f"the NPU, which was busy with {busy}"] if busy else [])]
    critical = name in step.path
    title = f"{name}, {micros((ran.end_ns - ran.start_ns) / 1000)}; "
    title += f"waited for {' and '.join(waits)}" if waits else "waited for nothing"
    title += "; on the critical path" if critical else ""
    look = CRITICAL if critical else kind(name)
    because = tuple(dict.fromkeys([*parents, *([busy] if busy else [])]))
    return Block(name, kind(name), ran.start_ns / 1000, ran.end_ns / 1000, look, name, title, because)
