"""What each NPU does when, in lanes of its units: what the timeline of a trace draws, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from astra_edu.base.intervals import covered
from astra_edu.base.run import Run
from astra_edu.base.span import COMMUNICATION, COMPUTE, CPU, RECEIVES, Span, lane_order
from astra_edu.course.plots.figure import TimeUnit
from astra_edu.course.plots.looks import EXPOSED, WAITING
from astra_edu.course.plots.timelines.lanes import Block, Window
from astra_edu.run.lanes import interval, short_name
from astra_edu.run.trace_result import TraceResult


class Npu(NamedTuple):
    """An NPU's lanes. exposed, waits: when it computes nothing and communicates, or does nothing at all."""

    name: str
    finish_ns: float
    spans: Sequence[Span]
    exposed: list[tuple[float, float]]
    waits: list[tuple[float, float]]

    @classmethod
    def of(cls, result: Run, npu: int, lanes: Sequence[str]) -> Npu:
        """What a run says of an NPU in these lanes."""
        spans = [span for span in result.timeline if span.npu == npu and span.lane in (*lanes, RECEIVES)]
        free = [span for span in result.idle if span.npu == npu]
        exposed = [interval(span) for span in free if span.kind == EXPOSED.name]
        waits = [interval(span) for span in free if span.kind != EXPOSED.name]
        alone = len(result.npu_names) == 1 < result.npus
        finish = result.finish_ns[npu] if isinstance(result, TraceResult) else result.total_ns
        name = f"all {result.npus} NPUs" if alone else short_name(result, npu)
        return cls(name, finish, spans, exposed, waits)

    @property
    def compute_ns(self) -> float:
        """How long it computes."""
        return covered([interval(span) for span in self.spans if span.lane == COMPUTE])

    @property
    def communication_ns(self) -> float:
        """How long it communicates, on whichever dimension."""
        return covered([interval(span) for span in self.spans if span.lane not in (COMPUTE, CPU, RECEIVES)])

    def blocks(self, lane: str) -> Iterator[Block]:
        """What is drawn in a lane."""
        for span in self.spans:
            if span.lane == lane:
                texts = (span.layer, *([] if span.node is None else [str(span.node)]))
                yield Block(*interval(span), span.kind, texts)
        if lane == COMPUTE:
            for look, spans in ((EXPOSED, self.exposed), (WAITING, self.waits)):
                yield from (Block(start, end, look.name) for start, end in spans)


def lanes_of(result: Run) -> list[str]:
    """The lanes that are drawn of each NPU; its dimensions only where there is no lane of all its communication."""
    found = {span.lane for span in result.timeline if span.npu is not None}
    units = [lane for lane in (CPU, COMPUTE, COMMUNICATION) if lane in found or lane == COMPUTE]
    return units if COMMUNICATION in found else units + sorted(found - {*units, RECEIVES}, key=lane_order)


@dataclass(frozen=True)
class Frame:
    """Lanes below each other, those of an NPU together. lanes: their names."""

    npus: Sequence[Npu]
    lanes: Sequence[str]
    window: Window
    unit: TimeUnit

    @classmethod
    def of(cls, npus: Sequence[Npu], lanes: Sequence[str], window: Window, unit: TimeUnit) -> Frame:
        """With the lanes in which something is, and compute."""
        found = {COMPUTE, *(span.lane for npu in npus for span in npu.spans)}
        return cls(npus, [lane for lane in lanes if lane in found], window, unit)

    @property
    def high(self) -> float:
        """How high a lane is, in inches."""
        return 0.4 if len(self.npus) * len(self.lanes) <= 8 else 0.24

    @property
    def every(self) -> float:
        """Lanes from one NPU's first to the next one's."""
        return len(self.lanes) + 0.35

    @property
    def rows(self) -> Iterator[tuple[float, int, str]]:
        """(where it is, whose, its name) of every lane."""
        for number, row in product(range(len(self.npus)), range(len(self.lanes))):
            yield number * self.every + row, number, self.lanes[row]

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """What is written before the lanes: the name of each, or of many NPUs only theirs."""
        if len(self.npus) > 4:
            middle = (len(self.lanes) - 1) / 2
            return [(number * self.every + middle, npu.name) for number, npu in enumerate(self.npus)]
        first = self.lanes[0]
        return [(y, f"{self.npus[n].name}, {lane}" if lane == first else lane) for y, n, lane in self.rows]

    @property
    def arrivals(self) -> list[tuple[float, float]]:
        """(time, where) of the messages that have arrived, below the lanes of their NPU."""
        return [
            (span.end_ns, number * self.every + len(self.lanes) - 0.5)
            for number, npu in enumerate(self.npus)
            for span in npu.spans
            if span.lane == RECEIVES and self.window.start <= span.end_ns <= self.window.end
        ]
