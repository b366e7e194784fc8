"""Any network at all: a NetworkX graph of NPUs and switches, whose edges have a bandwidth and a latency.

ASTRA-sim 2.x's congestion-aware network knows a ring, a switch and a full connection; graphs are ours. Their links
behave in the same way, so a ring as a graph takes as long as a ring as a Block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any

from astra_edu.base.deprecated import renamed
from astra_edu.base.errors import ConfigError, choice, instance_of, shown, whole
from astra_edu.network.block import Block
from astra_edu.network.shortest import LinkName, Node, ShortestWays
from astra_edu.network.topologies import Topology

if TYPE_CHECKING:
    import networkx as nx

SHORTEST = ("latency", "hops")
TIES = ("next", "spread")
_ATTRIBUTES = {"bandwidth": '"GB/s" of 2**30 bytes/s', "latency": "ns"}
_PS = 1000


@dataclass(frozen=True, eq=False)
class GraphNetwork:
    """A graph as a network.

    graph: an nx.Graph, whose edges are links in both directions, or an nx.DiGraph. Its nodes 0, 1, 2, ... are the
    NPUs, all others are switches; where switches are whole numbers, too, `npus` says how many NPUs there are. Each
    edge has a "bandwidth" in "GB/s" of 2**30 bytes/s and a "latency" in ns, for each direction. It is read once.

    dims: of how many NPUs the logical dimensions are along which collectives run; NPU numbers count along the first
    one first. By default one dimension has all NPUs.

    A message takes the way with the least latency, and of those one with the fewest hops; with shortest="hops" the
    other way round. Latencies are compared to the ps. ties says which of several equally short ways: "next" goes to
    the NPU that comes next, counting up and round, else to the switch whose name comes first; "spread" counts the k
    ways on in this order and takes number (destination modulo k), so that messages to different NPUs spread. routes:
    ways of your own, such as {(0, 5): [0, "left", 5]}.

    links: what each link is, by its two ends: a Block of two. own_ways: the routes, by names. Two are equal if messages
    take the same ways over the same links. Raises ConfigError for a graph that is no network.

    >>> import networkx as nx
    >>> line = nx.path_graph(3)
    >>> nx.set_edge_attributes(line, 50, "bandwidth")
    >>> nx.set_edge_attributes(line, 500, "latency")
    >>> network = ae.GraphNetwork(line)
    >>> network.way(0, 2), network.message_ns(0, 2, 2**20)
    ([0, 1, 2], 20531)
    """

    graph: nx.Graph[Any] = field(repr=False)
    dims: tuple[int, ...] = ()
    npus: int = 0
    shortest: str = "latency"
    ties: str = "next"
    routes: Mapping[tuple[int, int], Sequence[Any]] = field(default_factory=dict, repr=False)
    links: Mapping[LinkName, Block] = field(init=False, repr=False)
    _ways: ShortestWays = field(init=False, repr=False)
    own_ways: Mapping[tuple[int, int], list[Node]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        choice("shortest", self.shortest, SHORTEST)
        choice("ties", self.ties, TIES)
        set_ = object.__setattr__
        set_(self, "npus", _count(self.graph, self.npus))
        set_(self, "dims", _logical(self.dims, self.npus))
        names = _names(self.graph, self.npus)
        set_(self, "links", _links(self.graph, names))
        costs = {name: (round(block.latency * _PS), 1) for name, block in self.links.items()}
        if self.shortest == "hops":
            costs = {name: (hops, latency) for name, (latency, hops) in costs.items()}
        set_(self, "_ways", ShortestWays(costs, self.npus, self.ties == "spread"))
        for source, destination in self._ways.unreachable(0, range(self.npus)):
            raise ConfigError(f"the graph has no way from NPU {source} to NPU {destination}; add an edge.")
        routes = instance_of(
            "routes", self.routes, Mapping, 'give ways by their ends, such as {(0, 5): [0, "left", 5]}'
        )
        set_(self, "own_ways", {ends: _way(ends, way, names, self.links) for ends, way in routes.items()})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GraphNetwork):
            return NotImplemented
        return self._said == other._said and self.links == other.links and self.own_ways == other.own_ways

    def __hash__(self) -> int:
        return hash((self._said, len(self.links)))

    @property
    def _said(self) -> tuple[int, tuple[int, ...], str, str]:
        return self.npus, self.dims, self.shortest, self.ties

    @property
    def nodes(self) -> list[Node]:
        """All NPUs, then all switches in the graph's order."""
        return [*range(self.npus), *(name for name in _names(self.graph, self.npus).values() if isinstance(name, str))]

    def way(self, source: int, destination: int) -> list[Node]:
        """The nodes on the way of a message from one NPU to another, both included."""
        for end in (source, destination):
            if whole("an NPU", end, at_least=0) >= self.npus:
                raise ConfigError(f"{end} is no NPU of this graph; they are 0 to {self.npus - 1}.")
        return self.own_ways.get((source, destination)) or self._ways.way(source, destination)

    def route(self, source: int, destination: int) -> list[tuple[LinkName, Block]]:
        """The links from one NPU to another."""
        way = self.way(source, destination)
        return [(link, self.links[link]) for link in pairwise(way)]

    @renamed(size="message_bytes")
    def message_ns(self, source: int, destination: int, message_bytes: int) -> int:
        """Time of a message that nothing delays: all latencies, and its bytes once over the slowest link."""
        message_bytes = whole("message_bytes", message_bytes, at_least=0)
        blocks = [block for _, block in self.route(source, destination)]
        if not blocks:
            raise ConfigError(f"NPU {source} sends itself nothing; give two NPUs.")
        return int(
            sum(block.latency for block in blocks) + message_bytes / min(block.link_bandwidth for block in blocks)
        )


