"""Cross traffic: packets that nobody acknowledges, at a constant rate, as datagrams (UDP) are.

They can't be marked: a queue that would mark them drops them (RFC 3168).
"""

from __future__ import annotations

from astra_edu.base.errors import positive, whole
from astra_edu.network.drops.network import PacketNetwork
from astra_edu.network.drops.packet import Packet


class ConstantRate:
    """From now on a packet of so many bytes on the link every `every_ns`.

    until_ns: None is until all messages have arrived.

    sent, arrived: packets.

    >>> from astra_edu.network.drops.cross import ConstantRate
    >>> network = ae.Packets()(ae.TracePlatform(ae.Block("Switch", 4, 10, 500), ae.TraceSystem.of("direct")))
    >>> traffic = ConstantRate(network, 0, 3, packet_bytes=1500, every_ns=1000, until_ns=10_000)
    >>> network.run()
    >>> traffic.sent, traffic.arrived
    (10, 10)
    """

    def __init__(
        self,
        network: PacketNetwork,
        source: int,
        destination: int,
        packet_bytes: int,
        every_ns: float,
        until_ns: int | None = None,
    ) -> None:
        """It begins now. Raises ConfigError for a packet of 0 bytes, and for 0 ns between packets."""
        self._network, self._until_ns = network, until_ns
        self._bytes, self._every_ns = whole("packet_bytes", packet_bytes, at_least=1), positive("every_ns", every_ns)
        self._route = network.route(source, destination)
        self._next_ns = float(network.now)
        self.sent = self.arrived = 0
        self._send(None)

    def _send(self, _: object) -> None:
        network = self._network
        if network.idle if self._until_ns is None else network.now >= self._until_ns:
            return
        self.sent += 1
        network.counts.cross += 1
        packet = Packet(self._bytes, self._route, self._there, 0, network.now)
        packet.capable = False
        self._route[0].put(packet)
        self._next_ns += self._every_ns
        network.schedule(int(self._next_ns), self._send, None)

    def _there(self, packet: Packet) -> None:
        self.arrived += 1
