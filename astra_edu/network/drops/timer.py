"""When a sender has waited long enough: the retransmission timeout (RFC 6298), and the alarm that tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from astra_edu.clock.events import Clock

LONGEST_NS = 60_000_000_000


@dataclass(slots=True)
class RoundTrips:
    """Smoothed round-trip time and its variation (ns); None before the first. timeout_ns: how long to wait.

    first_ns: before a round trip was measured; least_ns: the shortest; tick_ns: the clock's granularity.

    >>> from astra_edu.network.drops.timer import RoundTrips
    >>> trips = RoundTrips(first_ns=1000, least_ns=1, tick_ns=1)
    >>> for sample in (800, 800, 1600):
    ...     trips.measured(sample)
    >>> trips.smoothed_ns, trips.variation_ns, trips.timeout_ns
    (900.0, 425.0, 2600)
    """

    first_ns: int
    least_ns: int
    tick_ns: int
    smoothed_ns: float | None = None
    variation_ns: float = 0.0
    timeout_ns: int = field(init=False)

    def __post_init__(self) -> None:
        self.timeout_ns = self.first_ns

    def measured(self, sample_ns: float) -> None:
        """A packet's round trip took so long."""
        if self.smoothed_ns is None:
            self.smoothed_ns, self.variation_ns = float(sample_ns), sample_ns / 2
        else:
            self.variation_ns += (abs(self.smoothed_ns - sample_ns) - self.variation_ns) / 4
            self.smoothed_ns += (sample_ns - self.smoothed_ns) / 8
        self.restored()

    def restored(self) -> None:
        """Something was acknowledged: the timeout is again what the round trips say."""
        if self.smoothed_ns is None:
            self.timeout_ns = self.first_ns
        else:
            self.timeout_ns = max(int(self.smoothed_ns + max(self.tick_ns, 4 * self.variation_ns)), self.least_ns)

    def doubled(self) -> None:
        """It was too short."""
        self.timeout_ns = min(2 * self.timeout_ns, LONGEST_NS)


class Alarm:
    """Calls `ring` at a time that is often put off: an event that comes too early looks again. at_ns: when, or None."""

    __slots__ = ("_clock", "_event_ns", "_ring", "at_ns")

    def __init__(self, clock: Clock, ring: Callable[[], object]) -> None:
        """It is off."""
        self._clock, self._ring = clock, ring
        self.at_ns: int | None = None
        self._event_ns = -1

    def set(self, at_ns: int) -> None:
        """Ring at that time instead."""
        self.at_ns = at_ns
        if self._event_ns < 0 or at_ns < self._event_ns:
            self._event_ns = at_ns
            self._clock.schedule(at_ns, self._look, at_ns)

    def stop(self) -> None:
        """Don't ring."""
        self.at_ns = None

    def _look(self, time: int) -> None:
        if time != self._event_ns:  # an earlier one was needed
            return
        self._event_ns = -1
        if self.at_ns is None:
            return
        if time < self.at_ns:
            self.set(self.at_ns)
        else:
            self.at_ns = None
            self._ring()
