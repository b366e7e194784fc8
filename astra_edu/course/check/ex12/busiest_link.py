"""Exercise 12's question 2: which link needs longest for all that has to cross it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from astra_edu.course.check.asked import Answer, call, listed
from astra_edu.course.check.ex12.cases import traffic
from astra_edu.course.check.question import question
from astra_edu.course.check.verdict import NoAnswerError, Verdict

Link = tuple[str, str]
Messages = Sequence[tuple[Sequence[str], int]]


@question
def bottleneck(answer: Answer) -> Verdict:
    """bottleneck(messages, bandwidths): the link that needs longest for what has to cross it."""
    random = Random(120)
    cases = [traffic(random) for _ in range(12)]
    try:
        given = [_link(call(answer, case), case["bandwidths"]) for case in cases]
    except NoAnswerError as problem:
        return problem.verdict
    wanted = [_slowest(_bytes(case["messages"]), case["bandwidths"]) for case in cases]
    if given == wanted:
        return Verdict(True, "Right: what counts is the time that all bytes together take on a link.")
    for mistaken, message in _WRONG_LINKS:
        if given == [mistaken(**case) for case in cases]:
            return Verdict(False, message)
    wrong = next(k for k, link in enumerate(given) if link != wanted[k])
    right = sum(a == b for a, b in zip(given, wanted, strict=True))
    return Verdict(
        False,
        f"For the messages {cases[wrong]['messages']} another link needs longer than {given[wrong]}. Yours is right in "
        f"{right} of the {len(cases)} cases tried.",
    )


def _bytes(messages: Messages) -> Counter[Link]:
    """Bytes that cross each link."""
    found: Counter[Link] = Counter()
    for way, size in messages:
        for link in pairwise(way):
            found[link] += size
    return found


def _slowest(work: Mapping[Link, float], bandwidths: Mapping[Link, float]) -> Link:
    return max(work, key=lambda link: work[link] / bandwidths[link])


def _both_ways(messages: Messages, bandwidths: Mapping[Link, float]) -> Link:
    work = _bytes(messages)
    return max(work, key=lambda link: (work[link] + work.get((link[1], link[0]), 0)) / bandwidths[link])


def _one_message(messages: Messages, bandwidths: Mapping[Link, float]) -> Link:
    largest: dict[Link, float] = {}
    for way, size in messages:
        for link in pairwise(way):
            largest[link] = max(size, largest.get(link, 0))
    return _slowest(largest, bandwidths)


_WRONG_LINKS: list[tuple[Any, str]] = [
    (
        lambda messages, bandwidths: min(bandwidths, key=lambda link: bandwidths[link]),
        "That is a link with the least bandwidth. How much has to cross it?",
    ),
    (
        lambda messages, bandwidths: max(work := _bytes(messages), key=lambda link: work[link]),
        "That is a link that most bytes cross. How fast is it?",
    ),
    (
        lambda messages, bandwidths: _slowest(_bytes([(way, 1) for way, _ in messages]), bandwidths),
        "You count messages; they have different sizes.",
    ),
    (_one_message, "You look at one message at a time; a link carries all of those that cross it."),
    (_both_ways, "The two directions of a wire are two links: a → b and b → a don't wait for each other."),
    (
        lambda messages, bandwidths: _slowest(_bytes([(way[:2], size) for way, size in messages]), bandwidths),
        "You look at the first link of each way; a message crosses all of them.",
    ),
]  # fmt: skip


def _link(given: object, bandwidths: Mapping[Link, float]) -> Link:
    found = tuple(listed(given) or ())
    link = next((link for link in bandwidths if link == found), None)
    if link is None:
        if back := next((link for link in bandwidths if link[::-1] == found), None):
            raise NoAnswerError(False, f"{found!r} is no link here; {back!r} is. Links have a direction.")
        example = next(iter(bandwidths))
        raise NoAnswerError(False, f"Your function returns {given!r}; it should return a link such as {example!r}.")
    return link
