"""The picture of stages, or of NPUs, one below the other: cells over time in front of what is idle."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, product

from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from astra_edu.course.plots.figure import DENSE, WIDE, TimeUnit, percent, time_axis
from astra_edu.course.plots.looks import BACKWARD, BUBBLE, LOOKS, Look
from astra_edu.course.plots.timelines.cells import Cell, Cells

FORWARD = LOOKS["forward"]
_FILLED = 0.86  # of a lane's height
_SIZES = (9, 8, 7, 6)  # of letters, in points; small ones where there is no room
_LETTER = 0.58  # of its size: how wide a letter is
_HAIR = 1 / 900  # of an inch: no gap narrower than this is seen
_NARROW = 1 / 28  # of an inch: no edges around what is narrower
_LABELLED = 1000  # passes at most that are labelled in the picture
_HATCHED = 5000  # cells at most that are hatched
_MIRRORED = str.maketrans("/\\-", "\\/|")
_PAPER = {"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 0.6}
_MEANINGS = {
    "full": "F k,n: forward pass of micro-batch n through part k of the model; B k,n: its backward pass",
    "short": "a cell is a forward or backward pass; its number is the micro-batch's",
    "virtual": "a cell is a forward or backward pass; its number is the micro-batch's, its letter the virtual stage's",
    "": "a cell is a micro-batch's forward or backward pass (too narrow here for their numbers)",
}
_BOTH_WAYS = "↓: from the first stage down; ↑, paler and dotted or striped the other way: from the last stage up"
_PAIRS = "passes in one frame run together"
_COMPUTATIONS = "a cell is a computation, with its name, or its number in the trace, where there is room"


@dataclass(frozen=True)
class _Room:
    """How much room there is for labels, in points: of a ns in width, and of a lane in height."""

    of_ns: float
    height: float

    def fits(self, cell: Cell, text: str, size: float) -> bool:
        """Whether a cell has room for a text in letters of a size."""
        wide = _LETTER * size * (len(text) + 0.6)
        return 1.3 * size < self.height and wide < (cell.end_ns - cell.start_ns) * self.of_ns


def drawn(shown: Mapping[str, Cells], unit: TimeUnit) -> Figure:
    """The figure of some runs by their names."""
    every, longest = list(shown.values()), max(1, *(each.total_ns for each in shown.values()))
    counts = [len(each.lanes) for each in every]
    lane = max(0.11, min(0.42, 9 / sum(counts)))  # inches
    wide = DENSE if any(each.virtual > 1 for each in every) else WIDE
    figure = Figure(figsize=(wide, lane * sum(counts) + 0.55 * len(counts) + 1), layout="constrained")
    figure.suptitle(_MEANINGS["full"], size=10)
    grid = figure.subplots(len(counts), 1, sharex=True, squeeze=False, height_ratios=counts)[:, 0]
    for axes, (name, each) in zip(grid, shown.items(), strict=True):
        _frame(axes, name, each, unit, every=1 if lane > 0.16 else 8)
    time_axis(grid[-1], unit)
    grid[-1].set_xlim(0, longest / unit.ns)
    handles = [look.patch() for look in _legend(every)]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    figure.draw_without_rendering()  # now the axes have their place
    inches_per_ns = grid[0].get_window_extent().width / figure.dpi / longest
    room = _Room(72 * inches_per_ns, 72 * lane)
    label, size = _for_all([each for each in every if each.passes], room)
    for axes, each in zip(grid, every, strict=True):
        _draw(axes, each, unit, inches_per_ns)
        _write(axes, unit, _labels(each, label, size) if each.passes else _names(each, room))
    figure.suptitle(_meaning(every, label), size=10)
    return figure


def _legend(shown: Collection[Cells]) -> Iterator[Look]:
    found = {cell.look for each in shown for cell in each.cells}
    pipelines = any(each.passes for each in shown)
    for look in LOOKS.values():
        if look in found or (pipelines and look in (FORWARD, BACKWARD)):
            yield look._replace(short="W") if pipelines and look.name == "weight gradient" else look
    yield BUBBLE._replace(name="bubble: nothing to compute" if pipelines else "nothing to compute")


def _meaning(shown: Collection[Cells], label: str) -> str:
    """What a cell is, over the figure."""
    passes = [_MEANINGS[label]] if any(each.passes for each in shown) else []
    passes += [f"{_BOTH_WAYS}; {_PAIRS}"] if any(each.both_ways for each in shown) else []
    return "\n".join([*passes, *([] if all(each.passes for each in shown) else [_COMPUTATIONS])])


def _frame(axes: Axes, name: str, shown: Cells, unit: TimeUnit, every: int) -> None:
    """Empty lanes, all idle so far; words at every how-manieth of them."""
    idle = "bubble" if shown.passes else "idle"
    axes.set_title(f"{name}: {unit.named(shown.total_ns)}, {idle} {percent(shown.idle)}", loc="left", size=10)
    end, count = shown.total_ns / unit.ns, len(shown.lanes)
    axes.barh(range(count), end, _FILLED, facecolor=BUBBLE.fill, edgecolor=BUBBLE.colour, lw=0.5)
    axes.set(ylim=(count - 0.4, -0.6))
    named = range(0, count, every)
    axes.set_yticks(named, [shown.lanes[lane] for lane in named])
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    for lane in named:
        text = f"idle {percent(shown.idle_shares[lane])}"
        text += f", keeps {shown.keeps[lane]:.4g}" if shown.keeps else ""
        at = (1.01, lane)
        axes.annotate(text, at, xycoords=("axes fraction", "data"), va="center", size=9.5, annotation_clip=False)


def _draw(axes: Axes, shown: Cells, unit: TimeUnit, inches_per_ns: float) -> None:
    """Draw the cells; where they are narrow, without edges, and as one if nothing is seen between them."""
    shortest = min((cell.end_ns - cell.start_ns for cell in shown.cells), default=0)
    narrow = shortest * inches_per_ns < _NARROW
    gap_ns = _HAIR / inches_per_ns if narrow else -1
    for (lane, _, virtual_stage), same in groupby(sorted(shown.cells, key=_look_of), _look_of):
        cells = list(same)
        look = cells[0].look
        axes.broken_barh(
            [(a / unit.ns, (b - a) / unit.ns) for a, b in _together(cells, gap_ns)],
            (lane - _FILLED / 2, _FILLED),
            facecolor=_paler(look.fill, virtual_stage, shown.virtual),
            edgecolor=look.colour,
            hatch=_hatch(look, shown.both_ways and virtual_stage == 1) if len(shown.cells) <= _HATCHED else "",
            lw=0 if narrow else 0.7,
        )
    if not narrow:
        for lane, start, end in shown.pairs:
            frame = (start / unit.ns, lane - _FILLED / 2), (end - start) / unit.ns, _FILLED
            axes.add_patch(Rectangle(*frame, facecolor="none", edgecolor="black", lw=1.3))


def _hatch(look: Look, up: bool) -> str:
    """A look's hatch; on the way up it is mirrored, or dots where there is none."""
    return look.hatch.translate(_MIRRORED) or "..." if up else look.hatch


