"""Which NPUs reach each other without passing a third, and over which links: what shards can be matched with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from astra_edu.base.errors import ConfigError
from astra_edu.network import Block, GraphNetwork
from astra_edu.network.as_graph import as_graph
from astra_edu.network.block import checked_blocks
from astra_edu.network.shortest import LinkName, Node


@dataclass(frozen=True)
class Way:
    """From one NPU to another over these links, with nothing but switches in between."""

    source: int
    destination: int
    links: tuple[LinkName, ...]

    @property
    def back(self) -> Way:
        """The same where every link points the other way."""
        return Way(self.destination, self.source, tuple((head, tail) for tail, head in reversed(self.links)))


def one_dimension(network: Block | Sequence[Block] | GraphNetwork) -> GraphNetwork:
    """Any network of 2.x as a graph whose NPUs are one logical dimension.

    Raises ConfigError for what is no network, and for one of a single NPU.
    """
    if not isinstance(network, GraphNetwork):
        right = "give a Block, several as a tuple, or a GraphNetwork"
        return GraphNetwork(as_graph(checked_blocks(network, right)))
    return replace(network, dims=(network.npus,))


def ways_of(network: GraphNetwork) -> tuple[Way, ...]:
    """A way for each two NPUs that have one: their own link, or else the network's way if it passes switches only."""
    found = []
    plain = replace(network, routes={})
    for source in range(network.npus):
        for destination in range(network.npus):
            if source != destination:
                nodes = _nodes(network, plain, source, destination)
                if nodes:
                    found.append(Way(source, destination, tuple(pairwise(nodes))))
    return tuple(found)


def _nodes(network: GraphNetwork, plain: GraphNetwork, source: int, destination: int) -> list[Node]:
    if (source, destination) in network.links:
        return [source, destination]
    for one in (network, plain):
        way = one.way(source, destination)
        if all(isinstance(node, str) for node in way[1:-1]):
            return way
    return []


def with_ways(network: GraphNetwork, ways: Sequence[Way]) -> GraphNetwork:
    """The network with messages between neighbours on these ways, whatever else would be shorter."""
    original = {
        node if isinstance(node, int) and node < network.npus else str(node): node for node in network.graph.nodes
    }
    own = dict(network.routes)
    for way in ways:
        nodes: list[Node] = [way.source, *(head for _, head in way.links)]
        own[way.source, way.destination] = [original.get(node, node) for node in nodes]
    return replace(network, routes=own)


def check_shards(npus: int, parts: int, most: int) -> None:
    """Raise ConfigError for more shards to match than `most`."""
    if npus * npus * parts > most:
        raise ConfigError(
            f"{npus} NPUs with {parts} parts of a block each make {npus * npus * parts:,} shards to be brought "
            f"somewhere; {most:,} is the most. Take fewer parts."
        )
