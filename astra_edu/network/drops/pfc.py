"""Priority flow control (IEEE 802.1Qbb), with one priority: a node stops who fills its memory.

A node counts what it holds by the link that it came over. Above xoff it tells the other end of that link to send
nothing, below xon to go on. Everything behind such a link waits, wherever it is bound: head-of-line blocking. The
frames take the link's latency and no time on the link.
"""

from __future__ import annotations

from astra_edu.network.drops.packet import Packet
from astra_edu.network.drops.port import Port


class PausingRoom:
    """One node's memory, `size` bytes for each link into it. held: bytes in it, by that link's port."""

    __slots__ = ("held", "peak", "size", "stopped", "xoff", "xon")

    def __init__(self, size: int | None, xoff: int, xon: int) -> None:
        """Nothing is held. size: None has no end."""
        self.size, self.xoff, self.xon = size, xoff, xon
        self.held: dict[Port, int] = {}
        self.stopped: set[Port] = set()
        self.peak = 0

    def take(self, port: Port, packet: Packet) -> bool:
        """See Room."""
        if not packet.at:
            return True
        before = packet.route[packet.at - 1]
        held = self.held.get(before, 0) + packet.size
        if self.size is not None and held > self.size:
            return False
        self.held[before] = held
        self.peak = max(self.peak, held)
        if held > self.xoff and before not in self.stopped:
            self.stopped.add(before)
            before.clock.schedule(before.clock.now + int(before.latency), before.pause, True)
        return True

    def leave(self, port: Port, packet: Packet) -> None:
        """See Room."""
        if not packet.at:
            return
        before = packet.route[packet.at - 1]
        held = self.held[before] = self.held[before] - packet.size
        if held <= self.xon and before in self.stopped:
            self.stopped.discard(before)
            before.clock.schedule(before.clock.now + int(before.latency), before.pause, False)


def headroom(rate: float, latency: float, packet: int) -> int:
    """Bytes that still come after xoff: both ways' latency at the link's rate, and two packets that are on their way.

    rate: bytes/ns; latency: ns; packet: bytes of the largest.

    >>> from astra_edu.network.drops.pfc import headroom
    >>> headroom(12.5, 1000, 1500)
    28000
    """
    return int(2 * latency * rate) + 2 * packet
