"""Figures over time: an iteration, the pieces of a collective, a trace, a pipeline's stages, and who is busy when."""
