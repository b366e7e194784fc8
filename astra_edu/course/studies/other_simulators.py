"""Figures of BookSim 2 and ns-3 that notebook 31 lays beside ours.

All of them, and how they were made, stand in tests/data/booksim and tests/data/ns3.

BookSim 2 (N. Jiang et al., ISPASS 2013): latency against load on 8x8 meshes and tori, four virtual channels of 8 flits,
packets of 4. ns-3 3.44: TCP NewReno, an incast of 1 MB from each sender over links of 10 Gb/s and 1 µs, at least 200 ms
until a lost packet is sent again.
"""

from __future__ import annotations

from astra_edu.base.errors import choice
from astra_edu.base.units import KIB
from astra_edu.network import Block
from astra_edu.network.credits import Credits
from astra_edu.network.drops import Packets
from astra_edu.network.drops.network import PacketNetwork
from astra_edu.network.topologies import find

GBIT = 1e9 / 8 / 2**30
"""10**9 bit/s in "GB/s" of 2**30 bytes/s."""
_GB_S, _FLIT = 50, 256
_CYCLE_NS = _FLIT / (_GB_S * 2**30 / 1e9)
BOOKSIM_FLITS = Credits(flit=_FLIT, packet=4 * _FLIT, virtual_channels=4, buffer=8, router_delay=3, ports=1)
"""BookSim's settings as ours."""
BOOKSIM: dict[tuple[str, str], dict[float, float]] = {
    ("mesh", "uniform"): {
        0.05: 30.5,
        0.1: 31.4,
        0.15: 32.4,
        0.2: 34.4,
        0.25: 36.6,
        0.3: 40.9,
        0.35: 48.6,
        0.4: 81.5,
        0.41: 141.5,
    },
    ("mesh", "transpose"): {0.05: 30.4, 0.1: 32.8, 0.12: 34.9, 0.13: 37.1, 0.14: 56.5},
    ("mesh", "neighbour"): {
        0.05: 23.0,
        0.1: 23.2,
        0.15: 23.4,
        0.2: 23.5,
        0.25: 23.5,
        0.3: 23.7,
        0.35: 23.8,
        0.4: 24.0,
        0.45: 24.1,
        0.5: 24.5,
        0.55: 24.8,
        0.6: 25.2,
        0.7: 26.6,
        0.8: 29.0,
    },
    ("torus", "uniform"): {
        0.05: 25.4,
        0.1: 26.1,
        0.15: 26.7,
        0.2: 27.6,
        0.25: 28.5,
        0.3: 29.9,
        0.35: 31.2,
        0.4: 33.5,
        0.45: 36.2,
        0.5: 39.9,
        0.52: 43.2,
        0.54: 45.7,
        0.55: 53.9,
        0.56: 65.7,
    },
    ("torus", "transpose"): {
        0.05: 25.2,
        0.1: 26.3,
        0.15: 27.8,
        0.2: 31.4,
        0.21: 32.2,
        0.22: 34.4,
        0.23: 37.9,
        0.24: 42.3,
        0.25: 58.0,
        0.26: 97.0,
    },
    ("torus", "neighbour"): {
        0.05: 17.1,
        0.1: 17.2,
        0.15: 17.3,
        0.2: 17.4,
        0.25: 17.5,
        0.3: 17.7,
        0.35: 17.8,
        0.4: 18.0,
        0.45: 18.2,
        0.5: 18.5,
        0.55: 18.8,
        0.6: 19.3,
        0.7: 20.6,
        0.8: 22.9,
    },
}
"""{(topology, traffic): {load in flits for each NPU and cycle: mean latency in cycles}}, below 160 cycles."""
NS3_INCAST_NS: dict[tuple[int, int], int] = {
    (2, 32): 200877940,
    (4, 32): 202484142,
    (8, 32): 401838895,
    (16, 32): 602677093,
    (32, 32): 1603067131,
    (2, 256): 201062593,
    (4, 256): 201389007,
    (8, 256): 6648445,
    (16, 256): 201923017,
    (32, 256): 206396985,
}
"""{(senders, KiB in front of the link to the receiver): ns until all has arrived}."""


def mesh_or_torus(topology: str) -> list[Block]:
    """BookSim's "mesh" or "torus" of 8x8: a link carries a flit in a cycle, and needs one more."""
    choice("topology", topology, ("mesh", "torus"))
    kind = "Mesh" if topology == "mesh" else "Ring"
    return [Block(find(kind), 64 if kind == "Mesh" else 8, _GB_S, _CYCLE_NS)] * (1 if kind == "Mesh" else 2)


def ns3_incast(senders: int, buffer_kib: int) -> PacketNetwork:
    """ns-3's incast by our packets, about to run.

    >>> from astra_edu.course.studies.other_simulators import NS3_INCAST_NS, ns3_incast
    >>> network = ns3_incast(4, 256)
    >>> network.run()
    >>> network.statistics()["time_ns"] / NS3_INCAST_NS[4, 256] < 1.01
    True
    """
    settings = Packets(
        headers=52,
        framing=2,
        buffer=buffer_kib * KIB,
        window="4 MiB",
        first_rto_ns=1_000_000,
        min_rto_ns=200_000_000,
        timestamp_ns=1_000_000,
        handshake=True,
        whole_ns=True,
    )
    network = PacketNetwork((Block(find("Switch"), senders + 1, 10 * GBIT, 1000),), settings)
    for k in range(senders):
        network.schedule(137 * k, lambda npu: network.send(npu, 0, 1_000_000, _nothing, None), k + 1)
    return network


def _nothing(_: object) -> None:
    pass
