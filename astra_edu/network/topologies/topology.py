"""What a topology says of itself: everything that messages, times, pictures, files and prices ask of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import cos, pi, sin
from typing import Any, ClassVar, Self

from astra_edu.base.errors import ConfigError, choice, whole
from astra_edu.network.shortest import LinkName, Node, ShortestWays
from astra_edu.network.topologies.claims import check_claims

_NAME = re.compile(r"[A-Za-z]\w*")
_NUMBERS = re.compile(r"(.*?)(\d+(?:x\d+)*)")


class _Iterable(type):
    """So that `for topology in Topology` gives ASTRA-sim's three."""

    def __iter__(cls) -> Iterator[Topology]:
        return (topology for topology in TOPOLOGIES.values() if topology.in_astra_sim)


class Topology(str, metaclass=_Iterable):
    """How the NPUs of one dimension are wired: a class of its own for each way, called as in a network file.

    A new one needs `spelling` and `links`; all else has a default that is made from the links and may be replaced.
    NPUs are the numbers 0 to npus - 1, switches have names. Hand it to a Dimension or a Block; `register` it to have
    files, menus and `Topology("its name")` know it. A class may take whole numbers, which its name then ends with:
    Torus(4, 2) is called Torus4x2. Iterating over Topology itself gives the three that ASTRA-sim knows.

    >>> from astra_edu.network.topologies import Topology
    >>> class Line(Topology):
    ...     spelling = "Line"
    ...
    ...     def links(self, npus):
    ...         return [link for k in range(npus - 1) for link in ((k, k + 1), (k + 1, k))]
    >>> Line().route(5, 3, 1), Line().links_needed(5), Line() == "Line", Topology("Ring").links(3)[:2]
    ([3, 2, 1], 2, True, [(0, 1), (0, 2)])
    """

    RING: ClassVar[Topology]
    FULLY_CONNECTED: ClassVar[Topology]
    SWITCH: ClassVar[Topology]

    spelling: ClassVar[str] = ""
    most_numbers: ClassVar[int] = 0
    """How many numbers its name may end with."""
    suits: ClassVar[str] = "direct"
    """The algorithm that suits it, spelled as in a system file."""
    in_astra_sim: ClassVar[bool] = False
    """Whether ASTRA-sim knows its name."""
    symmetric: ClassVar[bool] = False
    """Whether distances depend on the difference of places only (counted round), so that NPU 0 stands for all."""
    equidistant: ClassVar[bool] = False
    """Whether all NPUs are equally far from each other."""
    goes_round: ClassVar[bool] = False
    """Whether each NPU has a link to the next one, round to the first, and no other (as a ring)."""
    switched: ClassVar[bool] = False
    """Whether NPUs have links to switches only: then NPUs forward nothing, and switches take `router` ns each."""
    own_links: ClassVar[bool] = False
    """Whether each two NPUs have a link of their own."""
    divisible: ClassVar[bool] = False
    """Whether a group of its NPUs has the same topology, as on a switch."""

    numbers: tuple[int, ...]

    @property
    def folds(self) -> bool:
        """Whether one NPU's links can stand for all in ASTRA-sim 2.x's networks; see network/folded.py."""
        return self.symmetric and (self.goes_round or self.equidistant)

    def __new__(cls, *numbers: Any) -> Self:
        """Topology(name): the registered one, or ConfigError. Of a class of its own: one with these numbers."""
        if cls is Topology:
            return find(numbers[0] if numbers else "")  # type: ignore[return-value]
        if len(numbers) > cls.most_numbers:
            raise ConfigError(f"a {cls.spelling} takes {cls.most_numbers or 'no'} numbers, not {numbers}.")
        found = tuple(whole(cls.spelling, number, at_least=1) for number in numbers)
        made = super().__new__(cls, cls.spelling + "x".join(map(str, found)))
        made.numbers = found
        return made

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) is True and (type(other) is str or type(other) is type(self))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.numbers)

    @property
    def value(self) -> str:
        """Its name as a plain str."""
        return str.__str__(self)

    def check(self, npus: int) -> None:
        """Raise ConfigError for a number of NPUs that it can't have."""

    def links(self, npus: int) -> list[LinkName]:
        """(from, to) of every link, each direction by itself, from NPU 0's on."""
        raise ConfigError(f"{type(self).__name__} has no method links(npus), which every topology needs.")

    def route(self, npus: int, source: int, destination: int) -> list[Node]:
        """The nodes that a message passes, both ends included; by default a shortest way, always the same."""
        return _ways(self, npus).way(source, destination)

    def apart(self, npus: int, source: int, destination: int) -> int:
        """How far apart two NPUs are, as `hops` wants it: links, or places where only their difference counts."""
        return len(self.route(npus, source, destination)) - 1

    def hops(self, npus: int, apart: int) -> int:
        """How many links are between two NPUs that are so far `apart`."""
        return apart

    def links_needed(self, npus: int) -> int:
        """How many links an NPU needs at least: as many as the busiest one sends on."""
        return max(self.ports(npus), 1)

    def ports(self, npus: int) -> int:
        """How many links an NPU sends on; where they differ, the one with most."""
        out = Counter(tail for tail, _ in self.links(npus) if isinstance(tail, int))
        return max(out.values(), default=0)

    def links_to_one(self, npus: int, links: int) -> int:
        """How many of an NPU's `links` carry one message in ASTRA-sim 1.0: by default those to one neighbour."""
        return links // self.links_needed(npus)

    def parts(self, npus: int, links: int) -> dict[str, int]:
        """How many "link", "switch" (ports) and "NIC" make it, if each NPU has `links` links; for the price."""
        count: Counter[str] = Counter()
        for ends in {frozenset(link) for link in self.links(npus)}:
            switches = sum(isinstance(end, str) for end in ends)
            count += Counter({"link": 1, "switch": switches, "NIC": int(switches == 1)})
        return {part: number * (links // self.links_needed(npus)) for part, number in count.items()}

    def layout(self, npus: int) -> dict[Node, tuple[float, float]]:
        """Where NPUs and switches stand in a unit square, y downwards; by default in a circle round the switches."""
        switches = list(dict.fromkeys(end for link in self.links(npus) for end in link if isinstance(end, str)))
        return circle(range(npus), 0.5) | circle(switches, 0.25 if len(switches) > 1 else 0.0)


TOPOLOGIES: dict[str, Topology] = {}
"""Every registered topology by its name."""


def register(topology: Topology) -> Topology:
    """Have files, menus and Topology(name) know a topology; one of the same name that isn't ASTRA-sim's is replaced.

    Raises ConfigError for what is no topology, for a name that can't stand in a file, and for a topology whose links
    and routes aren't what it claims (see claims.py).

    >>> from astra_edu.network.topologies import Torus, find, register
    >>> square = register(Torus(4, 4))
    >>> find("Torus4x4") is square
    True
    """
    if not isinstance(topology, Topology):
        raise ConfigError(f"register takes a topology, such as Torus(4, 2), not {topology!r:.60}.")
    name = topology.value
    if not _NAME.fullmatch(name):
        raise ConfigError(f"a topology is called {name!r:.60}; its spelling must be a word, such as 'Line'.")
    if name in TOPOLOGIES and TOPOLOGIES[name].in_astra_sim and type(TOPOLOGIES[name]) is not type(topology):
        raise ConfigError(f"{name} is ASTRA-sim's; give another topology another spelling.")
    if not topology.in_astra_sim:
        check_claims(topology)
    TOPOLOGIES[name] = topology
    return topology


def find(value: object, name: str = "topology") -> Topology:
    """A topology from its name; one handed over stays as it is. Raises ConfigError with the names there are.

    >>> from astra_edu.network.topologies import find
    >>> find("Ring"), find("Torus4x2").links_needed(8)
    ('Ring', 3)
    """
    if isinstance(value, Topology):
        if not value.in_astra_sim:
            check_claims(value)
        return value
    if isinstance(value, str) and value not in TOPOLOGIES and (found := _NUMBERS.fullmatch(value)):
        base = TOPOLOGIES.get(found[1])
        if base is not None and base.most_numbers:
            return type(base)(*map(int, found[2].split("x")))
    return TOPOLOGIES[choice(name, value, TOPOLOGIES)]


def circle(nodes: Sequence[Node], radius: float) -> dict[Node, tuple[float, float]]:
    """Nodes on a circle round the middle of a unit square, clockwise from its top."""
    angles = [2 * pi * k / max(1, len(nodes)) for k in range(len(nodes))]
    return {node: (0.5 + radius * sin(a), 0.5 - radius * cos(a)) for node, a in zip(nodes, angles, strict=True)}


@lru_cache(maxsize=64)
def _ways(topology: Topology, npus: int) -> ShortestWays:
    ways = ShortestWays(dict.fromkeys(topology.links(npus), (1, 0)), npus, spread=False)
    for source, destination in ways.unreachable(0, range(npus)):
        raise ConfigError(f"a {topology} of {npus} NPUs has no way from NPU {source} to NPU {destination}.")
    return ways


def _again(kind: type[Topology], numbers: tuple[int, ...]) -> Topology:
    """The same one after a copy or a pickle: the registered one where it is."""
    made = kind(*numbers)
    known = TOPOLOGIES.get(made.value)
    return known if known is not None and type(known) is kind else made
