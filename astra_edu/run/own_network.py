"""A network of one's own, watched: it schedules nothing into the past, and what it keeps for ever is told.

Its methods are covered on the one object, so that the clock of the package's own networks stays as fast as it is.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

from astra_edu.base.errors import ConfigError, shown
from astra_edu.base.units import format_ns
from astra_edu.clock.events import Action
from astra_edu.network.protocol import Network


def watched(network: Network) -> Network:
    """The same network; from now on it is told what it must not do.

    >>> from astra_edu.clock.events import Clock
    >>> from astra_edu.run.own_network import watched
    >>> class Nothing(Clock):
    ...     def send(self, source, destination, message_bytes, arrived, what):
    ...         pass
    ...     def blocked(self):
    ...         return ""
    >>> network = watched(Nothing())
    >>> network.send(0, 1, 4096, print, "there")
    >>> network.blocked()
    'the network has had 4096 bytes from NPU 0 to NPU 1 since 0 ns and never says that they have arrived'
    """
    watch = _Watch(network)
    try:
        for name in ("schedule", "send", "blocked"):
            setattr(network, name, getattr(watch, name))
    except AttributeError:  # __slots__
        return network
    return network


class _Watch:
    """on_the_way: (source, destination, bytes, since ns) of each message that hasn't arrived, by its number."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.on_the_way: dict[int, tuple[int, int, int, int]] = {}
        self._sent = 0
        self._schedule, self._send, self._blocked = network.schedule, network.send, network.blocked

    def schedule(self, at_ns: int, do: Action, what: Any) -> None:
        if type(at_ns) is not int:
            _check_whole(at_ns)
        if at_ns < (now := self.network.now):
            raise ConfigError(f"the network is to do something at {at_ns} ns, when it is {now} ns already.")
        self._schedule(at_ns, do, what)

    def send(self, source: int, destination: int, message_bytes: int, arrived: Action, what: Any) -> None:
        self._sent += 1
        number, since_ns = self._sent, self.network.now

        def there(what: Any) -> None:
            now = self.network.now
            if type(now) is not int:
                _check_whole(now)
            if now < since_ns:
                raise ConfigError(
                    f"a message from NPU {source} to NPU {destination} arrives at {now} ns and was sent at {since_ns} "
                    "ns; the network's time must never go back."
                )
            self.on_the_way.pop(number, None)
            arrived(what)

        self.on_the_way[number] = source, destination, message_bytes, since_ns
        self._send(source, destination, message_bytes, there, what)

    def blocked(self) -> str:
        said = self._blocked()
        if said or not self.on_the_way:
            return said
        (source, destination, message_bytes, since_ns), *others = self.on_the_way.values()
        more = f" (nor of {len(others)} more)" if others else ""
        return (
            f"the network has had {message_bytes} bytes from NPU {source} to NPU {destination} since "
            f"{format_ns(since_ns)} and never says that they have arrived{more}"
        )


def _check_whole(ns: object) -> None:
    if isinstance(ns, bool) or not isinstance(ns, Integral):
        raise ConfigError(
            f"the network's times are whole ns, such as int(...); {shown(ns)} ns is of type {type(ns).__name__}."
        )
