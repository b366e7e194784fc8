"""Platforms of the case studies to scale: 512 NPUs in nested boxes, and what leaves an NPU as lines as wide as fast."""

from __future__ import annotations

from itertools import accumulate
from operator import mul

from astra_edu.course.instruments.case_job import dimensions, group
from astra_edu.course.instruments.scene import Box, Frame, Link, Piece, Stage
from astra_edu.course.studies.case_studies import SYSTEMS
from astra_edu.network import Topology

NPUS, COLUMNS = 512, 32
CELL, NPU, GAP = 6.6, 5.2, 1.5
TOP, HALF = 16.0, 268.0
PER_GB_S = 0.06
"""Units of a line's width for each GB/s."""
HIGH = 220.0
_NAMES = {Topology.RING: "ring of", Topology.FULLY_CONNECTED: "fully connected", Topology.SWITCH: "switch of"}


def boundaries(system: str) -> list[int]:
    """How many NPUs a box of each dimension holds."""
    return list(accumulate((npus for _, npus, _ in SYSTEMS[system].dimensions), mul))


def cell(system: str, npu: int) -> tuple[float, float]:
    """The upper left corner of an NPU: neighbours are side by side, and a gap is where a box ends."""
    x = y = 0.0
    inside = boundaries(system)[:-1]
    for bit in range(9):
        if npu >> bit & 1:
            step = CELL * 2 ** (bit // 2)
            gaps = GAP * sum(_spans(limit, bit) for limit in inside)
            if bit % 2:
                y += step + gaps
            else:
                x += step + gaps
    return x, y


def _spans(limit: int, bit: int) -> int:
    """How many edges of boxes of `limit` NPUs lie between two NPUs that differ in this bit alone."""
    width, height = limit.bit_length() // 2, (limit.bit_length() - 1) // 2  # of a box, as powers of two
    return 2 ** (bit // 2) >> (height if bit % 2 else width) if 2**bit >= limit else 0


def box(system: str, number: int, size: int) -> Box:
    """The box around NPUs `number` · `size` on."""
    x, y = cell(system, number * size)
    right, below = cell(system, (number + 1) * size - 1)
    return (x - 0.8, y - 0.8, right - x + NPU + 1.6, below - y + NPU + 1.6)


def platform_stage(title: str, systems: tuple[str, str], name: str) -> Stage:
    """Two platforms side by side; then who talks with NPU 0, and over which dimensions."""
    steps = ["Every square is an NPU, every box what a dimension joins. A line is what leaves an NPU, as wide as fast."]
    if group(name) > 1:
        steps.append(
            f"The {group(name)} NPUs of a tensor group share out a copy of the model. Their collectives have the "
            "coloured lines only."
        )
        steps.append(
            f"The {NPUS // group(name)} NPUs that have the same part of each copy add up its gradients, over the "
            "coloured lines only."
        )
    else:
        steps.append("All 512 NPUs take part in every collective, and every line serves them.")
    sides = [_Side(system, name, number, len(steps)) for number, system in enumerate(systems)]
    return Stage(
        title,
        (2 * HALF - 8, HIGH),
        tuple(steps),
        tuple(frame for side in sides for frame in side.frames()),
        tuple(piece for side in sides for piece in side.pieces()),
        still=1,
        links=tuple(link for side in sides for link in side.lines()),
    )


class _Side:
    """One of the two platforms. number: 0 on the left."""

    def __init__(self, system: str, name: str, number: int, steps: int) -> None:
        self.system, self.left, self.steps = system, 4 + number * HALF, steps
        self.key = f"{'left' if number == 0 else 'right'}, {system}"
        self.size, self.dims = group(name), dimensions(system, name)

    def frames(self) -> list[Frame]:
        system = SYSTEMS[self.system]
        text = f"{system.name}: {system.title.partition(':')[0]}, {system.bandwidth:g} GB/s an NPU"
        found = [Frame(f"{self.key}, name", (self.left, TOP - 3, 0, 0), text)]
        for d, size in enumerate(boundaries(self.system)):
            for number in range(NPUS // size):
                if size >= 16 or number == 0:
                    x, y, wide, high = box(self.system, number, size)
                    at = (round(self.left + x, 2), round(TOP + y, 2), round(wide, 2), round(high, 2))
                    found.append(Frame(f"{self.key}, dimension {d}, box {number}", at))
        for d, (y, said) in enumerate(self._lines()):
            found.append(Frame(f"{self.key}, words {d}", (self.left + 55, y + 6, 0, 0), said))
        return found

    def pieces(self) -> list[Piece]:
        found = []
        for npu in range(NPUS):
            x, y = cell(self.system, npu)
            at = (round(self.left + x, 2), round(TOP + y, 2), NPU, NPU)
            looks = ["NPU"]
            if self.size > 1:
                looks.append("tensor group" if npu < self.size else "NPU")
                looks.append("data group" if npu % self.size == 0 else "NPU")
            else:
                looks.append("data group")
            found.append(Piece(f"{self.key}, NPU {npu}", (at,) * self.steps, tuple(looks), title=f"NPU {npu}"))
        return found

    def lines(self) -> list[Link]:
        """One for each dimension, below one another."""
        found = []
        for d, (y, said) in enumerate(self._lines()):
            tensor, copies = (
                kind if d in dims else "link"
                for kind, dims in zip(("tensor group", "data group"), self.dims, strict=True)
            )
            looks = ("link", tensor, copies) if self.size > 1 else ("link", copies)
            wide = SYSTEMS[self.system].dimensions[d][2] * PER_GB_S
            points = ((self.left, y), (self.left + 50, y))
            found.append(Link(f"{self.key}, line {d}", points, looks, (wide,) * self.steps, title=said))
        return found

    def _lines(self) -> list[tuple[float, str]]:
        """For each dimension where its line is, and what it is."""
        y, found = TOP + box(self.system, 0, NPUS)[3] + 8, []
        for d, (topology, npus, rate) in enumerate(SYSTEMS[self.system].dimensions):
            high = max(rate * PER_GB_S, 11)
            found.append((y + high / 2, f"dimension {d}: {_NAMES[topology]} {npus}, {rate:g} GB/s"))
            y += high + 2
        return found
