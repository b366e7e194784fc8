"""Charts of an instrument: lanes of blocks over a time, and curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    """Something that goes on in a lane from start to end, in the unit of the lanes.

    name: no other block has it. text: what stands on it, where there is room. title: what it is, in a sentence, told
    to who clicks it. because: the blocks that it waited for, marked then.
    """

    name: str
    lane: str
    start: float
    end: float
    look: str
    text: str = ""
    title: str = ""
    because: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lanes:
    """Blocks over a time that starts at 0. lanes: their names, from above. end: of the time, in the unit.

    open: whether they are shown while a question is open; then without the numbers of their time.
    """

    title: str
    unit: str
    lanes: tuple[str, ...]
    blocks: tuple[Block, ...]
    end: float
    open: bool = False


@dataclass(frozen=True)
class Curve:
    """Points (x, y), ascending in x, joined by a line. look: its name, colour and dashes."""

    look: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Curves:
    """Curves over one axis. x, y: what the axes count, with their units. log_x, log_y: whether by powers.

    clock: whether x is the time of the stage, so that the curves show where it has got.
    """

    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]
    log_x: bool = False
    log_y: bool = False
    clock: bool = False


def chart_table(chart: Lanes | Curves) -> list[Sequence[str]]:
    """The blocks or the points of a chart as rows of words, the first of them the head."""
    if isinstance(chart, Lanes):
        head = ("", "from", f"to ({chart.unit})", "what")
        return [
            head,
            *((b.lane, f"{b.start:,.6g}", f"{b.end:,.6g}", b.title or b.text or b.look) for b in chart.blocks),
        ]
    known = [dict(curve.points) for curve in chart.curves]
    places = sorted({x for points in known for x in points})
    rows = [(f"{x:,.6g}", *(f"{points[x]:,.4g}" if x in points else "" for points in known)) for x in places]
    return [(chart.x, *(f"{curve.look}: {chart.y}" for curve in chart.curves)), *rows]
