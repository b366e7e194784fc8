"""What a network of ASTRA-sim 2.x's building blocks costs, by ASTRA-sim 1.0's prices (network/cost.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from astra_edu.base.errors import ConfigError
from astra_edu.network import Block, Dimension
from astra_edu.network.cost import network_cost

NODE_NPUS = 16
"""As many NPUs are one node: dimensions that stay within it are of kind Node, those that go further of kind Pod."""


def kinds(network: Block | Sequence[Block], node_npus: int = NODE_NPUS) -> tuple[str, ...]:
    """For each dimension what it connects, and so what its parts cost: NPUs of a node, or nodes."""
    network = (network,) if isinstance(network, Block) else network
    reach = [prod(block.npus for block in network[: d + 1]) for d in range(len(network))]
    return tuple("Node" if npus <= node_npus else "Pod" for npus in reach)


def blocks_cost(network: Block | Sequence[Block], of_kinds: Sequence[str] | None = None) -> float:
    """US dollars for a network of ASTRA-sim 2.x's building blocks: each link, switch port and NIC for its GB/s.

    2.x has no prices. This takes 1.0's, for the fewest links that a block needs: one to the next NPU of a ring, one
    between each two that are fully connected, and for each NPU on a switch one with a port and, between nodes, a NIC.
    of_kinds: "Package", "Node" or "Pod" for each dimension; by default kinds(network). Raises ConfigError if they
    aren't as many.

    >>> from astra_edu.studies.case_studies import blocks_cost
    >>> blocks_cost([ae.Block("Ring", 8, 50, 500)]), blocks_cost([ae.Block("Switch", 8, 50, 500)])
    (1600.0, 6800.0)
    """
    network = (network,) if isinstance(network, Block) else network
    of_kinds = kinds(network) if of_kinds is None else of_kinds
    if len(of_kinds) != len(network):
        raise ConfigError(f"there are {len(network)} dimensions and {len(of_kinds)} kinds; give one for each.")
    return network_cost(
        [
            replace(Dimension.of(block.topology, block.npus, block.bandwidth, block.latency), kind=kind)
            for block, kind in zip(network, of_kinds, strict=True)
        ]
    )
