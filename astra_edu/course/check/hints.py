"""Help in levels, one at a time: a nudge, a small case that is drawn, and nearly the answer.

The hints of an exercise stand in its folder, in `hints.py`: HINTS, by the names of its questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from textwrap import dedent

from astra_edu.base.printable import printable
from astra_edu.course.check.card import HINT, card

LEVELS = ("a nudge", "a small case, drawn", "nearly the answer")


@dataclass(frozen=True)
class Hints:
    """The three levels of one question. picture: lines of signs that stand under each other, dedented when shown."""

    nudge: str
    picture: str
    nearly: str


@dataclass(frozen=True)
class Hint:
    """One level of help, as text where it is printed and as a card in a notebook.

    level: from 1; 0 where there is no hint, and `words` say so. again: what to type for the next level, "" after the
    last one.
    """

    level: int
    words: str
    picture: str = ""
    again: str = ""

    @property
    def title(self) -> str:
        """Which hint it is."""
        return f"Hint {self.level} of {len(LEVELS)}, {LEVELS[self.level - 1]}" if self.level else "No hint"

    def __repr__(self) -> str:
        lines = [f"? {self.title}{': ' * bool(self.words)}{self.words}", *self.picture.splitlines()]
        return printable("\n".join([*lines, *([f"Still stuck? {self.again}"] if self.again else [])]))

    def _repr_html_(self) -> str:
        more = f"<p>Still stuck? <code>{self.again}</code></p>" if self.again else ""
        return card(HINT, self.words, picture=self.picture, more=more, word=self.title)


def hints_of(exercise: str, question: str) -> Hints | None:
    """The hints of a question of an exercise, None where there are none."""
    module = f"{__package__}.{exercise}.hints"
    try:
        there = find_spec(module) is not None
    except ModuleNotFoundError:  # an exercise of somebody's own, or none
        there = False
    table: Mapping[str, Hints] = import_module(module).HINTS if there else {}
    return table.get(question)


def hint(hints: Hints, level: int, again: str) -> Hint:
    """One level, from 1; again: what to type for another one."""
    picture = dedent(hints.picture).strip("\n") if level == 2 else ""
    words = {1: hints.nudge, 2: "", 3: hints.nearly}[level]
    return Hint(level, words, picture, again if level < len(LEVELS) else "")
