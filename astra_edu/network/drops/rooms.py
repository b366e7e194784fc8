"""Room for packets in a switch's memory: so much for each port, or one memory that all ports share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from astra_edu.network.drops.packet import Packet
    from astra_edu.network.drops.port import Port


class Room(Protocol):
    """What a port asks before it takes a packet."""

    def take(self, port: Port, packet: Packet) -> bool:
        """Whether there is room for a packet; it has taken it, then."""

    def leave(self, port: Port, packet: Packet) -> None:
        """A packet leaves for the link."""


class OwnRoom:
    """Each port has so many bytes, or so many packets, for itself: drop-tail."""

    __slots__ = ("packets", "size")

    def __init__(self, size: int | None, packets: int | None) -> None:
        """None: without end."""
        self.size, self.packets = size, packets

    def take(self, port: Port, packet: Packet) -> bool:
        """See Room."""
        if self.size is not None:
            return port.queued + packet.size <= self.size
        return self.packets is None or len(port.queue) < self.packets

    def leave(self, port: Port, packet: Packet) -> None:
        """See Room."""


class SharedRoom:
    """One memory of `size` bytes for all ports of a switch: a queue may hold at most alpha times what is free.

    A. K. Choudhury and E. L. Hahne, Dynamic queue length thresholds for shared-memory packet switches, 1998.
    """

    __slots__ = ("alpha", "peak", "size", "used")

    def __init__(self, size: int, alpha: float) -> None:
        """Nothing is used."""
        self.size, self.alpha = size, alpha
        self.used = self.peak = 0

    def take(self, port: Port, packet: Packet) -> bool:
        """See Room."""
        if self.used + packet.size > self.size or port.queued + packet.size > threshold(
            self.size, self.used, self.alpha
        ):
            return False
        self.used += packet.size
        self.peak = max(self.peak, self.used)
        return True

    def leave(self, port: Port, packet: Packet) -> None:
        """See Room."""
        self.used -= packet.size


def threshold(size: int, used: int, alpha: float) -> float:
    """Bytes that one queue may hold while `used` of `size` are taken.

    >>> from astra_edu.network.drops.rooms import threshold
    >>> threshold(1000, 600, alpha=0.5)
    200.0
    """
    return alpha * (size - used)
