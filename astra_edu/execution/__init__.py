"""ASTRA-sim 2.x: execution traces run on a platform."""

from astra_edu.execution.as_graph import as_graph
from astra_edu.execution.buffers import SwitchBuffers
from astra_edu.execution.config import RemoteMemory, TracePlatform, TraceSystem
from astra_edu.execution.graph import GraphNetwork
from astra_edu.execution.result import TraceResult
from astra_edu.execution.run import run_trace

__all__ = [
    "GraphNetwork",
    "RemoteMemory",
    "SwitchBuffers",
    "TracePlatform",
    "TraceResult",
    "TraceSystem",
    "as_graph",
    "run_trace",
]
