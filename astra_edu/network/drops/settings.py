"""Packets(...): a network of packets that are dropped, marked, paused and sent again, by its settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from astra_edu.base.errors import ConfigError, choice, flag, not_negative, positive, shown, whole
from astra_edu.base.units import KIB, parse_bytes

if TYPE_CHECKING:
    from astra_edu.network.block import Block
    from astra_edu.network.drops.network import PacketNetwork
    from astra_edu.network.graph import GraphNetwork

CONTROL_NAMES = ("none", "newreno", "cubic", "dctcp", "dcqcn")
RETRANSMISSIONS = ("selective", "go-back-n")
FLOWS = ("pair", "message")
_OWN_MARKS = {"dctcp": (30_000, 30_000), "dcqcn": (30_000, 120_000)}
_WHOLE = {
    **{"initial_window": 1, "duplicate_acks": 1, "ack_every": 1, "ack_delay_ns": 1},
    **{"first_rto_ns": 1, "min_rto_ns": 1, "timestamp_ns": 1, "seed": 0},
}
_BYTES = ("mtu", "headers", "framing")
_BYTES_OR_NONE = ("npu_buffer", "window", "ecn_kmin", "ecn_kmax", "pfc_xoff", "pfc_xon")


class Wired(Protocol):
    """What has NPUs and links: a TracePlatform."""

    @property
    def network(self) -> tuple[Block, ...] | GraphNetwork:
        """One Block for each dimension, or a graph."""


@dataclass(frozen=True)
class Packets:
    """A network of packets with finite buffers, as ASTRA-sim's ns-3 backend is for: ae.simulate(..., network=this).

    Messages are cut into packets of at most `mtu` bytes, of which `headers` are headers (IP 20, TCP 20, timestamps
    12); on a link each has `framing` bytes more (Ethernet's preamble, addresses, check sum and gap: 38). Packets are
    acknowledged one by one, or every `ack_every`-th, at the latest after ack_delay_ns, by packets of headers and
    framing alone that share the links with everything else. flow: messages of one NPU to another share a connection
    and follow one another ("pair", as NCCL and Gloo keep sockets open), or each has one of its own ("message", as
    ASTRA-sim's ns-3 backend does). handshake: a connection is asked for first.

    buffer: what may wait in front of each link out of a switch, in bytes ("256 KiB") or in packets ("100 packets");
    None has no end. What finds no room is dropped. shared_alpha: buffer is one memory for all ports of a switch, of
    which a queue may hold alpha times what is free. npu_buffer: the same for links out of NPUs, in bytes; by default
    without end, and nothing is marked or paused there.

    ecn_kmin, ecn_kmax, ecn_pmax: packets are marked when more bytes than kmin wait, surely above kmax (both the same:
    a step). "dctcp" and "dcqcn" slow down for marks. Where ecn_kmin isn't given, `marks` of "dctcp" is a step at 30,000
    bytes (as in ae.Ns3("TcpDctcp")) but at most half of the buffer, or of pfc_xoff; of "dcqcn" from 30,000 to 120,000,
    but at most an eighth and half; the others' packets aren't marked. pfc_xoff, pfc_xon: bytes at which a switch stops
    a link into it, and lets it go on; buffer, then, counts for each link into a switch, see pfc.headroom.

    control: "newreno", "cubic" and "dctcp" have windows that begin with initial_window packets; "none" and "dcqcn" are
    paced by the NPU, whose flows take turns; without ecn_kmin, "dctcp" is "newreno" and "dcqcn" "none". window: the
    most bytes of a flow in the network; None has no limit. retransmission: "selective" (SACK), after duplicate_acks
    packets behind a gap, or "go-back-n". A sender that hears nothing waits first_rto_ns, or min_rto_ns at least once it
    knows how long a round trip takes; timestamp_ns is the tick of its clock. whole_ns: a packet's time on a link is
    rounded to whole ns, as in ns-3; it matters where flows are in step and one of them always finds the queue full.
    seed: of chance in marking.

    A direct all-reduce on one switch never has more than a packet wait in it, so buffers make no difference there, and
    marks and controls little: drops need an incast, or a fabric that is oversubscribed.

    Raises ConfigError for what makes no network.

    >>> network = ae.Packets(buffer="64 KiB", control="dctcp")
    >>> network.buffer, network.marks, network.payload
    (65536, (30000, 30000), 1448)
    >>> platform = ae.TracePlatform(ae.Block("Switch", 8, bandwidth=10, latency=500), ae.TraceSystem.of("direct"))
    >>> trace = ae.traces.collective("all_reduce", "1 MiB", npus=8)
    >>> result = ae.simulate(trace, platform, network=network, progress=False)
    >>> result.total_ns, result.statistics["packets_sent"], result.statistics["packets_dropped"]
    (188644, 10192, 0)
    """

    mtu: int | str = 1500
    headers: int | str = 52
    framing: int | str = 38
    buffer: int | str | None = 256 * KIB
    shared_alpha: float | None = None
    npu_buffer: int | str | None = None
    ecn_kmin: int | str | None = None
    ecn_kmax: int | str | None = None
    ecn_pmax: float = 1.0
    pfc_xoff: int | str | None = None
    pfc_xon: int | str | None = None
    control: str = "newreno"
    retransmission: str = "selective"
    window: int | str | None = None
    initial_window: int = 10
    duplicate_acks: int = 3
    first_rto_ns: int = 1_000_000
    min_rto_ns: int = 1_000_000
    timestamp_ns: int = 1
    ack_every: int = 1
    ack_delay_ns: int = 200_000_000
    flow: str = "pair"
    handshake: bool = False
    whole_ns: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        for name in _BYTES:
            set_(self, name, whole(name, parse_bytes(getattr(self, name)), at_least=0))
        for name in _BYTES_OR_NONE:
            if getattr(self, name) is not None:
                set_(self, name, whole(name, parse_bytes(getattr(self, name)), at_least=1))
        for name, least in _WHOLE.items():
            set_(self, name, whole(name, getattr(self, name), at_least=least))
        choice("control", self.control, CONTROL_NAMES)
        choice("retransmission", self.retransmission, RETRANSMISSIONS)
        choice("flow", self.flow, FLOWS)
        flag("handshake", self.handshake)
        flag("whole_ns", self.whole_ns)
        self._check_sizes()
        self._check_thresholds()

    def _check_sizes(self) -> None:
        if self.payload < 1:
            raise ConfigError(f"mtu is {self.mtu} bytes, and {self.headers} of them are headers; make it larger.")
        if isinstance(self.buffer, str) and self.buffer.split()[-1:] in (["packets"], ["packet"]):
            number = self.buffer.split()[0]
            whole("buffer, in packets,", int(number) if number.isdigit() else number, at_least=1)
        elif self.buffer is not None:
            object.__setattr__(self, "buffer", whole("buffer", parse_bytes(self.buffer), at_least=1))
        largest = self.payload + self.overhead
        for name in ("buffer", "npu_buffer", "window"):
            value = getattr(self, name)
            if isinstance(value, int) and value < largest:
                raise ConfigError(f"{name} is {value} bytes, and a packet has up to {largest}; it would never pass.")
        if self.shared_alpha is not None:
            object.__setattr__(self, "shared_alpha", positive("shared_alpha", self.shared_alpha))
            if not isinstance(self.buffer, int) or self.pfc_xoff is not None:
                raise ConfigError("shared_alpha needs a buffer in bytes, and no pfc_xoff.")
            if self.shared_alpha * self.buffer < largest:
                raise ConfigError(f"shared_alpha is {self.shared_alpha:g}: a queue never holds a packet of {largest}.")

    def _check_thresholds(self) -> None:
        set_ = object.__setattr__
        if self.ecn_kmin is None:
            if self.ecn_kmax is not None:
                raise ConfigError("ecn_kmax needs ecn_kmin.")
        elif self.ecn_kmax is None:
            set_(self, "ecn_kmax", self.ecn_kmin)
        if isinstance(self.ecn_kmin, int) and isinstance(self.ecn_kmax, int) and self.ecn_kmin > self.ecn_kmax:
            raise ConfigError(f"ecn_kmin is {self.ecn_kmin} bytes, more than ecn_kmax, {self.ecn_kmax}.")
        if isinstance(self.ecn_kmin, int) and isinstance(self.buffer, int) and self.ecn_kmin >= self.buffer:
            raise ConfigError(f"ecn_kmin is {self.ecn_kmin} bytes; a buffer of {self.buffer} never has more waiting.")
        set_(self, "ecn_pmax", not_negative("ecn_pmax", self.ecn_pmax))
        if self.ecn_pmax > 1:
            raise ConfigError(f"ecn_pmax is {shown(self.ecn_pmax)}; it is a probability, 0 to 1.")
        if self.pfc_xoff is None:
            if self.pfc_xon is not None:
                raise ConfigError("pfc_xon needs pfc_xoff.")
            return
        if self.pfc_xon is None:
            set_(self, "pfc_xon", max(int(self.pfc_xoff) - 2 * (self.payload + self.overhead), 0))
        if int(self.pfc_xon or 0) > int(self.pfc_xoff):
            raise ConfigError(f"pfc_xon is {self.pfc_xon} bytes, more than pfc_xoff, {self.pfc_xoff}.")
        if isinstance(self.buffer, str) or (self.buffer is not None and self.buffer < int(self.pfc_xoff)):
            raise ConfigError(f"pfc_xoff is {self.pfc_xoff} bytes; it needs a buffer of more bytes, not {self.buffer}.")

    @property
    def payload(self) -> int:
        """Message bytes in a full packet."""
        return int(self.mtu) - int(self.headers)

    @property
    def marks(self) -> tuple[int, int] | None:
        """(kmin, kmax) by which switches mark packets: those given, or the control's own; None: nothing is marked.

        >>> ae.Packets(control="dcqcn").marks, ae.Packets(control="dctcp", buffer="8 packets").marks, ae.Packets().marks
        ((30000, 120000), (6152, 6152), None)
        """
        if self.ecn_kmin is not None:
            return int(self.ecn_kmin), int(self.ecn_kmax or 0)
        if self.control not in _OWN_MARKS:
            return None
        room = (self.buffer_packets or 0) * (self.payload + self.overhead) or self.buffer_bytes
        if self.pfc_xoff is not None:
            room = int(self.pfc_xoff)
        elif self.shared_alpha is not None and room is not None:
            room = int(room * self.shared_alpha / (1 + self.shared_alpha))  # what one queue alone holds at most
        kmin, kmax = _OWN_MARKS[self.control]
        if room is None:
            return kmin, kmax
        return min(kmin, max(room * kmin // (2 * kmax), 1)), min(kmax, max(room // 2, 1))

    @property
    def overhead(self) -> int:
        """Bytes of a packet on a link beside the message's."""
        return int(self.headers) + int(self.framing)

    @property
    def keeps(self) -> bool:
        """Whether a receiver keeps what comes behind a gap."""
        return self.retransmission == "selective"

    @property
    def buffer_packets(self) -> int | None:
        """The buffer, if it is in packets."""
        return int(self.buffer.split()[0]) if isinstance(self.buffer, str) else None

    @property
    def buffer_bytes(self) -> int | None:
        """The buffer, if it is in bytes."""
        return self.buffer if isinstance(self.buffer, int) else None

    def __call__(self, platform: Wired) -> PacketNetwork:
        """The network of a platform, empty at 0 ns."""
        from astra_edu.network.drops.network import PacketNetwork

        return PacketNetwork(platform.network, self)
