"""What a topology of one's own claims, held against its links and routes before anything is timed on it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError

if TYPE_CHECKING:
    from astra_edu.network.topologies.topology import Topology

TRIED = 3
"""Numbers of NPUs, the smallest that it can have."""
LARGEST = 64


@lru_cache(maxsize=256)
def check_claims(topology: Topology) -> None:
    """Raise ConfigError where a topology isn't what it claims, naming the claim and two NPUs that deny it.

    >>> from astra_edu.network.topologies import Topology
    >>> class Line(Topology):
    ...     spelling, symmetric = "Line", True
    ...
    ...     def links(self, npus):
    ...         return [link for k in range(npus - 1) for link in ((k, k + 1), (k + 1, k))]
    >>> try:
    ...     ae.Dimension.of(Line(), 4, 50, 500)
    ... except ae.ConfigError as error:
    ...     print(error)
    a Line says that it is symmetric, but of 3 NPUs 0 and 2 are 2 apart, and 1 and 0 are 1.
    """
    for npus in _sizes(topology):
        _check_links(topology, npus)
        _check_routes(topology, npus)
        for wrong in _denied(topology, npus):
            raise ConfigError(f"a {topology} says that it {wrong}")


def _sizes(topology: Topology) -> list[int]:
    found: list[int] = []
    for npus in range(2, LARGEST + 1):
        try:
            topology.check(npus)
        except ConfigError:
            continue
        found.append(npus)
        if len(found) == TRIED:
            break
    return found


def _check_links(topology: Topology, npus: int) -> None:
    for link in topology.links(npus):
        ends = link if isinstance(link, tuple) and len(link) == 2 else ()
        fine = [isinstance(end, str) or (type(end) is int and 0 <= end < npus) for end in ends]
        if not ends or not all(fine) or ends[0] == ends[1]:
            raise ConfigError(
                f"a {topology} of {npus} NPUs has the link {link!r:.60}; a link is (from, to), two different nodes, "
                f"each an NPU from 0 to {npus - 1} or the name of a switch."
            )


def _check_routes(topology: Topology, npus: int) -> None:
    links = set(topology.links(npus))
    for source, destination in _pairs(npus):
        way = topology.route(npus, source, destination)
        if not way or (way[0], way[-1]) != (source, destination):
            raise ConfigError(f"a {topology} of {npus} NPUs goes from {source} to {destination} by {way!r:.80}.")
        for link in pairwise(way):
            if link not in links:
                raise ConfigError(
                    f"a {topology} of {npus} NPUs goes from {source} to {destination} over {link[0]} to {link[1]}, "
                    "which is none of its links."
                )


def _pairs(npus: int) -> Iterator[tuple[int, int]]:
    return ((source, destination) for source in range(npus) for destination in range(npus) if source != destination)


def _denied(topology: Topology, npus: int) -> Iterator[str]:
    """What it isn't though it says so."""
    links = topology.links(npus)
    far = {pair: topology.hops(npus, topology.apart(npus, *pair)) for pair in _pairs(npus)}
    for source, destination in far:
        first = 0, (destination - source) % npus
        here = far[source, destination]
        if topology.symmetric and here != far[first]:
            yield (
                f"is symmetric, but of {npus} NPUs 0 and {first[1]} are {far[first]} apart, and {source} and "
                f"{destination} are {here}."
            )
        if topology.equidistant and here != far[0, 1]:
            yield (
                f"is equidistant, but of {npus} NPUs 0 and 1 are {far[0, 1]} apart, and {source} and {destination} are "
                f"{here}."
            )
        if topology.own_links and (source, destination) not in links:
            yield f"has links of each two NPUs' own, but of {npus} NPUs {source} has none to {destination}."
    for tail, head in links:
        if topology.switched and not isinstance(tail, str) and not isinstance(head, str):
            yield f"is switched, but of {npus} NPUs {tail} has a link to {head} without a switch."
        if topology.goes_round and isinstance(tail, int) and head not in ((tail + 1) % npus, (tail - 1) % npus):
            yield f"goes round, but of {npus} NPUs {tail} has a link to {head}, which isn't next to it."
