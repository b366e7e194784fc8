"""astra_edu: learn and explore how distributed deep-learning training works on real platforms.

Three layers, as on the slides: workload (what an NPU computes and which collectives it asks for), system (how a
collective becomes chunks, phases and steps), network (how long a message takes). Importing this package loads next to
nothing: each of its names is loaded when it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from astra_edu import moved
from astra_edu.base.late import VIEWS, public_names

__version__ = "0.2.0"

VIEWS.update(
    critical_path="astra_edu.explain", explain="astra_edu.explain", save_chrome_trace="astra_edu.run.chrome_trace"
)
moved.install()

_load, __dir__, __all__ = public_names(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name not in __all__ and name in moved.MOVED:
        return import_module(f"{__name__}.{name}")
    return _load(name)
