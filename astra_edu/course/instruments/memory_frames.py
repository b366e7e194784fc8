"""Where things of a memory system stand on the stage: memories, switches and GPUs in columns, links between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from astra_edu.course.instruments.memory_job import ALIKE, MOST_PIECES, POOL, ZERO_LINK, ZERO_REMOTE
from astra_edu.course.instruments.scene import Box, Frame, Link
from astra_edu.course.instruments.setting import Values
from astra_edu.course.studies.memory_systems.fabric import IN_NODE, OUT_NODE, REMOTE

PIECE, TALL, PITCH = 8.0, 10.0, 9.0
COLUMN, ROW = MOST_PIECES * PITCH + 4, 26.0
GAP, APART, HEAD = 52.0, 14.0, 24.0
WIDE = 4 + 5 * COLUMN + 4 * GAP + 6
HIGH = 2 * (HEAD + 2 * ROW + APART) + 4
MEMORY_SIDE, GPU_SIDE = f"{OUT_NODE}, memory side", f"{OUT_NODE}, GPU side"
THICK = 9.0
"""How wide the widest line is; the others to scale."""


@dataclass(frozen=True)
class Spots:
    """Where the pieces of one system stand. number: 0 for the upper one."""

    number: int
    name: str
    store: bool

    def x(self, column: str) -> float:
        """Of a column's left edge. Memories are behind the out-node switches, or behind the GPUs."""
        last = 0 if self.name == POOL else 4
        place = {"memories": last, "out-node switches": 1, "in-node switches": 2, "GPUs": 3}[column]
        return 4 + place * (COLUMN + GAP)

    def y(self, row: int) -> float:
        """Of the upper edge of the first (0) or the last (1) of a kind."""
        return HEAD + self.number * (HEAD + 2 * ROW + APART) + row * (ROW + APART)

    def slot(self, column: str, row: int, k: int, memory: int) -> Box:
        """Of piece k of a memory, in a column. What goes first stands where it leaves."""
        leftwards = self.store == (self.name == POOL)
        place = k if leftwards else MOST_PIECES - 1 - k
        return (self.x(column) + 2.5 + place * PITCH, self.y(row) + 2 + memory * (TALL + 2), PIECE, TALL)

    def outlet(self, column: str, row: int, memory: int) -> Box:
        """Half-way to the next column, where the memory ends and the link begins."""
        return (self.x(column) + COLUMN + (GAP - PIECE) / 2, self.y(row) + 2 + memory * (TALL + 2), PIECE, TALL)


def columns(spots: Spots, values: Values) -> list[Frame]:
    """The first and the last of every kind as frames, how many there are above them, and the system's name."""
    pooled = spots.name == POOL
    memories = f"{values['groups'] if pooled else values['nodes'] ** 2} memories"
    heads = {
        "memories": memories,
        "out-node switches": f"{values['switches']} out-node sw.",
        "in-node switches": f"{values['nodes']} in-node sw.",
        "GPUs": f"{values['nodes'] ** 2} GPUs",
    }
    found = []
    for column, text in heads.items():
        x = spots.x(column)
        for row in range(2):
            box = (x, spots.y(row), COLUMN, ROW)
            found.append(Frame(f"{spots.name}, {column} {row}", box, text if row == 0 else "⋮"))
    side = 4 + (4 if pooled else 0) * (COLUMN + GAP)
    words = ("a pool that", "all GPUs share") if pooled else ("a memory of its", "own for each GPU")
    for line, text in enumerate((f"{spots.name}:", *words)):
        found.append(Frame(f"{spots.name}, words {line}", (side, spots.y(0) + 14 + 11 * line, 0, 0), text))
    return found


def rates(spots: Spots, values: Values) -> dict[str, float]:
    """The bandwidth of each kind of line, in bytes/ns."""
    if spots.name == POOL:
        out = values["out"]
        return {REMOTE: values["remote"], MEMORY_SIDE: out, GPU_SIDE: out, IN_NODE: values["link"]}
    alike = values["zero"] == ALIKE
    remote, link = (values["remote"], values["link"]) if alike else (ZERO_REMOTE, ZERO_LINK)
    return {REMOTE: remote, OUT_NODE: values["out"], IN_NODE: link}


def lines(spots: Spots, values: Values, slow: Sequence[str], steps: int) -> list[Link]:
    """The links, as wide as they are fast. slow: the stages that are marked, from the second step on."""
    scale = THICK / max(1024, *rates(spots, values).values())
    found = []
    for stage, bandwidth in rates(spots, values).items():
        looks = ("link", *(["slowest stage" if stage in slow else "link"] * (steps - 1)))
        for number, points in enumerate(_points(spots, stage)):
            said = f"{bandwidth:g}" if number == 0 else ""
            title = f"{spots.name}, {stage}: {bandwidth:g} bytes/ns each"
            name = f"{spots.name}, {stage}, line {number}"
            found.append(Link(name, points, looks, (max(0.8, bandwidth * scale),) * steps, (said,) * steps, title))
    return found


def _points(spots: Spots, stage: str) -> list[tuple[tuple[float, float], ...]]:
    def right(column: str, row: int) -> tuple[float, float]:
        return (spots.x(column) + COLUMN, spots.y(row) + ROW / 2)

    def left(column: str, row: int) -> tuple[float, float]:
        return (spots.x(column), spots.y(row) + ROW / 2)

    rows = range(2)
    if stage == IN_NODE:
        return [(right("in-node switches", row), left("GPUs", row)) for row in rows]
    if stage in (OUT_NODE, GPU_SIDE):
        pairs = ((0, 0), (0, 1), (1, 0), (1, 1))
        return [(right("out-node switches", a), left("in-node switches", b)) for a, b in pairs]
    if spots.name != POOL:
        return [(right("GPUs", row), left("memories", row)) for row in rows]
    middles = [(right("memories", row)[0] + GAP / 2, right("memories", row)[1]) for row in rows]
    if stage == REMOTE:
        return [(right("memories", row), middles[row]) for row in rows]
    return [(middles[row], left("out-node switches", row)) for row in rows]
