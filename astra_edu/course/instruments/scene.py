"""What an instrument shows of one setting: a headline, pictures, and the same as words and as code."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Any

from astra_edu.course.instruments.charts import Curves, Lanes, chart_table

Box = tuple[float, float, float, float]
"""x, y, width and height, in units of the stage."""
Point = tuple[float, float]
"""x and y, in units of the stage."""


@dataclass(frozen=True)
class Part:
    """A part of a bar. look: of the instrument's looks; size: in the bars' unit."""

    look: str
    size: float


@dataclass(frozen=True)
class Bar:
    """A bar of parts side by side. said: what stands at its end. limit: where it had better not go, if there is one."""

    label: str
    parts: tuple[Part, ...]
    said: str
    limit: float | None = None

    @property
    def size(self) -> float:
        """Of all parts."""
        return sum(part.size for part in self.parts)


@dataclass(frozen=True)
class Bars:
    """Bars that share a scale. unit: of their sizes. limit: what the limits are called."""

    title: str
    bars: tuple[Bar, ...]
    unit: str
    limit: str = ""


@dataclass(frozen=True)
class Piece:
    """Something on the stage: a rectangle with a look and perhaps a word, at a place in each step; None: not there.

    at: a box for every step. looks: one for every step. title: what it is, in words. by: {step: the box by way of which
    it comes to its place there}. says: a word for every step, in place of text.
    """

    name: str
    at: tuple[Box | None, ...]
    looks: tuple[str, ...]
    text: str = ""
    title: str = ""
    by: dict[int, Box] = field(default_factory=dict)
    says: tuple[str, ...] = ()


@dataclass(frozen=True)
class Frame:
    """What holds pieces on the stage and doesn't move: a rectangle with a name above it.

    says: words in its middle, one for every step, such as a counter.
    """

    name: str
    box: Box
    text: str = ""
    says: tuple[str, ...] = ()


@dataclass(frozen=True)
class Link:
    """A line on the stage through some points.

    looks and wide (in units of the stage): one for every step. A look's hatch dashes the line. says: words beside its
    middle, one for every step. title: what it is, in words. arrow: whether its end has a head.
    """

    name: str
    points: tuple[Point, ...]
    looks: tuple[str, ...]
    wide: tuple[float, ...]
    says: tuple[str, ...] = ()
    title: str = ""
    arrow: bool = False


@dataclass(frozen=True)
class Label:
    """Words on the stage by themselves, such as an axis's. at: where their line begins, has its middle, or ends."""

    name: str
    at: Point
    text: str
    anchor: str = "start"


@dataclass(frozen=True)
class Drag:
    """That something on the stage is dragged to the right (or downwards) to move a setting to its next value.

    per: so many units of the stage a value; negative where the other way leads on.
    """

    setting: str
    per: float
    vertical: bool = False


@dataclass(frozen=True)
class Stage:
    """Pieces that move from step to step. steps: what happens in each, a sentence. size: width and height.

    still: the step that says most where nothing moves.
    clock: whether steps are moments of a run. Then pieces move all the time; and as times would answer what is asked,
    only the first step is shown before a prediction.
    hidden: whether the steps would answer what is asked, though they are no moments; then the same.
    times: when each step is, in the unit of the lanes and curves beside it, which then show where the stage has got.
    """

    title: str
    size: tuple[float, float]
    steps: tuple[str, ...]
    frames: tuple[Frame, ...]
    pieces: tuple[Piece, ...]
    still: int = -1
    clock: bool = False
    links: tuple[Link, ...] = ()
    labels: tuple[Label, ...] = ()
    times: tuple[float, ...] = ()
    hidden: bool = False


@dataclass(frozen=True)
class Scene:
    """Everything that is shown of one setting.

    title: what it is. headline: the number that counts, in words. sentences: what is to be said about it. numbers:
    {name: (value, in words)}, compared with those of the setting before and of the pinned one. code: it in Python.
    sets: {what on the stage or in lanes: values to take where it is clicked}; the settings must have a control as well.
    drags: {what on the stage: the setting that it moves}. view: what a player or a timeline draws, of an instrument
    that has one.
    """

    title: str
    headline: str
    sentences: tuple[str, ...]
    numbers: dict[str, tuple[float, str]]
    bars: tuple[Bars, ...] = ()
    stage: Stage | None = None
    code: str = ""
    curves: tuple[Curves, ...] = ()
    lanes: tuple[Lanes, ...] = ()
    sets: dict[str, dict[str, Any]] = field(default_factory=dict)
    drags: dict[str, Drag] = field(default_factory=dict)
    view: dict[str, Any] | None = None

    def keeping(self, fixed: dict[str, Any]) -> Scene:
        """The same, but nothing that is clicked or dragged moves a setting of these away from its value."""
        sets = {n: taken for n, taken in self.sets.items() if all(fixed.get(k, v) == v for k, v in taken.items())}
        drags = {name: drag for name, drag in self.drags.items() if drag.setting not in fixed}
        return replace(self, sets=sets, drags=drags) if fixed else self

    def data(self) -> dict[str, Any]:
        """For the view."""
        return {field.name: as_dicts(getattr(self, field.name)) for field in fields(self)}

    def summary(self) -> str:
        """The same as plain text."""
        lines = [self.title, self.headline, *self.sentences]
        for bars in self.bars:
            lines += ["", f"{bars.title} ({bars.unit})", *table(bars)]
        charts: tuple[Lanes | Curves, ...] = (*self.lanes, *self.curves)
        for chart in charts:
            lines += ["", chart.title, *columns(chart_table(chart))]
        return "\n".join(lines)


def as_dicts(value: Any) -> Any:
    """Dataclasses as dictionaries, as dataclasses.asdict has them, but what else there is isn't copied."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind(map(as_dicts, value))
    if kind is dict:
        return {name: as_dicts(each) for name, each in value.items()}
    names = _names(kind)  # type: ignore[arg-type] # a type can be hashed
    return {name: as_dicts(getattr(value, name)) for name in names} if names else value


@cache
def _names(kind: Hashable) -> tuple[str, ...]:
    """Of the fields of a dataclass, none of anything else."""
    return tuple(field.name for field in fields(kind)) if isinstance(kind, type) and is_dataclass(kind) else ()


def table(bars: Bars) -> list[str]:
    """The bars as lines of text."""
    looks = list(dict.fromkeys(part.look for bar in bars.bars for part in bar.parts))
    rows: list[Sequence[str]] = [["", *looks, "all"]]
    for bar in bars.bars:
        sizes: dict[str, float] = {}
        for part in bar.parts:
            sizes[part.look] = sizes.get(part.look, 0) + part.size
        rows.append([bar.label, *(f"{sizes[look]:,.4g}" if look in sizes else "" for look in looks), bar.said])
    return columns(rows)


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of words as lines of text, each column as wide as it must be."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
