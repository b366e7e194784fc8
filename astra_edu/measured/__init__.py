"""What was measured on real systems, as small tables with their sources, and what this package says of the same."""

from astra_edu.measured.megatron_lm import Measured, megatron

__all__ = ["Measured", "megatron"]
