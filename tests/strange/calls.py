"""A valid call: its arguments by name, all that a person can give."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Call:
    """A callable, by the name that it is public by, and arguments that suit it."""

    name: str
    does: Callable[..., Any]
    given: dict[str, Any]


def call(name: str, does: Callable[..., Any], /, **given: Any) -> Call:
    """A call of `name`; where one isn't enough, more words follow the name after a space."""
    return Call(name, does, given)
