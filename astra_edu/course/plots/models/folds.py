"""Figure: how the folds of a matrix product cover its plane, and the PEs that one of them takes."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.figure import WIDE, Picture, percent, text_table
from astra_edu.course.plots.looks import EXPOSED
from astra_edu.workload.compute.systolic import AXES, Fold, Folding

_HELD: dict[str, Any] = {"facecolor": "#f7b787", "edgecolor": "#d55e00", "lw": 2}
_IDLE: dict[str, Any] = {"facecolor": "white", "edgecolor": EXPOSED.colour, "hatch": EXPOSED.hatch, "lw": 0.8}
_PLANE: dict[str, Any] = {"facecolor": "#d6e6f2", "edgecolor": "#0072b2", "lw": 1.2}
_LINES = 64
"""A plane or an array with more lines than this in a direction is drawn without them."""
_MOST = 4
"""Longer planes than this many times their width are drawn out of scale."""


def folds(folding: Folding, number: int = 0) -> Picture:
    """Draw the plane of one product, cut into its folds, and the array that has fold `number` on it, counted from 0.

    Titles count it from 1. Raises ConfigError for what is no folding, and where there is no such fold.
    """
    if not isinstance(folding, Folding):
        raise ConfigError(f"this draws a Folding(Gemm(64, 48, 40), SystolicArray(16, 16)) or another, not {folding!r}.")
    fold = folding.fold(number)
    alt = f"{folding}. {_sentence(folding, fold, number)}"
    return Picture(_drawn(folding, fold, number), alt, _table(folding))


def _drawn(folding: Folding, fold: Fold, number: int) -> Figure:
    figure = Figure(figsize=(WIDE, 4.2), layout="constrained")
    plane, array = figure.subplots(1, 2)
    _draw_plane(plane, folding, fold, number)
    _draw_array(array, folding, fold)
    alike = [Patch(label="taken by the fold", **_HELD), Patch(label="idle", **_IDLE)]
    figure.legend(handles=alike, loc="outside lower right", ncols=2, frameon=False)
    return figure


def _draw_plane(axes: Axes, folding: Folding, fold: Fold, number: int) -> None:
    along, across, _ = AXES[folding.dataflow]
    rows, columns = folding.spatial_rows, folding.spatial_columns
    axes.add_patch(Rectangle((0, 0), columns, rows, **_PLANE))
    down, wide = folding.grid
    if max(down, wide) <= _LINES:
        axes.hlines([k * folding.array.rows for k in range(1, down)], 0, columns, color="#0072b2", lw=0.8)
        axes.vlines([k * folding.array.columns for k in range(1, wide)], 0, rows, color="#0072b2", lw=0.8)
    axes.add_patch(Rectangle((fold.column, fold.row), fold.columns, fold.rows, **_HELD))
    middle = (fold.column + fold.columns / 2, fold.row + fold.rows / 2)
    axes.plot(*middle, "o", color="black", ms=5, clip_on=False)  # to be found even where a fold is tiny
    _frame(axes, rows, columns)
    axes.set_title(
        f"{down:,} × {wide:,} folds; • is fold {number + 1:,} of {folding.fold_count:,}", size=10, loc="left"
    )
    axes.set(xlabel=f"{across} = {columns:,}", ylabel=f"{along} = {rows:,}")


def _draw_array(axes: Axes, folding: Folding, fold: Fold) -> None:
    rows, columns = folding.array.rows, folding.array.columns
    axes.add_patch(Rectangle((0, 0), columns, rows, **_IDLE))
    axes.add_patch(Rectangle((0, 0), fold.columns, fold.rows, **_HELD))
    if max(rows, columns) <= _LINES:
        axes.hlines(range(1, fold.rows), 0, fold.columns, color="white", lw=1)
        axes.vlines(range(1, fold.columns), 0, fold.rows, color="white", lw=1)
    _frame(axes, rows, columns)
    share = percent(fold.pes / (rows * columns))
    axes.set_title(f"its array: {fold.pes:,} of {rows * columns:,} PEs taken, {share}", size=10, loc="left")
    axes.set(xlabel=f"{columns:,} columns of PEs", ylabel=f"{rows:,} rows of PEs")


def _frame(axes: Axes, rows: int, columns: int) -> None:
    """Show all of something rows × columns large, from the top left; to scale where that leaves it legible."""
    axes.set(xlim=(0, columns), ylim=(rows, 0), xticks=[], yticks=[])
    shape = min(max(rows / columns, 1 / _MOST), _MOST)
    axes.set_box_aspect(shape)
    if shape != rows / columns:
        axes.annotate("not to scale", (1, 1.01), xycoords="axes fraction", ha="right", va="bottom", size=9)


def _sentence(folding: Folding, fold: Fold, number: int) -> str:
    along, across, _ = AXES[folding.dataflow]
    return (
        f"Fold {number + 1:,} has {along} {fold.row:,} to {fold.row + fold.rows - 1:,} along the rows and {across} "
        f"{fold.column:,} to {fold.column + fold.columns - 1:,} along the columns of its array, from cycle "
        f"{fold.first_cycle:,} on."
    )


def _table(folding: Folding) -> str:
    all_pes = folding.array.rows * folding.array.columns
    rows: list[list[object]] = [
        [f"{r:,} × {c:,}", f"{many:,}", f"{r * c:,} of {all_pes:,}", percent(r * c / all_pes)]
        for (r, c), many in folding.sizes().items()
    ]
    rows.append(["all", f"{folding.fold_count:,}", "as a mean", percent(folding.mapping_utilisation)])
    return text_table(["rows × columns of a fold", "folds", "PEs taken", "share"], rows)
