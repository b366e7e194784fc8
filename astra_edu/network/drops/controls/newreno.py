"""TCP NewReno: slow start, congestion avoidance, half of it after a loss (RFC 5681, RFC 6582)."""

from __future__ import annotations

from astra_edu.network.drops.controls.control import LEAST_WINDOW, Control


def grown(window: float, threshold: float, segments: int, payload: int) -> float:
    """The window (bytes) after an acknowledgement of `segments` packets.

    In slow start it grows by one packet, in congestion avoidance by one packet per window: payload² / window for each
    acknowledgement.

    >>> from astra_edu.network.drops.controls.newreno import grown
    >>> grown(10_000, 20_000, segments=2, payload=1000), grown(20_000, 20_000, segments=2, payload=1000)
    (11000, 20050.0)
    """
    if window < threshold and segments:
        window += payload
        segments -= 1
    if window >= threshold and segments:
        window += max(1.0, payload * payload / window)
    return window


class NewReno(Control):
    """See `grown`; a loss halves."""

    def acknowledged(self, now: int, segments: int, smoothed_ns: float, limited: bool) -> None:
        """See Control."""
        self.window = grown(self.window, self.threshold, segments, self.payload)

    def lost(self, pipe: int) -> None:
        """See Control."""
        self.threshold = max(LEAST_WINDOW * self.payload, pipe // 2)
