"""The network of packets: ports for links, flows for pairs of NPUs, and what there is to say after a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.clock.events import Clock
from astra_edu.network.block import Block
from astra_edu.network.drops.controls import CONTROLS
from astra_edu.network.drops.flow import Counts, Delivered, Done, Flow
from astra_edu.network.drops.marking import Marking
from astra_edu.network.drops.pfc import PausingRoom
from astra_edu.network.drops.port import Port
from astra_edu.network.drops.rooms import OwnRoom, Room, SharedRoom
from astra_edu.network.drops.settings import Packets
from astra_edu.network.drops.statistics import statistics, waiting_circle
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.links import Use, route_of
from astra_edu.network.packets import Lost
from astra_edu.network.shortest import LinkName, Node

MOST_PACKETS = 20_000_000
"""Some minutes."""


class PacketNetwork(Clock):
    """A network as astra_edu.network.protocol says. ports: by link; flows: by their ends and number.

    lost: packets that found no room. uses: what was on each link, if a list is put there before anything is sent.

    >>> from astra_edu.network.drops.network import PacketNetwork
    >>> network = PacketNetwork((ae.Block("Switch", 4, 10, 500),), ae.Packets(buffer="8 packets"))
    >>> for npu in (1, 2, 3):
    ...     network.send(npu, 0, 100_000, print, f"from {npu}")
    >>> network.run()
    from 1
    from 2
    from 3
    >>> said = network.statistics()
    >>> said["time_ns"], said["packets_sent"], said["packets_dropped"], said["timeouts"]
    (49032, 229, 19, 0)
    """

    def __init__(self, network: tuple[Block, ...] | GraphNetwork, settings: Packets) -> None:
        """All links are free, all buffers empty."""
        super().__init__()
        self.network, self.settings = network, settings
        self.ports: dict[LinkName, Port] = {}
        self.flows: dict[tuple[int, int, int], Flow] = {}
        self.counts = Counts()
        self.messages: list[Delivered] = []
        self.uses: list[Use] | None = None
        self.lost: list[Lost] = []
        self._draws = Random(settings.seed)
        self._rooms: dict[Node, Room | None] = {}
        self._routes: dict[tuple[int, int], list[Port]] = {}
        self._sent = 0

    def send(self, source: int, destination: int, message_bytes: int, arrived: Done, what: Any) -> None:
        """Send a message; arrived(what) when its last byte is there and all before it on its flow."""
        self._sent += 1
        self._flow(source, destination).send(message_bytes, arrived, what)
        self._check()

    def run(self, watch: Callable[[], object] | None = None) -> None:
        """Go on until nothing is left to do. watch: called now and then. Raises ConfigError for too many packets."""

        def look() -> None:
            self._check()
            if watch:
                watch()

        super().run(look)

    def statistics(self) -> Mapping[str, Any]:
        """See statistics.py; and "buffer_bytes", in front of each link out of a switch, where each has one."""
        own = self.settings.pfc_xoff is None and self.settings.shared_alpha is None
        return {
            **statistics(self.now, list(self.ports.values()), list(self.flows.values()), self.counts, self.messages),
            **({"buffer_bytes": self.settings.buffer_bytes} if own else {}),
        }

    @property
    def idle(self) -> bool:
        """Whether all messages have arrived that were sent, one at least, or never will."""
        if 0 < self._sent == len(self.messages):
            return True
        return self.counts.given_up and all(flow.given_up for flow in self.flows.values() if flow.unfinished)

    def blocked(self) -> str:
        """Why messages never arrive, in words; "" where nothing keeps them."""
        stuck = [flow for flow in self.flows.values() if flow.unfinished]
        if not stuck:
            return ""
        circle = waiting_circle([port.name for port in self.ports.values() if port.paused])
        if circle:
            names = ", ".join(f"{tail} -> {head}" for tail, head in circle[:4])
            return f"paused links wait for each other in a circle (deadlock): {names}"
        source, destination = stuck[0].ends
        return f"the connection from NPU {source} to NPU {destination} gave up after {stuck[0].timeouts} timeouts"

    def _check(self) -> None:
        if self.counts.sent + self.counts.cross > MOST_PACKETS:
            raise ConfigError(
                f"more than {MOST_PACKETS:,} packets would have to be followed; make packets larger or messages "
                "smaller."
            )

    def _flow(self, source: int, destination: int) -> Flow:
        key = (source, destination, self._sent if self.settings.flow == "message" else 0)
        flow = self.flows.get(key)
        if flow is None:
            there, back = self.route(source, destination), self.route(destination, source)
            control = CONTROLS[self.settings.control](
                self.settings.payload, self.settings.initial_window, there[0].rate, self.settings.timestamp_ns
            )
            flow = self.flows[key] = Flow(
                self, self.settings, (source, destination), there, back, control, self.counts, self.messages
            )
        return flow

    def route(self, source: int, destination: int) -> list[Port]:
        """The ports from one NPU to another."""
        route = self._routes.get((source, destination))
        if route is None:
            links = route_of(self.network, source, destination)
            if not links:
                raise ConfigError(f"NPU {source} sends itself nothing; give two NPUs.")
            route = self._routes[source, destination] = [self._port(name, block) for name, block in links]
        return route

    def _port(self, name: LinkName, block: Block) -> Port:
        port = self.ports.get(name)
        if port is None:
            node, settings = name[0], self.settings
            if node not in self._rooms:
                self._rooms[node] = room_of(settings, isinstance(node, str))
            ends = isinstance(node, str) or settings.npu_buffer is not None
            marking = None
            if ends and settings.marks is not None:
                marking = Marking(*settings.marks, settings.ecn_pmax, self._draws)
            room = self._rooms[node]
            port = self.ports[name] = Port(
                *(self, name, block.link_bandwidth, block.latency, room, marking),
                *(self.lost, self.uses, settings.whole_ns),
            )
        return port


class _Memory(NamedTuple):
    size: int | None
    packets: int | None


def room_of(settings: Packets, switch: bool) -> Room | None:
    """The memory of a switch, or of an NPU; None where it has no end."""
    memory = _Memory(settings.buffer_bytes, settings.buffer_packets)
    if not switch:
        if settings.npu_buffer is None:
            return None
        memory = _Memory(int(settings.npu_buffer), None)
    if isinstance(settings.pfc_xoff, int) and isinstance(settings.pfc_xon, int):
        return PausingRoom(memory.size, settings.pfc_xoff, settings.pfc_xon)
    if settings.shared_alpha is not None and memory.size is not None:
        return SharedRoom(memory.size, settings.shared_alpha)
    if memory.size is None and memory.packets is None:
        return None
    return OwnRoom(memory.size, memory.packets)
