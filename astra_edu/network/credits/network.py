"""A network of flits under the engine of a run: messages as packets, and what there is to say of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.clock.events import Action, Clock
from astra_edu.network.credits.circle import circle_in_words
from astra_edu.network.credits.fabric import Fabric
from astra_edu.network.credits.parts import Packet
from astra_edu.network.credits.routes import Blocks
from astra_edu.network.credits.settings import Credits
from astra_edu.network.credits.wiring import Wiring
from astra_edu.network.graph import GraphNetwork

MOST_FLIT_HOPS = 100_000_000
"""Of all packets over all their links; some ten minutes."""


@dataclass(slots=True, eq=False)
class Message:
    """A message on its way. left: how many of its packets have not arrived."""

    left: int
    arrived: Action
    what: Any


class CreditNetwork(Clock):
    """The network that Credits describe. Its cycles begin at whole multiples of cycle_ns, and are told in whole ns."""

    def __init__(self, settings: Credits, network: Blocks | GraphNetwork, npus: int) -> None:
        """Nothing is on the way."""
        super().__init__()
        self.settings = settings
        self.wiring = Wiring(settings, network, npus)
        self.fabric = Fabric(settings, self._there, self.wiring.choose)
        self.cycle_ns = self.wiring.cycle_ns
        self._planned = -1
        self._expected = self._packets = self._flits = 0
        self._latencies: Counter[int] = Counter()

    def send(self, source: int, destination: int, message_bytes: int, arrived: Action, what: Any) -> None:
        """See Network."""
        self._expect(message_bytes * self.wiring.links_of(source, destination) // self.settings.flit_bytes)
        cycle = max(self.fabric.cycle, ceil(self.now / self.cycle_ns - 1e-9))
        sizes = self.settings.flits(message_bytes)
        message = Message(len(sizes), arrived, what)
        for flits in sizes:
            packet = self.wiring.packet(source, destination, flits, cycle)
            packet.what = message
            self.fabric.inject(self.wiring.queue(packet), packet, cycle)
        self._packets += len(sizes)
        self._flits += sum(sizes)
        self._plan()

    def statistics(self) -> Mapping[str, Any]:
        """Packets, their latencies, and a row for each link, as `pandas.DataFrame(statistics["links"])` takes them.

        packet_latency_ns: from when a packet was made, its wait in its NPU included. utilisation: share of the cycles,
        up to the last flit, in which a link sent. held_flits: in the buffers at its end in the mean; most_flits: in one
        of them at most. stalled_cycles: for which flits in these buffers had to wait.
        """
        cycles = max(1, self.fabric.cycle)
        many = self.settings.virtual_channels
        return {
            "cycle_ns": self.cycle_ns,
            "packets": self._packets,
            "flits": self._flits,
            "flit_hops": self.fabric.flit_hops,
            "packet_latency_ns": {name: ns * self.cycle_ns for name, ns in quantiles(self._latencies).items()},
            "links": [
                {
                    "from": name[0],
                    "to": name[1],
                    "flits": link.sent,
                    "utilisation": link.sent * link.period / cycles,
                    "held_flits": link.held / cycles,
                    "most_flits": link.most,
                    "buffer_flits": self.settings.room(link.latency, link.period) * many,
                    "stalled_cycles": link.stalled,
                }
                for name, link in self.wiring.links.items()
                if link.sent
            ],
        }

    def blocked(self) -> str:
        """See Network."""
        return circle_in_words(self.wiring) if self.fabric.inside else ""

    def _expect(self, flit_hops: int) -> None:
        self._expected += flit_hops
        if self._expected > MOST_FLIT_HOPS:
            raise ConfigError(
                f"more than {MOST_FLIT_HOPS:,} flits on links would have to be followed; make flits larger than "
                f"{self.settings.flit_bytes:,} bytes, or messages smaller."
            )

    def _plan(self) -> None:
        following = self.fabric.next_cycle()
        if following is None:
            return
        at_ns = max(self.now, ceil(following * self.cycle_ns - 1e-9))
        if not self.now <= self._planned <= at_ns:
            self._planned = at_ns
            self.schedule(at_ns, self._tick, at_ns)

    def _tick(self, planned: int) -> None:
        if planned != self._planned:
            return
        last = self.now / self.cycle_ns + 1e-9
        while (following := self.fabric.next_cycle()) is not None and following <= last:
            self.fabric.step()
        self._planned = -1
        self._plan()

    def _there(self, packet: Packet, cycle: int) -> None:
        self._latencies[cycle - packet.made] += 1
        message: Message = packet.what
        message.left -= 1
        if not message.left:
            message.arrived(message.what)


def quantiles(counts: Mapping[int, int]) -> dict[str, float]:
    """Mean, median, 99th percentile and maximum of numbers that occur so often.

    >>> quantiles({1: 98, 2: 1, 9: 1})
    {'mean': 1.09, 'median': 1, 'p99': 2, 'max': 9}
    """
    total = sum(counts.values())
    if not total:
        return {}
    found: dict[str, float] = {"mean": sum(value * count for value, count in counts.items()) / total}
    below, values = 0, sorted(counts)
    marks = [("median", 0.5), ("p99", 0.99)]
    for value in values:
        below += counts[value]
        while marks and below >= marks[0][1] * total:
            found[marks.pop(0)[0]] = value
    return {**found, "max": values[-1]}
