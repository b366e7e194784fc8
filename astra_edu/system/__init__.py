"""The system layer: how a collective becomes chunks, phases and steps, and when each happens."""

from astra_edu.system.config import Bus, Implementation, Platform, SystemConfig
from astra_edu.system.remote_memory import RemoteMemory
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
