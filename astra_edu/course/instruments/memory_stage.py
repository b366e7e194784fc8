"""Memory systems on the stage: packets of the first and the last memory, through the switches, to two of the GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from astra_edu.base.units import format_ns, several
from astra_edu.course.instruments.memory_frames import HIGH, WIDE, Spots, columns, lines
from astra_edu.course.instruments.memory_job import POOL, Turn, Way, slowest
from astra_edu.course.instruments.scene import Box, Piece, Stage
from astra_edu.course.instruments.setting import Values

MOST_STEPS = 48
_GPU, _OUT, _IN, _MEMORY = "GPUs", "out-node switches", "in-node switches", "memories"


@dataclass(frozen=True)
class Leg:
    """A piece on its way through a stage, from box to box in equal times. to: the column that it comes to."""

    start_ns: float
    end_ns: float
    boxes: tuple[Box, ...]
    to: str

    def at(self, t: float) -> Box:
        """Where it is at t ns."""
        share = min(1.0, max(0.0, (t - self.start_ns) / (self.end_ns - self.start_ns)))
        along = share * (len(self.boxes) - 1)
        number = min(int(along), len(self.boxes) - 2)
        one, other = self.boxes[number : number + 2]
        x, y, w, h = (round(a + (b - a) * (along - number), 2) for a, b in zip(one, other, strict=True))
        return (x, y, w, h)


@dataclass(frozen=True)
class Walk:
    """The way of a piece: of memory `memory`, to or from GPU `gpu`. since, until: when it is there, in ns."""

    number: int
    memory: int
    gpu: int
    legs: tuple[Leg, ...]
    since: float = 0
    until: float = float("inf")

    @property
    def end_ns(self) -> float:
        """When it has come to its end."""
        return self.legs[-1].end_ns

    def at(self, t: float) -> Box | None:
        """Where it is at t ns, if it is there."""
        if not self.since <= t < self.until:
            return None
        leg = next((leg for leg in reversed(self.legs) if leg.start_ns <= t), self.legs[0])
        return leg.at(t)

    def waits(self, t: float) -> str:
        """The column in which it waits at t ns for its next stage; nothing if it doesn't."""
        for leg, following in pairwise(self.legs):
            if leg.end_ns <= t < following.start_ns:
                return leg.to
        return ""


def walks(way: Way, spots: Spots) -> list[Walk]:
    """Every piece that is drawn of one system."""
    pairs = [(m, j) for m in range(2) for j in range(2)] if way.joined else [(m, m) for m in range(2)]
    make = _pooled if way.name == POOL else _private
    return [make(way, spots, k, m, j) for k in range(len(way.turns)) for m, j in pairs]


def _pooled(way: Way, spots: Spots, k: int, m: int, j: int) -> Walk:
    """Memory m, out-node switch m, in-node switch j, GPU j; the same way back if it is stored."""
    slots = [spots.slot(column, row, k, m) for column, row in ((_MEMORY, m), (_OUT, m), (_IN, j), (_GPU, j))]
    reads = spots.outlet(_MEMORY, m, m)
    path = [(slots[0], reads), (reads, slots[1]), (slots[1], slots[2]), (slots[2], slots[3])]
    columns = [_MEMORY, _OUT, _IN, _GPU]
    legs = _legs(way, k, path, columns)
    if not way.joined or j == m:
        return Walk(k, m, j, legs)
    if way.store:  # the other GPU's bytes are added up at the out-node switch, and are no more
        return Walk(k, m, j, legs, until=legs[1].end_ns)
    return Walk(k, m, j, legs, since=legs[2].start_ns)


def _private(way: Way, spots: Spots, k: int, m: int, j: int) -> Walk:
    """Memory m and GPU m; and over the switches to GPU j, if all need the same."""
    stored, held = spots.slot(_MEMORY, m, k, m), spots.slot(_GPU, m, k, m)
    if m == j:
        lane = len(way.stages) - 1 if way.store else 0
        turn = way.turns[k][lane]
        ends = ((held, stored), _MEMORY) if way.store else ((stored, held), _GPU)
        return Walk(k, m, j, (Leg(turn.start_ns, turn.end_ns, *ends),))
    above, inside, there = spots.slot(_OUT, 0, k, m), spots.slot(_IN, j, k, m), spots.slot(_GPU, j, k, m)
    if way.store:
        one, other = way.turns[k][:2]
        back = (
            Leg(one.start_ns, one.end_ns, (there, inside), _IN),
            Leg(other.start_ns, other.end_ns, (inside, above, held), _GPU),
        )
        return Walk(k, m, j, back, until=other.end_ns)
    one, other = way.turns[k][1:]
    legs = (
        Leg(one.start_ns, one.end_ns, (held, above, inside), _IN),
        Leg(other.start_ns, other.end_ns, (inside, there), _GPU),
    )
    return Walk(k, m, j, legs, since=one.start_ns)


