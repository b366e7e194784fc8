"""Random cases: half of them in every run, the others where all is asked for."""

from collections.abc import Iterable
from typing import Any

import pytest


def half(seeds: Iterable[Any]) -> list[Any]:
    """All of them, for pytest.mark.parametrize; every second one is marked as thorough."""
    return [pytest.param(seed, marks=pytest.mark.thorough) if k % 2 else seed for k, seed in enumerate(seeds)]
