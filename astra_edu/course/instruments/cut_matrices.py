"""The matrices of a block that a cut draws: shapes in units of the model's width h, places, how they are cut."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from astra_edu.course.instruments.scene import Box
from astra_edu.workload.compute import Experts, Linear, Operator, Split
from astra_edu.workload.models import Model

UNIT = 24.0
"""Of the stage, for the model's width h, where there is room."""
WIDEST = 150.0
LATENT_UNIT = 20.0
MOST_DRAWN = 8
"""Slices of a matrix."""
GAP = 3.0
TOKENS = 204.0
"""Where a sample's tokens lie at the highest, below all."""


@dataclass(frozen=True)
class Matrix:
    """One of a block's matrices: inputs x outputs in units of h, where it lies whole, and along what it is cut.

    cell: (column, row) among the matrices in an NPU. split: "columns", "rows", or "copied": every NPU of the tensor
    group has all of it. unit: of the stage, for h.
    """

    name: str
    operator: str
    inputs: float
    outputs: float
    x: float
    y: float
    split: str
    cell: tuple[int, int]
    unit: float

    @property
    def weights(self) -> float:
        """In units of h²."""
        return self.inputs * self.outputs

    @property
    def said(self) -> str:
        """Its name and shape."""
        return f"{self.name}: {_of_h(self.inputs)} × {_of_h(self.outputs)}"

    @property
    def whole(self) -> Box:
        """Where it lies."""
        return (self.x, self.y, self.outputs * self.unit, self.inputs * self.unit)

    def slice(self, k: int, of: int, gap: float = 0) -> Box:
        """The k-th of its slices, where it lies whole, or pulled apart by a gap."""
        x, y, wide, high = self.whole
        if self.split == "columns":
            return (x + k * (wide / of + gap), y, wide / of, high)
        if self.split == "rows":
            return (x, y + k * (high / of + gap), wide, high / of)
        return self.whole


Places = dict[str, tuple[str, float, float, tuple[int, int]]]
"""{an operator of a block: what its matrix is called, where it lies, in which cell}."""
PLACES: Places = {
    "qkv": ("Q, K, V", 4, 26, (0, 0)),
    "projection": ("projection", 112, 26, (1, 0)),
    "mlp1": ("MLP 1", 4, 82, (0, 1)),
    "mlp2": ("MLP 2", 128, 82, (1, 1)),
}
GATED: Places = PLACES | {
    "mlp1": ("MLP gate, up", 4, 82, (0, 1)),
    "mlp2": ("MLP down", 4, 120, (1, 1)),
}
LATENT: Places = {
    "q_down": ("Q down", 4, 26, (0, 0)),
    "kv_down": ("KV down", 94, 26, (0, 1)),
    "q": ("Q up", 4, 62, (1, 0)),
    "kv": ("KV up", 4, 84, (1, 1)),
    "projection": ("projection", 4, 104, (2, 0)),
    "shared1": ("shared 1", 99, 104, (3, 0)),
    "shared2": ("shared 2", 99, 142, (3, 1)),
}


@dataclass(frozen=True)
class Block:
    """A block that is drawn: its number, from 1, its matrices, and its experts with the weights of each in h²."""

    number: int
    matrices: tuple[Matrix, ...]
    experts: int = 0
    expert_weights: float = 0.0

    @property
    def prefix(self) -> str:
        """What its operators' names begin with."""
        return f"block{self.number}_"

    @property
    def latent(self) -> bool:
        """Whether queries, keys and values are made from latent vectors; then experts are beside the matrices."""
        return any(matrix.split == "copied" for matrix in self.matrices)

    @property
    def experts_at(self) -> tuple[float, float]:
        """Where experts begin: below the matrices, or beside them."""
        return (198.0, 26.0) if self.latent else (4.0, 82.0)

    @property
    def npus_x(self) -> float:
        """Where NPUs begin."""
        return 356.0 if self.latent else 200.0

    @property
    def tokens_y(self) -> float:
        """Where the tokens of a sample lie."""
        ends = (m.whole[1] + m.whole[3] + (MOST_DRAWN - 1) * GAP * (m.split == "rows") for m in self.matrices)
        return max(TOKENS, max(ends) + 5)


@cache
def block_of(model: Model) -> Block:
    """The first block with experts; where there are none, the first.

    >>> from astra_edu.course.instruments.cut_matrices import block_of
    >>> [matrix.said for matrix in block_of(ae.model("llama3-8b")).matrices]
    ['Q, K, V: h × 1.5h', 'projection: h × h', 'MLP gate, up: h × 7h', 'MLP down: 3.5h × h']
    """
    blocks = [model.operators[block.start : block.stop] for block in model.blocks]
    with_experts = (k for k, block in enumerate(blocks) if any(isinstance(each, Experts) for each in block))
    drawn = blocks[place := next(with_experts, 0)]
    own = {each.name.partition("_")[2]: each for each in drawn}
    experts = [each for each in drawn if isinstance(each, Experts)]
    width = _width(own)
    return Block(
        place + 1,
        tuple(_matrices(own, width)),
        experts[0].experts if experts else 0,
        sum(each.inputs * each.outputs for each in experts) / width**2,
    )


def _width(own: Mapping[str, Operator]) -> int:
    """The model's width h."""
    projection = own["projection"]
    assert isinstance(projection, Linear)
    return projection.outputs


def _matrices(own: Mapping[str, Operator], width: int) -> Iterator[Matrix]:
    drawn = {name: each for name, each in own.items() if isinstance(each, Linear) and not isinstance(each, Experts)}
    gated = "swiglu" in own
    places = LATENT if "kv_down" in own else GATED if gated else PLACES
    widest = max(each.outputs / width for name, each in drawn.items() if name in places)
    unit = min(LATENT_UNIT if places is LATENT else UNIT, WIDEST / widest)
    for name, (called, x, y, cell) in places.items():
        if name in drawn:
            each = drawn[name]
            split = {Split.COLUMNS: "columns", Split.ROWS: "rows"}.get(each.split, "copied")
            yield Matrix(called, name, each.inputs / width, each.outputs / width, x, y, split, cell, unit)


def names(matrices: Sequence[Matrix], split: str) -> list[str]:
    """What those that are cut so are called in a sentence."""
    return [f"{'the ' * (one.name == 'projection')}{one.name}" for one in matrices if one.split == split]


def _of_h(size: float) -> str:
    return "h" if size == 1 else f"{size:.2g}h"
