"""Still figures with matplotlib: one function a figure, each with alt text and its numbers as a table."""

from astra_edu.plots.array_use import irregular_use, large_and_small
from astra_edu.plots.bars import compute_and_exposed
from astra_edu.plots.chunks import pipeline
from astra_edu.plots.communication import communication
from astra_edu.plots.costs import all_reduce_costs
from astra_edu.plots.descent import loss_curves
from astra_edu.plots.figure import Picture, text_table
from astra_edu.plots.growth import model_growth
from astra_edu.plots.iteration import timeline
from astra_edu.plots.memory import memory_bars
from astra_edu.plots.per_layer import layers
from astra_edu.plots.roofline import roofline
from astra_edu.plots.scaling import scaling
from astra_edu.plots.stages import stages
from astra_edu.plots.sweep import size_sweep
from astra_edu.plots.synchronisation import staleness, worker_timeline
from astra_edu.plots.usage import utilisation
from astra_edu.plots.validation import iteration_times, validation

__all__ = [
    "Picture",
    "all_reduce_costs",
    "communication",
    "compute_and_exposed",
    "irregular_use",
    "iteration_times",
    "large_and_small",
    "layers",
    "loss_curves",
    "memory_bars",
    "model_growth",
    "pipeline",
    "roofline",
    "scaling",
    "size_sweep",
    "stages",
    "staleness",
    "text_table",
    "timeline",
    "utilisation",
    "validation",
    "worker_timeline",
]
