"""A parameter server message by message: what the sums of `exchange` say, played out with queues.

Every port of the switch sends one message at a time, and receives one at a time, in the order of their coming. A
message goes through as it comes (cut-through): alone it takes a + bytes / B, as network.Dimension says. The switch
keeps whatever has to wait; nothing is lost and nobody is told to slow down.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import simpy

from astra_edu.base.errors import ConfigError, whole
from astra_edu.course.studies.synchronisation.exchange import port, server_count, server_port
from astra_edu.network import Dimension

Steps = Generator[simpy.Event, Any, Any]
"""What takes time on a SimPy clock."""

MOST_MESSAGES = 100_000
"""The most messages that one exchange is followed through."""


class Message(NamedTuple):
    """phase: "push" or "pull". sent_ns: when its first byte leaves; start_ns: when the receiver's port takes it.

    >>> from astra_edu.studies.synchronisation import parameter_server
    >>> first = parameter_server(2**20, ae.Dimension.of("Switch", 4, 50, 500)).messages[0]
    >>> first.phase, first.source, first.destination, round(first.arrived_ns)
    ('push', 'worker 0', 'server 0', 20531)
    """

    phase: str
    source: str
    destination: str
    bytes: float
    sent_ns: float
    start_ns: float
    arrived_ns: float


@dataclass(frozen=True)
class Exchange:
    """One exchange through parameter servers. messages: in the order of their arrival.

    >>> from astra_edu.studies.synchronisation import parameter_server
    >>> exchange = parameter_server(2**20, ae.Dimension.of("Switch", 4, 50, 500))
    >>> round(exchange.total_ns), len(exchange.messages)
    (158250, 8)
    """

    total_ns: float
    messages: tuple[Message, ...]


def parameter_server(
    size: int, network: Dimension, servers: int = 1, server_bandwidth: float | None = None
) -> Exchange:
    """Every NPU of the switch pushes `size` bytes to `servers` further ports, and pulls as much when all is there.

    Each server has an equal share of the parameters, and answers when it has heard of everybody. Worker i begins with
    server i mod k, server j with worker j mod n. server_bandwidth: GB/s (2**30 bytes/s), by default the NPUs'. Raises
    ConfigError as exchange.central_ns, and for more messages than can be followed.

    >>> from astra_edu.studies.synchronisation import parameter_server
    >>> switch = ae.Dimension.of("Switch", 4, 50, 500)
    >>> [round(parameter_server(2**20, switch, servers=k).total_ns) for k in (1, 4)]
    [158250, 41062]
    """
    a, bandwidth = port(network)
    k, n = server_count(servers, network), network.npus
    _followed(n, k)
    env = simpy.Environment()
    workers = [_Port(env, f"worker {i}", bandwidth) for i in range(n)]
    others = [_Port(env, f"server {j}", server_port(network, server_bandwidth)) for j in range(k)]
    return _Play(env, a, whole("size in bytes", size, at_least=1) / k).run(workers, others)


def colocated_servers(size: int, network: Dimension) -> Exchange:
    """The same with a server on every NPU, for an n-th of the parameters; its own share goes nowhere.

    >>> from astra_edu.studies.synchronisation import colocated_servers
    >>> round(colocated_servers(2**20, ae.Dimension.of("Switch", 4, 50, 500)).total_ns)
    31297
    """
    a, bandwidth = port(network)
    _followed(network.npus, network.npus)
    env = simpy.Environment()
    both = [_Port(env, f"NPU {i}", bandwidth) for i in range(network.npus)]
    return _Play(env, a, whole("size in bytes", size, at_least=1) / network.npus).run(both, both)


def _followed(workers: int, servers: int) -> None:
    """Raise ConfigError for more messages than can be followed."""
    if (messages := 2 * workers * servers) > MOST_MESSAGES:
        raise ConfigError(
            f"{workers:,} workers and {servers:,} servers exchange {messages:,} messages; {MOST_MESSAGES:,} are the "
            "most. The sums central_ns and colocated_ns have no such limit."
        )


class _Port:
    """A port of the switch, which sends and receives at the same time. speed: bytes/ns each way."""

    def __init__(self, env: simpy.Environment, name: str, speed: float) -> None:
        self.name = name
        self.speed = speed
        self.sending = simpy.Resource(env)
        self.receiving = simpy.Resource(env)


class _Play:
    """One exchange on its clock. latency_ns: a; size: bytes of every message."""

    def __init__(self, env: simpy.Environment, latency_ns: float, size: float) -> None:
        self.env = env
        self.latency_ns = latency_ns
        self.size = size
        self.messages: list[Message] = []

    def run(self, workers: Sequence[_Port], servers: Sequence[_Port]) -> Exchange:
        n, k = len(workers), len(servers)
        pushes: list[list[simpy.Event]] = [[] for _ in servers]
        for i, worker in enumerate(workers):
            for j in ((i + turn) % k for turn in range(k)):
                if worker is not servers[j]:
                    pushes[j].append(self.env.process(self._send("push", worker, servers[j])))
        for j, server in enumerate(servers):
            self.env.process(self._answer(server, pushes[j], [workers[(j + turn) % n] for turn in range(n)]))
        self.env.run()
        return Exchange(self.env.now, tuple(self.messages))

    def _answer(self, server: _Port, pushes: list[simpy.Event], workers: Sequence[_Port]) -> Steps:
        """Wait for everybody, then send everybody the new parameters."""
        yield self.env.all_of(pushes)
        for worker in workers:
            if worker is not server:
                self.env.process(self._send("pull", server, worker))

    def _send(self, phase: str, source: _Port, destination: _Port) -> Steps:
        with source.sending.request() as turn:
            yield turn
            received = self.env.process(self._receive(phase, source, destination))
            yield self.env.timeout(self.size / source.speed)
        yield received

    def _receive(self, phase: str, source: _Port, destination: _Port) -> Steps:
        sent = self.env.now
        with destination.receiving.request() as turn:
            yield turn
            start = self.env.now
            yield self.env.timeout(self.size / destination.speed)
        last_byte = max(self.env.now, sent + self.size / source.speed)  # a slow sender's message trickles in
        yield self.env.timeout(last_byte - self.env.now + self.latency_ns)
        self.messages.append(Message(phase, source.name, destination.name, self.size, sent, start, self.env.now))
