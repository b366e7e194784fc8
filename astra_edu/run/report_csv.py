"""A report of ASTRA-sim: a grid of cells in a CSV file, filled in here and there."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import read_text, what_is_at, write_text


class Report:
    """The cells of the file at `path`. fresh: whether they are new, so that headers have to be written."""

    def __init__(self, path: Path, height: int, width: int, own: Iterable[int] | None = None) -> None:
        """An empty grid; or, if `own` rows are given and there is a file, the file as it is with these rows emptied.

        Raises ConfigError for a file that can't be read.
        """
        self.path = path
        self.width = width
        self.fresh = own is None or not what_is_at(path, "a report")
        self.cells = [] if self.fresh else _read(path)
        self._grow(height)
        for row in own or ():
            self._grow(row + 1)
            self.cells[row] = [""] * width

    def put(self, row: int, column: int, *texts: str) -> None:
        """Write texts from (row, column) on, to the right.

        A text goes in front of what a cell has, as in ASTRA-sim: in detailed.csv the means of the dimensions, which
        follow the last layer's cells, run into cells of the first layer where that has more phases.
        """
        self._grow(row + 1)
        cells = self.cells[row]
        cells += [""] * (column + len(texts) - len(cells))
        for place, text in enumerate(texts, column):
            cells[place] = text + cells[place]

    def save(self) -> Path:
        """Write the file, making its folder if need be. Raises ConfigError where that isn't possible."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(self.cells)
        return write_text(self.path, text.getvalue())

    def _grow(self, height: int) -> None:
        self.cells += [[""] * self.width for _ in range(height - len(self.cells))]


def _read(path: Path) -> list[list[str]]:
    text = read_text(path, "a report of an earlier run")
    try:
        return list(csv.reader(io.StringIO(text, newline="")))
    except csv.Error as error:
        raise ConfigError(f"{path} is no report of an earlier run: {error}.") from error
