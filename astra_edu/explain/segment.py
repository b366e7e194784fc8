"""A stretch of a run's critical path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from astra_edu.system.queues import Stay

WAITS = "waits"


class Segment(NamedTuple):
    """What the run waited for from start_ns to end_ns.

    lane: "compute", "dimension 0", ..., as in the timeline; in a trace also "CPU", "communication" and "receives", in a
    pipeline "transfer". "update": the ns a layer takes to use a finished collective; "loop": the training loop's own
    steps; "waits": for nothing that was recorded. layer and work: whose it is, "" for the last two. stay: the chunk's
    phase, on a dimension. npu: where it was. node: the node's number in a trace, the part of the model in a pipeline.

    >>> result = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    >>> first = result.explain(changes=False).path[0]
    >>> first.lane, first.start_ns, first.end_ns
    ('dimension 0', 0, 11420)
    """

    start_ns: float
    end_ns: float
    lane: str
    layer: str = ""
    work: str = ""
    stay: Stay | None = None
    npu: int = 0
    node: int | None = None


def gapless(segments: Iterable[Segment], total_ns: float) -> tuple[Segment, ...]:
    """The segments, in time order, from 0 to total_ns: cut where they overlap, with waiting between them.

    >>> [s[:3] for s in gapless([Segment(2, 5, "compute"), Segment(4, 9, "communication")], 9)]
    [(0, 2, 'waits'), (2, 5, 'compute'), (5, 9, 'communication')]
    """
    found: list[Segment] = []
    now: float = 0
    for segment in (*segments, Segment(total_ns, total_ns, WAITS)):
        if segment.start_ns > now:
            found.append(Segment(now, segment.start_ns, WAITS))
            now = segment.start_ns
        if segment.end_ns > now:
            found.append(segment._replace(start_ns=now))
            now = segment.end_ns
    return tuple(found)
