"""A plausible wrong function, and what whoever has written it is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Mistake:
    """A plausible wrong function and the sentence for whoever has written it.

    slack: how far (absolutely) an answer may be off the function and still be this mistake; tolerance: how far
    (relatively), None for the question's own.
    """

    function: Callable[..., Any]
    message: str
    slack: float = 0.0
    tolerance: float | None = None
