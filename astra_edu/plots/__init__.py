"""Still figures with matplotlib: one function a figure, each with alt text and its numbers as a table."""

from astra_edu.plots.costs import all_reduce_costs
from astra_edu.plots.figure import Picture, text_table
from astra_edu.plots.sweep import size_sweep

__all__ = ["Picture", "all_reduce_costs", "size_sweep", "text_table"]
