"""Where the NPUs and switches of a topology with a layout of its own stand, and the ways between them."""

from __future__ import annotations

from functools import lru_cache
from math import hypot

from astra_edu.network.shortest import Node
from astra_edu.network.topologies import Topology

Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]
"""A cubic Bézier curve: start, two control points, end; all in pixels of the picture."""

WIDTH, HEIGHT, MARGIN = 480.0, 420.0, 34.0
ASIDE = 14.0
"""How far the way over other nodes keeps from them, px."""


def has_own(topology: Topology) -> bool:
    """Whether a circle isn't how it is drawn."""
    return not (topology.goes_round or topology.equidistant)


@lru_cache(maxsize=16)
def placed(topology: Topology, npus: int) -> dict[Node, Point]:
    """The centre of each node: the topology's layout, stretched to fill the picture without its margin."""
    places = topology.layout(npus)
    xs, ys = ([point[axis] for point in places.values()] for axis in (0, 1))
    return {node: (_across(x, xs, WIDTH), _across(y, ys, HEIGHT)) for node, (x, y) in places.items()}


def way(topology: Topology, npus: int, source: int, destination: int) -> Curve:
    """The curve from one NPU's centre to another's: near the nodes on the route, on its left-hand side."""
    places = placed(topology, npus)
    points = [places[node] for node in topology.route(npus, source, destination)]
    a, b = points[0], points[-1]
    length = hypot(b[0] - a[0], b[1] - a[1])
    left = ((b[1] - a[1]) / length, (a[0] - b[0]) / length)
    aside = ASIDE if len(points) > 2 else min(ASIDE, 0.2 * length)
    first, last = points[1:-1][:1], points[1:-1][-1:]
    third = ((b[0] - a[0]) / 3, (b[1] - a[1]) / 3)
    controls = (first or [(a[0] + third[0], a[1] + third[1])]) + (last or [(b[0] - third[0], b[1] - third[1])])
    second, after = ((x + aside * left[0], y + aside * left[1]) for x, y in controls)
    return a, second, after, b


def _across(value: float, values: list[float], size: float) -> float:
    low, high = min(values), max(values)
    return size / 2 if high - low < 1e-9 else MARGIN + (value - low) / (high - low) * (size - 2 * MARGIN)
