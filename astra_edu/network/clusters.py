"""Clusters of computers as graphs: fat trees and rail-optimised networks, each NPU with a network card of its own.

Two blocks say how fast links are: one switch inside of a computer (NVLink, say), and the network cards' links, which a
TracePlatform of the two blocks takes for one ideal switch for each rank. Here their switches are spelled out.

- A fat tree (C. Leiserson, 1985; M. Al-Fares, A. Loukissas, A. Vahdat, "A Scalable, Commodity Data Center Network
  Architecture", SIGCOMM 2008): all NPUs of a computer hang on one leaf. Between computers a message passes the leaf,
  or leaf, spine and leaf, or, in several pods, five switches with one of the core.
- Rail-optimised (NVIDIA's DGX SuperPOD reference architecture for H100, from memory, unverified; Juniper's validated
  design for AI data centers): NPU k of each computer hangs on a leaf of rail k. NPUs of equal rank are one switch
  apart. To another rank a message goes over NVLink first, to the NPU of its own computer on the other's rail (NCCL's
  PXN), or over a spine.

Oversubscribed n : 1, what leads up from a switch carries 1 / n of what leads down from it. Several links between two
switches are one edge with the sum of their bandwidths; messages to different NPUs take different spines. On the
congestion-aware network each switch stores a message before it sends it on.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import TYPE_CHECKING, Any

from astra_edu.base.errors import ConfigError, flag, instance_of, positive, shown, whole
from astra_edu.network.as_graph import MOST_LINKS
from astra_edu.network.block import Block, checked_blocks
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.topologies import Topology

if TYPE_CHECKING:
    import networkx as nx

MOST_ROUTES = 2**18
"""Pairs of NPUs, of which each has a way of its own."""
TWO_SWITCHES = "give two: a Switch of a computer's NPUs, and a Switch of the computers with the network cards' links"


def fat_tree(
    network: Sequence[Block],
    *,
    per_leaf: int,
    spines: int = 1,
    per_pod: int = 0,
    cores: int = 1,
    oversubscription: float | tuple[float, float] = 1.0,
) -> GraphNetwork:
    """Computers whose NPUs share a leaf, as a GraphNetwork with dimensions (NPUs of a computer, computers).

    network: two blocks, see above. per_leaf: computers on a leaf. spines: in each pod; every leaf has a link to each.
    per_pod: leaves in a pod; 0: there is one pod, and no core. cores: for each spine of a pod, of which every pod's has
    a link to each. oversubscription: of leaves, or of (leaves, spines). With one leaf nothing leads up, and spines and
    oversubscription change nothing. Raises ConfigError for what doesn't divide, for links inside of a computer that
    aren't the shorter way, and for what isn't a number.

    >>> blocks = ae.Block("Switch", 8, 419, 500), ae.Block("Switch", 16, 46.6, 1000)
    >>> tree = ae.fat_tree(blocks, per_leaf=4, spines=2)
    >>> tree.way(0, 7), tree.way(0, 8), tree.way(0, 127)
    ([0, 'node 0', 7], [0, 'leaf 0', 8], [0, 'leaf 0', 'spine 0.1', 'leaf 3', 127])
    >>> round(ae.bisection_bandwidth(tree)), round(ae.bisection_bandwidth(ae.fat_tree(blocks, per_leaf=4,
    ...     spines=2, oversubscription=4)))
    (2982, 746)
    """
    inside, outside = _two_switches(network)
    nodes, npus = outside.npus, inside.npus
    per_leaf, spines = whole("per_leaf", per_leaf, at_least=1), whole("spines", spines, at_least=1)
    _check_links(2 * nodes * npus)
    leaves = _groups("computers", nodes, "per_leaf", per_leaf)
    per_pod, cores = whole("per_pod", per_pod, at_least=0) or leaves, whole("cores", cores, at_least=1)
    pods = _groups("leaves", leaves, "per_pod", per_pod)
    low, high = _two_ratios(oversubscription)
    _check_links(2 * nodes * npus + leaves * spines + (pods * spines * cores if pods > 1 else 0))
    graph = _computers(inside, nodes)
    for npu in range(nodes * npus):
        _wire(graph, npu, f"leaf {npu // (npus * per_leaf)}", outside.bandwidth, outside.latency)
    up = per_leaf * npus * outside.bandwidth / low / spines
    if leaves > 1:
        for leaf in range(leaves):
            for spine in range(spines):
                _wire(graph, f"leaf {leaf}", f"spine {leaf // per_pod}.{spine}", up, outside.latency)
    if pods > 1:
        for spine in range(spines):
            for core in range(cores):
                for pod in range(pods):
                    rate = per_pod * up / high / cores
                    _wire(graph, f"spine {pod}.{spine}", f"core {spine}.{core}", rate, outside.latency)
    return GraphNetwork(graph, dims=(npus, nodes), ties="spread")


def rail_optimised(
    network: Sequence[Block],
    *,
    per_leaf: int = 0,
    spines: int = 1,
    oversubscription: float = 1.0,
    pxn: bool = True,
) -> GraphNetwork:
    """Computers whose NPUs of equal rank share a leaf, as a GraphNetwork with dimensions as fat_tree's.

    network: two blocks, see above. per_leaf: computers on a leaf of each rail; 0: all. spines: every leaf of every rail
    has a link to each, and a message takes the one that its receiver's computer says. oversubscription: of leaves. With
    one leaf a rail and PXN nothing leads up, and both change nothing. pxn: whether messages to another rail go over
    NVLink first; without it they go over a spine. Raises ConfigError as fat_tree does, and for more than 512 NPUs.

    >>> blocks = ae.Block("Switch", 8, 419, 500), ae.Block("Switch", 16, 46.6, 1000)
    >>> rails = ae.rail_optimised(blocks)
    >>> rails.way(0, 120), rails.way(0, 121)
    ([0, 'rail 0.0', 120], [0, 'node 0', 1, 'rail 1.0', 121])
    >>> ae.rail_optimised(blocks, pxn=False).way(0, 121)
    [0, 'rail 0.0', 'spine 0', 'rail 1.0', 121]
    """
    inside, outside = _two_switches(network)
    nodes, npus = outside.npus, inside.npus
    per_leaf = whole("per_leaf", per_leaf, at_least=0) or nodes
    spines = whole("spines", spines, at_least=1)
    _check_links(2 * nodes * npus)
    leaves = _groups("computers", nodes, "per_leaf", per_leaf)
    ratio = positive("oversubscription", oversubscription)
    flag("pxn", pxn)
    if (all_npus := nodes * npus) ** 2 > MOST_ROUTES:
        raise ConfigError(
            f"{nodes:,} computers of {npus} NPUs are {all_npus:,} NPUs; {isqrt(MOST_ROUTES)} is the most, as each two "
            "have a way of their own. Take fewer computers, or the two blocks, which are rails without spines."
        )
    _check_links(2 * all_npus + npus * leaves * spines)
    graph = _computers(inside, nodes)
    for npu in range(nodes * npus):
        _wire(graph, npu, _rail(npu, npus, per_leaf), outside.bandwidth, outside.latency)
    if leaves > 1 or not pxn:
        up = per_leaf * outside.bandwidth / ratio / spines
        for rail in range(npus):
            for leaf in range(leaves):
                for spine in range(spines):
                    _wire(graph, f"rail {rail}.{leaf}", f"spine {spine}", up, outside.latency)
    routes = {
        (source, to): _over_rails(source, to, npus, per_leaf, spines, pxn)
        for source in range(nodes * npus)
        for to in range(nodes * npus)
        if source // npus != to // npus
    }
    return GraphNetwork(graph, dims=(npus, nodes), routes=routes)


def bisection_bandwidth(network: GraphNetwork) -> float:
    """ "GB/s" (2**30 bytes/s) that the links carry at most from the first half of the NPUs to the second half.

    The largest flow, whatever ways messages take, through switches and NPUs. Raises ConfigError for what is no graph.

    >>> ring = ae.GraphNetwork(ae.as_graph(ae.Block("Ring", 8, bandwidth=50, latency=500)))
    >>> ae.bisection_bandwidth(ring)
    100.0
    """
    import networkx as nx

    instance_of("network", network, GraphNetwork, "give a GraphNetwork, such as ae.fat_tree(...)")
    graph: nx.DiGraph[Any] = nx.DiGraph()
    for (tail, head), block in network.links.items():
        graph.add_edge(tail, head, capacity=block.bandwidth)
    first, second = object(), object()  # no switch is called so
    half = network.npus // 2
    for npu in range(network.npus):
        graph.add_edge(*((first, npu) if npu < half else (npu, second)))
    return float(nx.maximum_flow_value(graph, first, second))


def _two_switches(network: object) -> tuple[Block, Block]:
    blocks = checked_blocks(network, TWO_SWITCHES)  # type: ignore[arg-type]
    if len(blocks) != 2 or any(block.topology != Topology.SWITCH for block in blocks):
        raise ConfigError(f"network is {[f'{b.topology} of {b.npus}' for b in blocks]}; {TWO_SWITCHES}.")
    inside, outside = blocks
    if inside.latency >= outside.latency:
        raise ConfigError(
            f"links inside of a computer have {inside.latency:g} ns and network cards' {outside.latency:g} ns; inside "
            "they have to have less, so that neighbours take the shorter way."
        )
    return inside, outside


def _two_ratios(given: object) -> tuple[float, float]:
    both = given if isinstance(given, (tuple, list)) else (given, 1.0)
    if len(both) != 2:
        raise ConfigError(f"oversubscription is {shown(given)}; give one number, or one for leaves and one for spines.")
    return positive("oversubscription", both[0]), positive("oversubscription of spines", both[1])


def _check_links(links: int) -> None:
    if links > MOST_LINKS:
        raise ConfigError(
            f"that makes {links:,} links; a graph has {MOST_LINKS:,} at most. Take fewer computers or switches."
        )


def _groups(what: str, count: int, name: str, each: int) -> int:
    if count % each:
        divisors = [n for n in range(1, count + 1) if count % n == 0]
        near = sorted(divisors, key=lambda n: abs(n - each))[:2]
        raise ConfigError(f"{name} is {each}, which doesn't divide {count} {what}; {' and '.join(map(str, near))} do.")
    return count // each


def _computers(inside: Block, nodes: int) -> nx.Graph[Any]:
    import networkx as nx

    graph: nx.Graph[Any] = nx.Graph()
    graph.add_nodes_from(range(nodes * inside.npus))
    for npu in range(nodes * inside.npus):
        _wire(graph, npu, f"node {npu // inside.npus}", inside.bandwidth, inside.latency)
    return graph


def _wire(graph: nx.Graph[Any], a: int | str, b: str, bandwidth: float, latency: float) -> None:
    graph.add_edge(a, b, bandwidth=bandwidth, latency=latency)


def _rail(npu: int, npus: int, per_leaf: int) -> str:
    return f"rail {npu % npus}.{npu // npus // per_leaf}"


def _over_rails(source: int, to: int, npus: int, per_leaf: int, spines: int, pxn: bool) -> list[int | str]:
    """The way to another computer."""
    way: list[int | str] = [source]
    here = source
    if pxn and source % npus != to % npus:
        here = source // npus * npus + to % npus
        way += [f"node {source // npus}", here]
    first, last = _rail(here, npus, per_leaf), _rail(to, npus, per_leaf)
    return [*way, first, to] if first == last else [*way, first, f"spine {to // npus % spines}", last, to]
