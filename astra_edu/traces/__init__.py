"""Execution traces (Chakra): for every NPU a graph of operations."""

from astra_edu.base.late import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
