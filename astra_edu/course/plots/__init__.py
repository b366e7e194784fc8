"""Still figures with matplotlib: one function a figure, each with alt text and its numbers as a table."""

import warnings
from importlib import import_module
from typing import Any

from astra_edu.course.plots.array_use import irregular_use, large_and_small
from astra_edu.course.plots.bars import compute_and_exposed
from astra_edu.course.plots.case_studies import all_reduce_bars, bandwidth_used, training_bars
from astra_edu.course.plots.chunks import chunks
from astra_edu.course.plots.communication import communication
from astra_edu.course.plots.costs import all_reduce_costs
from astra_edu.course.plots.descent import loss_curves
from astra_edu.course.plots.endpoint import endpoint_steps, memory_traffic
from astra_edu.course.plots.endpoint_times import curves, endpoint_times
from astra_edu.course.plots.figure import Picture, text_table
from astra_edu.course.plots.growth import model_growth
from astra_edu.course.plots.iteration import timeline
from astra_edu.course.plots.link_use import busiest_links, link_use
from astra_edu.course.plots.measured_collectives import against_measured, bus_bandwidths
from astra_edu.course.plots.memory import memory_bars
from astra_edu.course.plots.memory_hierarchy import memory_hierarchy
from astra_edu.course.plots.memory_systems import bandwidth_sweep, packet_stages, training_parts
from astra_edu.course.plots.per_layer import layers
from astra_edu.course.plots.queues import goodput, queue_length
from astra_edu.course.plots.ring_or_tree import in_switch_gain, ring_or_tree
from astra_edu.course.plots.roofline import roofline
from astra_edu.course.plots.scaling import scaling
from astra_edu.course.plots.stages import stages
from astra_edu.course.plots.sweep import size_sweep
from astra_edu.course.plots.synchronisation import staleness, worker_timeline
from astra_edu.course.plots.trace_graph import trace_graph
from astra_edu.course.plots.trace_timeline import trace_timeline
from astra_edu.course.plots.usage import utilisation
from astra_edu.course.plots.validation import iteration_times, validation

__all__ = [
    "Picture",
    "against_measured",
    "all_reduce_bars",
    "all_reduce_costs",
    "bandwidth_sweep",
    "bandwidth_used",
    "bus_bandwidths",
    "busiest_links",
    "chunks",
    "communication",
    "compute_and_exposed",
    "curves",
    "endpoint_steps",
    "endpoint_times",
    "goodput",
    "in_switch_gain",
    "irregular_use",
    "iteration_times",
    "large_and_small",
    "layers",
    "link_use",
    "loss_curves",
    "memory_bars",
    "memory_hierarchy",
    "memory_traffic",
    "model_growth",
    "packet_stages",
    "queue_length",
    "ring_or_tree",
    "roofline",
    "scaling",
    "size_sweep",
    "stages",
    "staleness",
    "text_table",
    "timeline",
    "trace_graph",
    "trace_timeline",
    "training_bars",
    "training_parts",
    "utilisation",
    "validation",
    "worker_timeline",
]

_OLD = {
    "pipeline": ("astra_edu.course.plots", "chunks"),
    "critical_path": ("astra_edu.explain.path_of_nodes", "nodes_on_path"),
}
"""Names of release 0.1: the module and the name that they have now."""


def __getattr__(name: str) -> Any:
    if name not in _OLD:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, new = _OLD[name]
    warnings.warn(
        f"plots.{name} is {module}.{new} now; the old name goes with release 0.3.", DeprecationWarning, stacklevel=2
    )
    return getattr(import_module(module), new)
