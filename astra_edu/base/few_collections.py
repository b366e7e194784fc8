"""Python's collector of cyclic garbage, held back in a run, which keeps many objects and leaves hardly any cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

NEW_OBJECTS = 1_000_000
"""So many new objects bring a collection during a run; without it, there is one every 700."""
_lock = Lock()
_runs = 0
_before = (0, 0, 0)
_aged = 0


@contextmanager
def few_collections() -> Iterator[None]:
    """Within it the collector runs after NEW_OBJECTS only; then it is as it was, also where runs overlap in threads.

    What was made within counts as old afterwards, as if the collector had gone through it; it goes through all objects
    when NEW_OBJECTS have aged like this. Where it is off, or objects are frozen (gc.freeze), nothing ages.

    >>> import gc
    >>> from astra_edu.base.few_collections import few_collections
    >>> before = gc.get_threshold()
    >>> with few_collections():
    ...     gc.get_threshold()[0]
    1000000
    >>> gc.get_threshold() == before
    True
    """
    global _before, _runs
    with _lock:
        if not _runs:
            _before = gc.get_threshold()
            if 0 < _before[0] < NEW_OBJECTS:  # 0: it is off
                gc.set_threshold(NEW_OBJECTS, *_before[1:])
        _runs += 1
    try:
        yield
    finally:
        with _lock:
            _runs -= 1
            if not _runs:
                _age()
                gc.set_threshold(*_before)


def _age() -> None:
    """Let all objects be old, or look for garbage among them."""
    global _aged
    if not gc.isenabled() or not _before[0] or gc.get_freeze_count():
        return
    _aged += gc.get_count()[0]
    if _aged > NEW_OBJECTS:
        _aged = 0
        gc.collect()
    else:
        gc.freeze()
        gc.unfreeze()  # into the oldest generation
