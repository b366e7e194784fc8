"""astra_edu: learn and explore how distributed deep-learning training works on real platforms.

Three layers, as on the slides: workload (what an NPU computes and which collectives it asks for), system (how a
collective becomes chunks, phases and steps), network (how long a message takes). Importing this package loads
neither NumPy nor any plotting or widget library.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from astra_edu.collectives import (
    ALGORITHMS,
    Collective,
    ProofError,
    Schedule,
    counts,
    hierarchical,
    prove,
    schedule,
)
from astra_edu.errors import ConfigError
from astra_edu.formats import load_astra_sim, load_workload, save_astra_sim, save_workload
from astra_edu.network import Dimension, Topology
from astra_edu.presets import PRESETS, preset
from astra_edu.result import Result, Span
from astra_edu.simulate import simulate
from astra_edu.system import Platform, SystemConfig, time_schedule
from astra_edu.workload import LOOPS, Workload

_LOADED_LATE = {
    "Change": "astra_edu.explain",
    "Explorer": "astra_edu.widgets",
    "Player": "astra_edu.widgets",
    "Timeline": "astra_edu.widgets",
    "WhatIf": "astra_edu.widgets",
}

__all__ = [
    "ALGORITHMS",
    "LOOPS",
    "PRESETS",
    "Change",
    "Collective",
    "ConfigError",
    "Dimension",
    "Explorer",
    "Platform",
    "Player",
    "ProofError",
    "Result",
    "Schedule",
    "Span",
    "SystemConfig",
    "Timeline",
    "Topology",
    "WhatIf",
    "Workload",
    "counts",
    "hierarchical",
    "load_astra_sim",
    "load_workload",
    "preset",
    "prove",
    "save_astra_sim",
    "save_workload",
    "schedule",
    "simulate",
    "time_schedule",
]


def __getattr__(name: str) -> Any:
    if name in _LOADED_LATE:
        return getattr(import_module(_LOADED_LATE[name]), name)
    raise AttributeError(f"module 'astra_edu' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
