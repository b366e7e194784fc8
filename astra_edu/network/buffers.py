"""Switches whose memory ends: what the congestion-aware network does with a packet that finds no room."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.base.errors import ConfigError, choice, list_of, text_of, whole
from astra_edu.base.units import KIB, format_bytes, parse_bytes

MOST_PACKETS = 3_000_000
"""Sent for the first time or again; about a minute."""
FLOW_CONTROLS = ("drop", "credit")


@dataclass(frozen=True)
class SwitchBuffers:
    """Room for packets in front of every link out of a switch. A model of ours: it is neither ASTRA-sim's nor ns-3's.

    size: bytes for each link out of a switch, such as "256 KiB"; None: without end. packet: bytes of which messages
    are made (the last may be shorter); None: a message is one packet. A packet takes its room from when it has arrived
    (with credits: from when it leaves the node before) until its last byte has left.

    flow_control "drop": a packet that finds too little room is lost, and its NPU sends it again `timeout` ns after it
    sent it last. Only lost packets are sent again, and acknowledgements cost nothing. "credit": a packet is sent only
    when there is room for it, and whatever stands behind it waits, too. The news that there is room again takes the
    latency of the link that the packet came by.

    only: beginnings of the names of the switches that have these buffers, such as "switch 1." for all of dimension 1;
    the others' have no end. None: all have them. Raises ConfigError for what is no buffer.

    >>> buffers = ae.SwitchBuffers("1 MiB", packet="4 KiB", flow_control="credit")
    >>> buffers.size, buffers.packet
    (1048576, 4096)
    """

    size: int | str | None = 256 * KIB
    packet: int | str | None = 4 * KIB
    flow_control: str = "drop"
    timeout: int = 100_000
    only: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        choice("flow_control", self.flow_control, FLOW_CONTROLS)
        set_(self, "timeout", whole("timeout", self.timeout, at_least=1))
        for name in ("size", "packet"):
            value = getattr(self, name)
            if value is not None:
                set_(self, name, whole(name, parse_bytes(value), at_least=1))
        if isinstance(self.size, int) and (not isinstance(self.packet, int) or self.packet > self.size):
            raise ConfigError(
                f"a buffer of {self.size:,} bytes never holds a packet of "
                f"{'a whole message' if self.packet is None else f'{self.packet:,} bytes'}; make packets of at most "
                f"{self.size:,} bytes."
            )
        if self.only is not None:
            right = 'give beginnings of switches\' names, such as ("switch 1.",)'
            names = (self.only,) if isinstance(self.only, str) else list_of("only", self.only, right)
            set_(self, "only", tuple(text_of("a name in only", name) for name in names))

    def room(self, node: int | str) -> int | None:
        """Bytes in front of each link out of `node`; None: without end."""
        if isinstance(node, int) or not isinstance(self.size, int):
            return None
        return self.size if self.only is None or node.startswith(self.only) else None

    def packets(self, message_bytes: int) -> list[int]:
        """The bytes of the packets of a message."""
        message_bytes = whole("message_bytes", message_bytes, at_least=0)
        if not isinstance(self.packet, int) or message_bytes <= self.packet:
            return [message_bytes]
        if message_bytes // self.packet > MOST_PACKETS:
            raise ConfigError(
                f"a message of {format_bytes(message_bytes)} makes more than {MOST_PACKETS:,} packets of "
                f"{self.packet:,} bytes; make packets larger or messages smaller."
            )
        whole_ones, rest = divmod(message_bytes, self.packet)
        return [self.packet] * whole_ones + [rest] * (rest > 0)
