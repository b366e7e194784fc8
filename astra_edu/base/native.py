"""The compiled build (docs/speed.md): which of its classes may have subclasses that aren't, and whether it is used."""

from __future__ import annotations

from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr as mypyc_attr  # mypyc knows it by this name
else:
    _Class = TypeVar("_Class")

    def mypyc_attr(**_: bool) -> Callable[[_Class], _Class]:
        """Nothing, where the class has been made: what it says is for mypyc."""
        return lambda made: made


def kind() -> str:
    """How the engine that is installed here runs: "compiled" or "pure Python"."""
    spec = find_spec("astra_edu.clock.events")
    compiled = spec is not None and str(spec.origin).endswith(tuple(EXTENSION_SUFFIXES))
    return "compiled" if compiled else "pure Python"
