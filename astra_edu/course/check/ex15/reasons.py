"""Why a strategy is no better than Meta's: the right reason, those that people give instead, and what contradicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.course.check.asked import Answer, call, hint, shown
from astra_edu.course.check.ex15.cases import META, largest_growth, seconds, took
from astra_edu.course.check.spelling import named
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.explore.iteration import Iteration
from astra_edu.workload.strategies import Strategy

Settings = dict[str, Any]
Rule = Callable[[Settings], str]

PARTS = ("compute", "repeated", "tensor group", "context group", "waiting", "exchange", "update")
REASONS = ("batch", "memory", "none", *PARTS)
_SYNONYMS = {"bubble": "waiting", "tensor": "tensor group", "context": "context group", "recompute": "repeated"} | {
    "gradients": "exchange"
}
_NOT_THERE = "Meta's choice has no context group, so that `theirs` has no such part: it takes no time there."
_GROUPS = ("data", "tensor", "context", "pipeline")
_KEPT: Settings = {"batch": META.samples, "zero": 1, "sequence_parallel": True}
_MORE: Settings = _KEPT | {"stage_blocks": "ends", "pipeline_order": "interleaved"}

CASES: tuple[Settings, ...] = (
    _MORE | {"data": 256, "tensor": 8, "pipeline": 8, "virtual": 8},
    _MORE | {"data": 128, "tensor": 16, "pipeline": 8, "virtual": 8},
    _KEPT | {"data": 4096, "tensor": 4, "pipeline": 1},
    _KEPT | {"data": 128, "tensor": 8, "pipeline": 16, "stage_blocks": "ends"},
    _MORE | {"data": 128, "tensor": 8, "pipeline": 16, "virtual": 4, "recompute": "full"},
    _MORE | {"data": 256, "tensor": 4, "pipeline": 16, "virtual": 4},
    _MORE | {"data": 64, "tensor": 8, "context": 8, "pipeline": 4, "virtual": 16},
    _MORE | {"data": 8, "tensor": 8, "context": 16, "pipeline": 16, "virtual": 4},
    _MORE | {"data": 128, "tensor": 8, "pipeline": 16, "virtual": 4, "sequence_parallel": False},
    _MORE | {"data": 128, "tensor": 8, "pipeline": 16, "virtual": 4},
)
"""Settings of strategies for 16,384 GPUs; the last ones are Meta's own."""


def made(settings: Settings) -> Iteration | None:
    """The iteration; None where the batch can't be shared out so."""
    try:
        return took(Strategy(**settings))
    except ConfigError:
        return None


def reason(settings: Settings, first: Sequence[str] = ("memory", "none"), part: Rule | None = None) -> str:
    """Why it is no better than Meta's. first: what is asked before where time went, and in which order."""
    found = made(settings)
    if found is None:
        return "batch"
    holds = {"memory": not found.fits, "none": found.total_ns <= took(META).total_ns}
    return next((each for each in first if holds[each]), part(settings) if part else largest_growth(found, took(META)))


def _largest(settings: Settings, without: Sequence[str] = ()) -> str:
    found = made(settings)
    parts = found.split if found else {}
    return max((part for part in parts if part not in without), key=lambda part: parts[part])


_RULES: tuple[tuple[Rule, str], ...] = (
    (
        lambda settings: reason(settings, ("none", "memory")),
        "One that doesn't fit can't be run, however fast it would be: ask about memory before the time.",
    ),
    (
        lambda settings: reason(settings, ("none",)),
        "You never say that one doesn't fit: `took.fits` knows.",
    ),
    (
        lambda settings: reason(settings, ("memory",)),
        "One that takes no longer than Meta's has no part to blame: that is 'none'.",
    ),
    (
        lambda settings: reason(settings, part=_largest),
        "Computing is the largest part of Meta's own, too. What is *longer* than in Meta's?",
    ),
    (
        lambda settings: reason(settings, part=lambda case: _largest(case, ("compute",))),
        "You take the largest part besides computing. Meta's has some of it, too: which part has grown by most?",
    ),
)


def judge_reasons(answer: Answer) -> Verdict:
    """Compare the reasons that an answer gives for all CASES with the right ones."""
    given = []
    for settings in CASES:
        try:
            given.append(_read(call(answer, {"settings": dict(settings), "theirs": took(META).split})))
        except NoAnswerError as problem:
            if problem.verdict.ok is False and made(settings) is None:
                words = f"For {_words(settings)}: {problem.verdict.message} Such an error is an answer: catch it."
                return Verdict(False, words)
            if problem.verdict.ok is False and "KeyError: 'context group'" in problem.verdict.message:
                return Verdict(False, f"{problem.verdict.message} {_NOT_THERE}")
            return problem.verdict
    if given == list(map(reason, CASES)):
        return Verdict(True, "Right: first whether it can be run at all, then what it waits for more than Meta's does.")
    for rule, words in _RULES:
        if given == list(map(rule, CASES)):
            return Verdict(False, words)
    wrong = next(k for k, settings in enumerate(CASES) if given[k] != reason(settings))
    return Verdict(False, _against(CASES[wrong], given[wrong]))


def _read(value: Any) -> str:
    found = named(value, REASONS, _SYNONYMS)
    if found is None:
        raise NoAnswerError(
            False, f"Your function returns {shown(value)}; return one of {', '.join(map(repr, REASONS))}.{hint(value)}"
        )
    return found


def _words(settings: Settings) -> str:
    return ", ".join(f"{name}={settings[name]}" for name in _GROUPS if name in settings)


def _against(settings: Settings, said: str) -> str:
    """What speaks against a reason, without the right one."""
    found, theirs = made(settings), took(META)
    start = f"For {_words(settings)} you say {said!r}."
    if found is None:
        return f"{start} But `ae.Strategy(...)` refuses it: what does the error say?"
    if said == "batch":
        return f"{start} But it can be made: each copy has {found.strategy.micro_batches} micro-batches."
    if said == "memory" and found.fits:
        return f"{start} But it keeps {found.memory_bytes / 1e9:.1f} × 10⁹ bytes, and a GPU has more."
    if not found.fits:
        return f"{start} But before its time counts: it would keep {found.memory_bytes / 1e9:.1f} × 10⁹ bytes."
    times = f"it takes {seconds(found)}, Meta's {seconds(theirs)}"
    if said == "none" or found.total_ns <= theirs.total_ns:
        return f"{start} But {times}."
    grown = (found.split.get(said, 0) - theirs.split.get(said, 0)) / 1e6
    return f"{start} But {times}, and {said} has changed by {grown:+,.0f} ms: another part by more."
