"""What grading a notebook gives: a mark for each question, the student's own words, and what happened on the way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

RIGHT, WRONG, OPEN, NOTED, STOPPED = "right", "wrong", "not answered", "predicted", "not judged"
STATES = (RIGHT, WRONG, OPEN, NOTED, STOPPED)


@dataclass(frozen=True)
class Mark:
    """What becomes of a question. key: with what it is asked. state: one of STATES. compared: rows of a card.

    hint: the highest level of help that the notebook shows was seen, 0 for none.
    """

    question: str
    key: str
    function: str
    guess: bool
    state: str
    message: str
    compared: tuple[tuple[str, str], ...] = ()
    hint: int = 0


@dataclass(frozen=True)
class Text:
    """What a student has written. under: the heading above it."""

    under: str
    words: str
    model: str = ""


@dataclass(frozen=True)
class Graded:
    """One notebook of one student. problem: why it couldn't be graded at all, "" if it could.

    notes: sentences on what happened. late: what the limits on time stopped. confined: what held it. seconds: how long
    it took. digest: of the notebook and of what graded it.
    """

    student: str
    file: str
    exercise: str
    digest: str
    marks: tuple[Mark, ...] = ()
    texts: tuple[Text, ...] = ()
    notes: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    problem: str = ""
    confined: str = ""
    seconds: float = 0.0

    @property
    def trouble(self) -> str:
        """Why it couldn't be graded, or not all of it: a sentence, "" for neither."""
        stopped = f"Stopped by the limit on time: {', '.join(self.late)}." if self.late else ""
        return self.problem or stopped

    def count(self, state: str) -> int:
        """How many questions ended so."""
        return sum(mark.state == state for mark in self.marks)

    @property
    def questions(self) -> int:
        """How many count: all but the predictions, of which none is wrong."""
        return sum(not mark.guess for mark in self.marks)

    @property
    def right(self) -> int:
        """How many of these are right."""
        return sum(mark.state == RIGHT and not mark.guess for mark in self.marks)


@dataclass(frozen=True)
class Order:
    """What a judge is to do, sent to its process. cells: the notebook's code; names: of the functions of each key.

    seconds: for a cell, and for a question; minutes: for the notebook. work: the folder for its runs. hidden: folders
    that it must not read.
    """

    exercise: str
    cells: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]
    course: str
    work: str
    stage: str
    memory_gib: float
    confined: bool
    minutes: float
    seconds: int
    hidden: tuple[str, ...]


@dataclass(frozen=True)
class Judged:
    """What a judge says of an order."""

    marks: tuple[Mark, ...] = ()
    notes: tuple[str, ...] = ()
    late: tuple[str, ...] = ()


def as_json(value: Graded | Order | Judged) -> str:
    """The text that `graded`, `order` and `judged` read."""
    return json.dumps(asdict(value), indent=1, ensure_ascii=True)


def _marks(found: list[dict[str, Any]]) -> tuple[Mark, ...]:
    return tuple(Mark(**(one | {"compared": tuple(map(tuple, one["compared"]))})) for one in found)


def graded(text: str) -> Graded:
    """What as_json made a text of. Raises ValueError, KeyError or TypeError for any other text."""
    found = json.loads(text)
    texts = tuple(Text(**one) for one in found["texts"])
    told = {name: tuple(found[name]) for name in ("notes", "late")}
    return Graded(**(found | told | {"marks": _marks(found["marks"]), "texts": texts}))


def judged(text: str) -> Judged:
    """The same for a judge's."""
    found = json.loads(text)
    return Judged(_marks(found["marks"]), tuple(found["notes"]), tuple(found["late"]))


def order(text: str) -> Order:
    """The same for an order."""
    found = json.loads(text)
    names = {key: tuple(names) for key, names in found["names"].items()}
    return Order(**(found | {"cells": tuple(found["cells"]), "names": names, "hidden": tuple(found["hidden"])}))
