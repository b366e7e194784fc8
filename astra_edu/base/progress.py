"""A progress bar for what takes more than a second."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from tqdm.auto import tqdm


class Bar:
    """How much of `expected` is done, shown from the second second on."""

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

    def close(self) -> None:
        """Leave the bar as it is."""
        if self.bar is not None:
            self.bar.close()
