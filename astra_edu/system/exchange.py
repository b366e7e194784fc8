"""A phase at one NPU: its tokens send messages, wait for those that come in their place, and send the next.

An NPU owns as many tokens as the algorithm's window is wide: one in a ring or in halving-doubling, all in direct. A
token starts with an endpoint delay, sends a message, and is back an endpoint delay (and, where data are added up, a
reduction) after the message that arrives in its place. The phase is over when everything is sent and all tokens are
back. `TreeExchange` is the same for a double binary tree, which waits for children and parent instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from astra_edu.clock.events import Action
from astra_edu.collectives.tree import Tree
from astra_edu.system.faithful.bus import Crossing, InTurn, SharedBus
from astra_edu.system.moves import Moves

if TYPE_CHECKING:
    from astra_edu.system.endpoint import Endpoint

Over = Callable[[], object]


class Carrier(Protocol):
    """What carries messages."""

    def send(self, source: int, destination: int, tag: int, message_bytes: int) -> None:
        """Send `message_bytes` now."""

    def receive(self, npu: int, source: int, tag: int, message_bytes: int, received: Action) -> None:
        """`npu` is ready for a message; received(...) is called when it is there."""


@dataclass
class OneEndpoint:
    """As much of an endpoint as a phase that is followed alone needs: the NPU's number, turns and bus, the network."""

    npu: int
    turns: InTurn
    messages: Carrier
    bus: SharedBus | None = None


PhaseEndpoint: TypeAlias = "Endpoint | OneEndpoint"
"""What a phase runs at."""


@dataclass(slots=True, eq=False)
class Exchange:
    """One NPU in a phase of a ring, halving-doubling or direct.

    tag: of all its messages. ahead, behind: for each of the moves, to whom and from whom it goes.
    """

    endpoint: PhaseEndpoint
    moves: Moves
    tag: int
    ahead: Sequence[int]
    behind: Sequence[int]
    over: Over
    sent: int = 0
    arrived: int = 0
    free: int = 0

    def start(self) -> None:
        """All tokens set off."""
        for k in range(self.moves.window):
            self._cross(k, None)

    def _cross(self, k: int, reduction: int | None) -> None:
        """The data of the k-th crossing go through the endpoint."""
        moves, endpoint = self.moves, self.endpoint
        if endpoint.bus is None or moves.in_group:
            endpoint.turns.after(moves.endpoint_ns, self._taken_in, reduction)
        else:
            endpoint.bus.cross(moves.crossings[k], moves.crossing_sizes[k], self._taken_in, reduction)

    def _token(self, _: object = None) -> None:
        """A token is here and can send."""
        moves = self.moves
        self.free += 1
        if moves.gate and self.sent >= moves.gate:
            if self.arrived < moves.gate:
                return
            for _ in range(min(self.free, len(moves.sizes) - self.sent)):
                self._send()
        else:
            self._send()
        if self.sent == len(moves.sizes) and self.free == moves.window:
            self.over()

    def _send(self) -> None:
        k = self.sent
        if not self.free or k == len(self.moves.sizes):
            return
        self.sent += 1
        self.free -= 1
        message_bytes, messages, npu = self.moves.sizes[k], self.endpoint.messages, self.endpoint.npu
        messages.send(npu, self.ahead[k], self.tag, message_bytes)
        messages.receive(npu, self.behind[k], self.tag, message_bytes, self._arrived)

    def _arrived(self, _: object) -> None:
        k = self.arrived
        self.arrived = k + 1
        self._cross(self.moves.window + k, self.moves.reductions[k])

    def _taken_in(self, reduction: int | None) -> None:
        if reduction is None:
            self._token()
        else:
            self.endpoint.turns.after(reduction, self._token)


class TreeExchange:
    """One NPU in a phase of one of ASTRA-sim's two binary trees: up to the root and down again, all data at once."""

    __slots__ = ("added", "arrived", "children", "endpoint", "message_bytes", "over", "parent", "tag")

    def __init__(
        self, endpoint: Endpoint, tree: Tree, place: int, npus: Sequence[int], message_bytes: int, tag: int, over: Over
    ) -> None:
        """place: of this NPU in the tree; npus: who is at each place."""
        self.endpoint = endpoint
        parent = tree.parents[place]
        self.parent = None if parent is None else npus[parent]
        self.children = [npus[child] for child in tree.children[place]]
        self.message_bytes = message_bytes
        self.tag = tag
        self.over = over
        self.added = self.arrived = 0

    def start(self) -> None:
        """A leaf sends up; everybody else waits for the children."""
        if self.children:
            for child in self.children:
                self._receive(child, self._from_child)
        else:
            self._cross(Crossing(True, False, False), self._up)

    def _from_child(self, _: object) -> None:
        self.arrived += 1
        self._cross(Crossing(False, True, self.arrived == len(self.children)), self._add, self._child_added)

    def _child_added(self, _: object) -> None:
        self.added += 1
        if self.added == len(self.children):
            if self.parent is None:
                self._down()
            else:
                self._up()

    def _up(self, _: object = None) -> None:
        assert self.parent is not None
        self.endpoint.messages.send(self.endpoint.npu, self.parent, self.tag, self.message_bytes)
        self._receive(self.parent, self._from_parent)

    def _from_parent(self, _: object) -> None:
        if self.children:
            self._cross(Crossing(False, True, True), self._add, self._down)
        else:
            self._cross(Crossing(False, False, False), self._end)

    def _down(self, _: object = None) -> None:
        for child in self.children:
            self.endpoint.messages.send(self.endpoint.npu, child, self.tag, self.message_bytes)
        self.over()

    def _end(self, _: object) -> None:
        self.over()

    def _receive(self, source: int, arrived: Callable[[object], object]) -> None:
        self.endpoint.messages.receive(self.endpoint.npu, source, self.tag, self.message_bytes, arrived)

    def _cross(self, how: Crossing, action: Callable[..., object], what: object = None) -> None:
        endpoint = self.endpoint
        if endpoint.bus is None:
            endpoint.turns.after(endpoint.system.endpoint_delay, action, what)
        else:
            endpoint.bus.cross(how, self.message_bytes, action, what)

    def _add(self, then: Callable[[object], object]) -> None:
        self.endpoint.turns.after(self.endpoint.system.reduction_ns(self.message_bytes), then)


class Startable(Protocol):
    """What an endpoint starts."""

    def start(self) -> None:
        """Begin."""
