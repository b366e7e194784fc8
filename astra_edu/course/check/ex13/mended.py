"""How answers that are no numbers are judged: a mended input by what is still wrong with it, a list by its gaps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from astra_edu.course.check.asked import Answer, Case, call
from astra_edu.course.check.verdict import NoAnswerError, Verdict

T = TypeVar("T")
Fault = Callable[..., str | None]
"""fault(given, **case): what is wrong with what an answer gives for a case; None where nothing is."""


def first_fault(answer: Answer, cases: Sequence[Case], fault: Fault, praise: str) -> Verdict:
    """Right if no case has a fault; else the first one, in words. An answer may change what it gets."""
    for number, case in enumerate(cases):
        try:
            given = call(answer, case)
        except NoAnswerError as problem:
            return problem.verdict
        if found := fault(given, **case):
            others = f" It is right in {number} of the {len(cases)} cases tried." if number else ""
            return Verdict(False, found + others)
    return Verdict(True, praise)


def same_finds(
    answer: Answer,
    cases: Sequence[Case],
    parse: Callable[[Any], set[T]],
    truth: Callable[..., set[T]],
    slips: Sequence[tuple[Callable[..., set[T]], str]],
    praise: str,
) -> Verdict:
    """Right if the answer finds in every case what `truth` finds; else what whoever finds the same has overlooked.

    parse: a set from what the answer gives; raises NoAnswerError where that is none.
    """
    given = []
    for case in cases:
        found = None
        try:
            found = call(answer, case)
            given.append(parse(found))
        except NoAnswerError as problem:
            return problem.verdict
        except TypeError:
            return Verdict(False, f"Your function returns {found!r:.80}; there are lists where numbers should be.")
    wanted = [truth(**case) for case in cases]
    if given == wanted:
        return Verdict(True, praise)
    for slip, words in slips:
        if given == [slip(**case) for case in cases]:
            return Verdict(False, words)
    wrong = [k for k in range(len(cases)) if given[k] != wanted[k]]
    missed, more = wanted[wrong[0]] - given[wrong[0]], given[wrong[0]] - wanted[wrong[0]]
    what = []
    if missed:
        what.append(f"{len(missed)} of {len(wanted[wrong[0]])} not found")
    if more:
        what.append(f"{len(more)} too many, such as {min(more, key=repr)}")
    return Verdict(
        False, f"Not right in {len(wrong)} of the {len(cases)} cases tried. In the first: {', '.join(what)}."
    )
