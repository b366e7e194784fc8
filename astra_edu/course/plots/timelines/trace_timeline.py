"""Figure: what each NPU does when, in a run of an execution trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from astra_edu.base.errors import ConfigError
from astra_edu.base.intervals import covered, gaps, merged
from astra_edu.course.plots.figure import Picture, TimeUnit, text_table, time_axis, time_unit
from astra_edu.course.plots.looks import EXPOSED, Look
from astra_edu.course.plots.timelines.lanes import Block, Window, coarse
from astra_edu.course.plots.traces.looks import KINDS, LANES, kind_of
from astra_edu.run.trace_result import TraceResult
from astra_edu.traces.npu import Ran, Unit

_MOST = 16  # NPUs drawn, unless they are named
_LISTED = 60  # nodes at most that the table lists
_WIDTH = 11  # of the figure, in inches
_FILLED = 0.84  # of a lane's height
_PIXELS = 1000  # about, in the width of the axes
_SIZE, _LETTER = 7, 0.58  # of letters, in points, and how wide one is
_PAPER = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.5}
_WAITS = Look("waits for other NPUs", "", "#ffffff", "#a0a0a0", "..")
_LOOKS = KINDS | {look.name: look for look in (EXPOSED, _WAITS)}
_DRAWN = (Unit.CPU, Unit.COMPUTE, Unit.COMMUNICATION)


class _Npu(NamedTuple):
    """An NPU's lanes. exposed, waits: when it computes nothing and communicates, or does nothing at all."""

    name: str
    finish_ns: int
    ran: Sequence[Ran]
    exposed: list[tuple[float, float]]
    waits: list[tuple[float, float]]

    @classmethod
    def of(cls, result: TraceResult, npu: int) -> _Npu:
        whose = 0 if result.one_for_all else npu
        ran = [one for one in result.ran if one.npu == whose]
        computes = [(one.start_ns, one.end_ns) for one in ran if one.unit in (Unit.COMPUTE, Unit.CPU)]
        communicates = merged([(one.start_ns, one.end_ns) for one in ran if one.unit is Unit.COMMUNICATION])
        finish = result.finish_ns[npu]
        idle = gaps(computes, 0, finish)
        exposed = [part for span in idle for part in _common(span, communicates)]
        waits = [part for span in idle for part in gaps(_common(span, communicates), *span)]
        name = f"all {result.trace.npus} NPUs" if result.one_for_all and result.trace.npus > 1 else f"NPU {npu}"
        return cls(name, finish, ran, exposed, waits)

    def time_ns(self, unit: Unit) -> float:
        """How long one of its units is busy."""
        return covered([(one.start_ns, one.end_ns) for one in self.ran if one.unit is unit])

    def blocks(self, unit: Unit) -> Iterator[Block]:
        """What is drawn in the lane of a unit."""
        for one in self.ran:
            if one.unit is unit:
                texts = (one.node.name, str(one.node.id))
                yield Block(one.start_ns, one.end_ns, kind_of(one.node), texts)
        if unit is Unit.COMPUTE:
            for look, spans in ((EXPOSED, self.exposed), (_WAITS, self.waits)):
                yield from (Block(start, end, look.name) for start, end in spans)


