"""The system layer: how a collective becomes chunks, phases and steps, and when each happens."""

from astra_edu.system.config import Bus, Implementation, Platform, SystemConfig
from astra_edu.system.timing import ScheduleTime, Stretch, time_schedule

__all__ = ["Bus", "Implementation", "Platform", "ScheduleTime", "Stretch", "SystemConfig", "time_schedule"]
