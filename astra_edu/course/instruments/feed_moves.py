"""Where NPU 0's shards are at every beat, with either endpoint: in HBM, on the chip, in a port."""

from __future__ import annotations

from collections import defaultdict
from math import ceil

from astra_edu.collectives import Op
from astra_edu.course.instruments.feed_beats import Beat, Film
from astra_edu.course.instruments.scene import Box, Piece

CELL, HIGH, PITCH, ROW = 22.0, 12.0, 24.0, 14.0
HBM_X, CHIP_X, NET_X = 0.0, 122.0, 244.0
TOP, BETWEEN = 32.0, 16.0


class Moves:
    """One endpoint: where its parts are, and which shard is where at which beat."""

    def __init__(self, found: Film, chip: bool, x: float) -> None:
        """chip: ACE's, not the baseline's. x: its left edge."""
        self.film, self.chip, self.x = found, chip, x
        self.name = "ACE" if chip else "baseline"
        self.slots = {shard: slot for slot, shard in enumerate(found.shards)}
        most = max(len(step) for step in (*found.going, *found.coming))
        self.high = ROW * max(2, ceil(len(self.slots) / 4), ceil(most / 2)) + 4
        self.low = TOP + self.high + BETWEEN
        self.at: defaultdict[str, dict[int, tuple[Box, str]]] = defaultdict(dict)
        self.words: dict[str, tuple[str, str]] = {}
        self.by: defaultdict[str, dict[int, Box]] = defaultdict(dict)
        if chip:
            self._on_chip()
        else:
            self._through_memory()

    # places

    def _cell(self, x: float, y: float, place: int, across: int = 4) -> Box:
        row, column = divmod(place, across)
        return (self.x + x + 2 + column * PITCH, y + 2 + row * ROW, CELL, HIGH)

    def _own(self, shard: int) -> Box:
        return self._cell(HBM_X, TOP, self.slots[shard])

    def _waiting(self, place: int) -> Box:
        return self._cell(HBM_X, self.low, place)

    def _sram(self, shard: int) -> Box:
        return self._cell(CHIP_X, TOP, self.slots[shard])

    def _core(self, place: int) -> Box:
        return self._cell(CHIP_X, TOP, place)

    def _out(self, place: int) -> Box:
        return self._cell(NET_X, TOP, place, 2)

    def _in(self, place: int) -> Box:
        return self._cell(NET_X, self.low, place, 2)

    # what moves

    def _put(self, what: str, shard: int, t: int, box: Box, data: int, title: str) -> None:
        name = f"{self.name}, {what}"
        self.at[name][t] = (box, self.film.look(data))
        self.words[name] = (str(shard), f"shard {shard}: {title}")

    def _messages(self, t: int, beat: Beat, here: dict[int, int]) -> None:
        """What goes, from its place on the chip to the port; what comes, in the port. here: what the NPU has."""
        going, coming = self.film.going[beat.step], self.film.coming[beat.step]
        cores = {} if self.chip else self._operands(beat)
        for place, message in enumerate(going):
            start = self._sram(message.shard) if self.chip else self._core(cores[message.shard])
            what, title = f"message {place} of step {beat.step}", f"sent to NPU {message.other}"
            self._put(what, message.shard, t, start, here[message.shard], title)
            self._put(what, message.shard, t + 1, self._out(place), message.data, title)
        for place, message in enumerate(coming):
            what = f"arrival {message.shard} of step {beat.step}"
            self._put(what, message.shard, t, self._in(place), message.data, f"comes from NPU {message.other}")

    def _operands(self, beat: Beat) -> dict[int, int]:
        """{shard that cores read: its place there}, with room after it for what is added to it."""
        found, place, received = {}, 0, beat.of(False, "received")
        for shard in beat.of(False, "own"):
            found[shard] = place
            place += 1 + received.count(shard)
        return found

    def _through_memory(self) -> None:
        """HBM, cores, HBM: fill in all that the baseline moves. lies: received and not added yet, by shard."""
        in_hbm = {shard: data for shard, data in enumerate(self.film.held[0]) if data}
        lies: defaultdict[int, list[str]] = defaultdict(list)
        fetched = self.film.beats[0]
        for t, beat in enumerate(self.film.beats):
            if beat.part in ("read", "add"):
                fetched = beat
                self._fetch(t, beat, in_hbm, lies)
            if beat.part == "read":
                self._messages(t, beat, in_hbm)
            if beat.part in ("send", "keep"):
                self._write_sums(t, beat, in_hbm, self._operands(fetched))
            if beat.part == "send":
                self._keep_arrivals(t, beat, in_hbm, lies)
            for name in (name for names in lies.values() for name in names):
                self.at[name][t] = self.at[name].get(t) or self.at[name][t - 1]
            self._show_hbm(t, in_hbm)

    def _fetch(self, t: int, beat: Beat, in_hbm: dict[int, int], lies: dict[int, list[str]]) -> None:
        for shard, place in self._operands(beat).items():
            what = f"read {shard} of step {beat.step} {beat.part}"
            self._put(what, shard, t - 1, self._own(shard), in_hbm[shard], "read from HBM")
            self._put(what, shard, t, self._core(place), in_hbm[shard], "read from HBM")
            received = lies.pop(shard) if shard in beat.of(False, "received") else []
            for after, name in enumerate(received, start=1):
                self.at[name][t] = (self._core(place + after), self.at[name][t - 1][1])

    def _write_sums(self, t: int, beat: Beat, in_hbm: dict[int, int], cores: dict[int, int]) -> None:
        for shard in beat.of(False, "sum"):
            data = self.film.held[beat.step + (beat.part == "keep")][shard]
            what = f"sum {shard} of step {beat.step}"
            self._put(what, shard, t - 1, self._core(cores[shard]), in_hbm[shard], "the sum")
            self._put(what, shard, t, self._own(shard), data, "the sum, written to HBM")
            in_hbm[shard] = data

    def _keep_arrivals(self, t: int, beat: Beat, in_hbm: dict[int, int], lies: dict[int, list[str]]) -> None:
        for message in self.film.coming[beat.step]:
            what, title = f"arrival {message.shard} of step {beat.step}", f"came from NPU {message.other}"
            if message.op is Op.COPY:
                self._put(what, message.shard, t, self._own(message.shard), message.data, title)
                in_hbm[message.shard] = message.data
                continue
            taken = {self.at[name][t - 1][0] for names in lies.values() for name in names}
            taken |= {self.at[name][t][0] for names in lies.values() for name in names if t in self.at[name]}
            free = next(place for place in range(len(self.slots)) if self._waiting(place) not in taken)
            self._put(what, message.shard, t, self._waiting(free), message.data, title)
            lies[message.shard].append(f"{self.name}, {what}")

    def _on_chip(self) -> None:
        """HBM, SRAM, HBM: fill in all that ACE moves."""
        in_hbm = {shard: data for shard, data in enumerate(self.film.held[0]) if data}
        in_sram: dict[int, int] = {}
        last = self._last_use()
        for t, beat in enumerate(self.film.beats):
            for shard in beat.of(True, "load"):
                self._put(f"in SRAM {shard}", shard, t - 1, self._own(shard), in_hbm[shard], "loaded")
                in_sram[shard] = in_hbm[shard]
            if beat.part == "read":
                self._messages(t, beat, in_sram)
            if beat.part == "send":
                self._take_in(t, beat, in_sram)
                self._store(t, beat, in_sram, in_hbm)
            for shard, data in in_sram.items():
                self._put(f"in SRAM {shard}", shard, t, self._sram(shard), data, "in ACE’s SRAM")
            if beat.part == "send":
                in_sram = {shard: data for shard, data in in_sram.items() if last[shard] > beat.step}
            self._show_hbm(t, in_hbm)

    def _last_use(self) -> dict[int, int]:
        steps = zip(self.film.going, self.film.coming, strict=True)
        return {m.shard: number for number, (a, b) in enumerate(steps) for m in (*a, *b)}

    def _take_in(self, t: int, beat: Beat, in_sram: dict[int, int]) -> None:
        for message in self.film.coming[beat.step]:
            what = f"arrival {message.shard} of step {beat.step}"
            data = self.film.held[beat.step + 1][message.shard]
            self._put(what, message.shard, t, self._sram(message.shard), data, f"came from NPU {message.other}")
            in_sram[message.shard] = data

    def _store(self, t: int, beat: Beat, in_sram: dict[int, int], in_hbm: dict[int, int]) -> None:
        coming = [m.shard for m in self.film.coming[beat.step]]
        for shard in beat.of(True, "store"):
            data = in_sram.get(shard, self.film.held[beat.step + 1][shard])
            what = f"store {shard}"
            if shard in coming:
                what = f"arrival {shard} of step {beat.step}"
                self.by[f"{self.name}, {what}"][t] = self._sram(shard)
            else:
                self._put(what, shard, t - 1, self._sram(shard), data, "stored")
            self._put(what, shard, t, self._own(shard), data, "stored in HBM")
            in_hbm[shard] = data

    def _show_hbm(self, t: int, in_hbm: dict[int, int]) -> None:
        for shard, data in in_hbm.items():
            self._put(f"in HBM {shard}", shard, t, self._own(shard), data, "in HBM")

    def pieces(self) -> list[Piece]:
        """All that moves. Own data in HBM come first, so that copies lie on them."""
        names = sorted(self.at, key=lambda name: " in HBM " not in name)
        beats = range(len(self.film.beats))
        found = []
        for name in names:
            here = self.at[name]
            first, last = min(here), max(here)
            looks = tuple(
                here[min(max(t, first), last)][1] if t in here or not first <= t <= last else "own data" for t in beats
            )
            at = tuple(here[t][0] if t in here else None for t in beats)
            found.append(Piece(name, at, looks, *self.words[name], dict(self.by.get(name, {}))))
        return found
