"""Python's collector of garbage in circles, which looks at all that is alive again and again while a run grows."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """No circles are collected meanwhile; for work that makes few, and much that stays.

    >>> import gc
    >>> from astra_edu.base.collector import paused
    >>> with paused():
    ...     gc.isenabled()
    False
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
