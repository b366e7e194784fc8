"""A figure read back as a person reads it: what stands where, and what the legend says that it is.

Nothing here knows how a figure was drawn. A bar or a line is known by its look alone (colours, hatch, marker, dashes),
and what it means by the legend's entry of that look; where it stands, by the words on the axis.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch, Rectangle
from matplotlib.text import Annotation


class Fill(NamedTuple):
    """How an area looks. hatch: its signs, each once."""

    face: str
    edge: str
    hatch: str


class Stroke(NamedTuple):
    """How a line looks. dashes: their lengths, in points; none if it is solid. hollow: its markers."""

    colour: str
    marker: str
    dashes: tuple[float, ...]
    hollow: bool = False
    lined: bool = True


class Bar(NamedTuple):
    """An area with four corners, in the axes' own units, from left to right and from its lower number up."""

    left: float
    right: float
    low: float
    high: float
    look: Fill

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.low + self.high) / 2


def _colour(of: Any) -> str:
    """As #rrggbb; "none" for what isn't filled."""
    return "none" if isinstance(of, str) and of == "none" else to_hex(of)


def fill_of(patch: Patch) -> Fill:
    face = "none" if not patch.get_fill() or patch.get_facecolor()[3] == 0 else _colour(patch.get_facecolor())
    return Fill(face, _colour(patch.get_edgecolor()), "".join(sorted({*(patch.get_hatch() or "")})))


def stroke_of(line: Line2D) -> Stroke:
    dashes = tuple(line._unscaled_dash_pattern[1] or ())
    marker = "" if line.get_marker() in ("None", None) else str(line.get_marker())
    hollow = marker not in ("", "x") and _colour(line.get_markerfacecolor()) in ("none", "#ffffff")
    return Stroke(_colour(line.get_color()), marker, dashes, hollow, line.get_linestyle() != "None")


def bars(axes: Axes) -> list[Bar]:
    """All bars of the axes: of bar, barh and broken_barh, without those of no length."""
    found = []
    for patch in axes.patches:
        if isinstance(patch, Rectangle):
            box = patch.get_bbox()
            found.append(Bar(*sorted((box.x0, box.x1)), *sorted((box.y0, box.y1)), fill_of(patch)))
    for collection in axes.collections:
        if isinstance(collection, PolyCollection) and (collection.get_alpha() or 1) > 0.2:
            face, edge = (_colour(c[0]) for c in (collection.get_facecolor(), collection.get_edgecolor()))
            look = Fill(face, edge, "".join(sorted({*(collection.get_hatch() or "")})))
            boxes = [path.get_extents() for path in collection.get_paths() if len(path.vertices)]
            found += [Bar(box.x0, box.x1, box.y0, box.y1, look) for box in boxes]
    return [bar for bar in found if bar.right - bar.left and bar.high - bar.low]


def legends(shown: Figure | Axes) -> list[Legend]:
    """The legends of a figure, and of all its axes."""
    if isinstance(shown, Axes):
        return [legend for legend in (shown.get_legend(),) if legend]
    return [*shown.legends, *(legend for axes in shown.axes for legend in legends(axes))]


def said_by(one: Legend) -> dict[str, Fill | Stroke]:
    """{what is said: how it looks}, in the order in which it is said."""
    return {text.get_text(): _look_of(mark) for text, mark in zip(one.get_texts(), one.legend_handles, strict=True)}


def _look_of(mark: Any) -> Fill | Stroke:
    if isinstance(mark, Patch):
        return fill_of(mark)
    if isinstance(mark, Line2D):
        return stroke_of(mark)
    colours = mark.get_facecolor() if len(mark.get_facecolor()) else mark.get_edgecolor()  # of scatter and vlines
    return Stroke(_colour(colours[0]), "", ())


def legend(shown: Figure | Axes) -> dict[str, Fill | Stroke]:
    """What all legends of a figure, or of axes, say."""
    return {words: look for one in legends(shown) for words, look in said_by(one).items()}


def key_of(axes: Axes) -> dict[str, Fill | Stroke]:
    """What the axes' own legend says, or else that of the figure."""
    return legend(axes) or legend(axes.figure)


