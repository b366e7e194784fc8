"""How each kind of node of an execution trace looks, and what is written about it."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.units import format_bytes
from astra_edu.course.plots.looks import COMPUTE, LOOKS, Look
from astra_edu.traces import COLLECTIVES, Node
from astra_edu.traces.kinds import OTHER, kind_of
from astra_edu.traces.outline import Unit

OTHERS = ("broadcast", "send", "receive", "memory access", "CPU", OTHER, "note")
KINDS: dict[str, Look] = {
    name: LOOKS[name] for name in (COMPUTE.name, *(each.value for each in COLLECTIVES.values()), *OTHERS)
}
"""By the names that kind_of gives."""

LANES = {Unit.CPU: "CPU", Unit.COMPUTE: "compute", Unit.COMMUNICATION: "communication", Unit.RECEIVE: "receive"}
"""The lanes of an NPU, from the top."""

_SHAPES = {"compute": "square", "CPU": "sawtooth", "send": "rarrow", "receive": "larrow", "memory access": "roundtooth"}


def shape_of(kind: str, wide: bool) -> str:
    """The box style of a kind, a second cue beside its colour. wide: for several lines of text, where arrows grow."""
    shape = _SHAPES.get(kind, "round")
    return "round4" if wide and shape.endswith("arrow") else shape


def amount_of(node: Node) -> str:
    """How much it is, as far as the trace says: µs of a computation, bytes of a communication, its group."""
    kind = kind_of(node)
    if kind in ("compute", "CPU"):
        operations = node.number("num_ops", 0)
        return f"{operations:.3g} op" if operations and not node.duration_micros else f"{node.duration_micros:,} µs"
    if kind == "note":
        return ""
    size = format_bytes(node.number("tensor_size" if kind == "memory access" else "comm_size", 0))
    short = KINDS[kind].short
    if kind in ("send", "receive"):
        other = node.number("comm_dst" if kind == "send" else "comm_src", 0)
        return f"{size} {'to' if kind == 'send' else 'from'} {other}"
    return f"{short} {size}" if short else size


def sum_of(nodes: Sequence[Node]) -> str:
    """How much several nodes of a kind are together; empty where that can't be added up."""
    if all(kind_of(node) in ("compute", "CPU") for node in nodes):
        micros = sum(node.duration_micros for node in nodes)
        return f"{micros:,} µs" if micros else ""
    return format_bytes(sum(node.number("comm_size", node.number("tensor_size", 0)) for node in nodes))
