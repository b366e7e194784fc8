"""Which network carries a platform's messages."""

from __future__ import annotations

from astra_edu.execution.clock import Clock
from astra_edu.execution.config import TracePlatform
from astra_edu.execution.graph import GraphNetwork
from astra_edu.execution.links import Links
from astra_edu.execution.messages import Message, Messages
from astra_edu.execution.packets import BufferedLinks


class GraphMessages(Messages):
    """The congestion-unaware network of a graph."""

    def __init__(self, clock: Clock, platform: TracePlatform, graph: GraphNetwork) -> None:
        """Nothing is on the way."""
        super().__init__(clock, platform)
        self._graph = graph
        self._durations: dict[tuple[int, int, int], int] = {}

    def _carry(self, source: int, destination: int, size: int, message: Message) -> None:
        key = (source, destination, size)
        ns = self._durations.get(key)
        if ns is None:
            ns = self._durations[key] = self._graph.message_ns(*key)
        self.clock.at(self.clock.now + ns, self._arrive, message)


def carrier(clock: Clock, platform: TracePlatform, record: bool = False) -> Messages:
    """The network of a platform. record: keep what was on which link when."""
    if platform.buffers is not None:
        return BufferedLinks(clock, platform, record)
    if platform.congestion_aware:
        return Links(clock, platform, record)
    if isinstance(platform.network, GraphNetwork):
        return GraphMessages(clock, platform, platform.network)
    return Messages(clock, platform)
