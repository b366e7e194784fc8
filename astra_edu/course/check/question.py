"""What a question is besides its judge: it stamps its verdicts, notes what becomes of them, and gives hints."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import update_wrapper
from typing import Generic, ParamSpec

from astra_edu.course.check import record
from astra_edu.course.check.hints import LEVELS, Hint, Hints, hint, hints_of
from astra_edu.course.check.verdict import Verdict

P = ParamSpec("P")

NO_GUESS_IS_WRONG = "A prediction needs none: any guess will do, and the surprise is worth more than a good one."
NONE_WRITTEN = (
    "None is written for this question. Change one thing in your answer and ask the check again: it says which thought "
    "is wrong. A case so small that you can do it by hand helps most."
)


class Question(Generic[P]):
    """A function that judges an answer, as a question of its exercise: it is called just as before.

    guess: a prediction is asked for, for which there is nothing right or wrong. name: such as "ex1.steps".
    """

    __name__: str

    def __init__(self, judge: Callable[P, Verdict], guess: bool = False) -> None:
        """See the class."""
        update_wrapper(self, judge)
        exercise = re.search(r"\.(ex\d+)\b", judge.__module__)
        self.exercise = exercise[1] if exercise else ""
        self.name = f"{self.exercise}.{judge.__name__}"
        self.guess = guess
        self._judge = judge

    def __repr__(self) -> str:
        return f"<question {self.name}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Verdict:
        """The verdict on an answer. One that is judged as the one before it was is no new try."""
        verdict = replace(self._judge(*args, **kwargs), question=self)
        if verdict.ok is not None and record.judged_anew(self.name, verdict.message):
            record.change(lambda known: known.changed(self.name, lambda one: one.tried(verdict.ok is True)))
        return verdict

    @property
    def hints(self) -> Hints | None:
        """All levels, None where no hints are written."""
        return hints_of(self.exercise, self.__name__)

    def hint(self) -> Hint:
        """The next level of help: a nudge, then a small case, then nearly the answer, which stays the last one.

        A new session begins with the nudge again.
        """
        hints = self.hints
        if hints is None:
            return Hint(0, NO_GUESS_IS_WRONG if self.guess else NONE_WRITTEN)
        level = record.next_level(self.name, len(LEVELS))
        record.change(lambda known: known.changed(self.name, lambda one: one.hinted(level)))
        return hint(hints, level, f"{self.name}.hint()")


QUESTIONS: dict[str, list[Question[...]]] = {}
"""The questions of each exercise that is loaded, in the order in which they were."""


def question(judge: Callable[P, Verdict]) -> Question[P]:
    """Make a function that judges an answer a question of the exercise in whose folder it stands."""
    return _known(Question(judge))


def guess(judge: Callable[P, Verdict]) -> Question[P]:
    """The same for one that asks for a prediction."""
    return _known(Question(judge, guess=True))


def _known(made: Question[P]) -> Question[P]:
    others = QUESTIONS.setdefault(made.exercise, [])
    others[:] = [*(other for other in others if other.name != made.name), made]  # a module may be loaded again
    return made
