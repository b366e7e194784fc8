"""What a check says: that an answer is right, or wrong and why, or that there is none yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from astra_edu.base.printable import printable
from astra_edu.collectives import ProofError

NOT_RIGHT = "Not right yet: see the check above"


@dataclass(frozen=True)
class Verdict:
    """ok: True for right, False for wrong, None for not answered yet. message: why.

    guess: a prediction is answered; it is ok when it was made, whether it comes true or not.
    """

    ok: bool | None
    message: str
    guess: bool = False

    def __repr__(self) -> str:
        sign = {True: "→ " if self.guess else "✓ ", False: "✗ ", None: "… "}[self.ok]
        return printable(sign + self.message)

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

    def __init__(self, ok: bool | None, message: str) -> None:
        """Keep the verdict."""
        super().__init__(message)
        self.verdict = Verdict(ok, message)


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


def guessed(message: str) -> Verdict:
    """What is said to a prediction, be it right or wrong."""
    return Verdict(True, message, guess=True)
