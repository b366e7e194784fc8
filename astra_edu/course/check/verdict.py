"""What a check says: that an answer is right, or wrong and why, or that there is none yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from astra_edu.base.printable import printable
from astra_edu.collectives import ProofError
from astra_edu.course.check.card import NOTED, OPEN, RIGHT, WRONG, Kind, Rows, card, folded
from astra_edu.course.check.hints import Hint

if TYPE_CHECKING:
    from astra_edu.course.check.question import Question

NOT_RIGHT = "Not right yet: see the check above"


@dataclass(frozen=True)
class Verdict:
    """ok: True for right, False for wrong, None for not answered yet. message: why.

    guess: a prediction is answered; it is ok when it was made, whether it comes true or not. compared: what a card
    shows side by side, never the right value: (("for", "npus = 2"), ("you have", "7"), ("expected", "less")).
    question: what was asked, None for a verdict of nobody's.
    """

    ok: bool | None
    message: str
    guess: bool = False
    compared: Rows = ()
    question: Question[...] | None = field(default=None, compare=False)

    @property
    def kind(self) -> Kind:
        """Its sign, word and colour."""
        return {True: NOTED if self.guess else RIGHT, False: WRONG, None: OPEN}[self.ok]

    def __repr__(self) -> str:
        return printable(f"{self.kind.sign} {self.message}")

    def _repr_html_(self) -> str:
        hints = None if self.ok or self.question is None else self.question.hints
        more = ""
        if self.question and hints:
            after = f"<p>Still stuck? <code>{self.question.name}.hint()</code> gives one level more at a time.</p>"
            more = folded("A nudge", hints.nudge, after)
        return card(self.kind, self.message, self.compared, more=more)

    def hint(self) -> Hint:
        """The next level of help with the question: a nudge, a small case, nearly the answer."""
        return self.question.hint() if self.question else Hint(0, "This verdict belongs to no question.")

    def __bool__(self) -> bool:
        return self.ok is True

    def require(self) -> None:
        """Go on only if the answer is right. Raises NoAnswerError otherwise."""
        if not self:
            raise NoAnswerError(self.ok, self.message)


class NoAnswerError(ProofError):
    """A stub that nobody has filled in, or an answer that can't be judged; carries its verdict.

    A schedule made of such an answer can't be proven, and a player shows it up to the step that asks for it.
    """

    def __init__(self, ok: bool | None, message: str, compared: Rows = ()) -> None:
        """Keep the verdict."""
        super().__init__(message)
        self.verdict = Verdict(ok, message, compared=compared)


@contextmanager
def answered() -> Iterator[None]:
    """Around code that uses an answer: print one line, not a traceback, where the answer is missing or wrong."""
    try:
        yield
    except NotImplementedError as question:
        print(f"Not answered yet: {question}")
    except NoAnswerError as problem:
        print(problem if problem.verdict.ok is None else NOT_RIGHT)
    except Exception as error:
        print(f"{NOT_RIGHT} ({type(error).__name__}: {error})")


def guessed(message: str, compared: Rows = ()) -> Verdict:
    """What is said to a prediction, be it right or wrong."""
    return Verdict(True, message, guess=True, compared=compared)
