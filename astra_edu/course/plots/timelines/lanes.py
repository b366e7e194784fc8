"""Time from left to right and one lane below the other: the frame that the timeline and the pipeline are drawn in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError, not_negative
from astra_edu.base.intervals import in_rows
from astra_edu.course.plots.figure import WIDE, TimeUnit, time_axis
from astra_edu.course.plots.looks import LOOKS
from astra_edu.run.result import Result

PIXELS_PER_INCH = 110
_LANE_INCHES = 0.72
_LINE_INCHES = 0.17  # of a title
_FILLED = 0.84  # of a lane's height
_SIZES = (9, 7.5, 6)  # of letters, in points; small ones where there is no room
_PAPER = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.6}
_COLUMNS = 6  # of a legend


class Block(NamedTuple):
    """Something in a lane from start to end (ns). look: a name in LOOKS. texts: what to write in it, longest first."""

    start: float
    end: float
    look: str
    texts: tuple[str, ...] = ()


class Window(NamedTuple):
    """The part of a run that is drawn, in ns."""

    start: float
    end: float

    @classmethod
    def of(cls, total_ns: float, start_ns: float, end_ns: float | None) -> Window:
        """The window from start_ns to end_ns (None: the end) of a run. Raises ConfigError for an empty one."""
        start = not_negative("start_ns", start_ns)
        end = min(total_ns, total_ns if end_ns is None else not_negative("end_ns", end_ns))
        if start >= end:
            raise ConfigError(
                f"the window from start_ns = {start:g} to end_ns = {end:g} is empty; it must lie in the run's "
                f"{total_ns:,.10g} ns and begin before it ends."
            )
        return cls(start, end)

    @property
    def length(self) -> float:
        """How long it is, in ns."""
        return self.end - self.start

    @property
    def pixel_ns(self) -> float:
        """How long a pixel is, about."""
        return self.length / (9.5 * PIXELS_PER_INCH)

    def clip(self, block: Block) -> Block | None:
        """What of the block lies in the window."""
        start, end = max(self.start, block.start), min(self.end, block.end)
        return block._replace(start=start, end=end) if start < end else None


@dataclass(frozen=True)
class Lanes:
    """A figure with named lanes over a window of time."""

    figure: Figure
    axes: Axes
    names: Sequence[str]
    window: Window
    unit: TimeUnit

    @classmethod
    def of(cls, names: Sequence[str], window: Window, unit: TimeUnit) -> Lanes:
        """Empty lanes, the first one on top."""
        figure = Figure(figsize=(WIDE, _LANE_INCHES * len(names) + 1.1), layout="constrained")
        axes = figure.subplots()
        axes.set(xlim=(window.start / unit.ns, window.end / unit.ns), ylim=(len(names) - 0.5, -0.5))
        time_axis(axes, unit)
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        return cls(figure, axes, names, window, unit)

    def draw(self, lane: int, rows: Sequence[Sequence[Block]]) -> None:
        """Draw blocks in a lane; rows: one above the other, for what happens at the same time."""
        height = _FILLED / max(1, len(rows))
        for number, row in enumerate(rows):
            top = lane - _FILLED / 2 + number * height
            blocks = coarse([b for b in map(self.window.clip, row) if b], self.window.pixel_ns)
            for name in dict.fromkeys(block.look for block in blocks):
                look = LOOKS[name]
                ranges = [(b.start / self.unit.ns, (b.end - b.start) / self.unit.ns) for b in blocks if b.look == name]
                self.axes.broken_barh(
                    ranges,
                    (top, height),
                    facecolor=look.fill,
                    edgecolor=look.colour,
                    hatch=look.hatch,
                    lw=0.7,
                    label=name,
                )

    def shade(self, blocks: Iterable[Block]) -> None:
        """Shade the time of the blocks over all lanes, behind what is drawn in them."""
        for look, block in ((LOOKS[b.look], c) for b in blocks if (c := self.window.clip(b))):
            ranges = [(block.start / self.unit.ns, (block.end - block.start) / self.unit.ns)]
            self.axes.broken_barh(ranges, (-0.5, len(self.names)), facecolor=look.colour, alpha=0.1, lw=0, zorder=0)

    def write(self, lane: int, rows: Sequence[Sequence[Block]], room: float = 1.8) -> int:
        """Write in each block the first of its texts that fits, upright if need be. Returns how many it wrote.

        Legend and title must be there already, as they take of the lanes' height.
        room: the height of a line of text, in that of its letters; more leaves more of narrow blocks to be seen.
        Spaces at a text's ends take their place, but are not written: all texts of a length are written or none.
        """
        width, high = self._inches
        points = 72 * width / self.window.length
        height = 72 * high / len(self.names) * _FILLED / max(1, len(rows))
        written = 0
        for number, row in enumerate(rows):
            middle = lane - _FILLED / 2 + (number + 0.5) * _FILLED / len(rows)
            for block in (b for b in map(self.window.clip, row) if b):
                fitting = _fitting(block.texts, (block.end - block.start) * points, height, room)
                if fitting:
                    text, size, angle = fitting
                    x = (block.start + block.end) / 2 / self.unit.ns
                    words = self.axes.text(
                        x, middle, text.strip(), size=size, rotation=angle, ha="center", va="center", bbox=_PAPER
                    )
                    words.set_in_layout(False)  # it lies within the axes, and laying out hundreds takes seconds
                    written += 1
        return written

    @cached_property
    def _inches(self) -> tuple[float, float]:
        """How wide and high the axes are, when legend and title have their place."""
        self.figure.draw_without_rendering()
        box = self.axes.get_window_extent().transformed(self.figure.dpi_scale_trans.inverted())
        return box.width, box.height

    def title(self, text: str) -> None:
        """A title above the lanes; the figure grows by its further lines."""
        lines = 1 + text.count("\n")
        self.axes.set_title(text, size=10, loc="left")
        self.figure.set_figheight(_LANE_INCHES * len(self.names) + 1.1 + _LINE_INCHES * (lines - 1))

    def legend(self, names: Iterable[str]) -> None:
        """A legend of these looks below the lanes."""
        handles = [LOOKS[name].patch() for name in names]
        lines = -(-len(handles) // _COLUMNS)
        columns = -(-len(handles) // lines)
        self.figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)


def _fitting(texts: Sequence[str], width: float, height: float, room: float) -> tuple[str, float, int] | None:
    """The first (text, size, angle) that fits in a block of this width and height, in points."""
    for text, size in product(texts, _SIZES):
        long = 0.6 * size * len(text)
        for angle, across, along in ((0, width, height), (90, height, width)):
            if long < across and room * size < along:
                return text, size, angle
    return None


def lane_name(result: Result, d: int) -> str:
    """The name of dimension d's lane, with what it connects in a second line."""
    if any(stay.phase.logical.how.flat for stay in result.stays if stay.phase.dimension == d):
        return f"dimension {d}\nall {result.platform.npus} NPUs"  # the implementations with "one" in front
    logical = result.logical[d]
    return f"dimension {d}\n{result.platform.network[logical.physical].topology} of {logical.npus}"


def coarse(blocks: Sequence[Block], pixel: float) -> list[Block]:
    """Blocks of a pixel or more as they are; narrower ones together, each pixel as what takes most of it."""
    result = [block for block in blocks if block.end - block.start >= pixel]
    pixels: defaultdict[int, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for block in blocks:
        if block.end - block.start < pixel:
            pixels[int((block.start + block.end) / 2 // pixel)][block.look] += block.end - block.start
    last = -2
    for place in sorted(pixels):
        look = max(pixels[place], key=pixels[place].__getitem__)
        if place == last + 1 and result[-1].look == look:
            result[-1] = result[-1]._replace(end=(place + 1) * pixel)
        else:
            result.append(Block(place * pixel, (place + 1) * pixel, look))
        last = place
    return result


def rows_of(blocks: Iterable[Block]) -> list[list[Block]]:
    """The blocks in as few rows as keep those apart that overlap in time."""
    return in_rows(sorted(blocks), lambda block: block[:2])
