"""A phase at one NPU: its tokens send messages, wait for those that come in their place, and send the next.

An NPU owns as many tokens as the algorithm's window is wide: one in a ring or in halving-doubling, all in direct. A
token starts with an endpoint delay, sends a message, and is back an endpoint delay (and, where data are added up, a
reduction) after the message that arrives in its place. The phase is over when everything is sent and all tokens are
back. tree_exchange is the same for a double binary tree, which waits for children and parent instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from astra_edu.clock.events import Event, Receiver, Turns
from astra_edu.network.lanes import Carrier, Lane
from astra_edu.network.messages import Messages, lane
from astra_edu.system.faithful.bus import InTurn, SharedBus
from astra_edu.system.moves import Moves

if TYPE_CHECKING:
    from astra_edu.system.endpoint import Endpoint

Over = Callable[[], object]
NOWHERE = Lane()
"""The lane of who hasn't sent yet."""


@dataclass
class OneEndpoint:
    """As much of an endpoint as a phase that is followed alone needs: the NPU's number, turns and bus, the network."""

    npu: int
    turns: InTurn
    messages: Carrier
    bus: SharedBus | None = None


PhaseEndpoint: TypeAlias = "Endpoint | OneEndpoint"
"""What a phase runs at."""


class Exchange(Receiver):
    """One NPU in a phase of a ring, halving-doubling or direct.

    tag: of all its messages. ahead, behind: for each of the moves, to whom and from whom it goes. outward, inward: the
    lanes of what it sends and of what it waits for. As an event it is that data have crossed the endpoint; there they
    keep their order.
    """

    __slots__ = (
        "_added", "_ahead", "_alike", "_arrived", "_behind", "_bus", "_delay", "_endpoint", "_free", "_gate", 
        "_messages", "_moves", "_over", "_plain", "_sent", "_singly", "_tag", "_taken", "_turns", "_ungated", "_window",
        "inward", "outward",
    )  # fmt: skip

    def __init__(
        self, endpoint: PhaseEndpoint, moves: Moves, tag: int, ahead: Sequence[int], behind: Sequence[int], over: Over
    ) -> None:
        """over: called when the phase is over."""
        self._endpoint = endpoint
        turns = endpoint.turns
        self._bus = None if moves.in_group else endpoint.bus
        self._turns = turns if self._bus is None and isinstance(turns, Turns) else None
        self._plain = type(turns) is Turns
        self._moves = moves
        self._delay = moves.endpoint_ns
        self._window = moves.window
        self._gate = moves.gate
        self._messages = len(moves.sizes)
        self._ungated = moves.gate or self._messages
        self._tag = tag
        self._ahead = ahead
        self._behind = behind
        self._over = over
        self._sent = self._arrived = self._taken = self._free = 0
        self._alike = 0
        self.outward = self.inward = NOWHERE
        self._added: Event | None = None
        messages = endpoint.messages
        self._singly = messages if moves.singly and isinstance(messages, Messages) and messages.singly else None

    def start(self) -> None:
        """All tokens set off."""
        if self._turns is not None:
            self._turns.add(self._delay, self if self._window == 1 else Begun(self))
        else:
            for k in range(self._window):
                self._cross(k, None)

    def begin(self) -> None:
        """All tokens' first data are through the endpoint."""
        self._taken = self._window
        self._send_all(0, self._window)

    def received(self) -> None:
        """The next message is here."""
        k = self._arrived
        self._arrived = k + 1
        if self._turns is not None:
            self._turns.add(self._delay, self)
        else:
            self._cross(self._window + k, self._moves.reductions[k])

    def happen(self) -> None:
        """A token's data are through the endpoint: the first bring none to add up."""
        k = self._taken
        self._taken = k + 1
        if k >= self._window:
            reduction, turns = self._moves.reductions[k - self._window], self._turns
            if reduction is not None:
                if turns is None:
                    return
                if reduction or not self._plain or not turns.is_last(self):
                    if self._added is None:
                        self._added = Added(self)
                    turns.add(reduction, self._added)
                    return
        self.token()

    def token(self, _: object = None) -> None:
        """A token is here and can send."""
        sent = self._sent
        if sent < self._ungated:
            self._send(sent)
            return
        gate, messages = self._gate, self._messages
        self._free += 1
        if gate:
            if self._arrived < gate:
                return
            upto = min(sent + self._free, messages)
            self._free -= upto - sent
            self._send_all(sent, upto)
        if self._sent == messages and self._free == self._window:
            self._leave()
            self._over()

    def _send_all(self, first: int, upto: int) -> None:
        """Send so many messages at once."""
        if self._singly is None:
            for k in range(first, upto):
                self._send(k)
            return
        self._sent = upto
        ahead, behind, sizes = self._ahead[first:upto], self._behind[first:upto], self._moves.sizes[first:upto]
        self._singly.exchange(self._endpoint.npu, self._tag, zip(ahead, behind, sizes, strict=True), self)

    def _send(self, k: int) -> None:
        if self._singly is not None:
            self._send_all(k, k + 1)
            return
        self._sent = k + 1
        if k >= self._alike:
            self._turn_to(k)
        self.outward.send()
        self.inward.receive(self)

    def _turn_to(self, k: int) -> None:
        """Find the lanes of the k-th message, and of those after it that are like it."""
        self._leave()
        messages, npu, tag, size = self._endpoint.messages, self._endpoint.npu, self._tag, self._moves.sizes[k]
        self.outward = lane(messages, npu, self._ahead[k], tag, size)
        self.inward = lane(messages, self._behind[k], npu, tag, size)
        self._alike = self._moves.alike[k]

    def _leave(self) -> None:
        self.outward.leave()
        self.inward.leave()

    @property
    def progress(self) -> tuple[int, tuple[int, int, int]] | None:
        """(how many messages it has sent, what else says how it goes on); None where more than that says it."""
        if self._turns is None or not self._plain or self._gate or not self._moves.adds_evenly:
            return None
        sent = self._sent
        return sent, (self._arrived - sent, self._taken - sent, self._free)

    def more_like(self, last: int) -> int:
        """How many messages after those sent are like the last so many, all after the first that it has taken in."""
        return self._moves.alike[self._sent - last] - self._sent if self._taken - last >= self._window else 0

    def skip(self, messages: int) -> None:
        """Have sent and received so many messages more."""
        self._sent += messages
        self._arrived += messages
        self._taken += messages

    def _cross(self, k: int, reduction: int | None) -> None:
        """The data of the k-th crossing go over the bus."""
        assert self._bus is not None
        self._bus.cross(self._moves.crossings[k], self._moves.crossing_sizes[k], self._crossed, reduction)

    def _crossed(self, reduction: int | None) -> None:
        if reduction is None:
            self.token()
        else:
            self._endpoint.turns.after(reduction, self.token)


class Begun(Event):
    """All tokens have set off."""

    __slots__ = ("_exchange",)

    def __init__(self, exchange: Exchange) -> None:
        """exchange: whose tokens."""
        self._exchange = exchange

    def happen(self) -> None:
        """See Event."""
        self._exchange.begin()


class Added(Event):
    """The data that a token has brought are added up."""

    __slots__ = ("exchange",)

    def __init__(self, exchange: Exchange) -> None:
        """exchange: whose token."""
        self.exchange = exchange

    def happen(self) -> None:
        """See Event."""
        self.exchange.token()


class Startable(Protocol):
    """What an endpoint starts."""

    def start(self) -> None:
        """Begin."""
