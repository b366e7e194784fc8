"""Where the NPUs and switches of any network stand in a picture, and the curves of its links.

NPUs around one switch stand on an ellipse; NPUs without switches, too, or in a grid if they have two dimensions;
several switches stand in layers above the NPUs, by how many links they are from the nearest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import cos, hypot, pi, sin

from astra_edu.base.errors import ConfigError, instance_of
from astra_edu.network.shortest import LinkName, Node

Point = tuple[float, float]
Curve = tuple[Point, Point, Point]
"""A quadratic Bézier curve: start, control point, end; in px of the picture."""

WIDTH, HEIGHT, MARGIN = 720.0, 430.0, 30.0
RADIUS = 13.0
LANE = 3.6
"""How far the two directions of a wire are from its middle, px."""
MOST_BEND = 52.0
"""How far the control point of a link round other nodes is from the straight way, px."""
_ZIGZAG = 22  # NPUs in one row; more take turns in two rows or more


def layout(
    nodes: Sequence[Node],
    links: Iterable[LinkName],
    dims: Sequence[int],
    places: Mapping[Node, Point] | None = None,
    levels: Mapping[Node, int] | None = None,
) -> dict[Node, Point]:
    """The centre of each node, WIDTH x HEIGHT px, y downwards.

    dims: how many NPUs the dimensions have. places: where nodes stand, in any unit, y upwards, instead. levels: in
    which layer each switch stands, from 1, if not by its distance. Raises ConfigError where a place is missing.
    """
    if places is not None:
        instance_of("places", places, Mapping, "give (x, y) for every NPU and switch")
        if missing := [node for node in nodes if node not in places]:
            raise ConfigError(f"places has no place for {missing[0]!r}; it needs one for every NPU and switch.")
        return _fitted({node: (float(places[node][0]), -float(places[node][1])) for node in nodes})
    npus: list[Node] = [node for node in nodes if isinstance(node, int)]
    switches: list[Node] = [node for node in nodes if isinstance(node, str)]
    if len(switches) > 1:
        return _fitted(_layers(npus, switches, list(links), levels))
    if not switches and len(dims) == 2:
        return _fitted({npu: (float(k % dims[0]), float(k // dims[0])) for k, npu in enumerate(npus)})
    angles = {npu: 2 * pi * k / len(npus) - pi / 2 for k, npu in enumerate(npus)}
    around: dict[Node, Point] = {npu: (1.5 * cos(angle), sin(angle)) for npu, angle in angles.items()}
    return _fitted(around | dict.fromkeys(switches, (0.0, 0.0)))


def curve(link: LinkName, places: Mapping[Node, Point], radius: float) -> Curve:
    """The way along a link, on its left-hand side, from rim to rim; round nodes that stand in the way."""
    a, b = places[link[0]], places[link[1]]
    length = hypot(b[0] - a[0], b[1] - a[1])
    along = ((b[0] - a[0]) / length, (b[1] - a[1]) / length)
    left = (along[1], -along[0])
    inside = (p for node, p in places.items() if node not in link)
    blocked = any(0 < _dot(p, a, along) < length and abs(_dot(p, a, left)) < 1.1 * radius for p in inside)
    lane, bend = (0.0, min(0.3 * length, MOST_BEND)) if blocked else (LANE, 0.0)
    start, end = (_moved(p, along, by, left, lane) for p, by in ((a, radius + 1), (b, -radius - 1)))
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    return start, _moved(middle, along, 0, left, bend), end


def radius_of(places: Mapping[Node, Point]) -> float:
    """How large nodes can be without touching, px."""
    points = list(places.values())
    nearest = min(
        (hypot(a[0] - b[0], a[1] - b[1]) for k, a in enumerate(points) for b in points[:k]),
        default=WIDTH,
    )
    return max(3.0, min(RADIUS, 0.42 * nearest))


def _layers(
    npus: list[Node], switches: list[Node], links: Sequence[LinkName], levels: Mapping[Node, int] | None
) -> dict[Node, Point]:
    neighbours: defaultdict[Node, set[Node]] = defaultdict(set)
    for tail, head in links:
        neighbours[tail].add(head)
        neighbours[head].add(tail)
    levels = levels or _distances(npus, switches, neighbours)
    found = [[node for node in switches if levels[node] == level] for level in sorted(set(levels.values()))]
    rows = 1 + (len(npus) - 1) // _ZIGZAG
    across = {npu: (k + 0.5) / len(npus) for k, npu in enumerate(npus)}
    places: dict[Node, Point] = {npu: (across[npu], 0.16 * (k % rows)) for k, npu in enumerate(npus)}
    for level, layer in enumerate(found, start=1):
        below = {node: [places[n][0] for n in neighbours[node] if n in places] for node in layer}
        wanted = {node: sum(xs) / len(xs) if xs else 0.5 for node, xs in below.items()}
        order = sorted(layer, key=lambda node: wanted[node])
        room = min(
            (b - a for a, b in zip([wanted[n] for n in order], [wanted[n] for n in order[1:]], strict=False)),
            default=1.0,
        )
        for k, node in enumerate(order):
            x = wanted[node] if room > 0.5 / len(order) else (k + 0.5) / len(order)
            places[node] = (x, -0.5 * level)
    return places


def _distances(npus: list[Node], switches: list[Node], neighbours: Mapping[Node, set[Node]]) -> dict[Node, int]:
    """How many links each switch is from the nearest NPU; those that no NPU reaches come last."""
    found: dict[Node, int] = dict.fromkeys(npus, 0)
    front, level = set(npus), 0
    while front:
        level += 1
        front = {n for node in front for n in neighbours[node]} - found.keys()
        found |= dict.fromkeys(front, level)
    return {node: found.get(node, level) for node in switches}


def _fitted(places: dict[Node, Point]) -> dict[Node, Point]:
    """The places stretched to the picture."""
    xs, ys = [x for x, _ in places.values()], [y for _, y in places.values()]
    return {
        node: (
            _stretched(x, min(xs), max(xs), WIDTH),
            _stretched(y, min(ys), max(ys), HEIGHT),
        )
        for node, (x, y) in places.items()
    }


def _stretched(value: float, low: float, high: float, size: float) -> float:
    return size / 2 if high == low else MARGIN + (value - low) / (high - low) * (size - 2 * MARGIN)


def _dot(p: Point, origin: Point, direction: Point) -> float:
    return (p[0] - origin[0]) * direction[0] + (p[1] - origin[1]) * direction[1]


def _moved(p: Point, along: Point, by: float, left: Point, aside: float) -> Point:
    return p[0] + along[0] * by + left[0] * aside, p[1] + along[1] * by + left[1] * aside