def rows(axes: Axes) -> dict[str, float]:
    """{what stands before a row: where it is}, from the top; of axes that share their rows, as the first says."""
    named: list[tuple[float, str]] = []
    for one in (axes, *axes.get_shared_y_axes().get_siblings(axes)):
        labels = [label.get_text().replace("\n", " ") for label in one.get_yticklabels()]
        named = named or [(y, words) for y, words in zip(one.get_yticks(), labels, strict=False) if words]
    top = axes.transData.transform([(axes.get_xlim()[0], y) for y, _ in named])[:, 1] if named else []
    return {words: y for _, (y, words) in sorted(zip(top, named, strict=True), reverse=True)}


def row_of(axes: Axes, y: float) -> str:
    """The row that is nearest to a height."""
    found = rows(axes)
    return min(found, key=lambda name: abs(found[name] - y))


def told(axes: Axes, key: dict[str, Fill | Stroke] | None = None) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """{what the legend says: {row: [(from, to), ...]}} of all bars that the legend says something of."""
    key = key or key_of(axes)
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for words, look in key.items():
        mine: dict[str, list[tuple[float, float]]] = {}
        for bar in bars(axes):
            if bar.look == look:
                mine.setdefault(row_of(axes, bar.middle[1]), []).append((bar.left, bar.right))
        found[words] = {row: sorted(mine[row]) for row in rows(axes) if row in mine}
    return found


def lengths(axes: Axes, key: dict[str, Fill | Stroke] | None = None) -> dict[str, dict[str, float]]:
    """{what the legend says: {row: how long its bars are together}}."""
    return {
        words: {row: sum(b - a for a, b in parts) for row, parts in by_row.items()}
        for words, by_row in told(axes, key).items()
    }


Curve = list[tuple[float, float]]


def points(line: Line2D) -> Curve:
    return [(float(x), float(y)) for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)]


def curves(axes: Axes, key: dict[str, Fill | Stroke] | None = None) -> dict[str, Curve]:
    """{what the legend says: the points of the one line that looks like that}."""
    found: dict[str, Curve] = {}
    for words, look in (key or key_of(axes)).items():
        same = [line for line in axes.lines if stroke_of(line) == look]
        assert len(same) <= 1, f"{len(same)} lines look like {words}"
        if same:
            found[words] = points(same[0])
    return found


def texts(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts if text.get_text().strip()]


def place(axes: Axes, text: str) -> tuple[float, float]:
    """What a text belongs to: for an annotation the point that it is beside."""
    (found,) = [one for one in axes.texts if one.get_text() == text]
    return found.xy if isinstance(found, Annotation) else found.get_position()


def places(axes: Axes, texts: Iterable[str]) -> dict[str, tuple[float, float]]:
    return {text: place(axes, text) for text in texts}


class Labels(NamedTuple):
    """The words on axes, and their scales."""

    title: str
    across: str
    up: str
    scales: tuple[str, str] = ("linear", "linear")


def labels(axes: Axes) -> Labels:
    title = axes.get_title(loc="left") or axes.get_title()
    return Labels(title, axes.get_xlabel(), axes.get_ylabel(), (axes.get_xscale(), axes.get_yscale()))


def ticks(axes: Axes) -> list[str]:
    """The numbers on the horizontal axis, as they are drawn."""
    axes.figure.draw_without_rendering()
    return [label.get_text() for label in axes.get_xticklabels() if label.get_text()]


def heights(axes: Axes) -> list[float]:
    """Where lines go from side to side."""
    return [
        line.get_ydata()[0] for line in axes.lines if line.get_transform() == axes.get_yaxis_transform(which="grid")
    ]


def uprights(axes: Axes) -> list[float]:
    """Where lines go from the bottom to the top."""
    return [
        line.get_xdata()[0] for line in axes.lines if line.get_transform() == axes.get_xaxis_transform(which="grid")
    ]


def arrows(axes: Axes) -> list[FancyArrowPatch]:
    return [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]


def ends(arrow: FancyArrowPatch) -> tuple[tuple[float, float], tuple[float, float]]:
    """(where it comes from, where its head is)."""
    start, end = arrow._posA_posB
    return tuple(map(float, start)), tuple(map(float, end))


def table(picture: Any) -> list[list[str]]:
    """The table's rows as lists of cells."""
    return [re.split(r"\s{2,}", line.strip()) for line in picture.table.splitlines()]


def numbers(text: str) -> set[float]:
    """The numbers that a text says."""
    return {float(found.replace(",", "").replace("−", "-")) for found in re.findall(r"[-−]?\d[\d,]*\.?\d*", text)}
