"""A mesh: NPUs in a grid, each with links to its neighbours along every side."""

from __future__ import annotations

from math import isqrt, prod

from astra_edu.base.errors import ConfigError
from astra_edu.network.shortest import LinkName, Node
from astra_edu.network.topologies.topology import Topology


class Mesh(Topology):
    """Mesh() is as square as its number of NPUs allows; Mesh(4, 2, 2) has sides of these lengths.

    NPUs count along the first side first. Messages go along the first side first, too, then along the next
    (dimension-order routing; W. J. Dally and B. Towles, Principles and Practices of Interconnection Networks, 2004).

    >>> Mesh().sides(12), Mesh(3, 4).route(12, 0, 11)
    ((4, 3), [0, 1, 2, 5, 8, 11])
    """

    spelling = "Mesh"
    most_numbers = 6
    closed = False
    """Whether the last NPU of a row has a link to the first one."""

    def sides(self, npus: int) -> tuple[int, ...]:
        """How many NPUs are along each side."""
        if self.numbers:
            return self.numbers
        short = next(k for k in range(isqrt(npus), 0, -1) if npus % k == 0)
        return npus // short, short

    def check(self, npus: int) -> None:
        """See Topology."""
        if prod(self.sides(npus)) != npus:
            raise ConfigError(f"npus is {npus}; a {self} has {prod(self.numbers)}.")

    def links(self, npus: int) -> list[LinkName]:
        """See Topology."""
        found: list[LinkName] = []
        for npu in range(npus):
            for stride, side in self._strides(npus):
                place = npu // stride % side
                ahead = [self._moved(place, by, side) for by in (1, -1)]
                found += [(npu, npu + (to - place) * stride) for to in dict.fromkeys(ahead) if to != place]
        return found

    def route(self, npus: int, source: int, destination: int) -> list[Node]:
        """See Topology."""
        way: list[Node] = [source]
        here = source
        for stride, side in self._strides(npus):
            place, goal = here // stride % side, destination // stride % side
            by = self._direction(place, goal, side)
            while place != goal:
                to = self._moved(place, by, side)
                here += (to - place) * stride
                place = to
                way.append(here)
        return way

    def layout(self, npus: int) -> dict[Node, tuple[float, float]]:
        """A grid; every second side runs downwards, and from the third on they set grids side by side."""
        places: dict[Node, tuple[float, float]] = {}
        widths = [1.0, 1.0]
        units = []
        for d, (_, side) in enumerate(self._strides(npus)):
            units.append((widths[0], 0.0) if d % 2 == 0 else (0.0, widths[1]))
            widths[d % 2] = widths[d % 2] * side + 0.6
        for npu in range(npus):
            along = [npu // stride % side for stride, side in self._strides(npus)]
            x, y = (sum(k * unit[axis] for k, unit in zip(along, units, strict=True)) for axis in (0, 1))
            places[npu] = (x + self._shift * sum(along[1::2]), y + self._shift * sum(along[::2]))
        most = max(1.0, *(x for point in places.values() for x in point))
        return {npu: (x / most, y / most) for npu, (x, y) in places.items()}

    _shift = 0.0

    def _strides(self, npus: int) -> list[tuple[int, int]]:
        """(difference of the numbers of neighbours, NPUs) along each side."""
        sides = self.sides(npus)
        return [(prod(sides[:d]), side) for d, side in enumerate(sides)]

    def _moved(self, place: int, by: int, side: int) -> int:
        to = place + by
        return to % side if self.closed else min(max(to, 0), side - 1)

    def _direction(self, place: int, goal: int, side: int) -> int:
        if self.closed:
            return 1 if 2 * ((goal - place) % side) <= side else -1
        return 1 if goal > place else -1
