"""When a sender gives up waiting: the retransmission timeout (RFC 6298)."""

from __future__ import annotations

from dataclasses import dataclass, field

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
