"""Where the NPUs of a topology stand in the picture, and the curves along which shards travel between them.

One dimension is a circle (with a box in its middle for a switch), or what its topology's own layout says. More
dimensions are a grid: dimension 0 runs along the rows, 1 down the columns, 2 obliquely into the page, and 3 repeats
the whole beside itself. Every NPU is then a sum of one vector a dimension, and every line of NPUs along a dimension
is drawn by the same rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import cos, hypot, pi, prod, sin

from astra_edu.course.widgets.own_layout import HEIGHT, WIDTH, Curve, Point, has_own, placed, way
from astra_edu.network.topologies import Topology, find


@dataclass(frozen=True)
class Layout:
    """The still part of the picture, WIDTH x HEIGHT px, y downwards.

    nodes: each NPU's centre. radius: of an NPU's circle, px. links: SVG path data of the wires. buses: the same
    for the switches of grids. boxes: (x, y, width, height) of switches in the middle of a circle. twins: each
    NPU's centres in the second of two trees. trees: the number of each shard's tree, where there are some.
    names: (x, y, text) of what is written; of a switch in place of its own name.
    """

    dims: tuple[int, ...]
    topology: tuple[Topology, ...]
    vectors: tuple[Point, ...]
    nodes: tuple[Point, ...]
    radius: float
    links: tuple[str, ...]
    buses: tuple[str, ...]
    boxes: tuple[tuple[float, float, float, float], ...]
    twins: tuple[tuple[Point, ...], ...] = ()
    trees: tuple[int, ...] = ()
    names: tuple[tuple[float, float, str], ...] = ()

    def tree(self, shard: int) -> int:
        """In which tree a shard travels: 0 or 1."""
        return self.trees[shard] if self.trees else 0

    def route(self, source: int, destination: int, tree: int = 0) -> Curve:
        """The curve a shard takes from rim to rim; the two directions of a wire bend to different sides."""
        a, b = ((self.nodes, *self.twins)[tree][npu] for npu in (source, destination))
        if self.trees:
            return _trimmed(bent(a, b, 0.06 * _distance(a, b)), self.radius)
        if len(self.dims) == 1:
            if has_own(self.topology[0]):
                return _trimmed(way(self.topology[0], self.dims[0], source, destination), self.radius)
            if self.topology[0].switched:
                return _trimmed(_across_switch(a, b), self.radius)
            lag = 0.0 if self._next(source, destination) else 0.3
            return _trimmed(bent(a, b, self._chord_rise(source, destination), lag=lag), self.radius)
        return _trimmed(_along_line(self, source, destination), self.radius)

    def _next(self, source: int, destination: int) -> bool:
        return abs(source - destination) in (1, self.dims[0] - 1)

    def _chord_rise(self, source: int, destination: int) -> float:
        """How far a chord of the circle bends to its left: round its neighbour, inside of the NPUs between."""
        a, b = self.nodes[source], self.nodes[destination]
        length = _distance(a, b)
        if self._next(source, destination):
            return 0.2 * length
        middle = ((a[0] + b[0] - WIDTH) / 2, (a[1] + b[1] - HEIGHT) / 2)
        outside = hypot(*middle)
        sagitta = _distance(a, (WIDTH / 2, HEIGHT / 2)) - outside
        left_is_out = (b[1] - a[1]) * middle[0] + (a[0] - b[0]) * middle[1] > 0
        inwards = max(0.04 * length, self.radius + 24 - sagitta) if outside > 1 else 0.0
        return min(11.0, 0.09 * length) + (-inwards if left_is_out else inwards)


def layout(dims: Sequence[int], topology: Sequence[str]) -> Layout:
    """Place prod(dims) NPUs; `topology` names each dimension's network, such as Ring."""
    sizes, names = tuple(dims), tuple(map(find, topology))
    if len(sizes) == 1:
        return _own(sizes[0], names) if has_own(names[0]) else _circle(sizes[0], names)
    vectors, nodes = _grid(sizes)
    radius = min(19.0, 0.33 * spread(nodes))
    bare = Layout(sizes, names, vectors, nodes, radius, (), (), ())
    links, buses = [], []
    for d, name in enumerate(names):
        wired = _wired(name, sizes[d])
        for line in _lines(sizes, d):
            if name.switched:
                buses.append(_bus(bare, line, d))
                links += [_path((nodes[npu], beside(bare, nodes[npu], d))) for npu in line]
            else:
                links += [_wire(bare, line, i, j) for i, j in combinations(range(len(line)), 2) if (i, j) in wired]
    return Layout(sizes, names, vectors, nodes, radius, tuple(links), tuple(buses), ())


