"""Figures of memory: what an NPU keeps, and what it takes to fetch it from a pool."""

from astra_edu.course.plots.memory.kept import memory_bars

__all__ = ["memory_bars"]  # plots.memory was this figure's module in release 0.1
