"""Warnings that one thread can do without, whatever the others do."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)


def warn(text: str, stacklevel: int) -> None:
    """warnings.warn, unless this thread has asked for quiet. stacklevel: as for warnings.warn, from the caller on."""
    if not _QUIET.get():
        warnings.warn(text, stacklevel=stacklevel + 1)


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings from `warn` in this thread. warnings.catch_warnings is of the whole process, and not for threads."""
    before = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(before)
