"""Chunks on the stage: two runs above each other on one clock, a lane for each dimension, from a queue to their end."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from astra_edu.base.span import Span
from astra_edu.base.units import format_ns
from astra_edu.course.instruments.chunks_job import ChunksRun
from astra_edu.course.instruments.scene import Box, Frame, Piece, Stage
from astra_edu.network import Dimension

WIDE, TITLE, GAP = 602.0, 15.0, 5.0
LANES = {2: 36.0, 3: 27.0}
"""How high a lane is, by how many a run has."""
PIECE, HIGH, PITCH = 14.0, 13.0, 15.0
QUEUE_X, MOST_CHUNKS = 98.0, 16
RUN_X, RUN = QUEUE_X + MOST_CHUNKS * PITCH + 4, 188.0
DONE_X, DONE = RUN_X + RUN + 6, 4
"""Where chunks stand that are done, and how many side by side."""
MOST_STEPS = 60


def chunks_stage(title: str, runs: Sequence[ChunksRun], dims: Sequence[Dimension]) -> Stage:
    """Every chunk of two runs at every moment of `moments`."""
    times = moments(runs)
    places = [_Places(number, len(dims)) for number in range(len(runs))]
    frames = [frame for run, place in zip(runs, places, strict=True) for frame in place.frames(run, dims)]
    pieces = [
        _piece(run, chunk, times, place)
        for run, place in zip(runs, places, strict=True)
        for chunk in range(len(run.spans))
    ]
    steps = tuple(_said(runs, t) for t in times)
    return Stage(
        title, (WIDE, places[-1].end + 2), steps, tuple(frames), tuple(pieces), still=len(steps) // 2, clock=True
    )


def moments(runs: Sequence[ChunksRun]) -> list[float]:
    """When something begins or ends in either run, in ns.

    If these are more than 60: when a phase begins, and the ends of the runs; of more than 60 of those every other, or
    every third, ...
    """
    spans = [span for run in runs for chunk in run.spans for span in chunk]
    found = sorted({t for span in spans for t in (span.start_ns, span.end_ns)})
    if len(found) <= MOST_STEPS:
        return found
    ends = {run.end_ns for run in runs}
    found = sorted({span.start_ns for span in spans} | ends)
    return sorted({*found[:: -(-len(found) // MOST_STEPS)], *ends})


class _Places:
    """Where things of one run stand."""

    def __init__(self, number: int, lanes: int) -> None:
        self.lane, self.lanes = LANES[lanes], lanes
        self.top = TITLE + number * (lanes * self.lane + TITLE + GAP)
        self.end = self.top + lanes * self.lane

    def y(self, d: int) -> float:
        return self.top + d * self.lane

    def frames(self, run: ChunksRun, dims: Sequence[Dimension]) -> list[Frame]:
        name, high = run.name, self.lane - 4
        found = [_words(name, f"{name}:", self.top - 1)]
        titles = ("waits for a dimension", "is on a dimension", "is done")
        done = Frame(f"{name}, done", (DONE_X, self.top, DONE * PITCH + 4, self.lanes * self.lane - 4), titles[2])
        for d, dimension in enumerate(dims):
            y, said = self.y(d), titles if d == 0 else ("", "")
            rate = f"{dimension.npus} NPUs, {dimension.bandwidth:g} GB/s"
            found += [
                _words(f"{name}, name of dimension {d}", f"dimension {d}", y + high / 2),
                _words(f"{name}, rate of dimension {d}", rate, y + high / 2 + 10),
                Frame(f"{name}, queue of dimension {d}", (QUEUE_X, y, RUN_X - QUEUE_X, high), said[0]),
                Frame(f"{name}, dimension {d}", (RUN_X, y, RUN, high), said[1]),
            ]
        return [*found, done]

    def on(self, span: Span, t: float) -> Box:
        """On its dimension, as far along the lane as it has got at t ns."""
        along = (t - span.start_ns) / (span.end_ns - span.start_ns)
        return self._box(RUN_X + 2 + along * (RUN - PIECE - 4), span)

    def waiting(self, span: Span, before: int) -> Box:
        """In the queue; before: how many go first."""
        return self._box(RUN_X - (before + 1) * PITCH, span)

    def done(self, before: int) -> Box:
        """At the right; before: how many were done earlier."""
        row, column = divmod(before, DONE)
        return (DONE_X + 2.5 + column * PITCH, self.top + 2 + row * PITCH, PIECE, HIGH)

    def _box(self, x: float, span: Span) -> Box:
        assert span.dimension is not None
        return (round(x, 2), self.y(span.dimension) + (self.lane - 4 - HIGH) / 2, PIECE, HIGH)


def _words(name: str, text: str, y: float) -> Frame:
    """Words without a frame, at the left."""
    return Frame(name, (0, y, 0, 0), text)


def _piece(run: ChunksRun, chunk: int, times: Sequence[float], places: _Places) -> Piece:
    spans = run.spans[chunk]
    at, looks = [], []
    for t in times:
        now = next((span for span in spans if t < span.end_ns), None)
        at.append(_place(run, chunk, now, t, places))
        looks.append(now.phase if now else "complete")
    by = {}
    for number, (before, t) in enumerate(pairwise(times), start=1):
        left = [span for span in spans if span.start_ns <= before < span.end_ns <= t]
        if left:
            by[number] = places.on(left[0], left[0].end_ns)
    walk = ", ".join(f"{span.phase} on dimension {span.dimension}" for span in spans)
    return Piece(f"{run.name}, chunk {chunk}", tuple(at), tuple(looks), str(chunk), f"chunk {chunk}: {walk}", by)


def _place(run: ChunksRun, chunk: int, now: Span | None, t: float, places: _Places) -> Box:
    if now is None:
        mine = run.spans[chunk][-1].end_ns, chunk
        return places.done(sum((spans[-1].end_ns, other) < mine for other, spans in enumerate(run.spans)))
    if now.start_ns <= t:
        return places.on(now, t)
    assert now.dimension is not None
    queue = [span for span in run.on(now.dimension) if span.queued_ns <= t < span.start_ns]
    return places.waiting(now, sum(span.start_ns < now.start_ns for span in queue))


def _said(runs: Sequence[ChunksRun], t: float) -> str:
    """What each dimension takes at t ns, which is left idle then, and which run is done."""
    parts = []
    for run in runs:
        spans = [span for chunk in run.spans for span in chunk]
        taken = {span.dimension: f"takes chunk {span.chunk}" for span in spans if span.start_ns == t}
        left = {span.dimension: "is idle" for span in spans if span.end_ns == t}
        said = ", ".join(f"dimension {d} {does}" for d, does in sorted((left | taken).items()))
        if t == run.end_ns:
            said = "done"
        if said:
            parts.append(f"{run.name}: {said}.")
    return " ".join([f"{format_ns(t)}.", *parts])
