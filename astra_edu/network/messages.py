"""Messages of ASTRA-sim 2.x: a send and a receive find each other by tag, sender, receiver and size, in their order.

`Messages` stands on top of any network (protocol.py), and knows nothing of how long a message takes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.network.protocol import RENDEZVOUS_BYTES, Network

Handler = Callable[[Any], object]

REQUESTS = 1_000_000_000
"""What a request's tag is more than its message's."""


@dataclass(slots=True, eq=False)
class InFlight:
    """A message on its way, or there already. sent(what_sent) is called when it has arrived."""

    tag: int
    sent: Handler | None
    what_sent: Any
    received: Handler | None = None
    what_received: Any = None
    arrived: bool = False


@dataclass(slots=True, eq=False)
class _Channel:
    """Messages without a receiver yet and receivers without a message yet; one of the two is empty."""

    early: deque[InFlight] = field(default_factory=deque)
    waiting: deque[tuple[Handler, Any]] = field(default_factory=deque)


class Messages:
    """The messages on a network. sent: how many NPUs have sent, so far."""

    def __init__(self, network: Network, rendezvous: bool = False) -> None:
        """Nothing is on the way. rendezvous: whether a message waits for a request from its receiver."""
        self.network = network
        self.rendezvous = rendezvous
        self.sent = 0
        self._channels: dict[tuple[int, int, int, int], _Channel] = {}

    def send(
        self, source: int, destination: int, tag: int, message_bytes: int, sent: Handler | None = None, what: Any = None
    ) -> None:
        """Send `message_bytes` now; sent(what) is called when they have arrived.

        With the rendezvous protocol they leave when a request for them has come.
        """
        self.sent += 1
        if self.rendezvous:
            asked = partial(self._send, source, destination, tag, message_bytes, sent, what)
            self._receive(source, destination, tag + REQUESTS, RENDEZVOUS_BYTES, asked, None)
        else:
            self._send(source, destination, tag, message_bytes, sent, what, None)

    def receive(self, npu: int, source: int, tag: int, message_bytes: int, received: Handler, what: Any = None) -> None:
        """`npu` is ready for a message; received(what) is called when it is there."""
        if self.rendezvous:
            ready = partial(self._receive, npu, source, tag, message_bytes, received, what)
            self._send(npu, source, tag + REQUESTS, RENDEZVOUS_BYTES, ready, None, None)
        else:
            self._receive(npu, source, tag, message_bytes, received, what)

    def _send(
        self, source: int, destination: int, tag: int, message_bytes: int, sent: Handler | None, what: Any, _: object
    ) -> None:
        message = InFlight(tag, sent, what)
        key = (tag, source, destination, message_bytes)
        channel = self._channels.get(key)
        if channel is None:
            channel = self._channels[key] = _Channel()
        if channel.waiting:
            message.received, message.what_received = channel.waiting.popleft()
        else:
            channel.early.append(message)
        self.network.send(source, destination, message_bytes, self._arrive, message)

    def _receive(
        self, npu: int, source: int, tag: int, message_bytes: int, received: Handler, what: Any, _: object = None
    ) -> None:
        key = (tag, source, npu, message_bytes)
        channel = self._channels.get(key)
        if channel is None:
            channel = self._channels[key] = _Channel()
        if not channel.early:
            channel.waiting.append((received, what))
            return
        message = channel.early.popleft()
        if message.arrived:
            self.network.schedule(self.network.now, received, what)
        else:
            message.received, message.what_received = received, what

    def unmatched(self) -> list[tuple[tuple[int, int, int, int], bool]]:
        """((tag, source, destination, size), whether it was sent) of what never found its other end."""
        return [
            (key, sent)
            for key, channel in self._channels.items()
            for sent, ends in ((True, channel.early), (False, channel.waiting))
            for _ in range(len(ends))
        ]

    @staticmethod
    def _arrive(message: InFlight) -> None:
        if message.arrived:
            raise ConfigError(f"the network has said twice that a message (tag {message.tag}) has arrived.")
        message.arrived = True
        if message.sent is not None:
            message.sent(message.what_sent)
        if message.received is not None:
            message.received(message.what_received)
