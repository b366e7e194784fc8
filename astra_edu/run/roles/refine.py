"""The coarsest partition of NPUs into those that behave alike, by refining colours until nothing changes.

It is colour refinement (the 1-dimensional Weisfeiler-Leman algorithm, the heart of programs for graph automorphism) on
a graph of messages and rings: an NPU's next colour is its colour, those of its peers, and how its rings look.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from astra_edu.run.roles.rings import Turned, turned


class Ring(NamedTuple):
    """Members of a collective in their order. marks: what is to be known of each beside its colour.

    fixed: whether an algorithm runs there that isn't the same from every place.
    """

    members: tuple[int, ...]
    marks: tuple[int, ...]
    fixed: bool


@dataclass
class Coloured:
    """NPUs with their first colours, and what refines them.

    peers: for each slot the peer of each NPU, or the number of NPUs where it has none. rings: of process groups and
    along dimensions. seats: for each slot of rings, (ring, place) of each NPU, or None.
    """

    colours: list[int]
    peers: list[list[int]] = field(default_factory=list)
    rings: list[Ring] = field(default_factory=list)
    seats: list[list[tuple[int, int] | None]] = field(default_factory=list)


class Partition(NamedTuple):
    """The colour of each NPU, 0 for NPU 0's, and the class of each ring: rings of one class look the same."""

    colours: list[int]
    classes: list[int]


def refined(start: Coloured, by_place: Collection[int] = (), most: int | None = None) -> Partition | None:
    """The coarsest partition in which NPUs of a colour have peers of the same colours and rings of the same classes.

    by_place: numbers of rings in which the place of a member matters, not only which ring it is in. most: None comes
    back as soon as there are more colours.

    >>> refined(Coloured([0, 0, 0, 1], peers=[[1, 0, 3, 2]])).colours
    [0, 0, 1, 2]
    """
    colours, count = numbered(start.colours)
    marks = 1 + max((mark for ring in start.rings for mark in ring.marks), default=0)
    whole = set(by_place)
    while True:
        if most is not None and count > most:
            return None
        looks = _looks(start.rings, colours, marks)
        classes, _ = numbered((look.colours, ring.fixed) for look, ring in zip(looks, start.rings, strict=True))
        seen = [
            [-1 if seat is None else _view(seat, looks, classes, start.rings, whole) for seat in seats]
            for seats in start.seats
        ]
        known = [*colours, -1]
        columns = [[known[peer] for peer in peers] for peers in start.peers]
        colours, found = numbered(zip(colours, *columns, *seen, strict=True))
        if found == count:
            return Partition(colours, classes)
        count = found


def numbered(keys: Iterable[Hashable]) -> tuple[list[int], int]:
    """The number of each key, in the order of their first appearance, and how many different ones there are."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys], len(numbers)


def _looks(rings: list[Ring], colours: list[int], marks: int) -> list[Turned]:
    """How rings look; many look the same, so that each look is found once."""
    seen: dict[tuple[bool, tuple[int, ...]], Turned] = {}
    looks = []
    for members, own, fixed in rings:
        here = tuple([colours[npu] * marks + mark for npu, mark in zip(members, own, strict=True)])
        look = seen.get((fixed, here))
        if look is None:
            look = seen[fixed, here] = Turned(here, 0, len(here)) if fixed else turned(here)
        looks.append(look)
    return looks


def _view(
    seat: tuple[int, int], looks: list[Turned], classes: list[int], rings: list[Ring], by_place: set[int]
) -> Hashable:
    """A ring as one of its members sees it."""
    ring, place = seat
    if ring not in by_place:
        return classes[ring]
    look = looks[ring]
    return classes[ring], (place - look.start) % len(rings[ring].members) % look.period
