"""How a numeric answer is judged: against the truth, and against the mistakes that people make.

A check never says the right value. It says that an answer is right, or which thought leads to the value given,
or, when the value is nobody's known mistake, in which case it is wrong and on which side. The truth is worked out
first, and every function gets a copy of each case, so that none can change what another one is asked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextvars import ContextVar
from copy import deepcopy
from functools import partial
from itertools import chain
from typing import Any

from astra_edu.course.check.asked import Answer, Case, Reader, call, number, of
from astra_edu.course.check.card import Rows
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.units import in_other_units
from astra_edu.course.check.verdict import NoAnswerError, Verdict, guessed

ANOTHER_UNIT = {"µs": 500, "GiB": 500, "%": 50}
"""A guess that is off by this factor is taken to be in another unit: ns or ms, bytes, a share."""
NOTHING = 1e-9
"""What rounding may make of 0. Far less than any answer, so that 0 is no right value in wrong units."""
TELLING: ContextVar[bool] = ContextVar("TELLING", default=False)
"""Whether rows have the right value: in the report for whoever grades, and in no notebook that doesn't ask for it."""


Numbers = tuple[float, ...]


def judge(
    answer: Answer,
    truth: Answer,
    cases: Sequence[Case],
    mistakes: Sequence[Mistake],
    praise: str,
    tolerance: float = 1e-6,
    unit: str = "",
    read: Reader = number,
    parts: Sequence[str] = ("Your value",),
) -> Verdict:
    """Compare a numeric function with `truth` on all `cases` (keyword arguments), within a relative tolerance.

    unit: of the value (see units.py), so that a right value in another one is known. read: what makes numbers of what
    the answer gives, one or several; parts: what these are, at the beginning of a sentence.
    """
    wanted = _of_all(truth, cases)
    try:
        given = [_tuple(read(call(answer, case), case)) for case in cases]
    except NoAnswerError as problem:
        return problem.verdict
    if _same(given, wanted, tolerance):
        return Verdict(True, praise)
    for mistake in (*mistakes, *(in_other_units(truth, unit) if unit else ())):
        known = _of_all(mistake.function, cases)
        if _same(given, known, max(tolerance, mistake.tolerance or 0.0), mistake.slack):
            return Verdict(False, mistake.message, compared=_compared(given, wanted, cases, tolerance, parts))
    message = _first_difference(given, wanted, cases, tolerance, parts)
    return Verdict(False, message, compared=_compared(given, wanted, cases, tolerance, parts))


def _of_all(function: Answer, cases: Sequence[Case]) -> list[Numbers]:
    return [_tuple(function(**deepcopy(dict(case)))) for case in cases]


def _tuple(value: Any) -> Numbers:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def prediction(answer: Answer, truth: float, unit: str, lesson: str) -> Verdict:
    """Answer a guess with the truth: there is no wrong guess, only one that was made and one that wasn't."""
    try:
        guess = number(call(answer, {}), {})
    except NoAnswerError as problem:
        return problem.verdict
    if guess <= 0:
        return Verdict(False, f"Your guess is {guess:g} {unit}; guess a number above 0.")
    ratio = max(guess / truth, truth / guess)
    sides = (("you said", f"{guess:,.6g} {unit}"), ("the simulator says", f"{truth:,.6g} {unit}"))
    if ratio > ANOTHER_UNIT.get(unit, math.inf):
        words = f"You said {guess:,.6g}: is that in {unit}? The simulator says {truth:,.6g} {unit}. {lesson}"
        return guessed(words, (("you said", f"{guess:,.6g}"), sides[1]))
    factor = f"{ratio:.{2 + (ratio < 2)}g}" if ratio < 100 else f"{ratio:,.0f}"
    off = "that is very close" if ratio < 1.1 else f"a factor {factor} too {'high' if guess > truth else 'low'}"
    return guessed(f"You said {guess:,.6g} {unit}; the simulator says {truth:,.6g} {unit}: {off}. {lesson}", sides)


def _same(a: Sequence[Numbers], b: Sequence[Numbers], tolerance: float, slack: float = 0.0) -> bool:
    return all(map(partial(_near, tolerance=tolerance, slack=slack), chain(*a), chain(*b)))


def _near(x: float, y: float, tolerance: float, slack: float = 0.0) -> bool:
    return math.isclose(x, y, rel_tol=tolerance, abs_tol=max(NOTHING, slack))


def _first(given: Sequence[Numbers], wanted: Sequence[Numbers], tolerance: float) -> tuple[int, int]:
    """(The first case whose answer isn't right, the first part of it that isn't)."""
    return next(
        (case, part)
        for case, values in enumerate(zip(given, wanted, strict=True))
        for part, (x, y) in enumerate(zip(*values, strict=True))
        if not _near(x, y, tolerance)
    )


def _first_difference(
    given: Sequence[Numbers], wanted: Sequence[Numbers], cases: Sequence[Case], tolerance: float, parts: Sequence[str]
) -> str:
    i, k = _first(given, wanted, tolerance)
    mine, right = given[i][k], wanted[i][k]
    side = "too large" if mine > right else "too small"
    count = sum(_same([mine], [right], tolerance) for mine, right in zip(given, wanted, strict=True))
    others = f" It is right in {count} of the {len(cases)} cases tried." if count else ""
    return f"{parts[k]} is {side}{of(cases[i])}: you have {mine:,.10g}.{others}"


def _compared(
    given: Sequence[Numbers], wanted: Sequence[Numbers], cases: Sequence[Case], tolerance: float, parts: Sequence[str]
) -> Rows:
    """What the first difference is, side by side; of what is expected, no more than the side, unless TELLING."""
    i, k = _first(given, wanted, tolerance)
    asked = of(cases[i]).removeprefix(" for ")
    side = "less" if given[i][k] > wanted[i][k] else "more"
    return (
        *([("for", asked)] if asked else []),
        ("you have" if len(parts) == 1 else f"{parts[k]}, you have", f"{given[i][k]:,.10g}"),
        ("expected", f"{wanted[i][k]:,.10g}" if TELLING.get() else side),
    )
