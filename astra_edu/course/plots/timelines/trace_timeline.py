"""Figure: what each NPU does when, one below the other."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from astra_edu.base.intervals import covered
from astra_edu.base.run import Run
from astra_edu.base.span import RECEIVES, Span
from astra_edu.course.plots.figure import DENSE, WIDE, Picture, TimeUnit, text_table, time_axis, time_unit
from astra_edu.course.plots.kinds_of_run import no_figure_of
from astra_edu.course.plots.looks import EXPOSED, LOOKS, WAITING
from astra_edu.course.plots.timelines.lanes import Block, Window, coarse
from astra_edu.course.plots.timelines.npu_lanes import Frame, Npu, lanes_of
from astra_edu.course.plots.traces.looks import KINDS
from astra_edu.run.lanes import chosen_npus

_MOST = 16  # NPUs drawn, unless they are named
_LISTED = 60  # nodes at most that the table lists
_FILLED = 0.84  # of a lane's height
_PIXELS = 1000  # about, in the width of the axes
_MANY = 4  # blocks in a lane: then the figure is wider
_SIZES, _LETTER = (9, 7), 0.58  # of letters, in points, small ones where there is no room, and how wide one is
_PAPER = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.5}
_LOOKS = KINDS | {look.name: look for look in (EXPOSED, WAITING)}
_LOOKS |= {name: look for name, look in LOOKS.items() if name not in _LOOKS}


def trace_timeline(
    result: Run, npus: Iterable[int] | None = None, start_ns: float = 0, end_ns: float | None = None
) -> Picture:
    """Draw what each NPU does when, in a lane for each of its units; triangles are messages that have arrived.

    Where an NPU computes nothing, its compute lane says why: exposed communication, or waiting for others. npus: which
    ones to draw; by default all, the first 16 of them, or one for all where all are alike. start_ns, end_ns: the part
    of the run to draw. A run of ASTRA-sim 1.0's kind has a lane for each dimension, as one NPU stands for all, and a
    pipeline a lane for each stage. Raises ConfigError for NPUs that aren't there, and for an empty part.

    >>> ring = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring"))
    >>> result = ae.simulate(ae.traces.collective("all_reduce", "1 MiB", npus=4), ring, record=True)
    >>> print(ae.plots.trace_timeline(result).table)
    NPU           done  compute  communication  exposed  waits (µs)
    all 4 NPUs  32.362    0.000         32.362   32.362       0.000
    <BLANKLINE>
    node                            kind  start  end (µs)
    all 4 NPUs: 1 all_reduce  all-reduce  0.000    32.362
    """
    if not isinstance(result, Run):
        raise no_figure_of(result, "trace_timeline", "what ae.simulate or ae.run_pipeline returns", {})
    lanes = lanes_of(result)
    chosen = [Npu.of(result, npu, lanes) for npu in chosen_npus(result, npus, _MOST)]
    window = Window.of(result.total_ns, start_ns, end_ns)
    unit = time_unit(window.end)
    figure = _drawn(Frame.of(chosen, lanes, window, unit))
    left = len(result.npu_names) - len(chosen)
    more = f" {left} more NPUs are not drawn." if left else ""
    beware = f"At least {unit.named(result.bound_ns)}: {result.caveat}. " if result.bound_ns is not None else ""
    alt = f"What each NPU does in {unit.named(result.total_ns)}, a lane for each of its units. {beware}" + " ".join(
        f"{npu.name}: computes {unit.named(npu.compute_ns)}, communication exposed for "
        f"{unit.named(covered(npu.exposed))}, waits {unit.named(covered(npu.waits))}, done at "
        f"{unit.named(npu.finish_ns)}."
        for npu in chosen
    )
    return Picture(figure, alt + more, _table(chosen, unit), _NOTE)


_NOTE = (
    "Exposed: the NPU communicates and computes nothing. Waits: it does neither. What ASTRA-sim calls exposed "
    "communication is both together: all time but that of computations. In narrow blocks stands a node's number."
)


def _drawn(frame: Frame) -> Figure:
    window, unit, count = frame.window, frame.unit, len(frame.npus)
    rows = [
        (y, [block for one in frame.npus[number].blocks(lane) if (block := window.clip(one))])
        for y, number, lane in frame.rows
    ]
    wide = DENSE if any(len(blocks) > _MANY for _, blocks in rows) else WIDE
    figure = Figure(figsize=(wide, frame.high * frame.every * count + 0.95), layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(window.start / unit.ns, window.end / unit.ns), ylim=(frame.every * count - 0.6, -0.6))
    time_axis(axes, unit)
    points = 72 * (wide - 1.3) / window.length
    found: set[str] = set()
    for y, blocks in rows:
        found |= {block.look for block in blocks}
        _lane(axes, y, coarse(blocks, window.length / _PIXELS), unit)
        _write(axes, y, blocks, points, 72 * frame.high * _FILLED, unit)
    for time, y in frame.arrivals:
        axes.plot([time / unit.ns], [y], **_ARRIVAL)
    axes.set_yticks([y for y, _ in frame.ticks], [text for _, text in frame.ticks])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    figure.legend(handles=_legend(frame, found), loc="outside lower center", ncols=6, frameon=False)
    return figure


def _legend(frame: Frame, found: Container[str]) -> list[Artist]:
    handles: list[Artist] = [look.patch() for name, look in _LOOKS.items() if name in found]
    if any(span.lane == RECEIVES for npu in frame.npus for span in npu.spans):
        handles.append(Line2D([], [], label="a message has arrived", **_ARRIVAL))
    return handles


_ARRIVAL: Mapping[str, Any] = {"marker": "^", "color": "#9c3f78", "markersize": 5, "linestyle": "", "clip_on": False}


def _lane(axes: Axes, y: float, blocks: Sequence[Block], unit: TimeUnit) -> None:
    for name in dict.fromkeys(block.look for block in blocks):
        look = _LOOKS[name]
        ranges = [(b.start / unit.ns, (b.end - b.start) / unit.ns) for b in blocks if b.look == name]
        place = (y - _FILLED / 2, _FILLED)
        axes.broken_barh(ranges, place, facecolor=look.fill, edgecolor=look.colour, hatch=look.hatch, lw=0.7)


def _write(axes: Axes, y: float, blocks: Iterable[Block], points: float, high: float, unit: TimeUnit) -> None:
    """Write in each block the first of its texts that fits."""
    sizes = [size for size in _SIZES if high >= 1.4 * size]
    for block in blocks:
        room = (block.end - block.start) * points
        for text, size in product(block.texts, sizes):
            if _LETTER * size * (len(text) + 1) < room:
                x = (block.start + block.end) / 2 / unit.ns
                axes.text(x, y, text, size=size, ha="center", va="center", bbox=_PAPER)
                break


def _table(npus: Sequence[Npu], unit: TimeUnit) -> str:
    """A row for each NPU, and then one for each node, unless there are too many."""
    header = ["NPU", "done", "compute", "communication", "exposed", f"waits ({unit.name})"]
    rows: list[list[object]] = []
    for npu in npus:
        times = (npu.compute_ns, npu.communication_ns, covered(npu.exposed), covered(npu.waits))
        rows.append([npu.name, *map(unit.text, (npu.finish_ns, *times))])
    table = text_table(header, rows)
    if sum(len(npu.spans) for npu in npus) > _LISTED:
        return table
    nodes: list[list[object]] = [
        [f"{npu.name}: {_what(span)}", span.kind, unit.text(span.start_ns), unit.text(span.end_ns)]
        for npu in npus
        for span in sorted(npu.spans, key=lambda span: (span.start_ns, span.node or 0))
    ]
    return table + "\n\n" + text_table(["node", "kind", "start", f"end ({unit.name})"], nodes)


def _what(span: Span) -> str:
    if span.chunk is not None:
        return f"{span.layer}, chunk {span.chunk}"
    return span.layer if span.node is None else f"{span.node} {span.layer}"
