"""One case of the reference: who sends what to whom over which switches, and every parameter of TCP and the queues."""

from __future__ import annotations

from dataclasses import dataclass, fields

MIN_RTO_NS = 1_000_000


@dataclass(frozen=True)
class Case:
    """Sizes in bytes, times in ns, rates in Gb/s of 10**9. README.md beside the results says what each means.

    shape: incast (`flows` senders, one switch, one receiver), dumbbell (`flows` senders and receivers, two switches),
    ring (all-reduce of `message_bytes` among `flows` NPUs on one switch) or ring-crossed (the same, NPUs with even
    numbers on one switch and odd ones on another, so that every message crosses the one link between them).
    """

    shape: str
    flows: int
    message_bytes: int
    transport: str
    buffer_bytes: int
    link_gbps: int = 10
    cross_percent: int = 0
    latency_ns: int = 1000
    stagger_ns: int = 137
    segment_bytes: int = 1448
    mtu_bytes: int = 1500
    initial_window_segments: int = 10
    min_rto_ns: int = MIN_RTO_NS
    clock_granularity_ns: int = 1000
    connect_timeout_ns: int = 1_000_000
    delayed_ack_segments: int = 1
    socket_buffer_bytes: int = 4_194_304

    @property
    def name(self) -> str:
        """What the case is called in the files."""
        cross = f"-cross{self.cross_percent}" if self.cross_percent else ""
        slow = f"-rto{self.min_rto_ns // 1_000_000}ms" if self.min_rto_ns != MIN_RTO_NS else ""
        return f"{self.shape}{self.flows}{cross}-{self.link_gbps}g-{self.transport}-{self.buffer_bytes // 1024}k{slow}"

    @property
    def mark_bytes(self) -> int:
        """DCTCP: a packet is marked when more than this is in the queue. 0: never."""
        return min(self.buffer_bytes // 2, 30_000 if self.link_gbps == 10 else 97_500) if self.ecn else 0

    @property
    def ecn(self) -> bool:
        """Whether the ports mark."""
        return self.transport == "TcpDctcp"

    def row(self) -> dict[str, object]:
        """All of it, for a table."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"case": self.name, **own, "mark_bytes": self.mark_bytes}


KIB = 1024
TRANSPORTS = ("TcpNewReno", "TcpCubic", "TcpDctcp")
BUFFERS = (32 * KIB, 128 * KIB, 256 * KIB, 1024 * KIB)


def cases() -> list[Case]:
    """All of them, the most wanted first."""
    first = [Case("incast", n, 1_000_000, "TcpNewReno", b) for b in (128 * KIB, 32 * KIB) for n in (2, 4, 8, 16, 32)]
    incast = [
        Case("incast", n, 1_000_000, transport, b, rate)
        for rate in (10, 100)
        for transport in TRANSPORTS
        for b in BUFFERS
        for n in (2, 4, 8, 16, 32)
    ]
    linux = [
        Case("incast", n, 1_000_000, transport, b, min_rto_ns=200_000_000)
        for transport in TRANSPORTS
        for b in (32 * KIB, 256 * KIB)
        for n in (2, 4, 8, 16, 32)
    ]
    dumbbell = [
        Case("dumbbell", 4, 4_000_000, transport, b, cross_percent=cross)
        for cross in (30, 0, 60)
        for transport in TRANSPORTS
        for b in BUFFERS
    ]
    ring = [
        Case(shape, 8, 8 * 2**20, transport, b, rate)
        for rate in (10, 100)
        for shape in ("ring", "ring-crossed")
        for transport in TRANSPORTS
        for b in BUFFERS
    ]
    return list(dict.fromkeys([*first, *ring, *dumbbell, *incast, *linux]))
