"""A ring: links to the next NPU and to the one before, round to the first."""

from __future__ import annotations

from astra_edu.network.shortest import LinkName, Node
from astra_edu.network.topologies.topology import Topology


class Ring(Topology):
    """Messages go the shorter way round, clockwise if both are as long.

    >>> from astra_edu.network.topologies import Ring
    >>> Ring().route(5, 0, 3), Ring().apart(5, 0, 2)
    ([0, 4, 3], 2)
    """

    spelling = "Ring"
    suits = "ring"
    in_astra_sim = symmetric = goes_round = True

    def links(self, npus: int) -> list[LinkName]:
        """See Topology."""
        both = (1, npus - 1) if npus > 2 else (1,)
        return [(k, (k + by) % npus) for k in range(npus) for by in both if npus > 1]

    def route(self, npus: int, source: int, destination: int) -> list[Node]:
        """See Topology."""
        step = 1 if 2 * ((destination - source) % npus) <= npus else -1
        hops = (destination - source) * step % npus
        return [place % npus for place in range(source, source + step * (hops + 1), step)]

    def apart(self, npus: int, source: int, destination: int) -> int:
        """Places."""
        return abs(destination - source)

    def hops(self, npus: int, apart: int) -> int:
        """The shorter way round."""
        return min(apart % npus, -apart % npus)

    def links_needed(self, npus: int) -> int:
        """Two, however small it is."""
        return 2

    def ports(self, npus: int) -> int:
        """See Topology."""
        return min(2, npus - 1)

    def links_to_one(self, npus: int, links: int) -> int:
        """ASTRA-sim 1.0 sends a message over both directions."""
        return links - links % 2

    def parts(self, npus: int, links: int) -> dict[str, int]:
        """See Topology."""
        return {"link": npus * (links // 2)}
