"""The endpoint on the stage: NPU 0 twice, as it is today and with ACE; shards move between HBM, chip and network."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.units import several
from astra_edu.collectives import Op, Schedule
from astra_edu.course.instruments.feed_beats import Beat, Film, film
from astra_edu.course.instruments.feed_moves import CHIP_X, HBM_X, HIGH, NET_X, PITCH, ROW, TOP, Moves
from astra_edu.course.instruments.feed_says import said
from astra_edu.course.instruments.scene import Frame, Link, Piece, Stage

WIDE, RIGHT = 634.0, 324.0
BLOCK, PORT = 4 * PITCH + 2, 2 * PITCH + 2
COUNTERS = 14.0
BAR_X, BAR = 84.0, 172.0
COUNTED = ("read from HBM", "written to HBM", "sent")


def feed_stage(title: str, schedule: Schedule, name: str, cores: int) -> Stage:
    """Both endpoints of NPU 0 at every beat. name, cores: the baseline's."""
    found = film(schedule)
    halves = [_Half(found, False, 0.0), _Half(found, True, RIGHT)]
    frames = [frame for half in halves for frame in half.frames(name, cores)]
    pieces = [piece for half in halves for piece in (*half.counters(), *half.moves.pieces())]
    links = [link for half in halves for link in half.links()]
    says = tuple(said(found, beat) for beat in found.beats)
    return Stage(
        title,
        (WIDE, halves[0].end),
        says,
        tuple(frames),
        tuple(pieces),
        still=len(says) // 2,
        links=tuple(links),
        hidden=True,
    )


class _Half:
    """One endpoint: its parts, what moves, and its counters."""

    def __init__(self, found: Film, chip: bool, x: float) -> None:
        self.film, self.chip, self.x = found, chip, x
        self.moves = Moves(found, chip, x)
        self.name, self.low, self.high = self.moves.name, self.moves.low, self.moves.high
        self.end = self.low + self.high + COUNTERS + 3 * ROW

    def _counts(self, beat: Beat) -> tuple[int, int, int]:
        return beat.reads[self.chip], beat.writes[self.chip], beat.sent

    def counters(self) -> list[Piece]:
        """Three bars that grow with what is read, written and sent, on the same scale on both sides."""
        last = self.film.beats[-1]
        unit = BAR / max(*last.reads.values(), *last.writes.values(), last.sent)
        found = []
        for row, look in enumerate(COUNTED):
            x, y = self.x + BAR_X, self._row(row)
            counts = [self._counts(beat)[row] for beat in self.film.beats]
            at = tuple((x, y, count * unit, HIGH - 2) if count else None for count in counts)
            found.append(Piece(f"{self.name}, {look}", at, (look,) * len(at), "", f"shards {look}"))
        return found

    def _row(self, row: int) -> float:
        return self.low + self.high + COUNTERS + row * ROW

    def frames(self, name: str, cores: int) -> list[Frame]:
        """HBM, cores or ACE's parts, ports, and the counters' names and numbers."""
        found = [
            self._frame("HBM", HBM_X, TOP, BLOCK, "HBM: its data"),
            self._frame("to", NET_X, TOP, PORT, "network: out"),
        ]
        found.append(self._frame("from", NET_X, self.low, PORT, "network: in"))
        if self.chip:
            found += [self._words("name", 9, "NPU 0 with ACE, an engine beside the network")]
            found += [self._frame("SRAM", CHIP_X, TOP, BLOCK, "ACE’s SRAM"), *self._engine()]
        else:
            found += [self._words("name", 9, f"NPU 0 today: baseline ({name})")]
            found += [self._frame("received", HBM_X, self.low, BLOCK, "HBM: received, to be added")]
            found += [self._frame("cores", CHIP_X, TOP, BLOCK, f"{several(cores, 'core')}: read and add")]
        for row, look in enumerate(COUNTED):
            y = self._row(row)
            says = tuple(str(self._counts(beat)[row]) for beat in self.film.beats)
            found.append(self._words(look, y + 8, look))
            box = (self.x + BAR_X + BAR + 6, y - 1, 30.0, HIGH)
            found.append(Frame(f"{self.name}, number {look}", box, "", says))
        return found

    def _engine(self) -> list[Frame]:
        """What ACE's parts did in each beat, in shards."""
        wide, beats = BLOCK / 3 - 2, self.film.beats
        moved = tuple(str(len(beat.did[True])) for beat in beats)
        added = tuple(str(self._added(beat)) for beat in beats)
        steps = tuple(str(max(0, beat.step + 1)) for beat in beats)
        parts = (("DMA", "DMA", moved), ("ALU", "ALU", added), ("FSM", "FSM", steps))
        return [
            Frame(f"ACE, {part}", (self.x + CHIP_X + place * (wide + 3), self.low, wide, 18.0), text, says)
            for place, (part, text, says) in enumerate(parts)
        ]

    def _added(self, beat: Beat) -> int:
        coming = self.film.coming[beat.step] if beat.part == "send" else ()
        return sum(message.op is Op.REDUCE for message in coming)

    def _frame(self, part: str, x: float, y: float, wide: float, text: str) -> Frame:
        return Frame(f"{self.name}, {part}", (self.x + x, y, wide, self.high), text)

    def _words(self, part: str, y: float, text: str) -> Frame:
        return Frame(f"{self.name}, {part}", (self.x, y + 3, 0, 0), text)

    def links(self) -> list[Link]:
        """Arrows between the parts, as thick as what goes there in a beat."""
        beats, low, x = self.film.beats, self.low + self.high / 2, self.x
        up, down = TOP + 7, TOP + self.high - 7
        read = [sum(a.kind == "read" for a in beat.did[self.chip]) for beat in beats]
        wrote = [sum(a.kind == "write" and a.what != "arrival" for a in beat.did[self.chip]) for beat in beats]
        going = [len(self.film.going[beat.step]) if beat.part == "send" else 0 for beat in beats]
        coming = [len(self.film.coming[beat.step]) if beat.part == "send" else 0 for beat in beats]
        ends = (
            (x + NET_X - 1, low),
            (x + CHIP_X + BLOCK + 10, low),
            (x + CHIP_X + BLOCK + 10, down),
            (x + CHIP_X + BLOCK + 1, down),
        )
        straight = ((x + NET_X - 1, low), (x + HBM_X + BLOCK + 1, low))
        return [
            self._link("reads", ((x + BLOCK + 1, up), (x + CHIP_X - 1, up)), COUNTED[0], read),
            self._link("writes", ((x + CHIP_X - 1, down), (x + BLOCK + 1, down)), COUNTED[1], wrote),
            self._link("sends", ((x + CHIP_X + BLOCK + 1, up), (x + NET_X - 1, up)), COUNTED[2], going),
            self._link("receives", ends if self.chip else straight, COUNTED[2] if self.chip else COUNTED[1], coming),
        ]

    def _link(self, what: str, points: Sequence[tuple[float, float]], look: str, counts: Sequence[int]) -> Link:
        wide = tuple(min(4.0, 1.5 + count) if count else 0.8 for count in counts)
        return Link(
            f"{self.name}, {what}", tuple(points), (look,) * len(wide), wide, title=f"{self.name} {what}", arrow=True
        )
