"""What the time of one schedule is made of: stretches of equal steps, and when each transfer happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

Interval = tuple[float, float]


@dataclass(frozen=True)
class Stretch:
    """`steps` equal steps in a row, as one NPU sees them; times in ns.

    message_bytes, message_ns, hops: of the message that arrives last in each step. arrivals: for each of the NPU's
    transfers, when it arrives after the step's start.
    """

    phase: str
    dimension: int
    steps: int
    start_ns: float
    message_bytes: int
    message_ns: float
    hops: int
    endpoint_ns: float
    reduction_ns: float
    arrivals: tuple[float, ...] = field(repr=False)

    @property
    def step_ns(self) -> float:
        """From one step's start to the next."""
        return self.message_ns + self.endpoint_ns + self.reduction_ns


@dataclass(frozen=True)
class ScheduleTime:
    """When everything in a schedule of `steps` steps happens.

    total_ns: until every NPU is done. sent_bytes: by NPU 0. stretches: the sum behind the time; empty where
    NPUs or their messages differ and the time is the longest chain of waiting. bound_ns: what the links allow at
    least, where messages of a step share some and the model doesn't see it; None where none do.
    """

    total_ns: float
    sent_bytes: int
    steps: int
    stretches: tuple[Stretch, ...]
    _spans: Callable[[int], list[Interval]] = field(repr=False)
    _bound: Callable[[], float | None] = field(default=lambda: None, repr=False)

    @cached_property
    def bound_ns(self) -> float | None:
        """See ScheduleTime."""
        return self._bound()

    def spans(self, step: int) -> list[Interval]:
        """(start_ns, end_ns) of every transfer of step number `step` (from 0), in the order of its transfers.

        Raises IndexError where there is no such step.
        """
        if not 0 <= step < self.steps:
            raise IndexError(f"step {step} of {self.steps} (numbered from 0)")
        return self._spans(step)
