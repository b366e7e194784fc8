"""Which network carries messages: with or without congestion, with switches whose buffers end, as a graph."""

from __future__ import annotations

from astra_edu.clock.events import Clock
from astra_edu.network.block import Block
from astra_edu.network.buffers import SwitchBuffers
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.links import Links
from astra_edu.network.messages import InFlight, MessageNetwork
from astra_edu.network.packets import BufferedLinks


class GraphMessages(MessageNetwork):
    """The congestion-unaware network of a graph."""

    def __init__(self, clock: Clock, graph: GraphNetwork, rendezvous: bool = False) -> None:
        """Nothing is on the way."""
        super().__init__(clock, (), rendezvous)
        self._graph = graph
        self._durations: dict[tuple[int, int, int], int] = {}

    def _carry(self, source: int, destination: int, message_bytes: int, message: InFlight) -> None:
        key = (source, destination, message_bytes)
        ns = self._durations.get(key)
        if ns is None:
            ns = self._durations[key] = self._graph.message_ns(*key)
        self.clock.at(self.clock.now + ns, self._arrive, message)


def carrier(
    clock: Clock,
    network: tuple[Block, ...] | GraphNetwork,
    congestion_aware: bool,
    buffers: SwitchBuffers | None = None,
    rendezvous: bool = False,
    record: bool = False,
) -> MessageNetwork:
    """What carries messages over a network. record: keep what was on which link when."""
    if buffers is not None:
        return BufferedLinks(clock, network, buffers, rendezvous, record)
    if congestion_aware:
        return Links(clock, network, rendezvous, record)
    if isinstance(network, GraphNetwork):
        return GraphMessages(clock, network, rendezvous)
    return MessageNetwork(clock, network, rendezvous)
