"""Where things lie on the stage of a cut: matrices and experts, whole and in slices, and what is in an NPU."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.course.instruments.scene import Box
from astra_edu.workload.strategies import Strategy

UNIT = 24.0
"""Of the stage, for the model's width h."""
NPUS_X, WIDE, HIGH, TOP = 200.0, 700.0, 220.0, 14.0
MORE = 34.0
"""How much higher the stage is where tokens are drawn."""
MOST_TENSOR, MOST_COPIES, MOST_EXPERTS = 8, 2, 8
GAP = 3.0
SUMS, TOKENS = 20.0, 15.0
"""How high the rows of an NPU are, from below."""


@dataclass(frozen=True)
class Matrix:
    """One of a block's matrices: inputs x outputs in units of h, where it lies whole, and whether columns are cut."""

    name: str
    said: str
    inputs: float
    outputs: float
    x: float
    y: float
    by_columns: bool

    @property
    def whole(self) -> Box:
        """Where it lies."""
        return (self.x, self.y, self.outputs * UNIT, self.inputs * UNIT)

    def slice(self, k: int, of: int, gap: float = 0) -> Box:
        """The k-th of its slices, where it lies whole, or pulled apart by a gap."""
        wide, high = self.outputs * UNIT, self.inputs * UNIT
        if self.by_columns:
            return (self.x + k * (wide / of + gap), self.y, wide / of, high)
        return (self.x, self.y + k * (high / of + gap), wide, high / of)


ATTENTION = (
    Matrix("Q, K, V", "Q, K, V: h × 3h", 1, 3, 4, 26, True),
    Matrix("projection", "projection: h × h", 1, 1, 112, 26, False),
)
MLP = (
    Matrix("MLP 1", "MLP 1: h × 4h", 1, 4, 4, 82, True),
    Matrix("MLP 2", "MLP 2: 4h × h", 4, 1, 128, 82, False),
)
MATRICES = ATTENTION + MLP


@dataclass(frozen=True)
class Grid:
    """The NPUs that are drawn: the first of a tensor group side by side, the first of those with the same below."""

    cut: Strategy
    experts: int = 0

    @property
    def columns(self) -> int:
        """Of a tensor group."""
        return min(self.cut.tensor, MOST_TENSOR)

    @property
    def rows(self) -> int:
        """Of the copies, neighbours in a context group first."""
        return min(self.cut.copies, MOST_COPIES)

    @property
    def with_tokens(self) -> bool:
        """Whether tokens are drawn, as they are cut or travel."""
        return self.cut.context > 1 or self.cut.expert > 1

    @property
    def high(self) -> float:
        """Of the stage."""
        return HIGH + (MORE if self.with_tokens else 0)

    def home(self, row: int, k: int) -> Box:
        """The frame of an NPU."""
        wide = (WIDE - NPUS_X - 4) / self.columns - 5
        high = (self.high - 4 - TOP) / self.rows - 16
        return (NPUS_X + k * (wide + 5), TOP + row * (high + 16), min(wide, 150), high)

    def number(self, row: int, k: int) -> int:
        """Of an NPU, as the network counts."""
        return row * self.cut.tensor + k

    @property
    def foot(self) -> float:
        """What is left free below the weights in an NPU."""
        return SUMS + 10 + (TOKENS if self.with_tokens else 0)

    def owned(self, row: int) -> list[int]:
        """The experts of a row's NPUs that are drawn."""
        each = self.experts // self.cut.expert
        most = MOST_EXPERTS // (self.rows if self.cut.expert > 1 else 1)
        first = row % self.cut.expert * each
        return list(range(first, first + min(each, most)))

    @property
    def drawn(self) -> list[int]:
        """All experts that are."""
        return sorted({expert for row in range(self.rows) for expert in self.owned(row)})

    def whole(self, expert: int) -> Box:
        """An expert where all lie, four in a row."""
        place = self.drawn.index(expert)
        return (4 + place % 4 * 38, 82 + place // 4 * 54, 30.0, 42.0)

    def expert(self, expert: int, k: int, gap: float = 0) -> Box:
        """A slice of it, or that pulled apart."""
        (x, y, wide, high), of = self.whole(expert), self.cut.tensor
        return (x + k * (wide / of + gap / of), y, wide / of, high)


def matrix_in(grid: Grid, matrix: Matrix, home: Box) -> Box:
    """Where a slice lies in its NPU: the four side by side and below each other, as large as there is room."""
    x, y, wide, high = home
    sizes = [m.slice(0, grid.cut.tensor)[2:] for m in MATRICES]
    (w0, h0), (w1, h1), (w2, h2), (w3, h3) = sizes
    columns, rows = max(w0, w2) + max(w1, w3) + 2, max(h0, h1) + max(h2, h3) + 2
    scale = min(1.0, (wide - 6) / columns, (high - grid.foot) / rows)
    number = MATRICES.index(matrix)
    left = x + 3 + (scale * (max(w0, w2) + 2) if number % 2 else 0)
    above = y + 4 + (scale * (max(h0, h1) + 2) if number > 1 else 0)
    return (left, above, sizes[number][0] * scale, sizes[number][1] * scale)


def expert_in(grid: Grid, row: int, expert: int, home: Box) -> Box:
    """Where a slice of an expert lies in its NPU: in a row below the attention's matrices."""
    x, y, wide, high = home
    above = max(top + tall for _, top, _, tall in (matrix_in(grid, each, home) for each in ATTENTION)) + 2
    own = grid.owned(row)
    each = (wide - 6) / len(own)
    return (x + 3 + own.index(expert) * each, above, min(each - 1, 30), y + high - grid.foot + 4 - above)


def sums_in(home: Box) -> Box:
    """Where what it has computed lies, at the bottom."""
    x, y, wide, high = home
    return (x + 3, y + high - SUMS, wide - 6, 14.0)


def tokens_in(home: Box, slot: int, of: int, part: int = 0, parts: int = 1) -> Box:
    """Where a part of the tokens lies, above the sums: one of `of` slots, and of that one of some parts."""
    x, y, wide, high = home
    each = (wide - 6) / of
    return (x + 3 + slot * each + part * each / parts, y + high - SUMS - TOKENS, each / parts - 1, 11.0)


def sample(slot: int, of: int, gap: float = 0) -> Box:
    """A part of a sample's tokens where it lies whole, below the weights."""
    each = 148.0 / of
    return (4 + slot * (each + gap), 204.0, each - (1 if gap else 0), 11.0)
