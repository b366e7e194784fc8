"""A hypercube: links between NPUs whose numbers differ in one bit."""

from __future__ import annotations

from astra_edu.base.errors import ConfigError
from astra_edu.network.shortest import LinkName, Node
from astra_edu.network.topologies.mesh import Mesh
from astra_edu.network.topologies.topology import Topology


class Hypercube(Topology):
    """Of 2, 4, 8, ... NPUs. What halving-doubling was made for: in every step its partners are neighbours.

    Messages change the lowest bit first (e-cube routing; H. Sullivan and T. R. Bashkow, ISCA 1977).

    >>> Hypercube().route(8, 0b000, 0b101), Hypercube().links_needed(8)
    ([0, 1, 5], 3)
    """

    spelling = "Hypercube"
    suits = "halvingDoubling"

    def check(self, npus: int) -> None:
        """See Topology."""
        if npus & (npus - 1):
            raise ConfigError(f"npus is {npus}; a Hypercube has a power of two, such as {1 << npus.bit_length()}.")

    def links(self, npus: int) -> list[LinkName]:
        """See Topology."""
        bits = [1 << bit for bit in range(npus.bit_length() - 1)]
        return [(npu, npu ^ bit) for npu in range(npus) for bit in bits]

    def route(self, npus: int, source: int, destination: int) -> list[Node]:
        """See Topology."""
        way: list[Node] = [source]
        here = source
        while here != destination:
            differing = here ^ destination
            here ^= differing & -differing
            way.append(here)
        return way

    def layout(self, npus: int) -> dict[Node, tuple[float, float]]:
        """As a mesh with sides of two: a square, a cube as two squares, ..."""
        places = Mesh(*[2] * max(1, npus.bit_length() - 1)).layout(npus) if npus.bit_length() <= 7 else {}
        return {npu: (0.9 * x + 0.1 * y, y) for npu, (x, y) in places.items()} or super().layout(npus)
