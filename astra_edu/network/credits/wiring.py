"""Routers and links for the links that a platform says, and the ways of packets over them."""

from __future__ import annotations

from collections import deque
from random import Random

from astra_edu.base.errors import ConfigError
from astra_edu.network.as_graph import links_of
from astra_edu.network.credits.parts import Channel, Link, Packet, Router
from astra_edu.network.credits.routes import Blocks, Hop, routes
from astra_edu.network.credits.settings import Credits
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.shortest import LinkName, Node

Step = tuple[Link, int, int]
ENDLESS = 2**60


class Wiring:
    """A network of routers. links: by their names. cycle_ns: of a flit on the fastest link.

    An NPU has a router where packets of others pass through it, and ports into it and out of it; else it hangs on its
    links. Its packets wait in queues, one for each port or link.
    """

    def __init__(self, settings: Credits, network: Blocks | GraphNetwork, npus: int) -> None:
        """Everything is empty. Raises ConfigError where there are fewer virtual channels than are needed."""
        self.settings = settings
        self.npus = npus
        self.adaptive = settings.routing == "adaptive"
        self._random = Random(settings.seed)
        self._routes = routes(network, npus, settings.dateline, self.adaptive)
        self._escapes = self._routes.classes if self.adaptive else 0
        needed = self._routes.classes + self.adaptive
        if needed > settings.virtual_channels:
            raise ConfigError(
                f"virtual_channels is {settings.virtual_channels}; {needed} are needed here, so that packets never "
                f"wait in a circle{' and have one to choose freely' if self.adaptive else ''}."
            )
        blocks = links_of(network)
        fastest = max(block.link_bandwidth for block in blocks.values())
        self.cycle_ns = settings.flit_bytes / fastest
        passed = {hop.link[0] for ways in self._routes.ways.values() for way in ways for hop in way[1:]}
        self.routers = {node: self._router(node) for link in blocks for node in link if node in passed}
        self.hosts = [Router(npu, 0, 0, 1) for npu in range(npus)]
        self.links: dict[LinkName, Link] = {}
        for name, block in blocks.items():
            tail, head = name
            source = self.routers.get(tail) or (self.hosts[tail] if isinstance(tail, int) else self._router(tail))
            latency = max(1, round(block.latency / self.cycle_ns))
            self.links[name] = self._link(name, source, self.routers.get(head), latency, fastest / block.link_bandwidth)
        self._outs: dict[int, list[LinkName]] = {npu: [] for npu in range(npus)}
        self._ins: dict[int, list[LinkName]] = {npu: [] for npu in range(npus)}
        for tail, head in blocks:
            if isinstance(tail, int):
                self._outs[tail].append((tail, head))
            if isinstance(head, int):
                self._ins[head].append((tail, head))
        self._ports = [self._ports_of(npu) for npu in range(npus)]
        self._queues: dict[Link, Link] = {}
        self._paths: dict[tuple[Node, int], list[list[Step]]] = {}
        self._nearer: dict[int, dict[Node, list[Link]]] = {}

    def packet(self, source: int, destination: int, flits: int, made: int) -> Packet:
        """A packet with a way; of several that are as short, a random one."""
        paths = self._paths_of(source, destination)
        path = paths[0] if len(paths) == 1 else self._random.choice(paths)
        return Packet(source, destination, flits, path, made, adaptive=self.adaptive)

    def links_of(self, source: int, destination: int) -> int:
        """How many links a packet takes, an NPU's own ports among them."""
        return len(self._paths_of(source, destination)[0])

    def queue(self, packet: Packet) -> Link:
        """Where a packet waits in its NPU: in front of the first link of its way."""
        first = packet.path[0][0]
        found = self._queues.get(first)
        if found is None:
            host = self.hosts[packet.source]
            found = self._queues[first] = Link(None, None, host, place=len(host.inputs))
            found.add(ENDLESS, 1)
            host.inputs.append(found)
        return found

    def choose(self, router: Router, packet: Packet) -> Channel | None:
        """The next channel for a packet's head, if one is free; its turn goes round."""
        if packet.adaptive and packet.at:
            best = self._roomiest(router, packet)
            if best is not None:
                return best
            packet_path = self._escape(router, packet)
            found = self._free(packet_path[0], packet)
            if found is not None:
                packet.path, packet.at, packet.adaptive = packet_path, 1, False
            return found
        found = self._free(packet.path[packet.at], packet)
        if found is not None:
            packet.at += 1
        return found

    def wanted(self, router: Router, packet: Packet) -> list[Channel]:
        """All channels of which a packet's head would take any."""
        if packet.adaptive and packet.at:
            link, low, high = self._escape(router, packet)[0]
            ahead = self._ahead(router.name, packet.destination)
            return [c for one in ahead for c in one.channels[self._escapes :]] + link.channels[low:high]
        link, low, high = packet.path[packet.at]
        return link.channels[low:high]

    def _free(self, step: Step, packet: Packet) -> Channel | None:
        link, low, high = step
        channels, turn = link.channels, link.next_channel
        room = packet.flits if self.settings.switching == "cut-through" else 0
        for k in range(high - low):
            channel = channels[low + (turn + k) % (high - low)]
            if channel.owner is None and channel.credits >= room:
                link.next_channel = channel.number - low + 1
                return channel
        return None

    def _roomiest(self, router: Router, packet: Packet) -> Channel | None:
        best, most = None, -1
        for link in self._ahead(router.name, packet.destination):
            room = sum(channel.credits for channel in link.channels[self._escapes :])
            if room > most:
                found = self._free((link, self._escapes, len(link.channels)), packet)
                if found is not None:
                    best, most = found, room
        return best

    def _escape(self, router: Router, packet: Packet) -> list[Step]:
        if router.name == packet.destination:
            return packet.path[-1:]
        path = self._paths_of(router.name, packet.destination)[0]
        return path[1:] if path[0][0].name is None else path

    def _ahead(self, node: Node, destination: int) -> list[Link]:
        """The links from a router that lead nearer to an NPU, counted in links."""
        found = self._nearer.get(destination)
        if found is None:
            found = self._nearer[destination] = self._all_nearer(destination)
        return found.get(node, [])

    def _all_nearer(self, destination: int) -> dict[Node, list[Link]]:
        back: dict[Node, list[Node]] = {}
        for tail, head in self.links:
            if (head in self.routers or head == destination) and tail in self.routers and tail != destination:
                back.setdefault(head, []).append(tail)
        distances: dict[Node, int] = {destination: 0}
        waiting: deque[Node] = deque([destination])
        while waiting:
            node = waiting.popleft()
            for tail in back.get(node, ()):
                if tail not in distances:
                    distances[tail] = distances[node] + 1
                    waiting.append(tail)
        found: dict[Node, list[Link]] = {}
        for (tail, head), link in self.links.items():
            known = head == destination or (head, destination) in self._routes.ways
            if tail in distances and distances.get(head, ENDLESS) < distances[tail] and known:
                found.setdefault(tail, []).append(link)
        return found

    def _paths_of(self, source: Node, destination: int) -> list[list[Step]]:
        found = self._paths.get((source, destination))
        if found is None:
            ways = self._routes.ways[source, destination] if source != destination else [()]
            found = self._paths[source, destination] = [self._path(source, destination, way) for way in ways]
        return found

    def _path(self, source: Node, destination: int, way: tuple[Hop, ...]) -> list[Step]:
        path = [self._step(hop) for hop in way]
        many = self.settings.virtual_channels
        if isinstance(source, int) and source in self.routers:
            ports = self._ports[source][0]
            place = self._outs[source].index(way[0].link) if way else 0
            path.insert(0, (ports[place % len(ports)], 0, many))
        if destination in self.routers:
            ports = self._ports[destination][1]
            place = self._ins[destination].index(way[-1].link) if way else 0
            path.append((ports[place % len(ports)], 0, many))
        if not path:
            raise ConfigError(f"NPU {source} has no router through which it could send to itself.")
        return path

    def _step(self, hop: Hop) -> Step:
        if self.adaptive:
            return self.links[hop.link], hop.of_class, hop.of_class + 1
        many = self.settings.virtual_channels
        low, high = (number * many // hop.classes for number in (hop.of_class, hop.of_class + 1))
        return self.links[hop.link], low, high

    def _ports_of(self, npu: int) -> tuple[list[Link], list[Link]]:
        """An NPU's ways into its router, and out of it."""
        router = self.routers.get(npu)
        if router is None:
            return [], []
        many = self.settings.ports
        ins, outs = (many or len(names[npu]) for names in (self._outs, self._ins))
        return (
            [self._link(None, self.hosts[npu], router, 1, 1.0) for _ in range(ins)],
            [self._link(None, router, None, 1, 1.0) for _ in range(outs)],
        )

    def _router(self, node: Node) -> Router:
        delay = self.settings.router_delay
        return Router(node, max(0, delay - 3), int(delay > 1), 1 + (delay > 2))

    def _link(self, name: LinkName | None, source: Router, sink: Router | None, latency: int, period: float) -> Link:
        link = Link(name, source, sink, latency, period, place=len(sink.inputs) if sink else 0)
        room = self.settings.room(latency, period) if sink else ENDLESS
        link.add(room, self.settings.virtual_channels)
        if sink is not None:
            sink.inputs.append(link)
        return link
