"""Where a product's plane and the arrays are on the stage, and where on them a fold is."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

from astra_edu.course.instruments.scene import Box
from astra_edu.workload.compute.systolic import Fold, Folding

PLANE: Box = (72.0, 18.0, 220.0, 190.0)
ARRAYS: Box = (338.0, 18.0, 262.0, 190.0)
"""The room that each has."""
STRETCH = 4
"""What is longer than this many times its width, or the other way round, is drawn out of scale."""
LEAST = 3.0
"""Of a fold, however small it is."""


@dataclass(frozen=True)
class Grid:
    """Some rows and columns in a box. exact: whether it is to scale."""

    box: Box
    rows: int
    columns: int
    exact: bool

    def part(self, row: int, rows: int, column: int, columns: int) -> Box:
        """Where some of its rows and columns are."""
        x, y, wide, high = self.box
        across, down = wide / self.columns, high / self.rows
        return _rounded((x + across * column, y + down * row, across * columns, down * rows))

    def seen(self, row: int, rows: int, column: int, columns: int) -> Box:
        """The same, but large enough to be seen, and still inside."""
        x, y, wide, high = self.part(row, rows, column, columns)
        left, top, all_wide, all_high = self.box
        wide, high = max(wide, min(LEAST, all_wide)), max(high, min(LEAST, all_high))
        return _rounded((min(x, left + all_wide - wide), min(y, top + all_high - high), wide, high))

    def fold(self, fold: Fold) -> Box:
        """Where a fold is, if this is a plane."""
        return self.seen(fold.row, fold.rows, fold.column, fold.columns)

    def held(self, fold: Fold) -> Box:
        """What a fold takes, if this is an array."""
        return self.seen(0, fold.rows, 0, fold.columns)


def plane_of(folding: Folding) -> Grid:
    """The plane of one product, in the middle of its room."""
    rows, columns = folding.spatial_rows, folding.spatial_columns
    x, y, room_wide, room_high = PLANE
    wide, high, exact = fitted(rows, columns, room_wide, room_high)
    return Grid(_rounded((x + (room_wide - wide) / 2, y, wide, high)), rows, columns, exact)


def arrays_of(folding: Folding) -> list[Grid]:
    """The arrays in reading order, in rows and columns that leave them large."""
    array = folding.array
    across = min(array.count, max(1, ceil(sqrt(array.count * _shape(array.rows, array.columns)))))
    down = -(-array.count // across)
    gap = 8 / sqrt(max(across, down)) if array.count > 1 else 0.0
    x, y, room_wide, room_high = ARRAYS
    wide, high, exact = fitted(array.rows, array.columns, room_wide / across - gap, room_high / down - gap)
    left = x + (room_wide - across * (wide + gap) + gap) / 2
    boxes = [(left + i % across * (wide + gap), y + i // across * (high + gap), wide, high) for i in range(array.count)]
    return [Grid(_rounded(box), array.rows, array.columns, exact) for box in boxes]


def fitted(rows: int, columns: int, wide: float, high: float) -> tuple[float, float, bool]:
    """Width and height that rows and columns have in so much room, and whether they are to scale.

    >>> from astra_edu.course.instruments.folds_plane import fitted
    >>> fitted(10, 20, 100, 100), fitted(10, 100, 100, 100)
    ((100, 50.0, True), (100, 25.0, False))
    """
    shape = _shape(rows, columns)
    taken = min(wide, high / shape)
    return taken, taken * shape, shape == rows / columns


def _shape(rows: int, columns: int) -> float:
    return min(max(rows / columns, 1 / STRETCH), STRETCH)


def _rounded(box: Box) -> Box:
    x, y, wide, high = (round(number, 2) for number in box)
    return x, y, wide, high
