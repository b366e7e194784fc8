"""Messages of ASTRA-sim 2.x: a send and a receive find each other by tag, sender, receiver and size, in their order.

`Messages` stands on top of any network (protocol.py), and knows nothing of how long a message takes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from astra_edu.base.errors import ConfigError
from astra_edu.clock.events import Call, Event, Receiver
from astra_edu.network.protocol import RENDEZVOUS_BYTES, Network
from astra_edu.network.way import Way, Ways

Handler = Callable[[Any], object]

REQUESTS = 1_000_000_000
"""What a request's tag is more than its message's."""
Key = tuple[int, int, int, int]
"""Tag, source, destination and bytes, by which the ends of a message find each other."""


class Lane:
    """Messages of one tag and size from one NPU to another. `leave` has to be called by who needs it no longer."""

    __slots__ = ()

    def send(self) -> None:
        """Send the next message now."""
        raise NotImplementedError

    def receive(self, receiver: Receiver) -> None:
        """Its destination is ready for the next message; the receiver is told when that is there."""
        raise NotImplementedError

    def leave(self) -> None:
        """It is needed no longer."""


class InFlight(Event):
    """A message on its way, or there already. sent happens when it has arrived, and the receiver is told."""

    __slots__ = ("arrived", "receiver", "sent", "tag")

    def __init__(self, tag: int, sent: Event | None) -> None:
        """Nobody waits for it yet."""
        self.tag = tag
        self.sent = sent
        self.receiver: Receiver | None = None
        self.arrived = False

    def happen(self) -> None:
        """It has arrived."""
        if self.arrived:
            raise ConfigError(f"the network has said twice that a message (tag {self.tag}) has arrived.")
        self.arrived = True
        if self.sent is not None:
            self.sent.happen()
        if self.receiver is not None:
            self.receiver.received()


class _Channel(Lane):
    """Messages without a receiver yet (early) and receivers without a message yet (waiting); one of the two is empty.

    users: who has it as a lane. Without any, and with nothing in it, it is forgotten.
    """

    __slots__ = ("early", "key", "messages", "tag", "users", "waiting", "way")

    def __init__(self, messages: Messages, key: Key) -> None:
        self.messages = messages
        self.key = key
        self.tag, source, destination, message_bytes = key
        self.way: Way = messages.ways.way(source, destination, message_bytes)
        self.users = 0
        self.early: list[InFlight] | None = None
        self.waiting: list[Receiver] | None = None

    def send(self) -> None:
        """See Lane."""
        self.messages.sent += 1
        self.carry(InFlight(self.tag, None))

    def carry(self, message: InFlight) -> None:
        """A message sets off."""
        if self.waiting:
            message.receiver = self.waiting.pop(0)
        elif self.early is None:
            self.early = [message]
        else:
            self.early.append(message)
        self.way.carry(message)

    def receive(self, receiver: Receiver) -> None:
        """See Lane."""
        if not self.early:
            if self.waiting is None:
                self.waiting = [receiver]
            else:
                self.waiting.append(receiver)
            return
        message = self.early.pop(0)
        if message.arrived:
            network = self.messages.network
            network.schedule(network.now, _received, receiver)
        else:
            message.receiver = receiver

    def leave(self) -> None:
        """See Lane."""
        self.users -= 1
        self.tidy()

    def tidy(self) -> None:
        """Be forgotten if nobody needs it."""
        if not self.users and not self.early and not self.waiting:
            del self.messages.channels[self.key]


class Carrier(Protocol):
    """What carries messages."""

    def send(self, source: int, destination: int, tag: int, message_bytes: int) -> None:
        """Send `message_bytes` now."""

    def receive(self, npu: int, source: int, tag: int, message_bytes: int, received: Handler) -> None:
        """`npu` is ready for a message; received(...) is called when it is there."""


class CarrierLane(Lane):
    """A lane by `send` and `receive` of what carries messages."""

    __slots__ = ("_carrier", "_ends")

    def __init__(self, carrier: Carrier, source: int, destination: int, tag: int, message_bytes: int) -> None:
        """See Lane."""
        self._carrier = carrier
        self._ends = source, destination, tag, message_bytes

    def send(self) -> None:
        """See Lane."""
        self._carrier.send(*self._ends)

    def receive(self, receiver: Receiver) -> None:
        """See Lane."""
        source, destination, tag, message_bytes = self._ends
        self._carrier.receive(destination, source, tag, message_bytes, partial(_received, receiver))


class Messages:
    """The messages on a network. sent: how many NPUs have sent, so far. channels: those in use."""

    def __init__(self, network: Network, rendezvous: bool = False) -> None:
        """Nothing is on the way. rendezvous: whether a message waits for a request from its receiver."""
        self.network = network
        self.rendezvous = rendezvous
        self.sent = 0
        self.channels: dict[Key, _Channel] = {}
        self.ways = Ways(network)
        self._lanes = type(self) is Messages and not rendezvous

    def lane(self, source: int, destination: int, tag: int, message_bytes: int) -> Lane:
        """Where many messages go from one NPU to another: asked for once, it is the quicker way."""
        if not self._lanes:
            return CarrierLane(self, source, destination, tag, message_bytes)
        channel = self._channel((tag, source, destination, message_bytes))
        channel.users += 1
        return channel

    def send(
        self, source: int, destination: int, tag: int, message_bytes: int, sent: Handler | None = None, what: Any = None
    ) -> None:
        """Send `message_bytes` now; sent(what) is called when they have arrived.

        With the rendezvous protocol they leave when a request for them has come.
        """
        self.sent += 1
        told = None if sent is None else Call(sent, what)
        if self.rendezvous:
            asked = partial(self._send, source, destination, tag, message_bytes, told)
            self._receive(source, destination, tag + REQUESTS, RENDEZVOUS_BYTES, Call(asked, None))
        else:
            self._send(source, destination, tag, message_bytes, told)

    def receive(self, npu: int, source: int, tag: int, message_bytes: int, received: Handler, what: Any = None) -> None:
        """`npu` is ready for a message; received(what) is called when it is there."""
        told = Call(received, what)
        if self.rendezvous:
            ready = partial(self._receive, npu, source, tag, message_bytes, told)
            self._send(npu, source, tag + REQUESTS, RENDEZVOUS_BYTES, Call(ready, None))
        else:
            self._receive(npu, source, tag, message_bytes, told)

    def unmatched(self) -> list[tuple[Key, bool]]:
        """((tag, source, destination, size), whether it was sent) of what never found its other end."""
        return [
            (key, sent)
            for key, channel in self.channels.items()
            for sent, ends in ((True, channel.early), (False, channel.waiting))
            for _ in ends or ()
        ]

    def _send(
        self, source: int, destination: int, tag: int, message_bytes: int, sent: Event | None, _: object = None
    ) -> None:
        channel = self._channel((tag, source, destination, message_bytes))
        channel.carry(InFlight(tag, sent))
        channel.tidy()

    def _receive(
        self, npu: int, source: int, tag: int, message_bytes: int, receiver: Receiver, _: object = None
    ) -> None:
        channel = self._channel((tag, source, npu, message_bytes))
        channel.receive(receiver)
        channel.tidy()

    def _channel(self, key: Key) -> _Channel:
        channel = self.channels.get(key)
        if channel is None:
            channel = self.channels[key] = _Channel(self, key)
        return channel


def lane(carrier: Carrier, source: int, destination: int, tag: int, message_bytes: int) -> Lane:
    """A lane of whatever carries messages."""
    if isinstance(carrier, Messages):
        return carrier.lane(source, destination, tag, message_bytes)
    return CarrierLane(carrier, source, destination, tag, message_bytes)


def _received(receiver: Receiver, _: object = None) -> None:
    receiver.received()
