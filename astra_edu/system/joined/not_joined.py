"""Why phases can't be timed at once after all."""

from __future__ import annotations


class NotJoinedError(Exception):
    """Phases can't be timed at once here; every message has to be followed."""


class OrderUnknownError(NotJoinedError):
    """Two things happen at an NPU in one ns, and which is first isn't known."""


class RolesDifferError(NotJoinedError):
    """NPUs that one stands for would end a phase at different times."""
