"""Whether NPUs that do the same also meet what happens in one ns in the same order.

ASTRA-sim takes the events of a ns in the order in which they were foreseen. What an NPU foresees for itself keeps its
own order, and so do one sender's messages. But a message is foreseen in its sender's turn: if that was in the ns in
which its receiver foresaw a turn of its own, or in which another sender foresaw another message, some NPUs had their
turn before that sender and some after it. On a shared bus it matters which of the two is first. Without one it does
where a phase goes on message by message, but only between a message and a turn: one or the other may end a node.
"""

from __future__ import annotations

from typing import Any

from astra_edu.clock.events import Action, Ns
from astra_edu.network.block import Block
from astra_edu.network.folded import AmbiguousError, FoldedLinks
from astra_edu.network.links import Link, Travel
from astra_edu.network.messages import InFlight
from astra_edu.network.unaware import Unaware, first_way

_MANY = 10_000
"""Times of which is remembered what was foreseen for them, before those that are over are forgotten."""


class SameNs:
    """What was foreseen last for each ns, and when; told of everything, in the order in which it is foreseen."""

    def __init__(self) -> None:
        """Nothing is foreseen."""
        self._last: dict[Ns, tuple[Ns, list[tuple[object, object] | None]]] = {}

    def foresee(self, at_ns: Ns, now_ns: Ns, message: tuple[object, object] | None) -> None:
        """Something of the NPU that stands for all is to happen.

        message: None for a turn of its own; else how far away its sender is, and something that only messages which
        the receiver can't tell apart have in common. Raises AmbiguousError where not all NPUs have the same order.
        """
        last = self._last.get(at_ns)
        if last is None or last[0] != now_ns:
            if len(self._last) > _MANY:
                self._last = {time: known for time, known in self._last.items() if time >= now_ns}
            self._last[at_ns] = now_ns, [message]
            return
        others = last[1]
        for other in others:
            if (other is None) is not (message is None):
                raise AmbiguousError
            if other and message and other[0] != message[0] and other[1] != message[1]:
                raise AmbiguousError
        if message not in others:
            others.append(message)


class SameNsUnaware(Unaware):
    """The congestion-unaware network as one NPU sees it that stands for all; see SameNs."""

    def __init__(self, blocks: tuple[Block, ...], bus: bool = True) -> None:
        """Nothing is on the way. bus: whether messages cross one, so that it matters which of two is first."""
        super().__init__(blocks)
        self._same = SameNs()
        self._bus = bus
        self._ns: dict[tuple[int, int, int], int] = {}

    def schedule(self, at_ns: int, do: Action, what: Any) -> None:
        """See Clock; what the NPU foresees for itself."""
        self._same.foresee(at_ns, self.now, None)
        super().schedule(at_ns, do, what)

    def send(self, source: int, destination: int, message_bytes: int, arrived: Action, what: InFlight) -> None:
        """destination: how far away it is; 0 for a request to who is as far behind as `source` is ahead."""
        ns = self._ns.get((source, destination, message_bytes))
        if ns is None:
            block, hops = first_way(self.blocks, source, destination)
            ns = self._ns[source, destination, message_bytes] = block.message_ns(message_bytes, hops)
        at = self.now + ns
        self._same.foresee(at, self.now, (destination - source, what.tag if self._bus else None))
        super().schedule(at, arrived, what)


class SameNsLinks(FoldedLinks):
    """The congestion-aware network as one NPU sees it that stands for all; see SameNs."""

    def __init__(self, blocks: tuple[Block, ...]) -> None:
        """All links are free."""
        super().__init__(blocks)
        self._same = SameNs()
        self._on_links = False

    def schedule(self, at_ns: int, do: Action, what: Any) -> None:
        """See Clock; what the NPU foresees for itself, and what happens on links."""
        if not self._on_links:
            self._same.foresee(at_ns, self.now, None)
        super().schedule(at_ns, do, what)

    def _start(self, link: Link, travel: Travel) -> None:
        self._on_links = True
        super()._start(link, travel)
        self._on_links = False
        if travel.at + 1 == len(travel.route):
            arrives = self.now + link.times[travel.size][0]
            self._same.foresee(arrives, self.now, (travel.destination, travel.what.tag))
