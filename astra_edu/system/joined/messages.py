"""A trace's own messages, where phases are timed at once."""

from __future__ import annotations

from functools import partial
from typing import Any

from astra_edu.network.messages import Handler, Messages
from astra_edu.network.protocol import Network
from astra_edu.system.joined.clock import JoinedClock


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
        told = None if sent is None else partial(self._tell, source, source, sent)
        super().send(source, destination, tag, message_bytes, told, what)

    def receive(self, npu: int, source: int, tag: int, message_bytes: int, received: Handler, what: Any = None) -> None:
        """See Messages."""
        super().receive(npu, source, tag, message_bytes, partial(self._tell, npu, source, received), what)

    def _tell(self, npu: int, source: int, handler: Handler, what: Any) -> None:
        self.clock.touch(npu, source)
        handler(what)
