"""The ways of packets and their classes: which of a link's virtual channels a packet may take so that none waits in a
circle.

A link's buffer waits for the next link's on some way: these dependencies are a graph of links (W. J. Dally and C. L.
Seitz, Deadlock-Free Message Routing in Multiprocessor Interconnection Networks, 1987). Where it has no circle, one
class is enough. In a circle, as of a ring, a link is chosen behind which a packet is in the next class (a dateline).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.network.block import Block
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.links import route_of
from astra_edu.network.shortest import LinkName, Node
from astra_edu.network.topologies import Topology

Blocks = tuple[Block, ...]
Way = tuple[LinkName, ...]
MOST_NPUS = 512
"""The ways between all pairs are looked at before the first packet is sent."""


class Hop(NamedTuple):
    """A link on a way, the class there, and how many classes the link's virtual channels are shared out to."""

    link: LinkName
    of_class: int
    classes: int


@dataclass(frozen=True)
class Routes:
    """The ways from each NPU to each other: one, or several that are as short, in two directions of a ring."""

    ways: Mapping[tuple[Node, int], list[tuple[Hop, ...]]]

    @property
    def classes(self) -> int:
        """The most classes that a link has."""
        return max((hop.classes for ways in self.ways.values() for way in ways for hop in way), default=1)


def routes(network: Blocks | GraphNetwork, npus: int, dateline: bool = True, from_everywhere: bool = False) -> Routes:
    """All ways. dateline: whether there are classes. from_everywhere: from switches, too.

    Raises ConfigError for too many NPUs.
    """
    if npus > MOST_NPUS:
        raise ConfigError(f"the network has {npus} NPUs; with flits, {MOST_NPUS} can be followed at most.")
    named: dict[tuple[Node, int], list[Way]] = {
        (source, destination): ways(network, source, destination)
        for source in range(npus)
        for destination in range(npus)
        if source != destination
    }
    if from_everywhere:
        for (_, destination), found in list(named.items()):
            for way in found:
                for k, link in enumerate(way[1:], 1):
                    named.setdefault((link[0], destination), [way[k:]])
    every = [way for found in named.values() for way in found]
    places = _places(every) if dateline else {}
    classes = _crossings if _without_circle(every, places, _crossings) else _crossed
    needs = _needs(every, places, classes)
    return Routes({ends: [_hops(way, places, needs, classes) for way in found] for ends, found in named.items()})


def ways(network: Blocks | GraphNetwork, source: int, destination: int) -> list[Way]:
    """The links from one NPU to another; along a ring with as many links either way, both ways.

    >>> import astra_edu as ae
    >>> [len(way) for way in ways((ae.Block("Ring", 4, 50, 500),), 0, 2)]
    [2, 2]
    """
    if isinstance(network, GraphNetwork):
        return [tuple(name for name, _ in route_of(network, source, destination))]
    here, parts = source, []
    for d, block in enumerate(network):
        stride = prod(b.npus for b in network[:d])
        place, goal = here // stride % block.npus, destination // stride % block.npus
        if place == goal:
            continue
        there = here + (goal - place) * stride
        either = [_names(network, here, there)]
        if block.topology == Topology.RING and 2 * ((goal - place) % block.npus) == block.npus > 2:
            back = here + ((place - 1) % block.npus - place) * stride
            either.append(_names(network, here, back) + _names(network, back, there))
        parts.append(either)
        here = there
    return [sum(way, ()) for way in product(*parts)]


def _names(network: Blocks, source: int, destination: int) -> Way:
    return tuple(name for name, _ in route_of(network, source, destination))


class _Place(NamedTuple):
    """Where a link stands: in which circle of links, at which place there, and how many classes it needs."""

    circle: int
    place: int


_Places = Mapping[LinkName, _Place]
_Classes = Callable[[Way, _Places], list[int]]


def _places(every: list[Way]) -> dict[LinkName, _Place]:
    """Where the links stand that are in a circle of dependencies."""
    import networkx as nx

    waits: nx.DiGraph[LinkName] = nx.DiGraph()
    for way in every:
        waits.add_edges_from(pairwise(way))
    places: dict[LinkName, _Place] = {}
    for circle, links in enumerate(nx.strongly_connected_components(waits)):
        if len(links) > 1:
            after = reversed(list(nx.dfs_postorder_nodes(waits.subgraph(links), min(links, key=str))))
            places |= {link: _Place(circle, place) for place, link in enumerate(after)}
    return places


def _crossed(way: Way, places: _Places) -> list[int]:
    """The class on each link: how often the way has gone back to a place before, in the circle that it is in."""
    found: list[int] = []
    before: _Place | None = None
    for link in way:
        here = places.get(link)
        same = before is not None and here is not None and before.circle == here.circle
        found.append(found[-1] + (here.place <= before.place) if same and here and before else 0)
        before = here
    return found


def _crossings(way: Way, places: _Places) -> list[int]:
    """The class on each link: how often the way goes back in all, in the circle that it is in.

    This fills the classes more evenly, and is free of circles where ways are short, as on a ring.
    """
    most: dict[int | None, int] = {}
    passed = _crossed(way, places)
    circles = [places[link].circle if link in places else None for link in way]
    for circle, of_class in zip(circles, passed, strict=True):
        most[circle] = max(most.get(circle, 0), of_class)
    return [most[circle] for circle in circles]


def _without_circle(every: list[Way], places: _Places, classes: _Classes) -> bool:
    import networkx as nx

    waits: nx.DiGraph[tuple[LinkName, int]] = nx.DiGraph()
    for way in every:
        waits.add_edges_from(pairwise(zip(way, classes(way, places), strict=True)))
    return bool(nx.is_directed_acyclic_graph(waits))


def _needs(every: list[Way], places: _Places, classes: _Classes) -> dict[int, int]:
    """How many classes the links of each circle have."""
    found: dict[int, int] = {}
    for way in every:
        for link, of_class in zip(way, classes(way, places), strict=True):
            if link in places:
                circle = places[link].circle
                found[circle] = max(found.get(circle, 1), of_class + 1)
    return found


def _hops(way: Way, places: _Places, needs: Mapping[int, int], classes: _Classes) -> tuple[Hop, ...]:
    return tuple(
        Hop(link, of_class, needs[places[link].circle] if link in places else 1)
        for link, of_class in zip(way, classes(way, places), strict=True)
    )
