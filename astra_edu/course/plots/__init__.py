"""Still figures with matplotlib: one function a figure, each with alt text and its numbers as a table."""

from astra_edu.course.plots.array_use import irregular_use, large_and_small
from astra_edu.course.plots.bars import compute_and_exposed
from astra_edu.course.plots.case_studies import all_reduce_bars, bandwidth_used, training_bars
from astra_edu.course.plots.communication import communication
from astra_edu.course.plots.costs import all_reduce_costs
from astra_edu.course.plots.descent import loss_curves
from astra_edu.course.plots.endpoint import endpoint_steps, memory_traffic
from astra_edu.course.plots.endpoint_times import curves, endpoint_times
from astra_edu.course.plots.figure import Picture, text_table
from astra_edu.course.plots.growth import model_growth
from astra_edu.course.plots.link_use import busiest_links, link_use
from astra_edu.course.plots.measured_collectives import against_measured, bus_bandwidths
from astra_edu.course.plots.memory import memory_bars
from astra_edu.course.plots.memory_hierarchy import memory_hierarchy
from astra_edu.course.plots.memory_systems import bandwidth_sweep, packet_stages, training_parts
from astra_edu.course.plots.queues import goodput, queue_length
from astra_edu.course.plots.ring_or_tree import in_switch_gain, ring_or_tree
from astra_edu.course.plots.roofline import roofline
from astra_edu.course.plots.scaling import scaling
from astra_edu.course.plots.sweep import size_sweep
from astra_edu.course.plots.synchronisation import staleness, worker_timeline
from astra_edu.course.plots.timelines.chunks import pipeline
from astra_edu.course.plots.timelines.critical_path import critical_path
from astra_edu.course.plots.timelines.iteration import timeline
from astra_edu.course.plots.timelines.per_layer import layers
from astra_edu.course.plots.timelines.stages import stages
from astra_edu.course.plots.timelines.trace_timeline import trace_timeline
from astra_edu.course.plots.timelines.usage import utilisation
from astra_edu.course.plots.trace_graph import trace_graph
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
    "communication",
    "compute_and_exposed",
    "critical_path",
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
    "pipeline",
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
