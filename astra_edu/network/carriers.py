"""Which network a platform says: with or without congestion, with switches whose buffers end, as a graph."""

from __future__ import annotations

from astra_edu.network.block import Block
from astra_edu.network.buffers import SwitchBuffers
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.packets import BufferedLinks
from astra_edu.network.protocol import Network
from astra_edu.network.timed_links import TimedLinks
from astra_edu.network.unaware import Unaware, UnawareGraph


def carrier(
    network: tuple[Block, ...] | GraphNetwork, congestion_aware: bool, buffers: SwitchBuffers | None = None
) -> Network:
    """What carries messages over these links."""
    if buffers is not None:
        return BufferedLinks(network, buffers)
    if congestion_aware:
        return TimedLinks(network)
    if isinstance(network, GraphNetwork):
        return UnawareGraph(network)
    return Unaware(network)
