"""What the exercises call to check an answer: a folder an exercise, a function a question.

An exercise is found, not listed: it needs a folder `exNN/` here and a notebook `solutions/exNN_*.ipynb`. In the folder

- `__init__.py` has what the notebook calls: for each question a function that takes the student's function and returns
  a `Verdict`, marked `@question`, or `@guess` for a prediction; and the data that the questions are about;
- `hints.py`, if there is one, has the three levels of help for each question;
- each larger thing behind a question (its cases, its search, its judge) is a module with a name of one or two words.

Shared by all are `judge.py` (judge, prediction), `asked.py` (how an answer is called and read), `mistake.py`,
`units.py`, `spelling.py` and `verdict.py`; `card.py` shows a verdict in a notebook, `question.py` and `hints.py` give
help, `record.py` keeps what becomes of each question, and `standing.py` says how far the learner has come. Answers
that a check must accept, and wrong ones with what it has to say to them, are in `tests/answers/exNN.py`; the same tests
try those of every exercise. An exercise is loaded when it is first asked for: `from astra_edu.check import answered,
ex1`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from astra_edu.course.check.standing import course, progress, read
from astra_edu.course.check.verdict import Verdict, answered


def exercises_in(folders: Iterable[str]) -> tuple[str, ...]:
    """The names of all exercises in these folders, in the order of their numbers."""
    names = (found.name for found in iter_modules(folders) if found.ispkg and re.fullmatch(r"ex\d+", found.name))
    return tuple(sorted(names, key=lambda name: int(name.removeprefix("ex"))))


EXERCISES = exercises_in(__path__)

__all__ = ["EXERCISES", "Verdict", "answered", "course", "progress", "read", *EXERCISES]


def __getattr__(name: str) -> ModuleType:
    if name in EXERCISES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
