"""A rate control like DCQCN (Y. Zhu et al., Congestion control for large-scale RDMA deployments, SIGCOMM 2015).

A notification cuts the rate by alpha / 2. It comes back half the way towards the rate before FAST times, then the goal
rises by `additive`, then by `hyper`; after every TIMER_NS and every COUNTER_BYTES. Constants are the paper's (its
section 5, and table 14 of its long form has others); increases are given as shares of the link's rate, which the paper
has for 40 Gbit/s. The timers run when the sender asks for its rate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from astra_edu.network.drops.controls.control import Fixed

G = 1 / 256
ALPHA_NS = TIMER_NS = 55_000
COUNTER_BYTES = 10_000_000
FAST = 5
ADDITIVE, HYPER = 0.001, 0.01
LEAST = 0.001
"""Shares of the link's rate: 40 Mbit/s, 400 Mbit/s and 40 Mbit/s at 40 Gbit/s."""


@dataclass(frozen=True, slots=True)
class Rates:
    """current, goal, line: bytes/ns; alpha: how bad congestion is; timed, counted: increases since it was last cut.

    >>> from astra_edu.network.drops.controls.dcqcn import Rates, cut, raised
    >>> after = cut(Rates(5.0, 5.0, 5.0, alpha=1.0))
    >>> after.current, after.goal, after.alpha
    (2.5, 5.0, 1.0)
    >>> raised(after, by_time=True).current
    3.75
    """

    current: float
    goal: float
    line: float
    alpha: float = 1.0
    timed: int = 0
    counted: int = 0


def cut(rates: Rates) -> Rates:
    """After a notification."""
    current = max(rates.current * (1 - rates.alpha / 2), LEAST * rates.line)
    return replace(rates, goal=rates.current, current=current, alpha=(1 - G) * rates.alpha + G, timed=0, counted=0)


def calmed(rates: Rates) -> Rates:
    """After ALPHA_NS without a notification."""
    return replace(rates, alpha=(1 - G) * rates.alpha)


def raised(rates: Rates, by_time: bool) -> Rates:
    """After a round of the timer, or of the byte counter."""
    timed, counted = rates.timed + by_time, rates.counted + (not by_time)
    goal = rates.goal
    if min(timed, counted) > FAST:
        goal += HYPER * rates.line
    elif max(timed, counted) > FAST:
        goal += ADDITIVE * rates.line
    goal = min(goal, rates.line)
    return replace(rates, goal=goal, current=(goal + rates.current) / 2, timed=timed, counted=counted)


class Dcqcn(Fixed):
    """See above. rates: as they were when last asked."""

    notified_by_packets = True

    def __init__(self, payload: int, initial_packets: int, line_rate: float, trips_tick_ns: int = 1) -> None:
        """See Control."""
        super().__init__(payload, initial_packets, line_rate, trips_tick_ns)
        self.rates = Rates(line_rate, line_rate, line_rate)
        self._cut = False
        self._alpha_ns = self._timer_ns = 0
        self._bytes = 0

    def notified(self, now: int) -> None:
        """See Control."""
        self._catch_up(now)
        self.rates = cut(self.rates)
        self._cut, self._bytes = True, 0
        self._alpha_ns, self._timer_ns = now + ALPHA_NS, now + TIMER_NS

    def counted(self, acked_bytes: int, echo: bool, una: int, nxt: int) -> None:
        """See Control. Bytes count when they are acknowledged."""
        if self._cut:
            self._bytes += acked_bytes
            while self._bytes >= COUNTER_BYTES:
                self._bytes -= COUNTER_BYTES
                self.rates = raised(self.rates, by_time=False)

    def speed(self, now: int) -> float:
        """See Control."""
        if self._cut:
            self._catch_up(now)
        return self.rates.current

    def _catch_up(self, now: int) -> None:
        if not self._cut:
            return
        while self._alpha_ns <= now:
            self.rates = calmed(self.rates)
            self._alpha_ns += ALPHA_NS
        while self._timer_ns <= now:
            self.rates = raised(self.rates, by_time=True)
            self._timer_ns += TIMER_NS
