"""How an answer is judged: against the truth, and against the mistakes that people make.

A check never says the right value. It says that an answer is right, or which thought leads to the value given,
or, when the value is nobody's known mistake, in which case it is wrong and on which side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import ProofError

Case = Mapping[str, Any]
Answer = Callable[..., Any]
NOT_RIGHT = "Not right yet: see the check above"
ANOTHER_UNIT = {"µs": 500, "GiB": 500, "%": 50}
"""A guess that is off by this factor is taken to be in another unit: ns or ms, bytes, a share."""
NOTHING = 1e-9
"""What rounding may make of 0. Far less than any answer, so that 0 is no right value in wrong units."""


@dataclass(frozen=True)
class Verdict:
    """ok: True for right, False for wrong, None for not answered yet. message: why.

    guess: a prediction is answered; it is ok when it was made, whether it comes true or not.
    """

    ok: bool | None
    message: str
    guess: bool = False

    def __repr__(self) -> str:
        return {True: "→ " if self.guess else "✓ ", False: "✗ ", None: "… "}[self.ok] + self.message

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


@dataclass(frozen=True)
class Mistake:
    """A plausible wrong function and the sentence for whoever has written it.

    slack: how far (absolutely) an answer may be off the function and still be this mistake.
    """

    function: Answer
    message: str
    slack: float = 0.0


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


def judge(
    answer: Answer,
    truth: Answer,
    cases: Sequence[Case],
    mistakes: Sequence[Mistake],
    praise: str,
    tolerance: float = 1e-9,
) -> Verdict:
    """Compare a numeric function with `truth` on all `cases` (keyword arguments), within a relative tolerance."""
    try:
        given = [number(call(answer, case), case) for case in cases]
    except NoAnswerError as problem:
        return problem.verdict
    wanted = [truth(**case) for case in cases]
    if _same(given, wanted, tolerance):
        return Verdict(True, praise)
    for mistake in mistakes:
        if _same(given, [mistake.function(**case) for case in cases], tolerance, mistake.slack):
            return Verdict(False, mistake.message)
    return Verdict(False, _first_difference(given, wanted, cases, tolerance))


def call(answer: Answer, case: Case) -> Any:
    """The answer for one case. Raises NoAnswerError for a stub, or for a function that breaks."""
    try:
        return answer(**case)
    except NotImplementedError as question:
        raise NoAnswerError(None, f"Not answered yet: {question}") from None
    except ConfigError as error:
        raise NoAnswerError(False, str(error)) from None
    except Exception as error:
        raise NoAnswerError(False, f"Your function stops with {type(error).__name__}: {error}{_for(case)}.") from None


def number(value: Any, case: Case) -> float:
    """The value as a float. Raises NoAnswerError when it is none."""
    if value is None or value is ...:
        raise NoAnswerError(False, f"Your function returns {value!r}{_for(case)}; it should return a number.")
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise NoAnswerError(False, f"Your function returns {value!r}{_for(case)}; it should return a number.") from None
    if not math.isfinite(result):
        raise NoAnswerError(False, f"Your function returns {value!r}{_for(case)}; that is no finite number.")
    return result


def prediction(answer: Answer, truth: float, unit: str, lesson: str) -> Verdict:
    """Answer a guess with the truth: there is no wrong guess, only one that was made and one that wasn't."""
    try:
        guess = number(call(answer, {}), {})
    except NoAnswerError as problem:
        return problem.verdict
    if guess <= 0:
        return Verdict(False, f"Your guess is {guess:g} {unit}; guess a number above 0.")
    ratio = max(guess / truth, truth / guess)
    if ratio > ANOTHER_UNIT.get(unit, math.inf):
        return guessed(f"You said {guess:,.6g}: is that in {unit}? The simulator says {truth:,.6g} {unit}. {lesson}")
    factor = f"{ratio:.2g}" if ratio < 100 else f"{ratio:,.0f}"
    off = "that is very close" if ratio < 1.1 else f"a factor {factor} too {'high' if guess > truth else 'low'}"
    return guessed(f"You said {guess:,.6g} {unit}; the simulator says {truth:,.6g} {unit}: {off}. {lesson}")


def guessed(message: str) -> Verdict:
    """What is said to a prediction, be it right or wrong."""
    return Verdict(True, message, guess=True)


def _same(a: Sequence[float], b: Sequence[float], tolerance: float, slack: float = 0.0) -> bool:
    within = max(NOTHING, slack)
    return all(math.isclose(x, y, rel_tol=tolerance, abs_tol=within) for x, y in zip(a, b, strict=True))


def _first_difference(given: Sequence[float], wanted: Sequence[float], cases: Sequence[Case], tolerance: float) -> str:
    wrong = [i for i in range(len(cases)) if not _same([given[i]], [wanted[i]], tolerance)]
    i = wrong[0]
    side = "too large" if given[i] > wanted[i] else "too small"
    right = len(cases) - len(wrong)
    others = f" It is right in {right} of the {len(cases)} cases tried." if right else ""
    return f"Your value is {side}{_for(cases[i])}: you have {given[i]:,.10g}.{others}"


def _for(case: Case) -> str:
    return " for " + ", ".join(f"{key} = {value}" for key, value in case.items()) if case else ""
