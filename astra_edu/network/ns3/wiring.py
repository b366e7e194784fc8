"""A platform's network as ns-3 builds it: nodes by number, full-duplex wires between them, and ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import prod

from astra_edu.base.errors import ConfigError
from astra_edu.network.block import Block
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.links import route_of
from astra_edu.network.shortest import LinkName, Node

MOST_NPUS = 256
"""The routes between all pairs are looked at before a run, and ns-3 has an object for each connection."""
MOST_HOPS = 250
"""IP counts them in eight bits."""
PS = 1000
"""ps in a ns."""
_BITS = 8 * 2**30


@dataclass(frozen=True)
class Wire:
    """A wire between two nodes. bits_per_s: of each direction, the one from `ends[0]` first. latency_ps: of both."""

    ends: LinkName
    bits_per_s: tuple[int, int]
    latency_ps: int


@dataclass(frozen=True)
class Wiring:
    """nodes: the NPUs in their order, then the switches. way: the nodes from one NPU to another, by number."""

    npus: int
    nodes: tuple[Node, ...]
    wires: tuple[Wire, ...]
    way: Callable[[int, int], list[int]]


def wiring(network: Sequence[Block] | GraphNetwork) -> Wiring:
    """All links that some pair of NPUs uses, in both directions.

    Raises ConfigError for more NPUs or hops than ns-3 can be asked for here, and for links whose two directions have
    different latencies, which ns-3's wires can't have.

    >>> from astra_edu.network.ns3.wiring import wiring
    >>> built = wiring((ae.Block("Switch", 2, bandwidth=50, latency=500),))
    >>> built.nodes, [wire.ends for wire in built.wires], built.way(0, 1)
    ((0, 1, 'switch 0.0'), [(0, 'switch 0.0'), ('switch 0.0', 1)], [0, 2, 1])
    """
    given = network if isinstance(network, GraphNetwork) else tuple(network)
    npus = prod(given.dims) if isinstance(given, GraphNetwork) else prod(block.npus for block in given)
    if npus > MOST_NPUS:
        raise ConfigError(f"the network has {npus:,} NPUs; ns-3 is asked for {MOST_NPUS} at most.")
    links: dict[LinkName, Block] = {}
    for source, destination in permutations(range(npus), 2):
        route = route_of(given, source, destination)
        if len(route) > MOST_HOPS:
            raise ConfigError(
                f"from NPU {source} to NPU {destination} it is {len(route)} hops; IP allows {MOST_HOPS} here."
            )
        links |= route
    switches = dict.fromkeys(node for link in links for node in link if isinstance(node, str))
    nodes: tuple[Node, ...] = (*range(npus), *switches)
    numbers = {node: number for number, node in enumerate(nodes)}

    def way(source: int, destination: int) -> list[int]:
        return [source, *(numbers[head] for (_, head), _ in route_of(given, source, destination))]

    return Wiring(npus, nodes, tuple(_wires(links)), way)


def _wires(links: dict[LinkName, Block]) -> list[Wire]:
    wires: dict[LinkName, Wire] = {}
    for (a, b), block in links.items():
        if (b, a) in wires:
            continue
        back = links.get((b, a), block)
        if back.latency != block.latency:
            raise ConfigError(
                f"the link {a} -> {b} has a latency of {block.latency:g} ns and the one back {back.latency:g} ns; a "
                "wire of ns-3 has the same in both directions."
            )
        bits = tuple(max(1, round(one.bandwidth * _BITS)) for one in (block, back))
        wires[a, b] = Wire((a, b), (bits[0], bits[1]), round(block.latency * PS))
    return list(wires.values())
