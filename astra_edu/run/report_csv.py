"""A report of ASTRA-sim: a grid of cells in a CSV file, filled in here and there."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from itertools import groupby
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
        self._empty = [""] * width  # one row stands for all that have nothing in them yet
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
        if self.cells[row] is self._empty:
            self.cells[row] = [*self._empty]
        cells = self.cells[row]
        end = column + len(texts)
        cells += [""] * (end - len(cells))
        cells[column:end] = map(str.__add__, texts, cells[column:end])

    def save(self) -> Path:
        """Write the file, making its folder if need be. Raises ConfigError where that isn't possible."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self._empty)
        empty = text.getvalue()
        text.seek(0)
        for are_empty, rows in groupby(self.cells, lambda row: row is self._empty):
            if are_empty:
                text.write(empty * sum(1 for _ in rows))
            else:
                writer.writerows(rows)
        return write_text(self.path, text.getvalue()[: text.tell()])

    def _grow(self, height: int) -> None:
        self.cells += [self._empty] * (height - len(self.cells))


def _read(path: Path) -> list[list[str]]:
    text = read_text(path, "a report of an earlier run")
    try:
        return list(csv.reader(io.StringIO(text, newline="")))
    except csv.Error as error:
        raise ConfigError(f"{path} is no report of an earlier run: {error}.") from error
