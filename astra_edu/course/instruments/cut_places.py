"""Where things lie on the stage of a cut: experts, whole and in slices, NPUs, and what is in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from astra_edu.course.instruments.cut_matrices import MOST_DRAWN, Block, Matrix
from astra_edu.course.instruments.cut_matrices import TOKENS as TOKENS_Y
from astra_edu.course.instruments.scene import Box
from astra_edu.workload.strategies import Strategy

WIDE, HIGH, TOP = 700.0, 220.0, 14.0
MORE = 34.0
"""How much higher the stage is where tokens are drawn."""
MOST_COPIES, MOST_EXPERTS = 2, 8
MLP = 96.0, 24.0, 24.0, 96.0
"""Width and height of the matrices in whose place experts are."""
SUMS, TOKENS = 20.0, 15.0
"""How high the rows of an NPU are, from below."""


@dataclass(frozen=True)
class Grid:
    """The NPUs that are drawn: the first of a tensor group side by side, the first of those with the same below."""

    cut: Strategy
    block: Block

    @property
    def experts(self) -> int:
        """How many the block has; 0 where it has one MLP."""
        return self.block.experts

    @property
    def columns(self) -> int:
        """Of a tensor group."""
        return min(self.cut.tensor, MOST_DRAWN)

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
        return HIGH + self.block.tokens_y - TOKENS_Y + (MORE if self.with_tokens else 0)

    def home(self, row: int, k: int) -> Box:
        """The frame of an NPU."""
        wide = (WIDE - self.block.npus_x - 4) / self.columns - 5
        high = (self.high - 4 - TOP) / self.rows - 16
        return (self.block.npus_x + k * (wide + 5), TOP + row * (high + 16), min(wide, 150), high)

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
        x, y = self.block.experts_at
        return (x + place % 4 * 38, y + place // 4 * 54, 30.0, 42.0)

    def expert(self, expert: int, k: int, gap: float = 0) -> Box:
        """A slice of it, or that pulled apart."""
        (x, y, wide, high), of = self.whole(expert), self.cut.tensor
        return (x + k * (wide / of + gap / of), y, wide / of, high)


def matrix_in(grid: Grid, matrix: Matrix, home: Box) -> Box:
    """Where a slice lies in its NPU: in its cell among the others, as large as there is room."""
    x, y, wide, high = home
    across, down = dict[int, float](), dict[int, float]()
    for one, (_, _, w, h) in _slices(grid):
        column, row = one
        across[column], down[row] = max(across.get(column, 0), w), max(down.get(row, 0), h)
    room = sum(across.values()) + 2 * (len(across) - 1), sum(down.values()) + 2 * (len(down) - 1)
    scale = min(1.0, (wide - 6) / room[0], (high - grid.foot) / room[1])
    column, row = matrix.cell
    left = x + 3 + sum(scale * (across[each] + 2) for each in range(column))
    above = y + 4 + sum(scale * (down[each] + 2) for each in range(row))
    _, _, w, h = matrix.slice(0, grid.cut.tensor)
    return (left, above, w * scale, h * scale)


def _slices(grid: Grid) -> Iterator[tuple[tuple[int, int], Box]]:
    """The cell and the size of each slice in an NPU; below them as much room for experts as for a GPT's MLP."""
    of = grid.cut.tensor
    yield from ((matrix.cell, matrix.slice(0, of)) for matrix in grid.block.matrices)
    if grid.experts:
        first = max(row for matrix in grid.block.matrices for _, row in [matrix.cell]) + 1
        yield (0, first), (0, 0, MLP[0] / of, MLP[1])
        yield (1, first), (0, 0, MLP[2], MLP[3] / of)


def expert_in(grid: Grid, row: int, expert: int, home: Box) -> Box:
    """Where a slice of an expert lies in its NPU: in a row below the attention's matrices."""
    x, y, wide, high = home
    above = max(top + tall for _, top, _, tall in (matrix_in(grid, each, home) for each in grid.block.matrices)) + 2
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
    gap = min(1.0, each / parts / 2)
    return (x + 3 + slot * each + part * each / parts, y + high - SUMS - TOKENS, each / parts - gap, 11.0)


def sample(block: Block, slot: int, of: int, gap: float = 0) -> Box:
    """A part of a sample's tokens where it lies whole, below the weights."""
    each = 148.0 / of
    return (4 + slot * (each + gap), block.tokens_y, each - (1 if gap else 0), 11.0)
