"""NCCL's own cost model, with which it chooses between ring and tree and between its three protocols.

The constants are those of src/graph/tuning.cc (Apache 2.0) in versions that know Hopper; older ones have others.
Protocols: LL sends a flag with every 4 bytes, LL128 with every 120, Simple synchronises after large pieces; so LL has
the least latency and the least bandwidth.

Left out: the latency of the network cards, what a step costs the processor, limits for a channel, and corrections by
size that were measured. NCCL's estimate is made to choose, not to predict: launching a kernel isn't in it.

Sizes in bytes, times in µs, bandwidths in 10⁹ bytes/s.
"""

from __future__ import annotations

from itertools import product
from math import inf
from typing import NamedTuple

from astra_edu.base.errors import ConfigError, choice, positive, whole
from astra_edu.measured.models import Line, bus_factor

ALGORITHMS = ("ring", "tree")
PROTOCOLS = ("LL", "LL128", "Simple")

BASE_US = {"ring": (6.6, 14.0, 8.4), "tree": (6.8, 14.0, 8.4)}
"""Before the first step, by protocol."""

HOP_US = {
    "NVLink": {"ring": (0.6, 1.9, 3.4), "tree": (0.6, 1.25, 4.0)},
    "PCI": {"ring": (1.0, 2.5, 5.7), "tree": (1.0, 1.9, 4.0)},
    "network": {"ring": (2.7, 4.0, 14.0), "tree": (5.0, 8.5, 14.0)},
}
"""For each step, by what it goes over and by protocol."""

SHARES = {"ring": (1 / 2, 0.92, 1.0), "tree": (0.92 / 3.8, 0.92 * 120 / 128, 0.92)}
"""What a protocol makes of the bus bandwidth. Within one machine LL128 on trees has 7/9 in place of 120/128."""


class Choice(NamedTuple):
    """The fastest way for some size."""

    algorithm: str
    protocol: str
    us: float


def cost(
    algorithm: str,
    protocol: str,
    npus: int,
    bandwidth: float,
    nodes: int = 1,
    inside: str = "NVLink",
    ll_limit: float = inf,
) -> Line:
    """The line by which NCCL estimates an all-reduce.

    npus: in all, the same number on each of `nodes` machines; bandwidth: of the bus; inside: what connects the NPUs of
    a machine, "NVLink" or "PCI"; ll_limit: the most that LL reaches, as bus bandwidth (87.7 within a machine of A100,
    141 of H100). Raises ConfigError for unknown names and for NPUs that can't be shared out.
    """
    at = PROTOCOLS.index(choice("protocol", protocol, PROTOCOLS))
    choice("algorithm", algorithm, ALGORITHMS)
    local, nodes = _npus_of_a_node(npus, nodes), int(nodes)
    near = HOP_US[choice("inside", inside, ("NVLink", "PCI"))][algorithm][at]
    far = HOP_US["network"][algorithm][at]
    if algorithm == "ring":
        steps, crossing = 2 * (npus - 1), 2 * (nodes - 1)
        latency, factor = (steps - crossing) * near + crossing * far, bus_factor("all-reduce", npus)
    else:
        levels = nodes.bit_length() - 1  # log2, rounded down
        latency, factor = 2 * ((local - 1) * near + levels * far), 2.0
    reached = positive("bandwidth", bandwidth) * SHARES[algorithm][at]
    if (algorithm, protocol, nodes) == ("tree", "LL128", 1):
        reached *= (7 / 9) / (120 / 128)
    if protocol == "LL":
        reached = min(reached, ll_limit)
    return Line(BASE_US[algorithm][at] + latency, factor / reached / 1000)


def fastest(
    size: int,
    npus: int,
    bandwidth: float,
    nodes: int = 1,
    ll_limit: float = inf,
    algorithms: tuple[str, ...] = ALGORITHMS,
) -> Choice:
    """The algorithm and protocol that NCCL estimates to be fastest for `size` bytes; the rest is as for `cost`."""
    ways = product(algorithms, PROTOCOLS)
    found = (Choice(*way, cost(*way, npus, bandwidth, nodes, ll_limit=ll_limit)(size)) for way in ways)
    return min(found, key=lambda way: way.us)


def crossover(npus: int, bandwidth: float, nodes: int, protocol: str) -> float:
    """The bytes from which on the ring is faster than the tree, both with one protocol."""
    ring, tree = (cost(algorithm, protocol, npus, bandwidth, nodes) for algorithm in ALGORITHMS)
    return max(0.0, (ring.latency_us - tree.latency_us) / (tree.us_per_byte - ring.us_per_byte))


def _npus_of_a_node(npus: int, nodes: int) -> int:
    npus, nodes = whole("npus", npus, at_least=2), whole("nodes", nodes, at_least=1)
    if npus % nodes:
        raise ConfigError(f"{npus} NPUs can't be shared out among {nodes} machines; {npus // nodes * nodes} can.")
    return npus // nodes
