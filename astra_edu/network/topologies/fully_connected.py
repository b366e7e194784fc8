"""Fully connected: a link from each NPU to each other."""

from __future__ import annotations

from astra_edu.network.shortest import LinkName, Node
from astra_edu.network.topologies.topology import Topology


class FullyConnected(Topology):
    """Every message has a link of its own.

    >>> from astra_edu.network.topologies import FullyConnected
    >>> FullyConnected().route(5, 0, 3), len(FullyConnected().links(5))
    ([0, 3], 20)
    """

    spelling = "FullyConnected"
    suits = "direct"
    in_astra_sim = symmetric = equidistant = own_links = True

    def links(self, npus: int) -> list[LinkName]:
        """See Topology."""
        return [(k, (k + by) % npus) for k in range(npus) for by in range(1, npus)]

    def route(self, npus: int, source: int, destination: int) -> list[Node]:
        """See Topology."""
        return [source, destination]

    def apart(self, npus: int, source: int, destination: int) -> int:
        """Places."""
        return abs(destination - source)

    def hops(self, npus: int, apart: int) -> int:
        """One, however far."""
        return 1

    def ports(self, npus: int) -> int:
        """See Topology."""
        return npus - 1

    def parts(self, npus: int, links: int) -> dict[str, int]:
        """See Topology."""
        return {"link": npus * (npus - 1) // 2 * self.links_to_one(npus, links)}
