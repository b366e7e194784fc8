"""Networks of blocks as graphs, to change and to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isqrt, prod
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError
from astra_edu.network.block import Block, checked_blocks
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.links import named
from astra_edu.network.shortest import LinkName

if TYPE_CHECKING:
    import networkx as nx

MOST_LINKS = 1_000_000


def as_graph(network: Block | Sequence[Block]) -> nx.DiGraph[int | str]:
    """The NPUs, switches and links of a network of blocks as an nx.DiGraph that GraphNetwork takes.

    In several dimensions a message may take another way than among the blocks, where it crosses one after the other.
    Raises ConfigError for what are no blocks, and for over a million links.

    >>> switch = ae.as_graph(ae.Block("Switch", 3, bandwidth=50, latency=500))
    >>> sorted(map(str, switch.nodes)), switch.number_of_edges()
    (['0', '1', '2', 'switch 0.0'], 6)
    >>> ae.GraphNetwork(switch).message_ns(0, 2, 2**20)
    20531
    """
    blocks = checked_blocks(network)
    npus, links = prod(block.npus for block in blocks), sum(block.topology.links_needed(block.npus) for block in blocks)
    if npus * links > MOST_LINKS:
        room = f" {isqrt(MOST_LINKS):,} NPUs have room." if len(blocks) == 1 and blocks[0].topology.own_links else ""
        raise ConfigError(
            f"{npus:,} NPUs with {links:,} links each are more than the {MOST_LINKS:,} links of a graph.{room}"
        )
    import networkx as nx

    graph: nx.DiGraph[int | str] = nx.DiGraph()
    graph.add_nodes_from(range(npus))
    for (tail, head), block in block_links(blocks).items():
        graph.add_edge(tail, head, bandwidth=block.bandwidth, latency=block.latency)
    return graph


def links_of(network: tuple[Block, ...] | GraphNetwork) -> Mapping[LinkName, Block]:
    """All links of a network by their names, used or not."""
    return network.links if isinstance(network, GraphNetwork) else block_links(network)


def block_links(blocks: tuple[Block, ...]) -> dict[LinkName, Block]:
    """All links of a network of blocks, dimension by dimension: in each its topology's, for every group of its NPUs."""
    found: dict[LinkName, Block] = {}
    npus = prod(block.npus for block in blocks)
    for d, block in enumerate(blocks):
        stride = prod(b.npus for b in blocks[:d])
        links = block.topology.links(block.npus)
        for first in (npu for npu in range(npus) if npu // stride % block.npus == 0):
            found |= {(named(t, d, first, stride, block), named(h, d, first, stride, block)): block for t, h in links}
    return found
