"""What measured runs of a software stack say of a device, beside the rates it reaches."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.base.errors import ConfigError, not_negative, positive, text_of

MOST = 4
"""Power of a group's size: with 1 each of its NPUs costs as much."""


@dataclass(frozen=True)
class Calibration:
    """What a stack takes on a device that no product and no link accounts for; `measured.device` has the fitted ones.

    stack: whose runs these were. low, high: so many times what is predicted two thirds of measured iterations take.
    update_bytes: that the optimiser moves for each parameter. sum_bytes: moved for each parameter and micro-batch to
    add up gradients. micro_batch_ns, step_ns: of either, what nothing else accounts for. collective_ns: to begin a
    collective. send_ns: that the host takes for an all-reduce of a tensor group of n NPUs, times n to the power of
    `grows`; half of it for a reduce-scatter or an all-gather. apart: how much longer the host takes for everything
    where stages are on several nodes.

    >>> from astra_edu.workload.compute import Calibration
    >>> found = Calibration("mine", low=0.9, high=1.1, micro_batch_ns=500_000, step_ns=1e7)
    >>> found.overhead_ns(micro_batches=8)
    14000000.0
    """

    stack: str
    low: float
    high: float
    update_bytes: float = 30
    sum_bytes: float = 0
    micro_batch_ns: float = 0
    step_ns: float = 0
    collective_ns: float = 0
    send_ns: float = 0
    grows: float = 0
    apart: float = 1

    def __post_init__(self) -> None:
        text_of("stack of a calibration", self.stack)
        for name in ("low", "high", "apart"):
            object.__setattr__(self, name, positive(f"{name} of a calibration", getattr(self, name)))
        if self.low > self.high:
            raise ConfigError(f"a calibration's low is {self.low:g} and its high {self.high:g}; low is no more.")
        for name in ("update_bytes", "sum_bytes", "micro_batch_ns", "step_ns", "collective_ns", "send_ns", "grows"):
            object.__setattr__(self, name, not_negative(f"{name} of a calibration", getattr(self, name)))
        if self.grows > MOST:
            raise ConfigError(f"a calibration's grows is {self.grows:g}; a power of {MOST} is the most.")

    def overhead_ns(self, micro_batches: int) -> float:
        """Of an iteration, what no kernel and no link accounts for."""
        return micro_batches * self.micro_batch_ns + self.step_ns

    def sends_ns(self, npus: int, halves: int) -> float:
        """What the host takes for a collective of a tensor group. halves: 2 of an all-reduce, 1 of its two halves."""
        return float(self.send_ns * npus**self.grows * halves / 2)
