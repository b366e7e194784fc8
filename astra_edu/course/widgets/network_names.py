"""Where the names of switches stand in a picture of a network: beside them, where no link passes if there is room."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil, hypot
from typing import NamedTuple

from astra_edu.course.widgets.network_layout import HEIGHT, WIDTH, Curve, Point
from astra_edu.network.shortest import Node

LETTER, LINE = 6.4, 13.0
"""How wide a letter and how high a line of a name is, px; a little more than they are in any font."""
_GAP = 4.0  # px between a switch and its name
_WIRE = 4.0  # px that a link is away from a name that it doesn't touch: half of its width, and a little
_FAR, _BESIDE = 36.0, 11.0  # px further off, where there is room between links, and from the middle
_STEP = 6.0  # px between the points that stand for a link
_CELL = 16.0  # px of a square in which points are looked up
_OUT, _OVER = 1000, 100  # how much worse than a link's point: outside of the picture, over a node or another name


class Box(NamedTuple):
    """A rectangle by its centre, px."""

    x: float
    y: float
    wide: float
    high: float

    def overlaps(self, other: Box) -> bool:
        """Whether two share any of their area."""
        apart = 2 * abs(self.x - other.x) >= self.wide + other.wide
        return not apart and 2 * abs(self.y - other.y) < self.high + other.high

    @property
    def inside(self) -> bool:
        """Whether all of it is in the picture."""
        return self.wide / 2 <= self.x <= WIDTH - self.wide / 2 and self.high / 2 <= self.y <= HEIGHT - self.high / 2


def name_boxes(places: Mapping[Node, Point], curves: Iterable[Curve], radius: float) -> dict[Node, Box]:
    """Where each switch's name stands: of the places around it the first that is least in the way.

    >>> places = {0: (100.0, 300.0), 1: (300.0, 300.0), "ToR": (200.0, 100.0)}
    >>> ways = [((190.0, 110.0), (150.0, 200.0), (110.0, 290.0)), ((210.0, 110.0), (250.0, 200.0), (290.0, 290.0))]
    >>> name_boxes(places, ways, 13)["ToR"]
    Box(x=173.4, y=85.0, wide=19.200000000000003, high=13.0)
    """
    points = _Points(curves)
    taken = [Box(x, y, 2 * radius, 2 * radius) for x, y in places.values()]
    found: dict[Node, Box] = {}
    for node, place in places.items():
        if isinstance(node, str):
            around = list(_around(place, LETTER * len(node), radius))
            found[node] = min(around, key=lambda box: _in_the_way(box, points, taken))
            taken.append(found[node])
    return found


def _around(place: Point, wide: float, radius: float) -> Iterator[Box]:
    """The places for a name of this width: at the corners and sides, upper ones first; above, below; further off."""
    x, y = place
    aside, above = radius + _GAP + wide / 2, radius + _GAP + LINE / 2
    for down in (2 - radius - _GAP, 0, radius, radius + LINE / 2, -above):
        for side in (-aside, aside):
            yield Box(x + side, y + down, wide, LINE)
    for down in (-above, above):
        yield Box(x, y + down, wide, LINE)
    for down in (-above - _FAR, above + _FAR):
        for side in (-wide / 2 - _BESIDE, wide / 2 + _BESIDE):
            yield Box(x + side, y + down, wide, LINE)


def _in_the_way(box: Box, points: _Points, taken: Sequence[Box]) -> int:
    over = sum(box.overlaps(other) for other in taken)
    return points.near(box) + _OVER * over + (0 if box.inside else _OUT)


class _Points:
    """Points along all links, to be looked up by where they are."""

    def __init__(self, curves: Iterable[Curve]) -> None:
        self._cells: defaultdict[tuple[int, int], list[Point]] = defaultdict(list)
        for curve in curves:
            for x, y in _along(curve):
                self._cells[int(x // _CELL), int(y // _CELL)].append((x, y))

    def near(self, box: Box) -> int:
        """How many are in a box, or so near that their link touches it."""
        aside, down = box.wide / 2 + _WIRE, box.high / 2 + _WIRE
        columns = range(int((box.x - aside) // _CELL), int((box.x + aside) // _CELL) + 1)
        rows = range(int((box.y - down) // _CELL), int((box.y + down) // _CELL) + 1)
        return sum(
            abs(x - box.x) < aside and abs(y - box.y) < down
            for column in columns
            for row in rows
            for x, y in self._cells.get((column, row), ())
        )


def _along(curve: Curve) -> Iterator[Point]:
    (x1, y1), (cx, cy), (x2, y2) = curve
    many = max(2, ceil((hypot(cx - x1, cy - y1) + hypot(x2 - cx, y2 - cy)) / _STEP))
    for share in (k / many for k in range(many + 1)):
        a, b, c = (1 - share) ** 2, 2 * share * (1 - share), share**2
        yield a * x1 + b * cx + c * x2, a * y1 + b * cy + c * y2
