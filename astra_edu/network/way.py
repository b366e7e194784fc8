"""How messages of one size go from one NPU to another: what a network of the package's own knows of them beforehand."""

from __future__ import annotations

from astra_edu.clock.events import Event, happen
from astra_edu.network.protocol import HasWays, Network


class Way:
    """How messages of one size go from one NPU to another."""

    __slots__ = ()

    def carry(self, message: Event) -> None:
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

    def carry(self, message: Event) -> None:
        """See Way."""
        self._network.send(self._source, self._destination, self._bytes, happen, message)


class Ways:
    """All ways of a network that have been asked for."""

    __slots__ = ("_gives", "_network", "_ways")

    def __init__(self, network: Network) -> None:
        """Of any network."""
        self._network = network
        self._gives = network if isinstance(network, HasWays) else None
        self._ways: dict[tuple[int, int, int], Way] = {}

    def way(self, source: int, destination: int, message_bytes: int) -> Way:
        """How messages of `message_bytes` go from one NPU to another."""
        key = (source, destination, message_bytes)
        found = self._ways.get(key)
        if found is None:
            found = self._gives.way(source, destination, message_bytes) if self._gives is not None else None
            if found is None:
                found = SendWay(self._network, source, destination, message_bytes)
            self._ways[key] = found
        return found
