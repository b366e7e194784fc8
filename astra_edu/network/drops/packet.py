"""A packet on its way: data, an acknowledgement, or what opens a connection or tells of congestion."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from astra_edu.network.drops.port import Port

Blocks = tuple[tuple[int, int], ...]
"""Packets that came out of order: (first, one after the last) for each stretch, the newest first (RFC 2018)."""


class Packet:
    """size: bytes on the link, headers and framing included.

    route: the ports it goes through; at: where on it; end(packet): what its receiver does with it. number: which packet
    of its flow this is; of an acknowledgement: which one is expected next. sent_ns: when it left, or when the packet
    left that it acknowledges. marked: congestion was met on the way (ECN). echo: so was it by what it acknowledges; on
    data: the sender has heard (CWR). refused: the receiver saw a gap and keeps nothing behind it (go-back-N).
    queued_ns: when it came to the port where it is, where that is recorded.
    """

    __slots__ = (
        *("at", "blocks", "capable", "echo", "end", "marked", "number", "queued_ns", "refused", "route", "sent_ns"),
        "size",
    )

    def __init__(
        self, size: int, route: list[Port], end: Callable[[Packet], object], number: int, sent_ns: int
    ) -> None:
        """A packet in front of its route."""
        self.size = size
        self.route = route
        self.end = end
        self.number = number
        self.sent_ns = self.queued_ns = sent_ns
        self.at = 0
        self.capable = True
        self.marked = self.echo = self.refused = False
        self.blocks: Blocks = ()
