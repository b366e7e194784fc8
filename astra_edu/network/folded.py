"""One NPU for all: where everybody does the same, what NPU 0 sends, it also receives.

The network is folded up: all NPUs' links of one kind (to the next NPU clockwise, up to the switch, ...) are one link,
and a message over several hops of a ring uses the same link several times, as a neighbour's message uses NPU 0's.
Receivers are named by how far away they are, as NPU 0's own number is 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import prod
from typing import Any

from astra_edu.clock.events import Action
from astra_edu.network.block import Block
from astra_edu.network.links import Link, Links, Travel
from astra_edu.network.messages import REQUESTS, Handler, InFlight, Messages
from astra_edu.network.shortest import LinkName, Node
from astra_edu.network.unaware import Unaware


class FoldedMessages(Messages):
    """The messages as NPU 0 sees them."""

    def receive(self, npu: int, source: int, tag: int, message_bytes: int, received: Handler, what: Any = None) -> None:
        """What comes from as far behind as `source` is ahead has been sent by NPU 0 itself."""
        super().receive(source, npu, tag, message_bytes, received, what)


class AmbiguousError(Exception):
    """It matters in which order NPUs get their turn in a ns, and that isn't the same for all."""


class FoldedLinks(Links):
    """The congestion-aware network as NPU 0 sees it.

    strict: raise AmbiguousError where messages of different NPUs reach a link in the same ns, or messages of two
    chunks from two NPUs reach NPU 0.
    """

    def __init__(self, blocks: tuple[Block, ...], strict: bool = True) -> None:
        """All links are free."""
        super().__init__(blocks)
        self.blocks = blocks
        self.strict = strict
        self._mutual: set[tuple[int, int]] = set()
        self._came: dict[LinkName, tuple[int, int]] = {}
        self._last = (-1, 0, 0)

    def exchange(self, tag: int, distances: Iterable[int]) -> None:
        """Messages with this tag go to partners so far away, who send theirs to NPU 0, and are asked for them."""
        self._mutual |= {(tag + REQUESTS, distance) for distance in distances}

    def send(self, source: int, destination: int, message_bytes: int, arrived: Action, what: InFlight) -> None:
        """destination: how far away it is; 0 for a request to who is as far behind as `source` is ahead.

        In an exchange that is who is ahead itself. what: the message, as FoldedMessages sends it.
        """
        if not destination and (what.tag, source) in self._mutual:
            destination = source
        elif not destination:
            d = self._dimension(source)
            destination = self.blocks[d].npus * self._stride(d) - source
        route = self._routes.get((0, destination))
        if route is None:
            route = self._routes[0, destination] = self._folded_route(destination)
        self._forward(Travel(arrived, what, route, message_bytes, destination))

    def _folded_route(self, destination: int) -> list[Link]:
        d = self._dimension(destination)
        block, distance = self.blocks[d], destination // self._stride(d)
        way, known = block.topology.route(block.npus, 0, distance), self._links
        names = [_folded(d, block.npus, tail, head) for tail, head in pairwise(way)]
        return [known[name] if name in known else self._link(name, block) for name in names]

    def _dimension(self, distance: int) -> int:
        return next(d for d, block in enumerate(self.blocks) if distance // self._stride(d) % block.npus)

    def _stride(self, d: int) -> int:
        return prod(block.npus for block in self.blocks[:d])

    def _forward(self, travel: Travel) -> None:
        link = travel.route[travel.at]
        sender = travel.destination if link.name[1] == "down" else travel.at
        came, by = self._came.get(link.name, (-1, 0))
        if self.strict and came == self.now and by != sender:
            raise AmbiguousError
        self._came[link.name] = self.now, sender
        super()._forward(travel)

    def _there(self, travel: Travel) -> None:
        if travel.at + 1 == len(travel.route):
            came, sender, tag = self._last
            now, other_tag = self.now, travel.what.tag
            if self.strict and came == now and sender != travel.destination and tag != other_tag:
                raise AmbiguousError
            self._last = now, travel.destination, other_tag
        super()._there(travel)


def folded_network(blocks: tuple[Block, ...], congestion_aware: bool, strict: bool = True) -> Unaware | FoldedLinks:
    """The network that FoldedMessages go over. strict: see FoldedLinks."""
    return FoldedLinks(blocks, strict) if congestion_aware else Unaware(blocks)


def _folded(d: int, npus: int, tail: Node, head: Node) -> LinkName:
    """What all NPUs' links of this kind are called."""
    if isinstance(head, str):
        return f"{d} {head}", "up"
    if isinstance(tail, str):
        return f"{d} {tail}", "down"
    return d, (head - tail) % npus
