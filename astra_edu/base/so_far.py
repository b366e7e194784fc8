"""What an interrupted run has left: kept until something else begins, or is interrupted that leaves nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

LEFT: list[Any] = []
"""What ae.so_far() gives, or nothing."""


class LeavesSomething(KeyboardInterrupt):
    """A KeyboardInterrupt that has put into LEFT what was done until it came; see run.interrupted."""


@contextmanager
def leaves_nothing() -> Iterator[None]:
    """Within it something is done that is no run: interrupted, it doesn't pass off as its own what a run has left.

    >>> from astra_edu.base.so_far import LEFT, leaves_nothing
    >>> LEFT.append("an earlier run")
    >>> try:
    ...     with leaves_nothing():
    ...         raise KeyboardInterrupt
    ... except KeyboardInterrupt:
    ...     print(LEFT)
    []
    """
    try:
        yield
    except LeavesSomething:
        raise
    except KeyboardInterrupt:
        LEFT.clear()
        raise
