"""Named things that show themselves as a table: text where it is printed, HTML in a notebook."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, MutableMapping, Sequence
from typing import TypeVar

V = TypeVar("V")


def text_table(header: Sequence[str], rows: Sequence[Sequence[object]], left: Container[int] = (0,)) -> str:
    """Rows as aligned text. left: the columns, from 0, that go to the left; the others go to the right.

    >>> print(text_table(["network", "µs"], [["ring", 45.681], ["switch", 9.5]]))
    network      µs
    ring     45.681
    switch      9.5
    """
    cells = [list(header), *[[str(cell) for cell in row] for row in rows]]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(w) if i in left else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]
    return "\n".join(line.rstrip() for line in lines)


class Table(Mapping[str, V]):
    """A Mapping from names to things, one row each, that can be read but not changed.

    title: what the rows are. columns: the headings behind the name. cells: gives a thing's cells under them; it is
    called when the table is shown. entries: the things by their names; what is added to it later is there, too.

    >>> Table("planets", ["moons"], lambda moons: [moons], {"Earth": 1, "Mars": 2})
    2 planets
    name   moons
    Earth      1
    Mars       2
    """

    def __init__(
        self,
        title: str,
        columns: Sequence[str],
        cells: Callable[[V], Sequence[object]],
        entries: Mapping[str, V],
    ) -> None:
        """See the class."""
        self.title = title
        self.columns = ("name", *columns)
        self._cells = cells
        self._entries = entries

    def __getitem__(self, name: str) -> V:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def rows(self) -> list[list[str]]:
        """The cells of every row as text, the name first."""
        return [[name, *map(str, self._cells(entry))] for name, entry in self.items()]

    def _words(self, rows: list[list[str]]) -> list[int]:
        """The columns that don't hold numbers alone."""
        return [i for i, _ in enumerate(self.columns) if not all(re.fullmatch(r"[\d,.]*", row[i]) for row in rows)]

    def __repr__(self) -> str:
        rows = self.rows
        return f"{len(self)} {self.title}\n{text_table(self.columns, rows, self._words(rows))}"

    def _repr_html_(self) -> str:
        rows = self.rows
        return html_table(f"{len(self)} {self.title}", self.columns, rows, self._words(rows))


def html_table(
    caption: str, header: Sequence[str], rows: Sequence[Sequence[object]], left: Container[int] = (0,)
) -> str:
    """Rows as an HTML table. left: the columns, from 0, that go to the left; the others go to the right.

    >>> html_table("one", ["n"], [["2"]])[:50]
    '<table><caption>one</caption><thead><tr><th scope='
    """
    from html import escape

    sides = ["left" if i in left else "right" for i, _ in enumerate(header)]
    head = _html_row(header, sides, '<th scope="col"', "</th>")
    body = "".join(_html_row([str(cell) for cell in row], sides, "<td", "</td>") for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead>{head}</thead><tbody>{body}</tbody></table>"


def _html_row(cells: Sequence[str], sides: Sequence[str], start: str, end: str) -> str:
    from html import escape

    row = (f'{start} style="text-align: {side}">{escape(cell)}{end}' for cell, side in zip(cells, sides, strict=True))
    return f"<tr>{''.join(row)}</tr>"


class Registry(Table[V], MutableMapping[str, V]):
    """A Table that takes entries of your own, by assignment or as a decorator.

    >>> greetings = Registry("greetings", ["words"], lambda greet: [greet()], {})
    >>> @greetings.add("polite")
    ... def polite():
    ...     return "Good morning"
    >>> greetings["short"] = lambda: "Hi"
    >>> greetings
    2 greetings
    name    words
    polite  Good morning
    short   Hi
    """

    _entries: dict[str, V]

    def __setitem__(self, name: str, entry: V) -> None:
        self._entries[name] = entry

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def add(self, name: str) -> Callable[[V], V]:
        """A decorator that makes what follows known as `name`, and gives it back unchanged."""

        def added(entry: V) -> V:
            self[name] = entry
            return entry

        return added


def first_sentence(thing: object) -> str:
    """The first sentence of a function's or class's docstring, without its full stop: what a table says of it."""
    return (thing.__doc__ or "").strip().partition("\n")[0].removesuffix(".")
