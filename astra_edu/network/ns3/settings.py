"""ns-3 as a network: which TCP its NPUs speak, and what its switches can store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from astra_edu.base.errors import ConfigError, choice, flag, shown, whole
from astra_edu.base.units import KIB, MIB, parse_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from astra_edu.network.block import Block
    from astra_edu.network.graph import GraphNetwork
    from astra_edu.network.ns3.engine import Engine

TRANSPORTS = ("TcpNewReno", "TcpCubic", "TcpDctcp")
QUEUES = ("DropTailQueue", "RedQueueDisc")
HEADERS = 54
"""Bytes of a full packet that are no payload: TCP with timestamps 32, IP 20, PPP 2."""
_LARGEST = 2**30
_MTU = 65_535


class _OnLinks(Protocol):
    @property
    def network(self) -> Sequence[Block] | GraphNetwork: ...


@dataclass(frozen=True)
class Ns3:
    """ns-3 3.44 carries the messages, as bytes over TCP.

    `ae.simulate(trace, platform, network=ae.Ns3(...))`, or network="ns-3" for all as it is. Each NPU has a connection
    to each that it sends to; it is opened by the first message, which waits for the handshake, and stays open. A
    message of 0 bytes is sent as one byte. Links, bandwidths, latencies and the ways of packets are the platform's.

    transport: ns-3's name of the congestion control. segment: payload bytes of a packet; with headers it has 54 more
    on the wire. initial_window: segments that may be sent at first. min_rto_ns: the least time after which a segment
    that nobody acknowledged is sent again, and after which a lost request for a connection is. delayed_ack: how many
    segments are acknowledged at once (1: each). socket_buffer: bytes that a sender and a receiver can hold for a
    connection, the largest window.

    buffer: bytes that each port of a switch can store, such as "256 KiB"; None: without end, as NPUs' ports are.
    queue: "DropTailQueue", or "RedQueueDisc", which marks packets when more than `mark` bytes are in it (RED with both
    thresholds there and a weight of 1). ecn: whether both ends answer marks. Where queue, mark and ecn aren't given,
    TcpDctcp has RedQueueDisc, 30,000 bytes (but at most half of the buffer) and True; others DropTailQueue and False.

    Raises ConfigError for what can't be, and, when a run begins, where ns-3 isn't installed.

    >>> ae.Ns3("TcpDctcp", buffer="128 KiB").mark
    30000
    """

    transport: str = "TcpNewReno"
    segment: int | str = 1448
    buffer: int | str | None = 256 * KIB
    initial_window: int = 10
    min_rto_ns: int = 1_000_000
    delayed_ack: int = 1
    socket_buffer: int | str = 4 * MIB
    queue: str | None = None
    mark: int | str | None = None
    ecn: bool | None = None

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        choice("transport", self.transport, TRANSPORTS)
        dctcp = self.transport == "TcpDctcp"
        for name, most in (("segment", _MTU - HEADERS), ("socket_buffer", _LARGEST), ("buffer", _LARGEST)):
            if name != "buffer" or self.buffer is not None:
                set_(self, name, self._bytes(name, most))
        for name in ("initial_window", "min_rto_ns", "delayed_ack"):
            value = whole(name, getattr(self, name), at_least=1)
            if value > (limit := 10**12 if name == "min_rto_ns" else 10**6):
                raise ConfigError(f"{name} is {value:,}; {limit:,} is the most.")
            set_(self, name, value)
        if self.queue is None:
            set_(self, "queue", "RedQueueDisc" if dctcp else "DropTailQueue")
        choice("queue", self.queue, QUEUES)
        if self.ecn is None:
            set_(self, "ecn", self.queue == "RedQueueDisc")
        flag("ecn", self.ecn)
        self._fits(dctcp)

    def _bytes(self, name: str, most: int) -> int:
        value = whole(name, parse_bytes(getattr(self, name)), at_least=1)
        if value > most:
            raise ConfigError(f"{name} is {value:,} bytes; {most:,} is the most.")
        return value

    def _fits(self, dctcp: bool) -> None:
        packet = self.segment_bytes + HEADERS
        if self.buffer_bytes is not None and self.buffer_bytes < packet:
            raise ConfigError(
                f"a buffer of {self.buffer_bytes:,} bytes never holds a packet of {packet:,} ({HEADERS} of headers)."
            )
        if self.socket_buffer_bytes < self.segment_bytes:
            raise ConfigError(f"socket_buffer is {self.socket_buffer_bytes:,} bytes; a segment has {self.segment:,}.")
        marks = self.queue == "RedQueueDisc"
        if self.mark is None and marks:
            half = 30_000 if self.buffer_bytes is None else min(30_000, self.buffer_bytes // 2)
            object.__setattr__(self, "mark", half)
        elif self.mark is not None:
            if not marks:
                raise ConfigError(
                    f'mark is {shown(self.mark)}; a DropTailQueue marks nothing, give queue="RedQueueDisc".'
                )
            object.__setattr__(self, "mark", self._bytes("mark", self.buffer_bytes or _LARGEST))
        if dctcp and not (marks and self.ecn):
            raise ConfigError(f"{self.transport} needs marks: leave queue and ecn away, or RedQueueDisc and True.")

    @property
    def segment_bytes(self) -> int:
        """Payload of a packet."""
        return int(self.segment)

    @property
    def buffer_bytes(self) -> int | None:
        """Room in front of each link out of a switch; None: without end."""
        return None if self.buffer is None else int(self.buffer)

    @property
    def socket_buffer_bytes(self) -> int:
        """What each end of a connection can hold."""
        return int(self.socket_buffer)

    @property
    def mark_bytes(self) -> int:
        """A packet is marked when more is in the queue; 0: never."""
        return int(self.mark or 0)

    def __call__(self, platform: _OnLinks) -> Engine:
        """A network for one run on that platform. ns-3 has one at a time in a process: a newer one ends it."""
        from astra_edu.network.ns3.engine import engine

        return engine(self, platform.network)
