"""Random cases: some of them in every run, the others where all is asked for."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

thorough = True
"""Whether all is asked for; conftest.py says."""


def half(seeds: Iterable[Any]) -> list[Any]:
    """All of them, for pytest.mark.parametrize; every second one is marked as thorough."""
    return _each(seeds, 2)


def quarter(seeds: Iterable[Any]) -> list[Any]:
    """The same; all but every fourth, from the first on, are marked as thorough."""
    return _each(seeds, 4)


def some(cases: Iterable[Any], count: int) -> list[Any]:
    """The same; all but `count` of them, spread evenly, are marked as thorough."""
    every = list(cases)
    return _marked(every, _spread(len(every), count))


def few(cases: Iterable[Any], count: int) -> Sequence[Any]:
    """For a loop within a test: all of them where all is asked for, else `count`, spread evenly."""
    every = list(cases)
    return every if thorough else [every[k] for k in sorted(_spread(len(every), count))]


def _each(cases: Iterable[Any], of: int) -> list[Any]:
    every = list(cases)
    return _marked(every, set(range(0, len(every), of)))


def _marked(every: list[Any], always: set[int]) -> list[Any]:
    return [case if k in always else pytest.param(case, marks=pytest.mark.thorough) for k, case in enumerate(every)]


def _spread(of: int, count: int) -> set[int]:
    """`count` places of so many, the first among them."""
    count = min(count, of)
    return {k * of // count for k in range(count)}
