"""What the timeline in the browser draws: lanes in groups, what they are called, and their spans as columns."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from astra_edu.base.run import Run
from astra_edu.base.span import EXPOSED, Span
from astra_edu.pipeline import PipelineRun
from astra_edu.run.lanes import Lane, lanes
from astra_edu.run.trace_result import TraceResult

MOST_NPUS = 128
"""NPUs that are shown, unless they are named."""
MOST_LINKS = 64
"""Links that are shown, the busiest."""
_THINGS = {TraceResult: ("node", "nodes"), PipelineRun: ("micro-batch", "micro-batches")}
_MICRO_BATCH = "micro-batch "

Payload = dict[str, Any]


def payload(run: Run, npus: Sequence[int]) -> Payload:
    """What the view draws, as columns: spans of one track (a row of a lane) stand together, by their start.

    spans: start, end, queued (float64 each), chunk (-1: none) and kind (int32 each), column after column. kinds: what
    many spans share, [layer, work, collective, phase, size, look, short name of the layer]; tracks: [lane, row, first
    span, number of spans]; lanes: [name, spans, busy ns, group, whether it is shown while its group is closed, name
    within the group]. groups: an NPU's lanes, or the links; what there is only one of is never closed. things: what
    layers are called, one and several of them.
    """
    groups, shown = _grouped(run, npus)
    kinds: dict[tuple[Any, ...], int] = {}
    spans: list[Span] = []
    tracks, kind = [], array("i")
    for number, (_, lane) in enumerate(shown):
        for row, track in enumerate(lane.rows):
            tracks.append([number, row, len(spans), len(track)])
            spans += track
            kind.extend(kinds.setdefault(_kind(span), len(kinds)) for span in track)
    times = [[s.start_ns for s in spans], [s.end_ns for s in spans], [s.queued_ns for s in spans]]
    chunk = array("i", [-1 if span.chunk is None else span.chunk for span in spans])
    left = len(run.npu_names) - len(set(npus))
    return {
        "title": run.title + (f" ({left:,} NPUs are not shown)" if left else ""),
        "total_ns": float(run.total_ns),
        "total": run.total,
        "times": "; ".join(filter(None, (run.caveat, run.times))),
        "things": list(_THINGS.get(type(run), ("layer", "layers"))),
        "groups": groups,
        "lanes": [_lane(run, groups, group, lane) for group, lane in shown],
        "tracks": tracks,
        "kinds": [list(key) for key in kinds],
        "spans": b"".join([*(array("d", column) for column in times), chunk, kind]),
    }


def _grouped(run: Run, npus: Sequence[int]) -> tuple[list[str], list[tuple[int, Lane]]]:
    """The groups' names, and (its group, lane) of all lanes that are shown."""
    place = {npu: number for number, npu in enumerate(npus)}
    every = lanes(run)
    of_npus = [(place[lane.npu], lane) for lane in every if lane.npu in place]
    links = [lane for lane in every if lane.npu is None]
    groups = [run.npu_names[npu] for npu in npus]
    if links:
        busiest = f"{MOST_LINKS} of {len(links):,} links" if len(links) > MOST_LINKS else "links"
        groups.append(f"{busiest}, busiest first")
    found = [*sorted(of_npus, key=lambda pair: pair[0]), *((len(npus), lane) for lane in links[:MOST_LINKS])]
    return groups, found


def _lane(run: Run, groups: Sequence[str], group: int, lane: Lane) -> list[Any]:
    several = len(groups) > 1
    name = f"{groups[group]}, {lane.name}" if several and lane.npu is not None else lane.name
    shut = lane.name in run.own_lanes[:2] if lane.npu is not None else False
    short = "exposed" if several and lane.name == EXPOSED else lane.name
    return [name, lane.spans, lane.busy_ns, group, shut, short]


def _kind(span: Span) -> tuple[Any, ...]:
    short = span.layer.removeprefix(_MICRO_BATCH) if span.layer.startswith(_MICRO_BATCH) else ""
    collective = None if span.collective is None else str(span.collective)
    return span.layer, span.work, collective, span.phase, span.size, span.kind, short
