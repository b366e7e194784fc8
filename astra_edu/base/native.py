"""The compiled build (docs/speed.md): which of its classes may have subclasses that aren't."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr as mypyc_attr  # mypyc knows it by this name
else:
    _Class = TypeVar("_Class")

    def mypyc_attr(**_: bool) -> Callable[[_Class], _Class]:
        """Nothing, where the class has been made: what it says is for mypyc."""
        return lambda made: made