def point(curve: Curve, at: float) -> Point:
    """The point of a cubic Bézier curve at 0 <= at <= 1."""
    back = 1 - at
    weights = (back**3, 3 * back * back * at, 3 * back * at * at, at**3)
    x, y = (sum(w * p[axis] for w, p in zip(weights, curve, strict=True)) for axis in (0, 1))
    return x, y


def path(curve: Curve) -> str:
    """The curve as SVG path data, to a tenth of a pixel."""
    (x, y), *rest = curve
    return f"M{x:.1f} {y:.1f}C" + " ".join(f"{x:.1f} {y:.1f}" for x, y in rest)


def _own(n: int, names: tuple[Topology, ...]) -> Layout:
    places = placed(names[0], n)
    nodes = tuple(places[npu] for npu in range(n))
    nearest = spread(list(places.values()))
    half = min(9.0, 0.3 * nearest)
    boxes = tuple((x - half, y - half, 2 * half, 2 * half) for node, (x, y) in places.items() if isinstance(node, str))
    links = {frozenset(link): link for link in names[0].links(n)}.values()
    wires = tuple(_path((places[tail], places[head])) for tail, head in links)
    return Layout((n,), names, (), nodes, min(17.0, 0.36 * nearest), wires, (), boxes)


def _circle(n: int, names: tuple[Topology, ...]) -> Layout:
    cx, cy, r = WIDTH / 2, HEIGHT / 2, HEIGHT / 2 - (36 if n <= 16 else 24)
    nodes = tuple((cx + r * sin(2 * pi * i / n), cy - r * cos(2 * pi * i / n)) for i in range(n))
    radius = min(20.0, 0.42 * spread(nodes) if n > 16 else 0.24 * spread(nodes))
    boxes: tuple[tuple[float, float, float, float], ...] = ()
    if names[0].switched:
        links = [_path((node, (cx, cy))) for node in nodes]
        boxes = ((cx - 70, cy - 70, 140, 140),)
    else:
        links = [_path((nodes[i], nodes[j])) for i, j in sorted(_wired(names[0], n))]
    return Layout((n,), names, (), nodes, radius, tuple(links), (), boxes)


def _grid(dims: tuple[int, ...]) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """The vectors of the dimensions and the NPUs' places, scaled to fill the picture."""
    deep = dims[2] if len(dims) > 2 else 1
    into_page = (1.28 / deep, -0.8 / deep)
    wide = dims[0] - 1 + (deep - 1) * into_page[0]
    units = ((1.0, 0.0), (0.0, 1.0), into_page, (wide + 1.3, 0.0))[: len(dims)]
    places = [
        tuple(sum(c * unit[axis] for c, unit in zip(address, units, strict=True)) for axis in (0, 1))
        for address in _addresses(dims)
    ]
    left, right = min(p[0] for p in places), max(p[0] for p in places)
    top, bottom = min(p[1] for p in places), max(p[1] for p in places)
    scale = min(WIDTH / (right - left + 1.1), HEIGHT / (bottom - top + 1.1), 190.0)
    ox, oy = (WIDTH - scale * (left + right)) / 2, (HEIGHT - scale * (top + bottom)) / 2
    vectors = tuple((scale * x, scale * y) for x, y in units)
    return vectors, tuple((ox + scale * p[0], oy + scale * p[1]) for p in places)


