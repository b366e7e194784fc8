"""Hardware of one's own in a run of a trace: how long NPUs compute, and when they are down."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite
from typing import Any, Protocol, TypeAlias

from astra_edu.base.errors import ConfigError, answer_of, function, shown
from astra_edu.clock.downtime import Downtime, PausedTurns
from astra_edu.clock.events import Event, happen
from astra_edu.network.messages import Handler, Messages
from astra_edu.network.protocol import Network
from astra_edu.run.hands import Hands
from astra_edu.system.endpoint import Endpoint
from astra_edu.system.remote_memory import Accesses
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import Node
from astra_edu.traces.backend import Begun
from astra_edu.traces.outline import Unit, unit_of

Compute: TypeAlias = Callable[[int, Node, int], float]
"""compute(npu, node, ns) gives the ns that an NPU takes for a computation of `ns`."""
Down: TypeAlias = Callable[[int], Iterable[tuple[int, float]]]
"""down(npu) gives (from_ns, until_ns) of each time at which an NPU is down."""


class Equips(Protocol):
    """What gives the NPUs of a run their messages and hands."""

    def messages(self, network: Network, platform: TracePlatform) -> Messages:
        """The messages of a run."""

    def hands(self, endpoint: Endpoint, accesses: Accesses) -> Hands:
        """What carries out an NPU's operations."""


@dataclass(frozen=True)
class Hardware:
    """What simulate(..., compute=, down=) was given."""

    compute: Compute | None = None
    down: Down | None = None

    def __post_init__(self) -> None:
        if self.compute is not None:
            function("compute", self.compute, "give a function of an NPU, a node and its ns that returns ns")
        if self.down is not None:
            function("down", self.down, "give a function of an NPU that returns [(from_ns, until_ns), ...]")

    @property
    def asks(self) -> str:
        """The keyword for whose sake all NPUs are followed; "" where there is none."""
        return "compute=" if self.compute else "down=" if self.down else ""

    def messages(self, network: Network, platform: TracePlatform) -> Messages:
        """The messages of a run; those of NPUs that may be down are watched."""
        if self.down is None:
            return Messages(network, platform.system.rendezvous)
        if platform.system.bus:
            raise ConfigError("the system has a shared bus, and how that goes on while an NPU is down isn't known.")
        times = [Downtime(npu, answer_of("down", self.down, npu)) for npu in range(platform.npus)]
        return WatchedMessages(network, platform.system.rendezvous, times)

    def hands(self, endpoint: Endpoint, accesses: Accesses) -> Hands:
        """What carries out an NPU's operations."""
        messages = endpoint.messages
        if isinstance(messages, WatchedMessages):
            downtime = messages.times[endpoint.npu]
            endpoint.turns = PausedTurns(endpoint.clock, downtime)
            return _PausedHands(endpoint, accesses, self.compute, downtime)
        return Hands(endpoint, accesses) if self.compute is None else _OwnHands(endpoint, accesses, self.compute)


class WatchedMessages(Messages):
    """Messages of NPUs that are down at times. waits: (npu, source, since_ns) of each that an NPU waits for."""

    def __init__(self, network: Network, rendezvous: bool, times: list[Downtime]) -> None:
        """times: each NPU's."""
        super().__init__(network, rendezvous)
        self.times = times
        self.waits: dict[int, tuple[int, int, int]] = {}
        self._count = 0

    def send(
        self, source: int, destination: int, tag: int, message_bytes: int, sent: Handler | None = None, what: Any = None
    ) -> None:
        """See Messages."""
        told = None if sent is None else partial(self.when_up, source, sent)
        super().send(source, destination, tag, message_bytes, told, what)

    def receive(self, npu: int, source: int, tag: int, message_bytes: int, received: Handler, what: Any = None) -> None:
        """See Messages."""
        self._count += 1
        self.waits[self._count] = npu, source, self.network.now
        told = partial(self._came, self._count, npu, received)
        super().receive(npu, source, tag, message_bytes, told, what)

    def when_up(self, npu: int, action: Handler, what: Any) -> None:
        """Do action(what) now, or as soon as an NPU isn't down any more."""
        up = self.times[npu].up(self.network.now)
        if up == self.network.now:
            action(what)
        elif up < inf:
            self.network.schedule(int(up), action, what)

    def _came(self, number: int, npu: int, received: Handler, what: Any) -> None:
        del self.waits[number]
        self.when_up(npu, received, what)


class _OwnHands(Hands):
    """An NPU whose computations take what compute(npu, node, ns) says."""

    def __init__(self, endpoint: Endpoint, accesses: Accesses, compute: Compute | None) -> None:
        super().__init__(endpoint, accesses)
        if compute is not None:
            self.after = partial(self._after, compute)

    def _after(self, compute: Compute, delay: int, done: Begun) -> None:
        """See Backend."""
        node = done.node
        own = self._own(compute, node, delay) if unit_of(node) is Unit.COMPUTE else delay
        self.endpoint.turns.add(own, done)

    def _own(self, compute: Compute, node: Node, ns: int) -> int:
        found = answer_of("compute", compute, self.endpoint.npu, node, ns)
        if isinstance(found, bool) or not hasattr(found, "__float__") or not isfinite(found) or found < 0:
            raise ConfigError(
                f"{node.label}: compute({self.endpoint.npu}, node, {ns}) gave {shown(found)}; give ns, 0 or more."
            )
        return int(found)


class _PausedHands(_OwnHands):
    """The same of an NPU that is down at times."""

    def __init__(self, endpoint: Endpoint, accesses: Accesses, compute: Compute | None, downtime: Downtime) -> None:
        super().__init__(endpoint, accesses, compute)
        self._downtime = downtime

    def access(self, node: Node, tensor_bytes: int, done: Event) -> None:
        """See Hands; it is told when the NPU is up."""
        end = self._downtime.up(self.accesses.end_ns(self.endpoint.npu, tensor_bytes, self.now))
        if end < inf:
            self.clock.schedule(int(end), happen, done)
