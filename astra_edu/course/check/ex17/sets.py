"""How a frontier is judged: the numbers that an answer gives for a set of points, or which point is wrong, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from astra_edu.course.check.asked import Answer, call, hint, listed, shown, whole_number
from astra_edu.course.check.ex17.designs import Points
from astra_edu.course.check.ex17.rules import beats, unbeaten
from astra_edu.course.check.verdict import NoAnswerError, Verdict

Rule = Callable[[Points], set[int]]


def judge_sets(answer: Answer, cases: Sequence[Points], mistakes: Sequence[tuple[Rule, str]], praise: str) -> Verdict:
    """Compare the numbers that an answer gives for each set of points with the frontier's."""
    given = []
    for points in cases:
        try:
            given.append(_numbers(call(answer, {"points": list(points)}), points))
        except NoAnswerError as problem:
            return problem.verdict
    if given == [unbeaten(points) for points in cases]:
        return Verdict(True, praise)
    for rule, words in mistakes:
        if given == [rule(points) for points in cases]:
            return Verdict(False, words)
    return next(
        Verdict(False, wrong) for points, own in zip(cases, given, strict=True) if (wrong := _wrong(points, own))
    )


def _numbers(value: Any, points: Points) -> set[int]:
    entries = list(value) if isinstance(value, set | frozenset | range) else listed(value)
    if entries is None:
        words = f"Your function returns {shown(value)}; it should return a list of numbers of points.{hint(value)}"
        raise NoAnswerError(False, words)
    if any(isinstance(entry, list | tuple) for entry in entries):
        raise NoAnswerError(False, "Your function returns points; return their numbers in the list, from 0 on.")
    numbers = [whole_number(entry, {}, value) for entry in entries]
    if outside := [k for k in numbers if not 0 <= k < len(points)]:
        last = len(points) - 1
        raise NoAnswerError(False, f"There is no point {outside[0]}; they are numbered from 0, here to {last}.")
    if len(set(numbers)) < len(numbers):
        raise NoAnswerError(False, "Your list has a point twice; each is on the frontier once, or not at all.")
    return set(numbers)


def _wrong(points: Points, given: set[int]) -> str:
    """What is wrong with one set, in words; nothing where it is right."""
    right = unbeaten(points)
    of = f"Of {len(points)} points"
    if more := sorted(given - right):
        k = more[0]
        j = next(j for j, other in enumerate(points) if beats(other, points[k]))
        return f"{of} you keep {_named(points, k)}. But it is beaten by {_named(points, j)}."
    if missed := sorted(right - given):
        return f"{of} you leave out {_named(points, missed[0])}. Which one beats it? There is none."
    return ""


def _named(points: Points, number: int) -> str:
    dollars, ns = points[number]
    return f"point {number} ({dollars:g} dollars, {ns:g} ns)"