def _count(graph: Any, npus: int) -> int:
    """How many NPUs a graph has. Raises ConfigError where their numbers don't start at 0 or have gaps."""
    if isinstance(graph, type) or not hasattr(graph, "is_multigraph") or not hasattr(graph, "edges"):
        raise ConfigError(
            f"the graph is {shown(graph, 60)}; give a NetworkX graph, such as nx.Graph() or nx.DiGraph()."
        )
    if graph.is_multigraph():
        raise ConfigError("the graph is a multigraph; give parallel links as one edge with the sum of bandwidths.")
    numbers = {node for node in graph.nodes if _number(node)}
    count = whole("npus", npus, at_least=0) or len(numbers)
    missing = next((npu for npu in range(count) if npu not in numbers), None)
    if missing is not None:
        raise ConfigError(
            f"the graph has no node {missing}; its {count} NPUs should be the nodes 0 to {count - 1}. Switches that "
            "are numbers, too, need npus=, the number of NPUs."
        )
    if count < 2:
        raise ConfigError(f"the graph has {count} NPUs; it needs 2 at least: the nodes 0 and 1.")
    return count


def _number(node: object) -> bool:
    return isinstance(node, int) and not isinstance(node, bool)


def _logical(dims: object, npus: int) -> tuple[int, ...]:
    listed = [dims] if isinstance(dims, int) else list(dims) if isinstance(dims, (tuple, list)) else [dims]
    found = tuple(whole("dims", n, at_least=1) for n in listed) or (npus,)
    if prod(found) != npus:
        raise ConfigError(f"dims is {found}, which makes {prod(found)} NPUs; the graph has {npus}.")
    return found


def _names(graph: Any, npus: int) -> dict[Any, Node]:
    """What each node of the graph is called. Raises ConfigError for two switches with the same name."""
    names = {node: node if _number(node) and node < npus else str(node) for node in graph.nodes}
    switches = [name for name in names.values() if isinstance(name, str)]
    if twice := next((name for name in switches if switches.count(name) > 1), None):
        raise ConfigError(f"two switches are called {twice!r}.")
    return names


def _links(graph: Any, names: Mapping[Any, Node]) -> dict[LinkName, Block]:
    found: dict[LinkName, Block] = {}
    for tail, head, attributes in graph.edges(data=True):
        where = f"the edge from {tail!r} to {head!r}"
        if tail == head:
            raise ConfigError(f"{where} is a loop; a node has no link to itself.")
        for name, unit in _ATTRIBUTES.items():
            if name not in attributes:
                raise ConfigError(
                    f"{where} has no {name} ({unit}); it has {', '.join(map(str, attributes)) or 'nothing'}."
                )
        try:
            block = Block(Topology.FULLY_CONNECTED, 2, *(attributes[name] for name in _ATTRIBUTES))
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None
        found[names[tail], names[head]] = block
        if not graph.is_directed():
            found[names[head], names[tail]] = block
    return found


def _way(ends: object, way: Sequence[Any], names: Mapping[Any, Node], links: Mapping[LinkName, Block]) -> list[Node]:
    """A way given by hand. Raises ConfigError where it isn't one."""
    if (
        not isinstance(ends, tuple)
        or len(ends) != 2
        or not isinstance(way, (list, tuple))
        or not way
        or (way[0], way[-1]) != ends
    ):
        raise ConfigError(f"routes: {shown(way, 80)} doesn't lead from one end of {shown(ends)} to the other.")
    for node in way:
        if node not in names:
            raise ConfigError(f"routes: the way {ends} goes over {node!r}, which is no node of the graph.")
    found = [names[node] for node in way]
    for link in pairwise(found):
        if link not in links:
            raise ConfigError(f"routes: the way {ends} goes from {link[0]!r} to {link[1]!r}, where there is no link.")
    return found
