"""Valid calls of networks with packets and flits, of what is searched and synthesized, and of other people's files."""

import pandas as pd
from strange.calls import call
from strange.simulator import BLOCK, TRACE, TRACE_PLATFORM
from strange.simulator import GRAPH as EDGES

import astra_edu as ae

GRAPH = ae.GraphNetwork(EDGES)
TABLE = pd.DataFrame({"a": [1, 2, 1, 2], "b": [3, 3, 4, 4], "at_least_ns": [40, 30, 20, 10]}, index=list("pqrs"))
FEW_FLITS = ae.traces.collective("all_reduce", 16384, 4)
"""Even with flits of 2 bytes."""
SMALL = {"flit": 256, "packet": 1024, "virtual_channels": 4, "buffer": 8, "router_delay": 3, "credit_delay": 0}
WAYS = {"routing": "dimension-order", "switching": "wormhole", "dateline": True, "ports": None, "seed": 0}
WIRE = {"mtu": 1500, "headers": 52, "framing": 38, "buffer": 65536, "shared_alpha": None, "npu_buffer": None}
MARKS = {"ecn_kmin": None, "ecn_kmax": None, "ecn_pmax": 1.0, "pfc_xoff": None, "pfc_xon": None}
SENDER = {"control": "newreno", "retransmission": "selective", "window": None, "initial_window": 10}
ALARM = {"duplicate_acks": 3, "first_rto_ns": 10**6, "min_rto_ns": 10**6, "timestamp_ns": 1, "ack_every": 1}
CONNECTION = {"ack_delay_ns": 200_000, "flow": "pair", "handshake": False, "whole_ns": False, "seed": 0}
TCP = {"transport": "TcpNewReno", "segment": 1448, "buffer": 65536, "initial_window": 10, "min_rto_ns": 10**6}
QUEUES = {"delayed_ack": 1, "socket_buffer": 2**20, "queue": None, "mark": None, "ecn": None}
VIEW = {"x": "a", "y": "at_least_ns", "across": "a", "down": "b", "measure": "at_least_ns"}
LOOKS = {"better": {"at_least_ns": "less"}, "log": {"a": True}, "units": {"a": "GB/s"}}


def carried(kind, trace=TRACE):
    """A run over a network of this kind."""
    return lambda **given: ae.simulate(trace, TRACE_PLATFORM, network=kind(**given), progress=False)


def loaded(**given):
    """A network that was saved, and loaded again."""
    if given["path"] == "n.json":
        ae.save_infragraph(GRAPH, "n.json")
    return ae.load_infragraph(**given)


CALLS = [
    call("Credits", carried(ae.Credits, FEW_FLITS), **SMALL, **WAYS),
    call("Packets", carried(ae.Packets), **WIRE, **MARKS, **SENDER, **ALARM, **CONNECTION),
    call("Ns3", ae.Ns3, **TCP, **QUEUES),
    call(
        "load_latency",
        ae.load_latency,
        network=BLOCK,
        settings=ae.Credits(flit=256, packet=1024, buffer=8, ports=1),
        pattern="neighbour",
        loads=[0.1],
        cycles=100,
        warm_up=50,
    ),
    call(
        "synthesize",
        ae.synthesize,
        collective="all-gather",
        network=BLOCK,
        collective_bytes=2**20,
        parts=1,
        tries=1,
        seed=0,
    ),
    call("traces.scale", ae.traces.scale, trace=TRACE, npus=8, dims=(), copies=0, scaling="weak", padding=1),
    call("save_infragraph", ae.save_infragraph, network=GRAPH, path="n.json"),
    call(
        "load_infragraph",
        loaded,
        path="n.json",
        links=None,
        npus="xpu",
        annotation=None,
        dims=(),
        shortest="latency",
        ties="next",
    ),
    call(
        "DesignSpace",
        ae.DesignSpace,
        table=TABLE,
        view="pareto",
        settings=["a", "b"],
        **VIEW,
        **LOOKS,
        run=None,
        given={},
        runs={},
    ),
]
