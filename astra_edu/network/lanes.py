"""Lanes: the messages of one tag and size from one NPU to another, found once by who sends or waits for many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from astra_edu.clock.events import Event, Receiver
from astra_edu.network.way import InFlight, Way

if TYPE_CHECKING:
    from astra_edu.network.messages import Handler, Messages

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


class Channel(Lane):
    """Messages without a receiver yet (early) and receivers without a message yet (waiting); one of the two is empty.

    users: who has it as a lane. Without any, and with nothing in it, it is forgotten.
    """

    __slots__ = ("early", "key", "makes", "messages", "tag", "users", "waiting", "way")

    def __init__(self, messages: Messages, key: Key) -> None:
        """Nothing is in it."""
        self.messages = messages
        self.key = key
        self.tag, source, destination, message_bytes = key
        self.way: Way = messages.ways.way(source, destination, message_bytes)
        self.makes: type[InFlight] = getattr(self.way, "makes", InFlight)
        self.users = 0
        self.early: list[InFlight] | None = None
        self.waiting: list[Receiver] | None = None

    def send(self) -> None:
        """See Lane."""
        self.messages.sent += 1
        self.carry(None)

    def carry(self, sent: Event | None) -> None:
        """A message sets off."""
        if self.waiting:
            message = self.makes(self.tag, sent, self.waiting.pop(0))
        else:
            message = self.makes(self.tag, sent, None)
            if self.early is None:
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
            self.messages.tell(receiver)
        else:
            message.receiver = receiver

    def leave(self) -> None:
        """See Lane."""
        self.users -= 1
        self.tidy()

    def tidy(self) -> None:
        """Be forgotten if nobody needs it."""
        if not self.users and not self.early and not self.waiting:
            del self.messages.ends[self.key]


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
        self._carrier.receive(destination, source, tag, message_bytes, receiver.told)


class RendezvousLane(Lane):
    """A lane whose messages wait for a request. What is still to come of it uses its channels, too."""

    __slots__ = ("_asked", "_channel", "_requests")

    def __init__(self, channel: Channel, requests: Channel) -> None:
        """requests: the other way round."""
        self._channel = channel
        self._requests = requests
        self._asked = _Asked(channel)
        channel.users += 1
        requests.users += 1

    def send(self) -> None:
        """See Lane."""
        self._channel.messages.sent += 1
        self._channel.users += 1
        self._requests.receive(self._asked)

    def receive(self, receiver: Receiver) -> None:
        """See Lane."""
        self._channel.users += 1
        self._requests.carry(_Ready(self._channel, receiver))

    def leave(self) -> None:
        """See Lane."""
        self._channel.leave()
        self._requests.leave()


class _Asked(Receiver):
    """The sender of a message waits for a request."""

    __slots__ = ("_channel",)

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def happen(self) -> None:
        """It is here, so that the message leaves."""
        channel = self._channel
        channel.carry(None)
        channel.leave()


class _Ready(Event):
    """A request has arrived, so that its sender is ready for the message."""

    __slots__ = ("_channel", "_receiver")

    def __init__(self, channel: Channel, receiver: Receiver) -> None:
        self._channel = channel
        self._receiver = receiver

    def happen(self) -> None:
        """See Event."""
        self._channel.receive(self._receiver)
        self._channel.leave()
