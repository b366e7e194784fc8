"""Networks of blocks as graphs, to change and to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING

from astra_edu.network.block import Block
from astra_edu.network.dimension import Topology
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.links import route_of
from astra_edu.network.shortest import LinkName

if TYPE_CHECKING:
    import networkx as nx


def as_graph(network: Block | Sequence[Block]) -> nx.DiGraph[int | str]:
    """The NPUs, switches and links of a network of blocks as an nx.DiGraph that GraphNetwork takes.

    In several dimensions a message may take another way than among the blocks, where it crosses one after the other.

    >>> switch = ae.as_graph(ae.Block("Switch", 3, bandwidth=50, latency=500))
    >>> sorted(map(str, switch.nodes)), switch.number_of_edges()
    (['0', '1', '2', 'switch 0.0'], 6)
    >>> ae.GraphNetwork(switch).message_ns(0, 2, 2**20)
    20531
    """
    import networkx as nx

    graph: nx.DiGraph[int | str] = nx.DiGraph()
    blocks = (network,) if isinstance(network, Block) else tuple(network)
    graph.add_nodes_from(range(prod(block.npus for block in blocks)))
    for (tail, head), block in block_links(blocks).items():
        graph.add_edge(tail, head, bandwidth=block.bandwidth, latency=block.latency)
    return graph


def links_of(network: tuple[Block, ...] | GraphNetwork) -> Mapping[LinkName, Block]:
    """All links of a network by their names, used or not."""
    return network.links if isinstance(network, GraphNetwork) else block_links(network)


def block_links(blocks: tuple[Block, ...]) -> dict[LinkName, Block]:
    """All links of a network of blocks: those to the next NPU either way in a ring, to all others elsewhere."""
    found: dict[LinkName, Block] = {}
    for d, block in enumerate(blocks):
        stride = prod(b.npus for b in blocks[:d])
        distances = (1, block.npus - 1) if block.topology is Topology.RING else range(1, block.npus)
        for npu in range(prod(b.npus for b in blocks)):
            place = npu // stride % block.npus
            for distance in distances if block.topology is not Topology.SWITCH else (1,):
                other = npu + ((place + distance) % block.npus - place) * stride
                found |= route_of(blocks, npu, other)
    return found
