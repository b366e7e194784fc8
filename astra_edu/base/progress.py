"""A progress bar for what takes more than a second, or the same in words for a view."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import local
from time import perf_counter
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from tqdm.auto import tqdm

OFTEN = 0.25
"""Seconds between what is told, at least."""


class _Here(local):
    """What is told, of this thread: to whom, and the bars that are open."""

    def __init__(self) -> None:
        """Nothing."""
        self.telling: list[Callable[[str], None]] = []
        self.told: list[Bar] = []


_here = _Here()


@contextmanager
def told(tell: Callable[[str], None]) -> Iterator[None]:
    """Within it bars of this thread are told in words, from the start on, and none is shown; of some within each other
    the outer one. What `tell` raises, KeyboardInterrupt for one, ends what is at work.

    >>> from astra_edu.base.progress import Bar, told
    >>> with told(print), Bar("the fastest", " strategies", 4932) as bar:
    ...     bar.show(0)
    the fastest: 0 of 4,932 strategies
    """
    _here.telling.append(tell)
    try:
        yield
    finally:
        _here.telling.pop()
        if not _here.telling:
            _here.told.clear()


class Bar:
    """How much of `expected` is done, shown from the second second on; after `with` that is all there was to do.

    Where the environment has TQDM_DISABLE, nothing is shown.
    """

    def __init__(self, what: str, unit: str, expected: int) -> None:
        """A bar that isn't shown yet. unit: with a space in front."""
        self.what = what
        self.unit = unit
        self.expected = expected
        self.start = perf_counter()
        self.bar: tqdm[NoReturn] | None = None
        self._next = self.start

    @property
    def told(self) -> bool:
        """Whether it is told in words, and so may be shown however short it is."""
        return bool(_here.told) and _here.told[0] is self

    def show(self, done: int) -> None:
        """So much is done by now."""
        if _here.telling:
            if self.told and (now := perf_counter()) >= self._next:
                self._next = now + OFTEN
                _here.telling[-1](f"{self.what}: {done:,} of {self.expected:,}{self.unit}")
            return
        if self.bar is None and perf_counter() - self.start > 1 and not os.environ.get("TQDM_DISABLE"):
            from tqdm.auto import tqdm  # which knows that variable in a terminal only

            self.bar = tqdm(total=self.expected, desc=self.what, unit=self.unit)
        if self.bar is not None:
            self.bar.update(done - self.bar.n)

    def __enter__(self) -> Bar:
        if _here.telling:
            _here.told.append(self)
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Leave the bar full, as what was expected is an estimate; after an error, as it is."""
        if self in _here.told:
            _here.told.remove(self)
        if self.bar is None:
            return
        if error is None:
            self.bar.total = self.bar.n
            self.bar.refresh()
        self.bar.close()
