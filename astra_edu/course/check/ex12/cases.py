"""The networks and the traffic that exercise 12 asks about."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

from astra_edu.base.units import KIB, MIB
from astra_edu.network import Block, Topology
from astra_edu.network.graph import GraphNetwork
from astra_edu.run.simulate import simulate
from astra_edu.run.trace_result import TraceResult
from astra_edu.system import TracePlatform, TraceSystem
from astra_edu.traces.make import collective

if TYPE_CHECKING:
    import networkx as nx

BANDWIDTH, LATENCY = 50, 500
"""Of every cable: "GB/s" of 2**30 bytes/s, and ns."""
ALGORITHMS = ("ring", "direct", "halvingDoubling")
THIN = 3.125
SIZE = 64 * MIB


def racks(between: float = BANDWIDTH) -> nx.Graph[Any]:
    """Two racks of four NPUs, each around its switch; one link of `between` GB/s joins the switches."""
    import networkx as nx

    graph: nx.Graph[Any] = nx.Graph()
    for npu in range(8):
        graph.add_edge(npu, f"ToR {npu // 4}", bandwidth=BANDWIDTH, latency=LATENCY)
    graph.add_edge("ToR 0", "ToR 1", bandwidth=between, latency=LATENCY)
    return graph


def all_reduce(
    network: Block | GraphNetwork, algorithm: str, size: int = SIZE, aware: bool = True, record: bool = False
) -> TraceResult:
    """One all-reduce in one chunk; endpoint delays of 10 ns, reductions for nothing."""
    blocks = network if isinstance(network, GraphNetwork) else (network,)
    platform = TracePlatform(blocks, TraceSystem.of(algorithm), congestion_aware=aware)
    return simulate(collective("all_reduce", size, platform.npus), platform, record=record)


def _network(letter: str) -> Block | GraphNetwork:
    if letter == "E":
        return GraphNetwork(racks(THIN))
    topology = {"B": Topology.SWITCH, "C": Topology.FULLY_CONNECTED}.get(letter, Topology.RING)
    return Block(topology, 16, BANDWIDTH, LATENCY)


CASES = {
    "A": ("16 NPUs in a ring, 64 MiB", SIZE),
    "B": ("16 NPUs around a switch, 64 MiB", SIZE),
    "C": ("16 NPUs, fully connected, 64 MiB", SIZE),
    "D": ("16 NPUs in a ring, 64 KiB", 64 * KIB),
    "E": (f"2 racks of 4 NPUs, {THIN} GB/s between their switches, 64 MiB", SIZE),
}
"""letter: (words, bytes) of all-reduces; all links but that one have 50 GB/s, all 500 ns."""


@lru_cache(maxsize=64)
def time_ns(letter: str, algorithm: str, aware: bool = True) -> int:
    """How long a case takes with an algorithm."""
    return all_reduce(_network(letter), algorithm, CASES[letter][1], aware).total_ns


def fastest(letter: str, aware: bool = True) -> str:
    """The algorithm that takes the least time."""
    return min(ALGORITHMS, key=lambda algorithm: time_ns(letter, algorithm, aware))


def hops(random: Random) -> dict[str, Any]:
    """A way over a few links, some of them busy for a while, and a message for it."""
    links = [(random.choice([10, 25, 50, 100]), random.randrange(100, 2000, 50)) for _ in range(random.randrange(2, 5))]
    free = [random.choice([0, random.randrange(1000, 400_000)]) for _ in links]
    return {"size": random.randrange(1, 40) * 100_000, "links": links, "free_ns": free}


def traffic(random: Random) -> dict[str, Any]:
    """Messages on their ways through a few switches, and the bandwidth of every link they use."""
    names = "pqrstu"
    while True:
        messages = []
        for _ in range(random.randrange(5, 9)):
            way = tuple(random.sample(names, random.randrange(2, 5)))
            messages.append((way, random.randrange(1, 20) * MIB))
        links = sorted({link for way, _ in messages for link in pairwise(way)})
        bandwidths = {link: random.choice([5, 10, 25, 50, 100]) for link in links}
        times = sorted(
            sum(size for way, size in messages if link in pairwise(way)) / bandwidths[link] for link in links
        )
        if times[-1] > 1.05 * times[-2]:  # one of them clearly
            return {"messages": messages, "bandwidths": bandwidths}