def _addresses(dims: tuple[int, ...]) -> Iterator[list[int]]:
    for npu in range(prod(dims)):
        yield [npu // prod(dims[:d]) % size for d, size in enumerate(dims)]


def _lines(dims: tuple[int, ...], d: int) -> list[list[int]]:
    """The NPUs along dimension d, one list for every way to fix the other coordinates."""
    stride = prod(dims[:d])
    starts = [npu for npu, address in enumerate(_addresses(dims)) if address[d] == 0]
    return [[start + k * stride for k in range(dims[d])] for start in starts]


def _wired(topology: Topology, size: int) -> set[tuple[int, int]]:
    """Which places of a line have a wire between them, the smaller one first."""
    links = topology.links(size)
    return {(i, j) for i, j in links if isinstance(i, int) and isinstance(j, int) and i < j}


def _along_line(plan: Layout, source: int, destination: int) -> Curve:
    """Next NPUs nearly straight; the farther apart, the higher the arc; through the bus of a switch."""
    d = next(d for d in range(len(plan.dims)) if (destination - source) % prod(plan.dims[: d + 1]))
    a, b = plan.nodes[source], plan.nodes[destination]
    if plan.topology[d].switched:
        up, down = beside(plan, a, d, 1.33), beside(plan, b, d, 1.33)
        back = ((a[0] - b[0]) / 2, (a[1] - b[1]) / 2)  # those who meet on a bus meet off its middle
        return a, up, (down[0] + back[0], down[1] + back[1]), b
    hops = abs(destination - source) // prod(plan.dims[:d])
    return bent(a, b, _rise(plan, d) * (0.12 + 0.33 * min(1, (hops - 1) / max(1, plan.dims[d] - 2))))


def _wire(plan: Layout, line: list[int], i: int, j: int) -> str:
    """A straight wire between next NPUs of a line, else the arc that the way back takes."""
    if j - i == 1:
        return _path((plan.nodes[line[i]], plan.nodes[line[j]]))
    return path(_along_line(plan, line[j], line[i]))


def _bus(plan: Layout, line: list[int], d: int) -> str:
    return _path((beside(plan, plan.nodes[line[0]], d), beside(plan, plan.nodes[line[-1]], d)))


def beside(plan: Layout, at: Point, d: int, share: float = 1.0) -> Point:
    """The place on the bus of dimension d next to an NPU; `share` > 1 overshoots it."""
    x, y = plan.vectors[d]
    offset = share * (0.38 - 0.05 * (d % 2)) * _rise(plan, d) / hypot(x, y)
    return at[0] + abs(y) * offset, at[1] + abs(x) * offset


def _rise(plan: Layout, d: int) -> float:
    """How much room there is beside a line of NPUs, px."""
    return min(hypot(*plan.vectors[d]), hypot(*plan.vectors[0]))


def _across_switch(a: Point, b: Point) -> Curve:
    """Through the box in the middle, on the side of the two NPUs; to and fro pass at different distances."""
    out = ((a[0] + b[0] - WIDTH) / 2, (a[1] + b[1] - HEIGHT) / 2)
    length = _distance(a, b)
    left = ((b[1] - a[1]) / length, (a[0] - b[0]) / length)
    if hypot(*out) < 1:
        pull, away = left, 50.0
    else:
        pull = (out[0] / hypot(*out), out[1] / hypot(*out))
        away = 75.0 if left[0] * pull[0] + left[1] * pull[1] > 0 else 12.0
    middle = (WIDTH / 2 + away * pull[0], HEIGHT / 2 + away * pull[1])
    return a, middle, middle, b


def bent(a: Point, b: Point, rise: float, lag: float = 0.0) -> Curve:
    """From a to b with its middle `rise` px to the left of the way.

    With a lag, half the time takes a shard less than half the way: two that go to and fro don't meet.
    """
    length = _distance(a, b)
    left = ((b[1] - a[1]) / length, (a[0] - b[0]) / length)
    lift = (left[0] * rise * 4 / 3, left[1] * rise * 4 / 3)
    first = (a[0] + (b[0] - a[0]) / 4 + lift[0], a[1] + (b[1] - a[1]) / 4 + lift[1])
    late = 1 / 4 + lag
    second = (b[0] + (a[0] - b[0]) * late + lift[0], b[1] + (a[1] - b[1]) * late + lift[1])
    return a, first, second, b


def _trimmed(curve: Curve, radius: float) -> Curve:
    """The curve without what the two NPUs' circles hide; room for an arrow head at the end."""
    a, first, second, b = curve
    return towards(a, first, radius + 1), first, second, towards(b, second, radius + 4)


def towards(a: Point, b: Point, pixels: float) -> Point:
    """The point so many pixels from a on the way to b."""
    share = pixels / _distance(a, b)
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def spread(nodes: Sequence[Point]) -> float:
    """The distance of the two that are nearest to each other, px."""
    return min(_distance(a, b) for a, b in combinations(nodes, 2))


def _distance(a: Point, b: Point) -> float:
    return hypot(a[0] - b[0], a[1] - b[1])
