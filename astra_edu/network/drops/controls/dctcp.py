"""DCTCP: the window shrinks by as much as the share of marked bytes says (RFC 8257)."""

from __future__ import annotations

from astra_edu.network.drops.controls.control import LEAST_WINDOW
from astra_edu.network.drops.controls.newreno import NewReno

G = 1 / 16


def share(alpha: float, marked_bytes: int, acked_bytes: int) -> float:
    """The estimate of the share of marked bytes after one more window.

    >>> from astra_edu.network.drops.controls.dctcp import share
    >>> share(1.0, 0, 10_000), share(0.5, 5_000, 10_000)
    (0.9375, 0.5)
    """
    return (1 - G) * alpha + G * (marked_bytes / acked_bytes if acked_bytes else 0.0)


class Dctcp(NewReno):
    """NewReno, but congestion that was marked takes (alpha / 2) of the window. alpha: see `share`; it begins with 1."""

    exact_echo = True

    def __init__(self, payload: int, initial_packets: int, line_rate: float, trips_tick_ns: int = 1) -> None:
        """See Control."""
        super().__init__(payload, initial_packets, line_rate, trips_tick_ns)
        self.alpha = 1.0
        self._marked_bytes = self._acked_bytes = self._until = 0

    def counted(self, acked_bytes: int, echo: bool, una: int, nxt: int) -> None:
        """See Control."""
        self._acked_bytes += acked_bytes
        if echo:
            self._marked_bytes += acked_bytes
        if una > self._until:
            self.alpha = share(self.alpha, self._marked_bytes, self._acked_bytes)
            self._marked_bytes = self._acked_bytes = 0
            self._until = nxt

    def marked(self, pipe: int) -> None:
        """See Control."""
        self.threshold = max((1 - self.alpha / 2) * self.window, LEAST_WINDOW * self.payload)