def _look_of(cell: Cell) -> tuple[int, str, int]:
    return cell.lane, cell.look.name, cell.virtual_stage or 0


def _together(cells: Iterable[Cell], gap_ns: float) -> list[tuple[float, float]]:
    """From when to when a bar goes, if gaps of up to gap_ns are drawn over."""
    bars: list[tuple[float, float]] = []
    for cell in cells:
        if bars and cell.start_ns - bars[-1][1] <= gap_ns:
            bars[-1] = (bars[-1][0], cell.end_ns)
        else:
            bars.append((cell.start_ns, cell.end_ns))
    return bars


def _paler(fill: str, virtual_stage: int, virtual: int) -> str:
    share = 0.6 * virtual_stage / max(1, virtual - 1)
    red, green, blue = (value + share * (1 - value) for value in to_rgb(fill))
    return to_hex((red, green, blue))


def _for_all(shown: Collection[Cells], room: _Room) -> tuple[str, float]:
    """How all passes can be labelled, and in which size; "" if there is no room for it."""
    cells = [cell for each in shown for cell in each.cells]
    short = "virtual" if any(each.virtual > 1 and not each.both_ways for each in shown) else "short"
    for label, size in product(("full", short), _SIZES):
        if len(cells) <= _LABELLED and all(room.fits(cell, _text(cell, label), size) for cell in cells):
            return label, size
    return "", 0


def _text(cell: Cell, label: str) -> str:
    if label == "full":
        return cell.full
    letter = label == "virtual" and cell.short.isdecimal()
    return f"{cell.short}{chr(ord('a') + (cell.virtual_stage or 0))}" if letter else cell.short


Labels = Iterable[tuple[Cell, str, float]]
"""A cell, what to write in it, and in which size."""


def _labels(shown: Cells, label: str, size: float) -> Labels:
    """The same kind of label in all passes."""
    return ((cell, _text(cell, label), size) for cell in shown.cells if label)


def _names(shown: Cells, room: _Room) -> Labels:
    """In each computation the first of its texts that fits."""
    for cell in shown.cells:
        for text, size in product((cell.full, cell.short), _SIZES):
            if text and room.fits(cell, text, size):
                yield cell, text, size
                break


def _write(axes: Axes, unit: TimeUnit, labels: Labels) -> None:
    for cell, text, size in labels:
        x = (cell.start_ns + cell.end_ns) / 2 / unit.ns
        paper = _PAPER if cell.look.hatch or "↑" in text else None
        axes.text(x, cell.lane, text, size=size, ha="center", va="center", bbox=paper)
