"""Something that lasts from one moment of a run to another: what every timeline is made of."""

from __future__ import annotations

import re
from typing import NamedTuple

COMPUTE, CPU, COMMUNICATION, RECEIVES = "compute", "CPU", "communication", "receives"
"""Lanes of an NPU; a dimension's is called "dimension 0", a link's by its two ends."""
EXPOSED, BUBBLE = "exposed communication", "bubble"
"""Lanes of the time in which an NPU computes nothing: in training, and as a stage of a pipeline."""
WAITS = "waits for other NPUs"
"""Why an NPU that communicates nothing, either, computes nothing."""
_DIMENSION = "dimension "


class Span(NamedTuple):
    """Something that lasts from start_ns to end_ns, whichever version, trace or pipeline it happened in.

    lane: "compute", "dimension 0", ... (see above). layer: whose it is; in a trace the node's name, in a pipeline the
    micro-batch. work: which work of it: "forward", "input gradient", "weight gradient" or "backward"; in a trace
    what the node does. collective: what was asked for, None for what is none; chunk: which of its chunks. phase: what
    is done: on a dimension "reduce-scatter", ...; "compute"; in a trace also "send", ...; "message" on a link. size:
    bytes that the NPU brings. queued_ns: since when it had waited for its turn. npu: whose lane it is, None for a
    link's; NPU 0 where it stands for all. node: its number in a trace; in a pipeline the part of the
    model.

    >>> span = Span("dimension 1", "fc1", "weight gradient", "all-reduce", 0, "reduce-scatter", 4096, 10, 30, 70)
    >>> span.dimension, span.kind, span.end_ns - span.start_ns
    (1, 'reduce-scatter', 40)
    """

    lane: str
    layer: str
    work: str
    collective: str | None
    chunk: int | None
    phase: str
    size: int
    queued_ns: float
    start_ns: float
    end_ns: float
    npu: int | None = 0
    node: int | None = None

    @property
    def dimension(self) -> int | None:
        """The number in the lane of a dimension; None in other lanes."""
        return int(self.lane.removeprefix(_DIMENSION)) if self.lane.startswith(_DIMENSION) else None

    @property
    def kind(self) -> str:
        """What it looks like in every figure: the work of a computation, the phase of all else."""
        return self.work if self.phase == COMPUTE else self.phase


def idle(lane: str, kind: str, npu: int, start_ns: float, end_ns: float) -> Span:
    """A stretch of time in which an NPU computes nothing; kind: why, such as "exposed communication"."""
    return Span(lane, "", "", None, None, kind, 0, start_ns, start_ns, end_ns, npu)


def lane_order(lane: str) -> tuple[int, list[tuple[int, str]]]:
    """What to sort lanes by: an NPU's units, its dimensions by their numbers, then links.

    >>> sorted(["0 → 1", "dimension 10", "dimension 2", "communication", "compute"], key=lane_order)
    ['compute', 'communication', 'dimension 2', 'dimension 10', '0 → 1']
    """
    units = (COMPUTE, EXPOSED, BUBBLE, CPU, COMMUNICATION, RECEIVES)
    place = units.index(lane) if lane in units else len(units) + (not lane.startswith(_DIMENSION))
    return place, [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", lane)]


def dimension_lane(d: int) -> str:
    """The name of a dimension's lane: "dimension 0"."""
    return f"{_DIMENSION}{d}"
