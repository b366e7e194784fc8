"""ASTRA-sim 2.x: execution traces run on a platform."""

from astra_edu.execution.config import RemoteMemory, TracePlatform, TraceSystem
from astra_edu.execution.result import TraceResult
from astra_edu.execution.run import run_trace

__all__ = ["RemoteMemory", "TracePlatform", "TraceResult", "TraceSystem", "run_trace"]
