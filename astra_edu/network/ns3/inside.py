"""The engine's requests as calls into ns-3 (driver.cc, streams.cc)."""

from __future__ import annotations

from astra_edu.network.ns3.installed import bindings
from astra_edu.network.ns3.settings import HEADERS, Ns3
from astra_edu.network.ns3.wiring import Wiring

_NO_END = 2**32 - 1
_CLOCK_GRANULARITY_NS = 1000
_RETRIES = 1000


class Inside:
    """A Driver (see engine.py) that is ns-3."""

    def __init__(self, settings: Ns3, built: Wiring) -> None:
        """End what ns-3 did before in this process and build the network anew."""
        self._ns, self._own = bindings()
        self._own.Clear()
        self._settings(settings)
        self._network = self._own.Make(len(built.nodes))
        for wire in built.wires:
            numbers = [built.nodes.index(end) for end in wire.ends]
            switches = [isinstance(end, str) for end in wire.ends]
            room = [(settings.buffer_bytes if switch else None) or _NO_END for switch in switches]
            mark = [settings.mark_bytes if switch else 0 for switch in switches]
            mtu = settings.segment_bytes + HEADERS - 2
            self._network.Wire(*numbers, list(wire.bits_per_s), wire.latency_ps, mtu, room, mark)

    def _settings(self, settings: Ns3) -> None:
        ns, transport = self._ns, settings.transport

        def put(name: str, value: object) -> None:
            ns.Config.SetDefault(f"ns3::{name}", value)

        put("TcpL4Protocol::SocketType", ns.TypeIdValue(ns.TypeId.LookupByName(f"ns3::{transport}")))
        put("Ipv4L3Protocol::DefaultTtl", ns.UintegerValue(255))
        whole = {
            "SegmentSize": settings.segment_bytes,
            "InitialCwnd": settings.initial_window,
            "DelAckCount": settings.delayed_ack,
            "SndBufSize": settings.socket_buffer_bytes,
            "RcvBufSize": settings.socket_buffer_bytes,
            "DataRetries": _RETRIES,
            "ConnCount": _RETRIES,
        }
        for name, value in whole.items():
            put(f"TcpSocket::{name}", ns.UintegerValue(value))
        for name, ns_ in (
            ("TcpSocketBase::MinRto", settings.min_rto_ns),
            ("TcpSocket::ConnTimeout", settings.min_rto_ns),
            ("TcpSocketBase::ClockGranularity", _CLOCK_GRANULARITY_NS),
        ):
            put(name, ns.TimeValue(ns.NanoSeconds(ns_)))
        put("TcpSocketBase::UseEcn", ns.StringValue("On" if settings.ecn else "Off"))

    def way(self, nodes: list[int]) -> None:
        """See Driver."""
        self._network.Way(nodes)

    def send(self, now_ps: int, source: int, destination: int, message_bytes: int, number: int) -> None:
        """See Driver."""
        self._network.Send(now_ps, source, destination, message_bytes, number)

    def run(self, until_ps: int) -> tuple[bool, list[int]]:
        """See Driver."""
        reached = self._network.Run(until_ps)
        return bool(reached), [int(number) for number in self._network.Taken()]

    def ports(self) -> list[list[int]]:
        """See Driver."""
        return [[int(number) for number in row] for row in self._own.Ports(self._network)]

    def connections(self) -> list[list[int]]:
        """See Driver."""
        return [[int(number) for number in row] for row in self._own.Connections(self._network)]

    def events(self) -> int:
        """See Driver."""
        return int(self._ns.Simulator.GetEventCount())
