"""The congestion-unaware networks: a message takes its time whatever else is on the way.

How long it takes is Block.message_ns (block.py) and GraphNetwork.message_ns; 1.0's is Dimension.message_ns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
        self._message_ns = message_times(blocks)

    def send(self, source: int, destination: int, message_bytes: int, arrived: Action, what: Any) -> None:
        """See Network."""
        self.schedule(self.now + self._message_ns(source, destination, message_bytes), arrived, what)

    def way(self, source: int, destination: int, message_bytes: int) -> Way | None:
        """See HasWays."""
        if type(self) is not Unaware:
            return None
        return _TimedWay(self, self._message_ns(source, destination, message_bytes))

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


def message_times(blocks: tuple[Block, ...]) -> Callable[[int, int, int], int]:
    """What gives the ns of a message by its source, destination and bytes, and finds each out once.

    >>> from astra_edu.network.unaware import message_times
    >>> message_ns = message_times((ae.Block("Ring", 4, 50, 500), ae.Block("Switch", 2, 25, 500)))
    >>> message_ns(0, 1, 4096), message_ns(0, 2, 4096), message_ns(0, 4, 4096)
    (576, 1076, 1152)
    """
    ways: dict[tuple[int, int], tuple[Block, int, dict[int, int]]] = {}
    known: dict[tuple[int, int], dict[int, int]] = {}

    def message_ns(source: int, destination: int, message_bytes: int) -> int:
        way = ways.get((source, destination))
        if way is None:
            block, hops = first_way(blocks, source, destination)
            way = ways[source, destination] = block, hops, known.setdefault((id(block), hops), {})
        block, hops, durations = way
        ns = durations.get(message_bytes)
        if ns is None:
            ns = durations[message_bytes] = block.message_ns(message_bytes, hops)
        return ns

    return message_ns


def first_way(network: tuple[Block, ...], source: int, destination: int) -> tuple[Block, int]:
    """(block, hops) of the first dimension in which two NPUs differ; the unaware network charges no other."""
    for block in network:
        here, there = source % block.npus, destination % block.npus
        if here != there:
            return block, block.hops(block.topology.apart(block.npus, here, there))
        source, destination = source // block.npus, destination // block.npus
    raise AssertionError("an NPU sends itself nothing")
