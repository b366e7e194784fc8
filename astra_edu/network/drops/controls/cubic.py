"""CUBIC: after a loss the window comes back to where it was on a cubic curve of time (RFC 9438).

In whole packets, as operating systems calculate it; at least as fast as NewReno (the TCP-friendly region). Slow start
ends early when acknowledgements have come for longer than a round trip, or later than they did (HyStart; S. Ha and
I. Rhee, Taming the elephants, 2011).
"""

from __future__ import annotations

from astra_edu.network.drops.controls.control import LEAST_WINDOW, Control

C, BETA = 0.4, 0.7
HYSTART_PACKETS = 16
HYSTART_SAMPLES = 8
HYSTART_TRAIN_NS, HYSTART_LEAST_NS, HYSTART_MOST_NS = 2_000_000, 4_000_000, 1_000_000_000
SETTLING_NS = 10_000_000
CLAMP = 20
_NS = 1_000_000_000


def curve(seconds: float, origin: float, k: float) -> float:
    """The window (packets) so long after a loss, which comes back to `origin` after k seconds.

    >>> from astra_edu.network.drops.controls.cubic import curve, time_back
    >>> k = time_back(100, 70)
    >>> round(k, 3), round(curve(0, 100, k)), curve(k, 100, k), round(curve(2 * k, 100, k))
    (4.217, 70, 100.0, 130)
    """
    return origin + C * (seconds - k) ** 3


def time_back(before: float, after: float) -> float:
    """Seconds until the window is again what it was before a loss (packets before and after)."""
    return float(max(0.0, (before - after) / C) ** (1 / 3))


class Cubic(Control):
    """See above."""

    def __init__(self, payload: int, initial_packets: int, line_rate: float, trips_tick_ns: int = 1) -> None:
        """See Control."""
        super().__init__(payload, initial_packets, line_rate, trips_tick_ns)
        self._largest = 0
        self._credit = 0
        self._hystart_from = self._last_ack = self._round_end = self._samples = 0
        self._shortest_in_round: float | None = None
        self._una = self._nxt = 0
        self._forget()
        self._epoch: int | None = None

    def _forget(self) -> None:
        self._origin, self._k = 0, 0.0
        self._friendly, self._acks = 0, 0
        self._shortest: float | None = None
        self._found = False

    @property
    def _packets(self) -> int:
        return int(self.window // self.payload)

    def counted(self, acked_bytes: int, echo: bool, una: int, nxt: int) -> None:
        """See Control."""
        self._una, self._nxt = una, nxt

    def acknowledged(self, now: int, segments: int, smoothed_ns: float, limited: bool) -> None:
        """See Control."""
        self._listen(now, smoothed_ns)
        if not limited:
            return
        if self.window < self.threshold:
            if self._una > self._round_end:
                self._new_round(now)
            self.window += segments * self.payload
        elif segments:
            self._credit += segments
            needed = self._needed(now, segments)
            if self._credit >= needed:
                self.window += self.payload
                self._credit -= needed

    def _needed(self, now: int, segments: int) -> int:
        """Packets to be acknowledged for the window to grow by one."""
        packets = self._packets
        self._acks += segments
        if self._epoch is None:
            self._epoch, self._acks, self._friendly = now, segments, packets
            self._k = time_back(self._largest, packets)
            self._origin = max(self._largest, packets)
        seconds = (now + (self._shortest or 0) - self._epoch) / _NS
        difference = int(abs(curve(seconds, 0, self._k)))
        target = self._origin + (difference if seconds >= self._k else -difference)
        needed = packets // (target - packets) if target > packets else 100 * packets
        if not self._largest:
            needed = min(needed, CLAMP)
        scale = int(8 * (1 + BETA) / 3 / (1 - BETA))
        step = max(packets * scale >> 3, 1)
        while self._acks > step:
            self._acks -= step
            self._friendly += 1
        if self._friendly > packets:
            needed = min(needed, packets // (self._friendly - packets))
        return max(needed, 2)

    def _listen(self, now: int, smoothed_ns: float) -> None:
        if self._epoch is not None and now - self._epoch < SETTLING_NS:
            return
        if self._shortest is None or smoothed_ns < self._shortest:
            self._shortest = smoothed_ns
        if self.window <= self.threshold and self._packets >= HYSTART_PACKETS and not self._found:
            self._hystart(now, smoothed_ns, self._shortest)

    def _hystart(self, now: int, smoothed_ns: float, shortest: float) -> None:
        if now - self._last_ack <= HYSTART_TRAIN_NS:
            self._last_ack = now
            self._found = now - self._hystart_from > shortest
        if self._samples < HYSTART_SAMPLES:
            self._shortest_in_round = min(self._shortest_in_round or smoothed_ns, smoothed_ns)
            self._samples += 1
        elif self._shortest_in_round is not None:
            slack = min(max(shortest, HYSTART_LEAST_NS), HYSTART_MOST_NS)
            self._found = self._found or self._shortest_in_round > shortest + slack
        if self._found:
            self.threshold = self.window

    def _new_round(self, now: int) -> None:
        self._hystart_from = self._last_ack = now
        self._round_end, self._samples, self._shortest_in_round = self._nxt, 0, None

    def lost(self, pipe: int) -> None:
        """See Control."""
        packets = self._packets
        self._largest = int(packets * (1 + BETA) / 2) if packets < self._largest else packets
        self._epoch = None
        self.threshold = max(int(packets * BETA), LEAST_WINDOW) * self.payload

    def timed_out(self, pipe: int, again: bool) -> None:
        """See Control."""
        super().timed_out(pipe, again)
        self._forget()
