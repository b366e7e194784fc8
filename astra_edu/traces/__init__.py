"""Execution traces (Chakra): for every NPU a graph of operations."""

from astra_edu.traces.make import collective, from_nodes
from astra_edu.traces.node import COLLECTIVES, Attribute, CommType, Node, NodeType, Tensors, attribute_of
from astra_edu.traces.trace import Trace

__all__ = [
    "COLLECTIVES",
    "Attribute",
    "CommType",
    "Node",
    "NodeType",
    "Tensors",
    "Trace",
    "attribute_of",
    "collective",
    "from_nodes",
]
