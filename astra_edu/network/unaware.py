"""The congestion-unaware networks: a message takes its time whatever else is on the way.

How long it takes is Block.message_ns (block.py) and GraphNetwork.message_ns; 1.0's is Dimension.message_ns.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from astra_edu.clock.events import Action, Clock
from astra_edu.network.block import Block
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.way import InFlight, Way


class _TimedWay(Way):
    """A message takes `ns`."""

    __slots__ = ("_clock", "_ns")

    def __init__(self, clock: Clock, ns: int) -> None:
        self._clock = clock
        self._ns = ns

    def carry(self, message: InFlight) -> None:
        """See Way."""
        clock = self._clock
        clock.add(clock.now + self._ns, message)


class Unaware(Clock):
    """The congestion-unaware network of blocks."""

    def __init__(self, blocks: tuple[Block, ...]) -> None:
        """Nothing is on the way."""
        super().__init__()
        self.blocks = blocks
        self._ways: dict[tuple[int, int], tuple[Block, int]] = {}
        self._durations: dict[tuple[Block, int, int], int] = {}

    def send(self, source: int, destination: int, message_bytes: int, arrived: Action, what: Any) -> None:
        """See Network."""
        self.schedule(self.now + self._message_ns(source, destination, message_bytes), arrived, what)

    def way(self, source: int, destination: int, message_bytes: int) -> Way | None:
        """See HasWays."""
        if type(self) is not Unaware:
            return None
        return _TimedWay(self, self._message_ns(source, destination, message_bytes))

    def _message_ns(self, source: int, destination: int, message_bytes: int) -> int:
        way = self._ways.get((source, destination))
        if way is None:
            way = self._ways[source, destination] = first_way(self.blocks, source, destination)
        block, hops = way
        ns = self._durations.get((block, hops, message_bytes))
        if ns is None:
            ns = self._durations[block, hops, message_bytes] = block.message_ns(message_bytes, hops)
        return ns

    def statistics(self) -> Mapping[str, Any]:
        """Nothing: no link is looked at."""
        return {}

    def blocked(self) -> str:
        """Nothing ever is."""
        return ""


class UnawareGraph(Clock):
    """The congestion-unaware network of a graph."""

    def __init__(self, graph: GraphNetwork) -> None:
        """Nothing is on the way."""
        super().__init__()
        self._graph = graph
        self._durations: dict[tuple[int, int, int], int] = {}

    def send(self, source: int, destination: int, message_bytes: int, arrived: Action, what: Any) -> None:
        """See Network."""
        self.schedule(self.now + self._message_ns(source, destination, message_bytes), arrived, what)

    def way(self, source: int, destination: int, message_bytes: int) -> Way | None:
        """See HasWays."""
        if type(self) is not UnawareGraph:
            return None
        return _TimedWay(self, self._message_ns(source, destination, message_bytes))

    def _message_ns(self, source: int, destination: int, message_bytes: int) -> int:
        key = (source, destination, message_bytes)
        ns = self._durations.get(key)
        if ns is None:
            ns = self._durations[key] = self._graph.message_ns(*key)
        return ns

    def statistics(self) -> Mapping[str, Any]:
        """Nothing: no link is looked at."""
        return {}

    def blocked(self) -> str:
        """Nothing ever is."""
        return ""


def first_way(network: tuple[Block, ...], source: int, destination: int) -> tuple[Block, int]:
    """(block, hops) of the first dimension in which two NPUs differ; the unaware network charges no other."""
    for d, block in enumerate(network):
        stride = prod(b.npus for b in network[:d])
        here, there = source // stride % block.npus, destination // stride % block.npus
        if here != there:
            return block, block.hops(block.topology.apart(block.npus, here, there))
    raise AssertionError("an NPU sends itself nothing")
