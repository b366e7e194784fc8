"""The boxes and arrows of a graph of operations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from textwrap import shorten, wrap

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch
from matplotlib.patheffects import withStroke

from astra_edu.base.units import format_ns
from astra_edu.course.plots.figure import DENSE, WIDE
from astra_edu.course.plots.traces.layout import Box, Layout
from astra_edu.course.plots.traces.looks import KINDS, LANES, amount_of, shape_of, sum_of
from astra_edu.traces.kinds import kind_of
from astra_edu.traces.outline import Unit
from astra_edu.traces.ran import Ran

_LEVELS = 5
_FEW, _MANY = (WIDE, 9), (DENSE, 7.5)  # inches, and points of letters: for up to so many levels, and for more
_LETTER = 0.53  # of its size: how wide a letter is
_GAP = 0.16  # between lanes, in inches

Point = tuple[float, float]
Edge = tuple[int, int]
"""Two boxes, by their places in a layout."""


def drawn(layout: Layout, ran: Mapping[int, Ran], path: Sequence[Ran], npu: int, named: int) -> Figure:
    """A figure of a layout. ran: what the nodes have taken, by number; path: the critical path, of which NPU `npu` is.

    named: up to how many levels boxes have names in them.
    """
    names = layout.levels <= named
    high = (0.78 if ran else 0.66) if names else 0.36  # of a row, in inches
    tall = high * sum(layout.rows.values()) + _GAP * len(layout.rows) + 0.55
    wide, size = _FEW if layout.levels <= _LEVELS else _MANY
    figure = Figure(figsize=(wide, tall), layout="constrained")
    axes = figure.subplots()
    tops = _lanes(axes, layout, high)
    letters = max(8, int(wide * 0.86 / layout.levels * 72 * 0.84 / (_LETTER * size)))
    texts = [_text(box, ran, letters) if names else _short(box) for box in layout.boxes]
    critical = {one.node.id for one in path if one.npu == npu}
    points = [(float(box.level), tops[box.lane] + box.row) for box in layout.boxes]
    patches = [
        _box(axes, box, at, text, (names, size), any(node.id in critical for node in box.nodes))
        for box, at, text in zip(layout.boxes, points, texts, strict=True)
    ]
    busy = _arrows(axes, layout, _steps(layout, path, npu), points, patches)
    _legend(figure, layout, bool(critical), busy)
    return figure


def _arrows(axes: Axes, layout: Layout, steps: set[Edge], points: Sequence[Point], patches: Sequence[Patch]) -> bool:
    """Arrows between the boxes, those of `steps` as critical. Returns whether some of these wait for no data."""
    for a, b in layout.edges:
        _arrow(axes, points[a], points[b], patches[a], patches[b], "solid" if (a, b) in steps else "")
    busy = [(a, b) for a, b in sorted(steps - {*layout.edges}) if a != b]
    for a, b in busy:
        _arrow(axes, points[a], points[b], patches[a], patches[b], "dashed")
    return bool(busy)


def _steps(layout: Layout, path: Sequence[Ran], npu: int) -> set[Edge]:
    """The boxes, by their places, of each two nodes of this NPU that follow one another on the critical path."""
    places = {node.id: k for k, box in enumerate(layout.boxes) for node in box.nodes}
    return {(places[a.node.id], places[b.node.id]) for a, b in pairwise(path) if a.npu == b.npu == npu}


def _lanes(axes: Axes, layout: Layout, high: float) -> dict[Unit, float]:
    """Frame the lanes; where the first row of each is."""
    gap = _GAP / high
    tops: dict[Unit, float] = {}
    ticks, top = [], 0.0
    for lane, rows in layout.rows.items():
        tops[lane] = top
        axes.axhspan(top - 0.5 - gap / 4, top + rows - 0.5 + gap / 4, facecolor="#f5f5f5", zorder=0)
        ticks.append(top + (rows - 1) / 2)
        top += rows + gap
    axes.set(xlim=(-0.55, layout.levels - 0.45), ylim=(top - 0.75 * gap - 0.5, -0.5 - gap / 4))
    axes.set_yticks(ticks, [LANES[lane] for lane in layout.rows])
    axes.tick_params(axis="y", length=0)
    axes.set_xticks([])
    axes.spines[:].set_visible(False)
    return tops


def _short(box: Box) -> str:
    return str(box.nodes[0].id) if len(box.nodes) == 1 else f"{len(box.nodes)}×"


def _text(box: Box, ran: Mapping[int, Ran], letters: int) -> str:
    """Number and name, how much it is, and how long it took unless that says the same."""
    first, last = box.nodes[0], box.nodes[-1]
    if len(box.nodes) > 1:
        lines = [f"{first.id} to {last.id}:", f"{len(box.nodes)}× {_kind(box)}", sum_of(box.nodes)]
    else:
        name = wrap(f"{first.id} {first.name}", letters)
        lines = [name[0], *([shorten(" ".join(name[1:]), letters, placeholder="…")] if len(name) > 1 else [])]
        lines.append(amount_of(first))
    took = [ran[node.id].end_ns - ran[node.id].start_ns for node in box.nodes if node.id in ran]
    if took and not (_kind(box) == "compute" and lines[-1].endswith("µs")):
        lines.append(format_ns(sum(took)))
    return "\n".join(filter(None, lines))


def _kind(box: Box) -> str:
    """What most of its nodes are."""
    return Counter(map(kind_of, box.nodes)).most_common(1)[0][0]


def _box(axes: Axes, box: Box, at: Point, text: str, letters: tuple[bool, float], critical: bool) -> Patch:
    named, size = letters
    look = KINDS[_kind(box)]
    frame = {"boxstyle": f"{shape_of(look.name, named)},pad=0.35", "lw": 0.9}
    frame |= {"facecolor": look.fill, "edgecolor": look.colour, "hatch": look.hatch}
    paper = [withStroke(linewidth=2.4, foreground="white")]
    label = axes.text(*at, text, ha="center", va="center", size=size, path_effects=paper, bbox=frame, zorder=3)
    patch = label.get_bbox_patch()
    assert patch is not None
    if critical:
        patch.set_path_effects([withStroke(linewidth=4.5, foreground="black")])
    return patch


def _arrow(axes: Axes, start: Point, end: Point, first: Patch, second: Patch, critical: str) -> None:
    """From one box to another; around those in between, if they stand in the same row. critical: its line's style."""
    far = end[0] - start[0] > 1 and abs(end[1] - start[1]) < 0.3
    arrow = FancyArrowPatch(
        start,
        end,
        patchA=first,
        patchB=second,
        arrowstyle="-|>",
        mutation_scale=9,
        connectionstyle=f"arc3,rad={-0.22 if far else 0}",
        color="black" if critical else "#8c8c8c",
        linestyle=(0, (1.2, 0.8)) if critical == "dashed" else "solid",
        lw=2.2 if critical else 1,
        zorder=4,
    )
    axes.add_patch(arrow)


def _legend(figure: Figure, layout: Layout, critical: bool, busy: bool) -> None:
    kinds = {_kind(box) for box in layout.boxes}
    handles: list[Artist] = [look.patch() for kind, look in KINDS.items() if kind in kinds]
    if critical:
        handles.append(Line2D([], [], color="black", lw=2.4, label="critical path"))
    if busy:
        handles.append(Line2D([], [], color="black", lw=2.4, ls=(0, (1.2, 0.8)), label="... until the NPU is free"))
    figure.legend(handles=handles, loc="outside lower center", ncols=7, frameon=False)
