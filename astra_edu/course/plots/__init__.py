"""Still figures with matplotlib: one function a figure, each with alt text and its numbers as a table.

A folder for each subject; a figure is loaded when it is first asked for. What all of them share is beside the folders:
figure.py (a figure with its words), looks.py (how each kind of work looks), stacked.py (stacked bars).
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

from astra_edu.base.late import public_names

_OLD = {
    "critical_path": ("astra_edu.explain.path_of_nodes", "nodes_on_path"),
    "pipeline": ("astra_edu.course.plots", "chunks"),
}
"""Names of release 0.1: the module and the name that they have now."""

_load, __dir__, __all__ = public_names(__name__, __file__, keep=_OLD)


def __getattr__(name: str) -> Any:
    if name in _OLD:
        module, new = _OLD[name]
        warnings.warn(
            f"plots.{name} is {module}.{new} now; the old name goes with release 0.3.", DeprecationWarning, stacklevel=2
        )
        return getattr(import_module(module), new)
    return _load(name)
