"""Messages of ASTRA-sim 2.x: a send and a receive find each other by tag, sender, receiver and size, in their order.

`Messages` stands on top of any network (protocol.py), and knows nothing of how long a message takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from astra_edu.base.native import mypyc_attr
from astra_edu.clock.events import Call, Event, Receiver, Told, adds
from astra_edu.network.lanes import Carrier, CarrierLane, Channel, Key, Lane, RendezvousLane
from astra_edu.network.protocol import RENDEZVOUS_BYTES, Network
from astra_edu.network.way import InFlight as InFlight
from astra_edu.network.way import Ways

Handler = Callable[[Any], object]

REQUESTS = 1_000_000_000
"""What a request's tag is more than its message's."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Messages:
    """The messages on a network. sent: how many NPUs have sent, so far.

    ends: what is on each lane: a message without a receiver, a receiver without a message, or a channel for more.
    """

    def __init__(self, network: Network, rendezvous: bool = False) -> None:
        """Nothing is on the way. rendezvous: whether a message waits for a request from its receiver."""
        self.network = network
        self.rendezvous = rendezvous
        self.sent = 0
        self.ends: dict[Key, InFlight | Receiver | Channel] = {}
        self.ways = Ways(network)
        self.singly = type(self) is Messages and not rendezvous
        self._lanes = type(self) is Messages
        self._clock = adds(network)

    def lane(self, source: int, destination: int, tag: int, message_bytes: int) -> Lane:
        """Where many messages go from one NPU to another: asked for once, it is the quicker way."""
        if not self._lanes:
            return CarrierLane(self, source, destination, tag, message_bytes)
        channel = self._channel((tag, source, destination, message_bytes))
        if self.rendezvous:
            return RendezvousLane(channel, self._channel((tag + REQUESTS, destination, source, RENDEZVOUS_BYTES)))
        channel.users += 1
        return channel

    def exchange(self, npu: int, tag: int, messages: Iterable[tuple[int, int, int]], receiver: Receiver) -> None:
        """Send messages now, and let the receiver be told of as many; needs `singly`.

        messages: to whom each goes, from whom another one comes in its place, and their bytes. For NPUs that have one
        message only for each other, and so need no lanes.
        """
        ends, ways = self.ends, self.ways
        for ahead, behind, message_bytes in messages:
            self.sent += 1
            key = tag, npu, ahead, message_bytes
            other = ends.get(key)
            if other is None or isinstance(other, Receiver):
                way = ways.way(npu, ahead, message_bytes)
                message = getattr(way, "makes", InFlight)(tag, None, other)
                if other is None:
                    ends[key] = message
                else:
                    del ends[key]
                way.carry(message)
            else:
                self._send(npu, ahead, tag, message_bytes, None)
            key = tag, behind, npu, message_bytes
            other = ends.get(key)
            if other is None:
                ends[key] = receiver
            elif isinstance(other, InFlight):
                del ends[key]
                if other.arrived:
                    self.tell(receiver)
                else:
                    other.receiver = receiver
            else:
                self._receive(npu, behind, tag, message_bytes, receiver)

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

    def tell(self, receiver: Receiver) -> None:
        """Let a receiver have a message that is here already, after everything else that is to happen in this ns."""
        if self._clock is None:
            self.network.schedule(self.network.now, receiver.told, None)
        else:
            self._clock.add(self._clock.now, Told(receiver))

    def unmatched(self) -> list[tuple[Key, bool]]:
        """((tag, source, destination, size), whether it was sent) of what never found its other end."""
        return [
            (key, sent)
            for key, early, waiting in self.all_ends()
            for sent, ends in ((True, early), (False, waiting))
            for _ in ends
        ]

    def all_ends(self) -> Iterator[tuple[Key, Sequence[InFlight], Sequence[Receiver]]]:
        """(lane, messages without a receiver, receivers without a message), of each lane in use."""
        for key, ends in self.ends.items():
            if isinstance(ends, Channel):
                yield key, ends.early or (), ends.waiting or ()
            elif isinstance(ends, InFlight):
                yield key, (ends,), ()
            else:
                yield key, (), (ends,)

    def _send(
        self, source: int, destination: int, tag: int, message_bytes: int, sent: Event | None, _: object = None
    ) -> None:
        channel = self._channel((tag, source, destination, message_bytes))
        channel.carry(sent)
        channel.tidy()

    def _receive(
        self, npu: int, source: int, tag: int, message_bytes: int, receiver: Receiver, _: object = None
    ) -> None:
        channel = self._channel((tag, source, npu, message_bytes))
        channel.receive(receiver)
        channel.tidy()

    def _channel(self, key: Key) -> Channel:
        ends = self.ends.get(key)
        if isinstance(ends, Channel):
            return ends
        channel = self.ends[key] = Channel(self, key)
        if isinstance(ends, InFlight):
            channel.early = [ends]
        elif ends is not None:
            channel.waiting = [ends]
        return channel


def lane(carrier: Carrier, source: int, destination: int, tag: int, message_bytes: int) -> Lane:
    """A lane of whatever carries messages."""
    if isinstance(carrier, Messages):
        return carrier.lane(source, destination, tag, message_bytes)
    return CarrierLane(carrier, source, destination, tag, message_bytes)
