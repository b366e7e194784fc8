"""Still figures with matplotlib: one function a figure, each with alt text and its numbers as a table.

A folder for each subject; a figure is loaded when it is first asked for. What all of them share is beside the folders:
figure.py (a figure with its words), looks.py (how each kind of work looks), stacked.py (stacked bars).
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from types import ModuleType
from typing import Any

_FIGURES = {
    name: module
    for module, names in {
        "collectives.all_reduces": ("all_reduce_bars", "bandwidth_used"),
        "collectives.bus_bandwidth": ("bus_bandwidths",),
        "collectives.costs": ("all_reduce_costs",),
        "collectives.in_switch": ("in_switch_gain",),
        "collectives.measured": ("against_measured",),
        "collectives.ring_or_tree": ("ring_or_tree",),
        "collectives.sweep": ("size_sweep",),
        "endpoints.curves": ("curves",),
        "endpoints.steps": ("endpoint_steps",),
        "endpoints.times": ("endpoint_times",),
        "endpoints.traffic": ("memory_traffic",),
        "figure": ("Picture", "text_table"),
        "memory.bandwidths": ("bandwidth_sweep",),
        "memory.hierarchy": ("memory_hierarchy",),
        "memory.kept": ("memory_bars",),
        "memory.packets": ("packet_stages",),
        "memory.parts": ("training_parts",),
        "explore.frontier": ("frontier",),
        "models.array_use": ("irregular_use", "large_and_small"),
        "models.growth": ("model_growth",),
        "models.roofline": ("roofline",),
        "network.beside": ("beside",),
        "network.link_use": ("busiest_links", "link_use"),
        "network.queues": ("goodput", "queue_length"),
        "timelines.chunks": ("chunks",),
        "timelines.iteration": ("timeline",),
        "timelines.per_layer": ("layers",),
        "timelines.stages": ("stages",),
        "timelines.trace_timeline": ("trace_timeline",),
        "timelines.usage": ("utilisation",),
        "traces.graph": ("trace_graph",),
        "training.bars": ("compute_and_exposed",),
        "training.case_studies": ("training_bars",),
        "training.communication": ("communication",),
        "training.descent": ("loss_curves",),
        "training.scaling": ("scaling",),
        "training.staleness": ("staleness",),
        "training.validation": ("iteration_times", "validation"),
        "training.workers": ("worker_timeline",),
    }.items()
    for name in names
}
"""Every public name, and the module that has it."""

__all__ = sorted(_FIGURES)


_OLD = {
    "critical_path": ("astra_edu.explain.path_of_nodes", "nodes_on_path"),
    "pipeline": ("astra_edu.course.plots", "chunks"),
}
"""Names of release 0.1: the module and the name that they have now."""


def __getattr__(name: str) -> Any:
    if name in _OLD:
        module, new = _OLD[name]
        warnings.warn(
            f"plots.{name} is {module}.{new} now; the old name goes with release 0.3.", DeprecationWarning, stacklevel=2
        )
        return getattr(import_module(module), new)
    if name not in _FIGURES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_FIGURES[name]}"), name)


def __dir__() -> list[str]:
    return __all__


class _Plots(ModuleType):
    """Keeps its names for its figures: importing a module's old path, such as plots.stages, doesn't take `stages`."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _FIGURES | _OLD or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Plots
