"""A trace's own messages, where phases are timed at once."""

from __future__ import annotations

from typing import Any

from astra_edu.clock.events import Receiver
from astra_edu.network.messages import Handler, Messages
from astra_edu.network.protocol import Network
from astra_edu.system.joined.clock import JoinedClock


class Told(Receiver):
    """A call of do(what) at the arrival of a message, of which the clock is told first. npu, source: see touch."""

    __slots__ = ("_clock", "_do", "_npu", "_source", "_what")

    def __init__(self, clock: JoinedClock, npu: int, source: int, do: Handler, what: Any) -> None:
        """Nothing has arrived."""
        self._clock = clock
        self._npu = npu
        self._source = source
        self._do = do
        self._what = what

    def happen(self) -> None:
        """See Event."""
        self._clock.touch(self._npu, self._source)
        self._do(self._what)


class JoinedMessages(Messages):
    """Messages that tell the clock at which NPU something happens as they arrive."""

    def __init__(self, network: Network, clock: JoinedClock) -> None:
        """Nothing is on the way."""
        super().__init__(network)
        self.clock = clock

    def send(
        self, source: int, destination: int, tag: int, message_bytes: int, sent: Handler | None = None, what: Any = None
    ) -> None:
        """See Messages."""
        self.sent += 1
        told = None if sent is None else Told(self.clock, source, source, sent, what)
        self._send(source, destination, tag, message_bytes, told)

    def receive(self, npu: int, source: int, tag: int, message_bytes: int, received: Handler, what: Any = None) -> None:
        """See Messages."""
        self._receive(npu, source, tag, message_bytes, Told(self.clock, npu, source, received, what))
