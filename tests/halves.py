"""Random cases: a half or a quarter of them in every run, the others where all is asked for."""

from collections.abc import Iterable
from typing import Any

import pytest


def half(seeds: Iterable[Any]) -> list[Any]:
    """All of them, for pytest.mark.parametrize; every second one is marked as thorough."""
    return _each(seeds, 2)


def quarter(seeds: Iterable[Any]) -> list[Any]:
    """The same; all but every fourth, from the first on, are marked as thorough."""
    return _each(seeds, 4)


def _each(cases: Iterable[Any], of: int) -> list[Any]:
    return [pytest.param(case, marks=pytest.mark.thorough) if k % of else case for k, case in enumerate(cases)]
