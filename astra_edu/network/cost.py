"""What a network costs: ASTRA-sim's cost model, which backend_end_to_end.csv reports.

Every link, switch and NIC costs dollars for each GB/s; what a dimension connects decides how many (source: the
analytical backend at tag tutorial-asplos2023).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from astra_edu.base.errors import ConfigError
from astra_edu.network.dimension import Dimension, dimensions

DOLLARS_PER_GB_S = {
    "Tile": {"link": 1.0},
    "Package": {"link": 4.0, "switch": 13.0, "NIC": 0.0},
    "Node": {"link": 4.0, "switch": 13.0, "NIC": 0.0},
    "Pod": {"link": 7.4, "switch": 23.7, "NIC": 47.8},
}
"""DOLLARS_PER_GB_S[kind of dimension][part]: US dollars for each GB/s (2**30 bytes/s) of one link or switch port."""


def network_cost(network: Dimension | Sequence[Dimension]) -> float:
    """US dollars for the whole network, of one dimension or several.

    Raises ConfigError for a switch on a Tile, which has no price, and for what is no network.

    >>> from astra_edu.network.cost import network_cost
    >>> network_cost(ae.Dimension.of("Ring", 8, 50, 500))
    1600.0
    """
    network = dimensions(network)
    npus = prod(dimension.npus for dimension in network)
    total = 0.0
    for d, dimension in enumerate(network):
        price = DOLLARS_PER_GB_S[dimension.kind]
        groups = npus // dimension.npus
        for part, count in dimension.topology.parts(dimension.npus, dimension.links).items():
            if part not in price:
                raise ConfigError(
                    f"dimension {d} is a {dimension.kind} with a {part}; ASTRA-sim has no price for that."
                )
            total += price[part] * groups * count * dimension.bandwidth
    return total