def _legs(way: Way, k: int, path: Sequence[tuple[Box, Box]], columns: Sequence[str]) -> tuple[Leg, ...]:
    turns: Sequence[Turn] = way.turns[k]
    if way.store:
        path, columns = [(b, a) for a, b in reversed(path)], [*columns[-2::-1], columns[0]]
    return tuple(
        Leg(turn.start_ns, turn.end_ns, boxes, to) for turn, boxes, to in zip(turns, path, columns, strict=True)
    )


def memory_stage(title: str, ways: Sequence[Way], values: Values) -> Stage:
    """Both systems, one above the other, on one clock."""
    spots = [Spots(number, way.name, way.store) for number, way in enumerate(ways)]
    found = [walks(way, spot) for way, spot in zip(ways, spots, strict=True)]
    times = moments([leg for each in found for walk in each for leg in walk.legs])
    pieces = [_piece(way, walk, times) for way, each in zip(ways, found, strict=True) for walk in each]
    steps = tuple(
        " ".join([f"{format_ns(t)}.", *(_said(way, each, t) for way, each in zip(ways, found, strict=True))])
        for t in times
    )
    return Stage(
        title,
        (WIDE, HIGH),
        (f"{_intro(ways)} {steps[0]}", *steps[1:]),
        tuple(frame for spot in spots for frame in columns(spot, values)),
        tuple(pieces),
        still=len(times) // 2,
        clock=True,
        links=tuple(
            link
            for spot, way in zip(spots, ways, strict=True)
            for link in lines(spot, values, slowest(way.slowest), len(times))
        ),
        times=tuple(t / 1e3 for t in times),
    )


def moments(legs: Sequence[Leg]) -> list[float]:
    """When something sets out, turns or comes to its end, in ns; if these are too many, every other, or third, ..."""
    found = sorted({0.0, *(round(t, 6) for leg in legs for t in _turning(leg))})
    return sorted({*found[:: -(-len(found) // MOST_STEPS)], found[-1]})


def _turning(leg: Leg) -> list[float]:
    parts = len(leg.boxes) - 1
    return [leg.start_ns + (leg.end_ns - leg.start_ns) * number / parts for number in range(parts + 1)]


def _piece(way: Way, walk: Walk, times: Sequence[float]) -> Piece:
    looks = tuple(_look(way, walk, t) for t in times)
    end = ("first", "last")
    what = f"packet {walk.number}" if way.slowest.packets <= len(way.turns) else f"packets, part {walk.number}"
    title = f"{way.name}, {what}: {end[walk.memory]} memory, {end[walk.gpu]} GPU"
    name = f"{way.name}, {walk.number} of memory {walk.memory}, GPU {walk.gpu}"
    return Piece(name, tuple(walk.at(t) for t in times), looks, str(walk.number), title)


def _look(way: Way, walk: Walk, t: float) -> str:
    if t >= walk.end_ns - 1e-6:
        return "complete"
    if not way.store:
        return "parameters"
    added = next((leg.end_ns for leg in walk.legs if leg.to == _OUT), walk.end_ns) if way.name == POOL else None
    if way.joined and (t < added if added else t < _added(way, walk)):
        return "partial sums"
    return "gradients"


def _added(way: Way, walk: Walk) -> float:
    """When the private memories' reduce-scatter of this piece is done."""
    return way.turns[walk.number][-2].end_ns


def _intro(ways: Sequence[Way]) -> str:
    counts = []
    for way in ways:
        packets, pieces = max(transfer.packets for transfer in way.transfers), len(way.turns)
        said = several(packets, "packet") if packets <= pieces else f"{packets:,} packets in {pieces} pieces"
        counts.append(f"{way.name} {said}")
    return f"Drawn are the first and the last of each kind. {', '.join(counts)}."


def _said(way: Way, found: Sequence[Walk], t: float) -> str:
    if t >= way.ns - 1e-6:
        return f"{way.name}: done."
    pieces = range(len(way.turns))
    done = sum(all(walk.end_ns <= t + 1e-6 for walk in found if walk.number == k) for k in pieces)
    waiting: dict[str, set[int]] = {}
    for walk in found:
        if (column := walk.waits(t)) and walk.since <= t <= walk.until:
            waiting.setdefault(column, set()).add(walk.number)
    waits = "".join(f", {several(len(numbers), 'piece')} at the {column}" for column, numbers in waiting.items())
    return f"{way.name}: {done} of {len(pieces)} there{' (waiting' + waits[1:] + ')' if waits else ''}."
