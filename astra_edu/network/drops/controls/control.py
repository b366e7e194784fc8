"""What every congestion control is asked and told; and the one that controls nothing."""

from __future__ import annotations

from math import inf

LEAST_WINDOW = 2
"""Packets below which no loss brings the threshold (RFC 5681)."""


class Control:
    """window: bytes that may be in the network; threshold: where slow start ends (bytes).

    paced: packets leave at `rate` (bytes/ns), not as acknowledgements come. notified_by_packets: marks come back as
    packets of their own. exact_echo: the receiver says of every packet whether it was marked (RFC 8257).
    """

    paced = notified_by_packets = exact_echo = False
    rate = inf

    def __init__(self, payload: int, initial_packets: int, line_rate: float, trips_tick_ns: int = 1) -> None:
        """payload: message bytes in a packet; line_rate: of the first link, bytes/ns; trips_tick_ns: of timestamps."""
        self.payload = payload
        self.window: float = initial_packets * payload
        self.threshold: float = inf

    def acknowledged(self, now: int, segments: int, smoothed_ns: float, limited: bool) -> None:
        """So many packets were acknowledged in order. limited: the window was what held the sender back."""

    def counted(self, acked_bytes: int, echo: bool, una: int, nxt: int) -> None:
        """An acknowledgement of so many bytes came, and whether it says that congestion was met."""

    def lost(self, pipe: int) -> None:
        """A packet was lost: set the threshold. pipe: bytes in the network."""

    def marked(self, pipe: int) -> None:
        """Congestion was met (at most once in a window): set the threshold."""
        self.lost(pipe)

    def timed_out(self, pipe: int, again: bool) -> None:
        """Nothing came for too long. again: for the same packet as last time, so the threshold stays (RFC 5681)."""
        if not again:
            self.lost(pipe)
        self.window = self.payload

    def notified(self, now: int) -> None:
        """A notification packet came."""

    def speed(self, now: int) -> float:
        """The rate (bytes/ns) now."""
        return self.rate


class Fixed(Control):
    """No control: the link's rate."""

    paced = True

    def __init__(self, payload: int, initial_packets: int, line_rate: float, trips_tick_ns: int = 1) -> None:
        """See Control."""
        super().__init__(payload, initial_packets, line_rate, trips_tick_ns)
        self.window, self.rate = inf, line_rate

    def timed_out(self, pipe: int, again: bool) -> None:
        """See Control."""
