"""A design on the stage: copies of the model below each other, stages beside each other, and what goes between them."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.base.units import several
from astra_edu.course.instruments.budget_job import NODE
from astra_edu.course.instruments.scene import Box, Frame, Link, Piece, Stage
from astra_edu.network import Dimension
from astra_edu.workload.strategies import Strategy

WIDE, TOP, LEFT, HIGH = 600.0, 26.0, 58.0, 190.0
MOST_ROWS, MOST_COLUMNS = 4, 8
TOKEN, NPU, ROW = 13.0, 9.0, 8
LINKS = ("links in a node", "links between nodes")


@dataclass(frozen=True)
class _Grid:
    """Where the tensor group of a copy and a stage stands; of more than there is room for, the first ones."""

    strategy: Strategy

    @property
    def rows(self) -> int:
        return min(self.strategy.data, MOST_ROWS)

    @property
    def columns(self) -> int:
        return min(self.strategy.pipeline, MOST_COLUMNS)

    def box(self, copy: int, stage: int) -> Box:
        """Of the group's frame."""
        pitch_x, pitch_y = (WIDE - LEFT) / self.columns, HIGH / self.rows
        wide, high = min(110.0, pitch_x - 16), min(44.0, pitch_y - 20)
        return (LEFT + stage * pitch_x, TOP + copy * pitch_y, wide, high)

    def middle(self, copy: int, stage: int) -> Box:
        """Where a token stands in it."""
        x, y, wide, high = self.box(copy, stage)
        return (x + (wide - TOKEN) / 2, y + high - TOKEN - 2, TOKEN, TOKEN)

    def first_npu(self, copy: int, stage: int) -> int:
        """Neighbours make up a tensor group, then come the copies, then the stages."""
        return (stage * self.strategy.data + copy) * self.strategy.tensor

    def far(self, one: tuple[int, int], other: tuple[int, int]) -> int:
        """1 where two groups, each (copy, stage), are in different nodes, else 0."""
        return int(self.first_npu(*one) // NODE != self.first_npu(*other) // NODE)


def budget_stage(title: str, strategy: Strategy, network: tuple[Dimension, ...]) -> Stage:
    """A micro-batch of every copy goes forward and backward through the stages; then the copies add up gradients."""
    grid = _Grid(strategy)
    steps = _steps(strategy, grid)
    groups = [(copy, stage) for copy in range(grid.rows) for stage in range(grid.columns)]
    frames = [_frame(grid, *group) for group in groups]
    frames += [npu for group in groups for npu in _npus(grid, *group)]
    frames += [Frame(f"copy {copy}", (0, grid.box(copy, 0)[1] + 16, 0, 0), f"copy {copy}") for copy in range(grid.rows)]
    left_out = _left_out(strategy, grid)
    if left_out:
        frames.append(Frame("left out", (LEFT, TOP + HIGH + 12, 0, 0), left_out))
    pieces = [piece for copy in range(grid.rows) for piece in _pieces(grid, copy, len(steps))]
    size = (WIDE, TOP + HIGH + (18 if left_out else 2))
    return Stage(title, size, steps, tuple(frames), tuple(pieces), still=grid.columns - 1,
                 links=tuple(_links(grid, network, len(steps))))  # fmt: skip


def _left_out(strategy: Strategy, grid: _Grid) -> str:
    more = []
    if strategy.pipeline > grid.columns:
        more.append(several(strategy.pipeline - grid.columns, "more stage"))
    if strategy.data > grid.rows:
        count = strategy.data - grid.rows
        more.append(f"{count} more {'copy' if count == 1 else 'copies'}")
    return f"not drawn: {' and '.join(more)}" if more else ""


def _frame(grid: _Grid, copy: int, stage: int) -> Frame:
    return Frame(f"copy {copy}, stage {stage}", grid.box(copy, stage), f"stage {stage}" if copy == 0 else "")


def _npus(grid: _Grid, copy: int, stage: int) -> list[Frame]:
    """The NPUs of a tensor group, side by side, 8 in a row, above the micro-batch."""
    x, y, wide, high = grid.box(copy, stage)
    first, pitch = grid.first_npu(copy, stage), (wide - 4) / ROW
    down = (high - TOKEN - 6) / -(-grid.strategy.tensor // ROW)
    found = []
    for k in range(grid.strategy.tensor):
        row, column = divmod(k, ROW)
        box = (x + 3 + column * pitch, y + 3 + row * down, min(pitch - 1.5, NPU), min(down - 1.5, NPU))
        found.append(Frame(f"NPU {first + k}", box))
    return found


def _steps(strategy: Strategy, grid: _Grid) -> tuple[str, ...]:
    halves = f"; its {strategy.tensor} NPUs add up their partial sums in every block" if strategy.tensor > 1 else ""
    forward = [f"Forward: stage {s} computes its blocks for a micro-batch{halves}." for s in range(grid.columns)]
    backward = [f"Backward: stage {s} computes gradients{halves}." for s in reversed(range(grid.columns))]
    if strategy.data > 1:
        last = f"The gradients of {strategy.data} copies are added up, stage by stage, and the weights updated."
    else:
        last = "There is one copy: the weights are updated without sending gradients."
    return (*forward, *backward, last)


def _pieces(grid: _Grid, copy: int, steps: int) -> list[Piece]:
    """The micro-batch of a copy, and in the last step the gradients of all of its stages."""
    there = [grid.middle(copy, s) for s in range(grid.columns)]
    at = [*there, *reversed(there), None]
    looks = ["activations"] * grid.columns + ["gradients"] * (steps - grid.columns)
    found = [Piece(f"micro-batch of copy {copy}", tuple(at), tuple(looks), str(copy), f"a micro-batch of copy {copy}")]
    for stage, box in enumerate(there):
        named = f"gradients of copy {copy}, stage {stage}"
        places = (*(None for _ in range(steps - 1)), box)
        found.append(Piece(named, places, ("complete" if grid.strategy.data > 1 else "gradients",) * steps, "Σ", named))
    return found


def _links(grid: _Grid, network: tuple[Dimension, ...], steps: int) -> list[Link]:
    """What joins the groups: a stage to the next one, a copy to the next one; as wide as an NPU's bandwidth there."""
    found = []
    for copy in range(grid.rows):
        for stage in range(grid.columns - 1):
            x, y, wide, high = grid.box(copy, stage)
            ends = ((x + wide, y + high / 2), (grid.box(copy, stage + 1)[0], y + high / 2))
            found.append(_link(grid, network, (copy, stage), (copy, stage + 1), ends, steps))
    for stage in range(grid.columns):
        for copy in range(grid.rows - 1):
            x, y, wide, high = grid.box(copy, stage)
            ends = ((x + wide / 2, y + high), (x + wide / 2, grid.box(copy + 1, stage)[1]))
            found.append(_link(grid, network, (copy, stage), (copy + 1, stage), ends, steps))
    return found


Ends = tuple[tuple[float, float], tuple[float, float]]


def _link(
    grid: _Grid, network: tuple[Dimension, ...], one: tuple[int, int], other: tuple[int, int], ends: Ends, steps: int
) -> Link:
    far = min(grid.far(one, other), len(network) - 1)
    rate = network[far].links * network[far].bandwidth
    wide = min(9.0, 0.8 + rate / 40)
    said = f"{LINKS[far]}, {rate:g} GB/s of an NPU"
    name = f"from copy {one[0]}, stage {one[1]} to copy {other[0]}, stage {other[1]}"
    return Link(name, ends, (LINKS[far],) * steps, (wide,) * steps, title=f"{name}: {said}")
