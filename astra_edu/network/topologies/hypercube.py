"""A hypercube: links between NPUs whose numbers differ in one bit."""

from __future__ import annotations

from astra_edu.base.errors import ConfigError
from astra_edu.network.shortest import LinkName, Node
from astra_edu.network.topologies.topology import Topology

_WAYS = ((1.0, 0.0), (0.0, 1.0), (0.42, 0.31), (2.3, 0.17), (0.13, 2.2), (-0.29, 0.47))
"""Where each bit of a number leads in the picture, so that no link is drawn along another."""


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
        """A square, a cube in perspective, two of them, ...: each bit of a number moves its NPU another way."""
        bits = npus.bit_length() - 1
        if bits > len(_WAYS):
            return super().layout(npus)
        ways = _WAYS[:bits]
        places = {
            npu: tuple(sum(way[axis] for bit, way in enumerate(ways) if npu >> bit & 1) for axis in (0, 1))
            for npu in range(npus)
        }
        low, high = ([end(place[axis] for place in places.values()) for axis in (0, 1)] for end in (min, max))
        scale = [high[axis] - low[axis] or 1 for axis in (0, 1)]
        return {npu: ((x - low[0]) / scale[0], (y - low[1]) / scale[1]) for npu, (x, y) in places.items()}
