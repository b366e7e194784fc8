"""Python's collector of cyclic garbage, held back in a run, which keeps many objects and leaves hardly any cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import perf_counter

NEW_OBJECTS = 1_000_000
"""So many new objects bring a collection during a run; without it, there is one every 700."""
RARELY = 50
"""Runs take so many times as long, at most, as the collector takes to go through all objects, before it does."""
_lock = Lock()
_runs = 0
_before = (0, 0, 0)
_aged = 0
_began = _worked = 0.0
_took = 0.02
_frozen_until = 0.0


@contextmanager
def few_collections() -> Iterator[None]:
    """Within it the collector runs after NEW_OBJECTS only; then it is as it was, also where runs overlap in threads.

    What was made within counts as old afterwards, as if the collector had gone through it; it goes through all objects
    when NEW_OBJECTS have aged like this, or runs took RARELY times as long, as few objects may be large. Where it is
    off, or objects are frozen (gc.freeze), nothing ages.

    >>> import gc
    >>> from astra_edu.base.few_collections import few_collections
    >>> before = gc.get_threshold()
    >>> with few_collections():
    ...     gc.get_threshold()[0]
    1000000
    >>> gc.get_threshold() == before
    True
    """
    global _before, _began, _runs, _worked
    with _lock:
        if not _runs:
            _before, _began = gc.get_threshold(), perf_counter()
            if 0 < _before[0] < NEW_OBJECTS:  # 0: it is off
                gc.set_threshold(NEW_OBJECTS, *_before[1:])
        _runs += 1
    try:
        yield
    finally:
        with _lock:
            _runs -= 1
            if not _runs:
                _worked += perf_counter() - _began
                try:
                    _age()
                finally:  # Ctrl-C comes through as soon as the collector has gone through all objects
                    gc.set_threshold(*_before)


def _age() -> None:
    """Let all objects be old, or look for garbage among them."""
    global _aged, _took, _worked
    if not gc.isenabled() or not _before[0] or _frozen():
        return
    _aged += gc.get_count()[0]
    if _aged > NEW_OBJECTS or _worked > RARELY * _took:
        start = perf_counter()
        gc.collect()
        _aged, _worked, _took = 0, 0.0, perf_counter() - start
    else:
        gc.freeze()
        gc.unfreeze()  # into the oldest generation


def _frozen() -> bool:
    """Whether objects are frozen. They are counted one by one, so a yes holds RARELY times as long as that took."""
    global _frozen_until
    start = perf_counter()
    if start < _frozen_until:
        return True
    found = gc.get_freeze_count() > 0
    if found:
        _frozen_until = start + RARELY * (perf_counter() - start)
    return found
