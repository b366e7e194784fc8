"""Messages between roles: from a representative to an NPU, for which the representative of its role receives it.

A send and a receive find each other under the receiver's representative: a message that a representative sends to an
NPU stands for the one that this NPU's representative gets from who is as far behind.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from astra_edu.network.folded import AmbiguousError
from astra_edu.network.messages import REQUESTS, Handler, Messages
from astra_edu.network.protocol import RENDEZVOUS_BYTES
from astra_edu.network.role_links import RoleLinks, Touch

TagOf = Callable[[int, int, int, int], int]
_Key = tuple[int, int, int, int]


@dataclass(slots=True, eq=False)
class _Sent:
    """A message between roles. source, destination: representatives. request: whether it only asks for another one.

    sent(what_sent) is called when it has arrived, and received(what_received) when it is there for a receiver. met:
    what was first, its arrival or the receiver's being ready, at met_ns.
    """

    source: int
    destination: int
    request: bool
    sent: Handler | None
    what_sent: Any
    received: Handler | None = None
    what_received: Any = None
    arrived: bool = False
    met: Touch | None = None
    met_ns: int = -1

    @property
    def taker(self) -> object:
        """What takes it in: equal for messages that make no difference to it."""
        received = self.received
        if isinstance(received, partial):
            return received.func, received.args, self.what_received
        return received, self.what_received


@dataclass(slots=True, eq=False)
class _Pair:
    """Messages without a receiver yet and receivers without a message yet; one of the two is empty."""

    early: deque[_Sent] = field(default_factory=deque)
    waiting: deque[tuple[Handler, Any, Touch, int]] = field(default_factory=deque)


class RoleMessages(Messages):
    """The messages as representatives see them."""

    def __init__(self, network: RoleLinks, rendezvous: bool, own_tags: int, tag_of: TagOf) -> None:
        """See Messages. tag_of(source, destination, tag, bytes): what stands for a tag below own_tags."""
        super().__init__(network, rendezvous)
        self.links = network
        self._own_tags = own_tags
        self._tag_of = tag_of
        self._pairs: dict[_Key, _Pair] = {}

    def send(
        self, source: int, destination: int, tag: int, message_bytes: int, sent: Handler | None = None, what: Any = None
    ) -> None:
        """See Messages. source: a representative."""
        self.sent += 1
        if tag < self._own_tags:
            tag = self._tag_of(source, destination, tag, message_bytes)
        if self.rendezvous:
            asked = partial(self._leave, source, destination, tag, message_bytes, sent, what, False)
            self._ready(source, destination, tag + REQUESTS, RENDEZVOUS_BYTES, asked, None)
        else:
            self._leave(source, destination, tag, message_bytes, sent, what, False)

    def receive(self, npu: int, source: int, tag: int, message_bytes: int, received: Handler, what: Any = None) -> None:
        """See Messages. npu: a representative."""
        if tag < self._own_tags:
            tag = self._tag_of(source, npu, tag, message_bytes)
        if self.rendezvous:
            ready = partial(self._ready, npu, source, tag, message_bytes, received, what)
            self._leave(npu, source, tag + REQUESTS, RENDEZVOUS_BYTES, ready, None, True)
        else:
            self._ready(npu, source, tag, message_bytes, received, what)

    def unmatched(self) -> list[tuple[_Key, bool]]:
        """See Messages."""
        return [
            (key, sent)
            for key, pair in self._pairs.items()
            for sent, ends in ((True, pair.early), (False, pair.waiting))
            for _ in range(len(ends))
        ]

    def _leave(
        self,
        source: int,
        destination: int,
        tag: int,
        message_bytes: int,
        sent: Handler | None,
        what: Any,
        request: bool,
        _: object = None,
    ) -> None:
        way = self.links.way(source, destination)
        message = _Sent(source, way.destination, request, sent, what)
        pair = self._pair((tag, way.source, way.destination, message_bytes))
        if pair.waiting:
            message.received, message.what_received, message.met, message.met_ns = pair.waiting.popleft()
        else:
            pair.early.append(message)
        self.links.leave(way, message_bytes, self._come, message)

    def _ready(
        self, npu: int, source: int, tag: int, message_bytes: int, received: Handler, what: Any, _: object = None
    ) -> None:
        pair = self._pair((tag, source, npu, message_bytes))
        links = self.links
        now = Touch(links.cause, links.shift, None)
        if not pair.early:
            pair.waiting.append((received, what, now, links.now))
            return
        message = pair.early.popleft()
        message.received, message.what_received = received, what
        if message.arrived:
            self._meet(message)
            links.schedule(links.now, self._taken, message)
        else:
            message.met, message.met_ns = now, links.now

    def _come(self, message: _Sent) -> None:
        """A message arrives. A request changes nothing of the NPUs themselves, but what leaves them, and when."""
        links, way = self.links, self.links.arriving
        assert way
        message.arrived = True
        if message.sent is not None:
            links.shift = way.back
            if not message.request:
                links.touch(message.source, None)
            message.sent(message.what_sent)
        links.shift = way.to
        if message.received is None:
            message.met, message.met_ns = Touch(links.cause, links.shift, None), links.now
        else:
            self._meet(message)
            self._taken(message)

    def _meet(self, message: _Sent) -> None:
        """A message has arrived, and its receiver is ready. Which came first makes a difference within a ns."""
        links, met = self.links, message.met
        assert met
        once = message.met_ns != links.now or links.ordered(met.cause, met.shift, links.cause, links.shift)
        if links.strict and not once:
            raise AmbiguousError

    def _taken(self, message: _Sent) -> None:
        assert message.received
        if not message.request:
            self.links.touch(message.destination, message.taker)
        message.received(message.what_received)

    def _pair(self, key: _Key) -> _Pair:
        found = self._pairs.get(key)
        if found is None:
            found = self._pairs[key] = _Pair()
        return found
