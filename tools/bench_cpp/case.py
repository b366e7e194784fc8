"""What is measured: a case both programs can run, and a row of the table with its goal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import astra_edu as ae
from astra_edu.traces import Trace

Platform = ae.Platform | ae.TracePlatform


@dataclass(frozen=True)
class Case:
    """A trace on a platform of 2.x, or a workload on one of 1.0. name: tells it from its row's other cases."""

    name: str
    work: Trace | ae.Workload
    platform: Platform

    @property
    def program(self) -> str:
        """Which C++ program runs it: a key of cpp.PROGRAMS."""
        if isinstance(self.platform, ae.Platform):
            return "v1"
        if not self.platform.congestion_aware:
            return "unaware"
        return "aware" if len(self.platform.network) == 1 else "multidim"


@dataclass(frozen=True)
class Goal:
    """What a row is to reach. seconds, megabytes: at most, for the slowest case and the whole process.

    times: at least so many times as fast as the C++ program in the median of the cases; worst: in each of them.
    files: `times` is of reading, checking and simulating, not of simulating alone.
    """

    seconds: float | None = None
    times: float | None = None
    worst: float | None = None
    megabytes: float | None = None
    files: bool = False

    def __str__(self) -> str:
        parts = []
        if self.seconds is not None:
            parts.append(f"{self.seconds:g} s")
        if self.times is not None:
            parts.append(f"{self.times:g} times C++" + (", files read" if self.files else ""))
        if self.worst is not None:
            parts.append(f"each at least {self.worst:g}")
        if self.megabytes is not None:
            parts.append(f"{self.megabytes:g} MB")
        return ", ".join(parts)


@dataclass(frozen=True)
class Row:
    """A line of the table.

    make: gives its cases, one after the other, in a process of their own. call: in place of cases, what is called and
    timed, which the C++ program doesn't know. command: in place of both, a whole process by its arguments, {python} for
    the interpreter; theirs: what the C++ program is given for the same, with its program first. cpp: whether the C++
    program is asked at all. rounds: how often each is timed; limit: after how many CPU seconds a run is given up.
    """

    name: str
    what: str
    goal: Goal
    make: Callable[[], Sequence[Callable[[], Case]]] | None = None
    call: Callable[[], Callable[[], Any]] | None = None
    command: Sequence[str] = ()
    theirs: Sequence[str] = ()
    cpp: bool = True
    rounds: int = 5
    limit: float = 60

    def with_(self, **changes: Any) -> Row:
        """The row with other settings; None leaves one as it is."""
        return replace(self, **{name: value for name, value in changes.items() if value is not None})
