"""Figures of one NPU's operations as a graph: what waits for what."""
