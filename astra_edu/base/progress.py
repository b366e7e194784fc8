"""A progress bar for what takes more than a second."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from tqdm.auto import tqdm


class Bar:
    """How much of `expected` is done, shown from the second second on; after `with` that is all there was to do."""

    def __init__(self, what: str, unit: str, expected: int) -> None:
        """A bar that isn't shown yet. unit: with a space in front."""
        self.what = what
        self.unit = unit
        self.expected = expected
        self.start = perf_counter()
        self.bar: tqdm[NoReturn] | None = None

    def show(self, done: int) -> None:
        """So much is done by now."""
        if self.bar is None and perf_counter() - self.start > 1:
            from tqdm.auto import tqdm

            self.bar = tqdm(total=self.expected, desc=self.what, unit=self.unit)
        if self.bar is not None:
            self.bar.update(done - self.bar.n)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Leave the bar full, as what was expected is an estimate; after an error, as it is."""
        if self.bar is None:
            return
        if error is None:
            self.bar.total = self.bar.n
            self.bar.refresh()
        self.bar.close()
