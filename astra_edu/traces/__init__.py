"""Execution traces (Chakra): for every NPU a graph of operations."""

from importlib import import_module
from typing import Any

from astra_edu.traces.make import collective, from_nodes
from astra_edu.traces.node import COLLECTIVES, Attribute, CommType, Node, NodeType, Tensors, attribute_of
from astra_edu.traces.trace import Trace

_LOADED_LATE = {
    "Builder": "builder",
    "Operation": "operation",
    "TraceStatistics": "statistics",
    "from_pipeline": "make_from_pipeline",
    "from_pytorch": "make_from_pytorch",
    "from_strategy": "make_from_strategy",
    "from_workload": "make_from_workload",
    "load_trace": "load",
    "record_pytorch": "pytorch_recorder",
    "save_trace": "load",
    "scale": "scaling",
}

__all__ = [
    "COLLECTIVES",
    "Attribute",
    "Builder",
    "CommType",
    "Node",
    "NodeType",
    "Operation",
    "Tensors",
    "Trace",
    "TraceStatistics",
    "attribute_of",
    "collective",
    "from_nodes",
    "from_pipeline",
    "from_pytorch",
    "from_strategy",
    "from_workload",
    "load_trace",
    "record_pytorch",
    "save_trace",
    "scale",
]


def __getattr__(name: str) -> Any:
    if name in _LOADED_LATE:
        return getattr(import_module(f"astra_edu.traces.{_LOADED_LATE[name]}"), name)
    raise AttributeError(f"module 'astra_edu.traces' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
