"""How messages of one size go from one NPU to another: what a network of the package's own knows of them beforehand."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from astra_edu.base.errors import ConfigError
from astra_edu.base.native import mypyc_attr
from astra_edu.clock.events import Event, Receiver, happen
from astra_edu.network.protocol import Network


class InFlight(Event):
    """A message on its way, or there already. sent happens when it has arrived, and the receiver is told."""

    __slots__ = ("arrived", "receiver", "sent", "tag")

    def __init__(self, tag: int, sent: Event | None, receiver: Receiver | None) -> None:
        """receiver: who waits for it already."""
        self.tag = tag
        self.sent = sent
        self.receiver = receiver
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


@mypyc_attr(allow_interpreted_subclasses=True)
class Way:
    """How messages of one size go from one NPU to another. makes: what it carries."""

    __slots__ = ()
    makes: ClassVar[type[InFlight]] = InFlight

    def carry(self, message: InFlight) -> None:
        """Begin to carry a message now; it happens when it has arrived."""
        raise NotImplementedError


class SendWay(Way):
    """By a network's `send`."""

    __slots__ = ("_bytes", "_destination", "_network", "_source")

    def __init__(self, network: Network, source: int, destination: int, message_bytes: int) -> None:
        """Of any network."""
        self._network = network
        self._source = source
        self._destination = destination
        self._bytes = message_bytes

    def carry(self, message: InFlight) -> None:
        """See Way."""
        self._network.send(self._source, self._destination, self._bytes, happen, message)


class Ways:
    """All ways of a network that have been asked for."""

    __slots__ = ("_gives", "_network", "_ways")

    def __init__(self, network: Network) -> None:
        """Of any network."""
        self._network = network
        self._gives: Callable[[int, int, int], Way | None] | None = getattr(network, "way", None)
        self._ways: dict[tuple[int, int, int], Way] = {}

    def way(self, source: int, destination: int, message_bytes: int) -> Way:
        """How messages of `message_bytes` go from one NPU to another."""
        key = (source, destination, message_bytes)
        found = self._ways.get(key)
        if found is None:
            found = self._gives(source, destination, message_bytes) if self._gives is not None else None
            if found is None:
                found = SendWay(self._network, source, destination, message_bytes)
            self._ways[key] = found
        return found
