"""A switch: each NPU has links to it, and none to another NPU."""

from __future__ import annotations

from astra_edu.network.shortest import LinkName, Node
from astra_edu.network.topologies.topology import Topology


class Switch(Topology):
    """Every message goes up to the switch and down from it.

    >>> from astra_edu.network.topologies import Switch
    >>> Switch().route(8, 0, 3)
    [0, 'switch', 3]
    """

    spelling = "Switch"
    suits = "halvingDoubling"
    in_astra_sim = symmetric = equidistant = switched = divisible = True

    def links(self, npus: int) -> list[LinkName]:
        """See Topology."""
        pairs = ((k, (k + 1) % npus) for k in range(npus))
        return [link for k, after in pairs for link in ((k, "switch"), ("switch", after))]

    def route(self, npus: int, source: int, destination: int) -> list[Node]:
        """See Topology."""
        return [source, "switch", destination]

    def apart(self, npus: int, source: int, destination: int) -> int:
        """Places."""
        return abs(destination - source)

    def hops(self, npus: int, apart: int) -> int:
        """Up and down, however far."""
        return 2

    def links_needed(self, npus: int) -> int:
        """One."""
        return 1

    def ports(self, npus: int) -> int:
        """See Topology."""
        return 1

    def links_to_one(self, npus: int, links: int) -> int:
        """All."""
        return links

    def parts(self, npus: int, links: int) -> dict[str, int]:
        """See Topology."""
        return dict.fromkeys(("link", "switch", "NIC"), npus * links)
