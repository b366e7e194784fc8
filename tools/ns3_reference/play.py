"""A case played by ns-3, through its Python bindings."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

from tools.ns3_reference.case import Case

STEPS = {"ring": 14, "ring-crossed": 14}


@dataclass
class Played:
    """What came of a case: one row in all, one for each flow, one for each port of a switch that had a queue."""

    total: dict[str, object]
    flows: list[dict[str, object]] = field(default_factory=list)
    ports: list[dict[str, object]] = field(default_factory=list)


@cache
def bindings() -> tuple[Any, Any]:
    """(ns-3's Python bindings, our streams and counters)."""
    import cppyy
    from ns import ns

    cppyy.cppdef(Path(__file__).with_name("streams.cc").read_text(encoding="utf-8"))
    return ns, cppyy.gbl.reference


def settings(case: Case) -> None:
    """Every parameter that isn't ns-3's own default."""
    ns, _ = bindings()
    ns.Config.Reset()

    def whole(name: str, value: int) -> None:
        ns.Config.SetDefault(f"ns3::{name}", ns.UintegerValue(value))

    def time(name: str, value_ns: int) -> None:
        ns.Config.SetDefault(f"ns3::{name}", ns.TimeValue(ns.NanoSeconds(value_ns)))

    transport = ns.TypeIdValue(ns.TypeId.LookupByName(f"ns3::{case.transport}"))
    ns.Config.SetDefault("ns3::TcpL4Protocol::SocketType", transport)
    whole("TcpSocket::SegmentSize", case.segment_bytes)
    whole("TcpSocket::InitialCwnd", case.initial_window_segments)
    whole("TcpSocket::DelAckCount", case.delayed_ack_segments)
    whole("TcpSocket::SndBufSize", case.socket_buffer_bytes)
    whole("TcpSocket::RcvBufSize", case.socket_buffer_bytes)
    whole("TcpSocket::DataRetries", 1000)
    time("TcpSocket::ConnTimeout", case.connect_timeout_ns)
    time("TcpSocketBase::MinRto", case.min_rto_ns)
    time("TcpSocketBase::ClockGranularity", case.clock_granularity_ns)
    ns.Config.SetDefault("ns3::TcpSocketBase::UseEcn", ns.StringValue("On" if case.ecn else "Off"))
    ns.RngSeedManager.SetSeed(1)
    ns.RngSeedManager.SetRun(1)


class Net:
    """Nodes and wires. ports: the switches' queues by (from, to)."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.nodes: dict[str, Any] = {}
        self.address: dict[str, Any] = {}
        self.ports: dict[tuple[str, str], Any] = {}
        self._wires = 0
        self._keep: list[Any] = []

    def node(self, name: str) -> Any:
        ns, _ = bindings()
        if name not in self.nodes:
            node = self.nodes[name] = ns.CreateObject[ns.Node]()
            ns.InternetStackHelper().Install(node)
        return self.nodes[name]

    def wire(self, *ends: str) -> None:
        """A full-duplex wire. A node's own queue never ends; a switch's has room for buffer_bytes."""
        ns, reference = bindings()
        case, helper = self.case, ns.PointToPointHelper()
        helper.SetDeviceAttribute("DataRate", ns.StringValue(f"{case.link_gbps}Gbps"))
        helper.SetDeviceAttribute("Mtu", ns.UintegerValue(case.mtu_bytes))
        helper.SetChannelAttribute("Delay", ns.TimeValue(ns.NanoSeconds(case.latency_ns)))
        pair = ns.NodeContainer()
        for end in ends:
            pair.Add(self.node(end))
        devices = helper.Install(pair)
        discs: list[Any] = [None, None]
        for k, end in enumerate(ends):
            device = devices.Get(k)
            switch = end.startswith("switch")
            marking = switch and case.ecn
            room = "1p" if marking else f"{case.buffer_bytes if switch else 2**31}B"
            queue = ns.CreateObject[ns.DropTailQueue[ns.Packet]]()
            queue.SetMaxSize(ns.QueueSize(room))
            device.SetQueue(queue)
            interface = device.GetObject[ns.NetDeviceQueueInterface]()
            if marking:
                interface.GetTxQueue(0).ConnectQueueTraces(queue)
                red = ns.TrafficControlHelper()
                red.SetRootQueueDisc(
                    "ns3::RedQueueDisc",
                    *("MaxSize", ns.QueueSizeValue(ns.QueueSize(f"{case.buffer_bytes}B"))),
                    *("MinTh", ns.DoubleValue(case.mark_bytes), "MaxTh", ns.DoubleValue(case.mark_bytes)),
                    *("QW", ns.DoubleValue(1.0), "Gentle", ns.BooleanValue(False)),
                    *("UseEcn", ns.BooleanValue(True), "UseHardDrop", ns.BooleanValue(False)),
                )
                discs[k] = red.Install(device).Get(0)
        addresses = ns.Ipv4AddressHelper()
        addresses.SetBase(ns.Ipv4Address(f"10.0.{self._wires}.0"), ns.Ipv4Mask("255.255.255.0"))
        self._wires += 1
        interfaces = addresses.Assign(devices)
        for k, end in enumerate(ends):
            self.address.setdefault(end, interfaces.GetAddress(k))
            if discs[k] is None:  # Assign has put ns-3's own there
                ns.TrafficControlHelper().Uninstall(devices.Get(k))
            if end.startswith("switch"):
                disc = discs[k] if discs[k] is not None else ns.Ptr[ns.QueueDisc]()
                self.ports[end, ends[1 - k]] = reference.Port(devices.Get(k), disc)
        self._keep.append((devices, interfaces))

    def stream(self, source: str, sink: str, port: int) -> Any:
        _, reference = bindings()
        return reference.Stream(self.nodes[source], self.nodes[sink], self.address[sink], port)


def play(case: Case) -> Played:
    """Run a case until every byte has arrived; at most 100 s of the simulated time."""
    ns, reference = bindings()
    began = perf_counter()
    settings(case)
    net = Net(case)
    ends = _wire(net, case)
    ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()
    streams = [net.stream(a, b, 5000 + k) for k, (a, b) in enumerate(ends)]
    every = ns.cppyy.gbl.std.vector[reference.Stream.__cpp_name__ + "*"](streams)
    ring = None
    if case.shape in STEPS:
        ring = reference.Ring(every, case.message_bytes // case.flows, STEPS[case.shape])
    else:
        for k, stream in enumerate(streams):
            stream.SendAt(k * case.stagger_ns, case.message_bytes)
    cross = _cross(net, case) if case.cross_percent else None
    reference.Watch(every, STEPS.get(case.shape, 1))
    ns.Simulator.Stop(ns.Seconds(100))
    ns.Simulator.Run()
    events = int(ns.Simulator.GetEventCount())
    played = _read(case, ends, streams, ring, net)
    played.total |= {"ns3_events": events}
    del cross
    ns.Simulator.Destroy()
    print(
        f"{case.name}: {played.total['total_ns']:,} ns, {perf_counter() - began:.1f} s, {events:,} events", flush=True
    )
    return played


def _wire(net: Net, case: Case) -> list[tuple[str, str]]:
    """Wire it all up. Returns who sends to whom."""
    n = case.flows
    if case.shape == "incast":
        for k in range(n):
            net.wire(f"sender {k}", "switch 0")
        net.wire("switch 0", "receiver")
        return [(f"sender {k}", "receiver") for k in range(n)]
    if case.shape == "dumbbell":
        extra = ["cross"] if case.cross_percent else []
        for name in [*map(str, range(n)), *extra]:
            net.wire(f"sender {name}", "switch 0")
            net.wire("switch 1", f"receiver {name}")
        net.wire("switch 0", "switch 1")
        return [(f"sender {k}", f"receiver {k}") for k in range(n)]
    for k in range(n):
        net.wire(f"NPU {k}", f"switch {k % 2 if case.shape == 'ring-crossed' else 0}")
    if case.shape == "ring-crossed":
        net.wire("switch 0", "switch 1")
    return [(f"NPU {k}", f"NPU {(k + 1) % n}") for k in range(n)]


def _cross(net: Net, case: Case) -> Any:
    """UDP datagrams at a constant rate over the dumbbell's bottleneck, from 0 ns on."""
    ns, _ = bindings()
    where = ns.InetSocketAddress(net.address["receiver cross"], 9)
    sink = ns.PacketSinkHelper("ns3::UdpSocketFactory", ns.InetSocketAddress(ns.Ipv4Address.GetAny(), 9).ConvertTo())
    source = ns.OnOffHelper("ns3::UdpSocketFactory", where.ConvertTo())
    payload = case.mtu_bytes - 28
    on_wire = case.link_gbps * 1e9 * case.cross_percent / 100
    rate = ns.DataRate(int(on_wire * payload / (case.mtu_bytes + 2)))
    source.SetConstantRate(rate, payload)
    return sink.Install(net.nodes["receiver cross"]), source.Install(net.nodes["sender cross"])


def _read(case: Case, ends: list[tuple[str, str]], streams: list[Any], ring: Any, net: Net) -> Played:
    flows: list[dict[str, object]] = []
    for k, ((a, b), stream) in enumerate(zip(ends, streams, strict=True)):
        arrivals = list(stream.arrivals)
        flows.append(
            {
                "case": case.name,
                "flow": k,
                "from": a,
                "to": b,
                "start_ns": 0 if ring else k * case.stagger_ns,
                "end_ns": arrivals[-1],
                "messages": len(arrivals),
                "bytes": int(stream.received),
                "retransmitted_segments": int(stream.retransmitted),
                "timeouts": int(stream.timeouts),
                "fast_recoveries": int(stream.recoveries),
            }
        )
    ports: list[dict[str, object]] = []
    for (a, b), port in net.ports.items():
        if port.sent_bytes:
            ports.append(
                {
                    "case": case.name,
                    "from": a,
                    "to": b,
                    "dropped_packets": int(port.dropped_device) + int(port.dropped_disc),
                    "marked_packets": int(port.marked),
                    "most_bytes_queued": int(port.most),
                    "sent_bytes": int(port.sent_bytes),
                }
            )
    total = {
        "total_ns": max(int(f["end_ns"]) for f in flows),  # type: ignore[call-overload]
        "dropped_packets": sum(int(p["dropped_packets"]) for p in ports),  # type: ignore[call-overload]
        "marked_packets": sum(int(p["marked_packets"]) for p in ports),  # type: ignore[call-overload]
        "retransmitted_segments": sum(int(f["retransmitted_segments"]) for f in flows),  # type: ignore[call-overload]
        "timeouts": sum(int(f["timeouts"]) for f in flows),  # type: ignore[call-overload]
        "most_bytes_queued": max(int(p["most_bytes_queued"]) for p in ports),  # type: ignore[call-overload]
    }
    return Played(total, flows, ports)
