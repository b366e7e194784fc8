"""The system layer: how a collective becomes chunks, phases and steps, and when each happens."""

from astra_edu.system.config import Platform, SystemConfig
from astra_edu.system.implementation import Implementation
from astra_edu.system.remote_memory import RemoteMemory
from astra_edu.system.settings import Bus
from astra_edu.system.timing import ScheduleTime, Stretch, time_schedule
from astra_edu.system.trace_config import TracePlatform, TraceSystem

__all__ = [
    "Bus",
    "Implementation",
    "Platform",
    "RemoteMemory",
    "ScheduleTime",
    "Stretch",
    "SystemConfig",
    "TracePlatform",
    "TraceSystem",
    "time_schedule",
]