def _common(span: tuple[float, float], others: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    pairs = ((max(span[0], start), min(span[1], end)) for start, end in others)
    return [(start, end) for start, end in pairs if start < end]


def trace_timeline(
    result: TraceResult, npus: Iterable[int] | None = None, start_ns: float = 0, end_ns: float | None = None
) -> Picture:
    """Draw what each NPU does when, in a lane for each of its units; triangles are messages that have arrived.

    Where an NPU computes nothing, its compute lane says why: exposed communication, or waiting for others. npus: which
    ones to draw; by default all, the first 16 of them, or one for all where all are alike. start_ns, end_ns: the part
    of the run to draw. Raises ConfigError for NPUs that aren't there, and for an empty part.

    >>> ring = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring"))
    >>> result = ae.simulate(ae.traces.collective("all_reduce", "1 MiB", npus=4), ring, record=True)
    >>> print(ae.plots.trace_timeline(result).table)
    NPU           done  compute  communication  exposed  waits (µs)
    all 4 NPUs  32.362    0.000         32.362   32.362       0.000
    <BLANKLINE>
    node                            kind  start  end (µs)
    all 4 NPUs: 1 all_reduce  all-reduce  0.000    32.362
    """
    if not isinstance(result, TraceResult):
        raise ConfigError(f"trace_timeline draws what simulate has made of a trace, not {result!r:.60}.")
    chosen = [_Npu.of(result, npu) for npu in _chosen(result, npus)]
    window = Window.of(result.total_ns, start_ns, end_ns)
    unit = time_unit(window.end)
    figure = _drawn(chosen, window, unit)
    left = result.trace.npus - len(chosen) if not result.one_for_all else 0
    more = f" {left} more NPUs are not drawn." if left else ""
    alt = f"What each NPU does in {unit.named(result.total_ns)}, a lane for each of its units. " + " ".join(
        f"{npu.name}: computes {unit.named(npu.time_ns(Unit.COMPUTE))}, communication exposed for "
        f"{unit.named(covered(npu.exposed))}, waits {unit.named(covered(npu.waits))}, done at "
        f"{unit.named(npu.finish_ns)}."
        for npu in chosen
    )
    return Picture(figure, alt + more, _table(chosen, unit), _NOTE)


_NOTE = (
    "Exposed: the NPU communicates and computes nothing. Waits: it does neither. What ASTRA-sim calls exposed "
    "communication is both together: all time but that of computations. In narrow blocks stands a node's number."
)


def _chosen(result: TraceResult, npus: Iterable[int] | None) -> list[int]:
    if npus is None:
        return [0] if result.one_for_all else list(range(min(_MOST, result.trace.npus)))
    chosen = list(npus)
    for npu in chosen:
        if type(npu) is not int or not 0 <= npu < result.trace.npus:
            raise ConfigError(f"npus has {npu!r}; there are the NPUs 0 to {result.trace.npus - 1}.")
    if not chosen:
        raise ConfigError("npus is empty; name the NPUs to draw.")
    return chosen[:1] if result.one_for_all else chosen


def _drawn(npus: Sequence[_Npu], window: Window, unit: TimeUnit) -> Figure:
    used = [lane for lane in _DRAWN if lane is Unit.COMPUTE or any(one.unit is lane for npu in npus for one in npu.ran)]
    high = 0.4 if len(npus) * len(used) <= 8 else 0.24
    every = len(used) + 0.35
    figure = Figure(figsize=(_WIDTH, high * every * len(npus) + 0.95), layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(window.start / unit.ns, window.end / unit.ns), ylim=(every * len(npus) - 0.6, -0.6))
    time_axis(axes, unit)
    points = 72 * (_WIDTH - 1.3) / window.length
    found: dict[str, None] = {}
    ticks: list[tuple[float, str]] = []
    for number, npu in enumerate(npus):
        for row, lane in enumerate(used):
            y = number * every + row
            blocks = [block for one in npu.blocks(lane) if (block := window.clip(one))]
            found |= dict.fromkeys(block.look for block in blocks)
            _lane(axes, y, coarse(blocks, window.length / _PIXELS), unit)
            _write(axes, y, blocks, points, 72 * high * _FILLED, unit)
            if len(npus) <= 4:
                ticks.append((y, f"{npu.name}, {LANES[lane]}" if row == 0 else LANES[lane]))
        if len(npus) > 4:
            ticks.append((number * every + (len(used) - 1) / 2, npu.name))
        low = number * every + len(used) - 0.5
        for time in (one.end_ns for one in npu.ran if one.unit is Unit.RECEIVE):
            if window.start <= time <= window.end:
                axes.plot([time / unit.ns], [low], **_ARRIVAL)
    axes.set_yticks([y for y, _ in ticks], [text for _, text in ticks])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    handles: list[Artist] = [look.patch() for name, look in _LOOKS.items() if name in found]
    if any(one.unit is Unit.RECEIVE for npu in npus for one in npu.ran):
        handles.append(Line2D([], [], label="a message has arrived", **_ARRIVAL))
    figure.legend(handles=handles, loc="outside lower center", ncols=6, frameon=False)
    return figure


_ARRIVAL: Mapping[str, Any] = {"marker": "^", "color": "#9c3f78", "markersize": 5, "linestyle": "", "clip_on": False}


def _lane(axes: Axes, y: float, blocks: Sequence[Block], unit: TimeUnit) -> None:
    for name in dict.fromkeys(block.look for block in blocks):
        look = _LOOKS[name]
        ranges = [(b.start / unit.ns, (b.end - b.start) / unit.ns) for b in blocks if b.look == name]
        place = (y - _FILLED / 2, _FILLED)
        axes.broken_barh(ranges, place, facecolor=look.fill, edgecolor=look.colour, hatch=look.hatch, lw=0.7)


def _write(axes: Axes, y: float, blocks: Iterable[Block], points: float, high: float, unit: TimeUnit) -> None:
    """Write in each block the first of its texts that fits."""
    if high < 1.4 * _SIZE:
        return
    for block in blocks:
        room = (block.end - block.start) * points
        for text in block.texts:
            if _LETTER * _SIZE * (len(text) + 1) < room:
                x = (block.start + block.end) / 2 / unit.ns
                axes.text(x, y, text, size=_SIZE, ha="center", va="center", bbox=_PAPER)
                break


def _table(npus: Sequence[_Npu], unit: TimeUnit) -> str:
    """A row for each NPU, and then one for each node, unless there are too many."""
    header = ["NPU", "done", "compute", "communication", "exposed", f"waits ({unit.name})"]
    rows: list[list[object]] = []
    for npu in npus:
        times = (npu.time_ns(Unit.COMPUTE), npu.time_ns(Unit.COMMUNICATION), covered(npu.exposed), covered(npu.waits))
        rows.append([npu.name, *map(unit.text, (npu.finish_ns, *times))])
    table = text_table(header, rows)
    if sum(len(npu.ran) for npu in npus) > _LISTED:
        return table
    nodes: list[list[object]] = [
        [
            f"{npu.name}: {one.node.id} {one.node.name}",
            kind_of(one.node),
            unit.text(one.start_ns),
            unit.text(one.end_ns),
        ]
        for npu in npus
        for one in sorted(npu.ran, key=lambda one: (one.start_ns, one.node.id))
    ]
    return table + "\n\n" + text_table(["node", "kind", "start", f"end ({unit.name})"], nodes)
