"""How a rule of bounded staleness is judged: by running workers with it, and on clocks drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf
from random import Random
from typing import Any, NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.course.check.asked import Answer, call
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.course.studies.synchronisation import (
    Cluster,
    ComputeTimes,
    DeadlockError,
    bounded_staleness,
    within_bound,
)

Rule = Callable[[Sequence[int], int, float], bool]
BOUNDS = (3, 1, 0)
_DRAWN = 300
_KNOWN: tuple[tuple[Rule, str], ...] = (
    (
        lambda clocks, worker, bound: True,
        "Too loose: that lets everybody start, always. It is the asynchronous mode.",
    ),
    (
        lambda clocks, worker, bound: clocks[worker] - min(clocks) < bound,
        "Too strict: who is exactly `bound` iterations ahead may still start. With a bound of 0 that is a deadlock.",
    ),
    (
        lambda clocks, worker, bound: clocks[worker] - min(clocks) <= bound + 1,
        "Too loose: that is a bound of one more.",
    ),
    (
        lambda clocks, worker, bound: clocks[worker] == min(clocks),
        "Too strict: that is a bound of 0, whatever the bound is.",
    ),
    (
        lambda clocks, worker, bound: max(clocks) - min(clocks) <= bound,
        "A deadlock: once somebody is too far ahead, that stops everybody, also the slowest, who has to catch up.",
    ),
    (
        lambda clocks, worker, bound: max(clocks) - clocks[worker] <= bound,
        "The wrong way round: that stops who is behind. Compare with the slowest, not with the fastest.",
    ),
    (
        lambda clocks, worker, bound: clocks[worker] <= bound,
        "A deadlock: that counts all of a worker's iterations. It is its lead over the slowest that is bounded.",
    ),
    (
        lambda clocks, worker, bound: clocks[worker] - sum(clocks) / len(clocks) <= bound,
        "Too loose: that is the lead over the average. One that is far behind hardly shows in it.",
    ),
)


class Asked(NamedTuple):
    """What a rule was asked, and what it said."""

    clocks: tuple[int, ...]
    worker: int
    bound: float
    said: bool

    @property
    def right(self) -> bool:
        """What it should have said."""
        return within_bound(self.clocks, self.worker, self.bound)


class _StopError(ConfigError):
    """The answer can't be run any further."""


class _Watched:
    """The answer as a rule that runs workers; keeps what it was asked, and what stopped it."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        self.problem: NoAnswerError | None = None

    def __call__(self, clocks: Sequence[int], worker: int, bound: float) -> bool:
        case = {"clocks": list(clocks), "worker": worker, "bound": bound}
        try:
            said = call(self.answer, case)
            if not isinstance(said, bool) and type(said).__name__ not in ("bool", "bool_"):
                raise NoAnswerError(False, f"Your function returns {said!r}; it should return True or False.")
        except NoAnswerError as problem:
            self.problem = problem
            raise _StopError from None
        self.asked.append(Asked(tuple(clocks), worker, bound, bool(said)))
        return bool(said)


def judge_rule(answer: Answer) -> Verdict:
    """Whether workers who follow the rule do what a bound asks of them, and if not, what goes wrong."""
    rule, stuck = _Watched(answer), ""
    try:
        for bound in BOUNDS:
            stuck = stuck or _deadlock(rule, bound)
        for drawn in _drawn():
            rule(*drawn)
    except _StopError:
        assert rule.problem
        return rule.problem.verdict
    wrong = [asked for asked in rule.asked if asked.said != asked.right]
    if not wrong:
        return Verdict(True, "Right: nobody gets too far ahead, and the slowest never waits.")
    for known, words in _KNOWN:
        if all(asked.said == known(asked.clocks, asked.worker, asked.bound) for asked in rule.asked):
            return Verdict(False, words)
    first = wrong[0]
    what = "may start with your rule, and shouldn't" if first.said else "may not start with your rule, and should"
    side = stuck or ("Too loose" if first.said else "Too strict")
    return Verdict(
        False,
        f"{side}: having finished {list(first.clocks)} iterations with a bound of {first.bound:g}, worker "
        f"{first.worker} {what}.",
    )


def _deadlock(rule: _Watched, bound: int) -> str:
    """Run workers with the rule: "A deadlock", if it comes to that."""
    times = ComputeTimes("exponential", 1000, 0.8, slow=3, seed=10 + bound)
    try:
        bounded_staleness(Cluster(5, times, 20, 10), 60_000, bound, rule)
    except DeadlockError:
        return "A deadlock"
    return ""


def _drawn() -> Iterator[tuple[list[int], int, float]]:
    random = Random(10)
    for _ in range(_DRAWN):
        clocks: list[Any] = [random.randrange(8) for _ in range(random.randrange(1, 7))]
        yield clocks, random.randrange(len(clocks)), random.choice((0, 1, 2, 4, inf))
