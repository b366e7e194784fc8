"""A dragonfly: groups of routers that are fully connected, and one link between each two groups."""

from __future__ import annotations

from math import cos, pi, sin

from astra_edu.base.errors import ConfigError
from astra_edu.network.shortest import LinkName, Node
from astra_edu.network.topologies.topology import Topology


class Dragonfly(Topology):
    """Dragonfly(a, p): groups of `a` routers with `p` NPUs each; by default 4 and 2, so groups of 8 NPUs.

    Routers are switches. Each two of a group have a link, and so has each pair of groups; a group's links to others
    are dealt out to its routers in turn. A message takes the link between the two groups, also where a third group
    would be no detour (minimal routing; J. Kim et al., Technology-Driven, Highly-Scalable Dragonfly Topology, ISCA
    2008).

    >>> Dragonfly().route(24, 0, 23)
    [0, 'router 0.0', 'router 0.1', 'router 2.0', 'router 2.3', 23]
    """

    spelling = "Dragonfly"
    most_numbers = 2
    switched = True

    @property
    def routers(self) -> int:
        """How many routers a group has."""
        return self.numbers[0] if self.numbers else 4

    @property
    def npus_per_router(self) -> int:
        """How many NPUs are at one router."""
        return self.numbers[1] if len(self.numbers) > 1 else 2

    def check(self, npus: int) -> None:
        """See Topology."""
        group = self.routers * self.npus_per_router
        if npus % group:
            raise ConfigError(
                f"npus is {npus}; a {self} has groups of {self.routers} routers with {self.npus_per_router} NPUs each, "
                f"so a multiple of {group}."
            )

    def links(self, npus: int) -> list[LinkName]:
        """See Topology."""
        groups = self._groups(npus)
        ends: list[LinkName] = [(npu, self._router(npu)) for npu in range(npus)]
        local: list[LinkName] = [
            (_name(g, r), _name(g, q)) for g in range(groups) for r in range(self.routers) for q in range(r)
        ]
        between: list[LinkName] = [
            (self._gate(g, to, groups), self._gate(to, g, groups)) for g in range(groups) for to in range(g)
        ]
        return [link for tail, head in ends + local + between for link in ((tail, head), (head, tail))]

    def route(self, npus: int, source: int, destination: int) -> list[Node]:
        """See Topology."""
        groups = self._groups(npus)
        size = self.routers * self.npus_per_router
        here, there = source // size, destination // size
        way: list[Node] = [source, self._router(source)]
        if here != there:
            way += [self._gate(here, there, groups), self._gate(there, here, groups)]
        way += [self._router(destination), destination]
        return [node for k, node in enumerate(way) if not k or node != way[k - 1]]

    def links_needed(self, npus: int) -> int:
        """One, to its router."""
        return 1

    def layout(self, npus: int) -> dict[Node, tuple[float, float]]:
        """Groups on a circle; in each, routers on a smaller one and NPUs outside of them."""
        groups = self._groups(npus)
        big, small = (0.3, min(0.14, 0.75 / groups)) if groups > 1 else (0.0, 0.3)
        places: dict[Node, tuple[float, float]] = {}
        for g in range(groups):
            x, y = 0.5 + big * sin(2 * pi * g / groups), 0.5 - big * cos(2 * pi * g / groups)
            for r in range(self.routers):
                for k in range(-1, self.npus_per_router):
                    share = (r + (k + 0.5) / self.npus_per_router - 0.5) if k >= 0 else r
                    angle = 2 * pi * (share / self.routers + g / groups)
                    far = small * (1.4 if k >= 0 else 0.7)
                    node = _name(g, r) if k < 0 else (g * self.routers + r) * self.npus_per_router + k
                    places[node] = (x + far * sin(angle), y - far * cos(angle))
        return places

    def _groups(self, npus: int) -> int:
        return max(1, npus // (self.routers * self.npus_per_router))

    def _router(self, npu: int) -> str:
        return _name(*divmod(npu // self.npus_per_router, self.routers))

    def _gate(self, group: int, to: int, groups: int) -> str:
        """The router of `group` that has the link to another group."""
        return _name(group, (to - group - 1) % groups % self.routers)


def _name(group: int, router: int) -> str:
    return f"router {group}.{router}"
