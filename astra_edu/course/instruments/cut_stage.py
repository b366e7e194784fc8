"""A transformer's block on the stage: four matrices, cut, sent to NPUs, and the sums that collectives complete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from astra_edu.base.units import format_bytes
from astra_edu.course.instruments.scene import Box, Frame, Link, Piece, Point, Stage
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Communication, Strategy

UNIT = 24.0
"""Of the stage, for the model's width h."""
NPUS_X, WIDE, HIGH, TOP = 200.0, 700.0, 220.0, 14.0
MOST_TENSOR, MOST_COPIES = 8, 2
GAP = 3.0


@dataclass(frozen=True)
class Matrix:
    """One of a block's matrices: inputs x outputs in units of h, where it lies whole, and whether columns are cut."""

    name: str
    said: str
    inputs: int
    outputs: int
    x: float
    y: float
    by_columns: bool

    def slice(self, k: int, of: int, gap: float = 0) -> Box:
        """The k-th of its slices, where it lies whole, or pulled apart by a gap."""
        wide, high = self.outputs * UNIT, self.inputs * UNIT
        if self.by_columns:
            return (self.x + k * (wide / of + gap), self.y, wide / of, high)
        return (self.x, self.y + k * (high / of + gap), wide, high / of)


MATRICES = (
    Matrix("Q, K, V", "Q, K, V: h × 3h", 1, 3, 4, 26, True),
    Matrix("projection", "projection: h × h", 1, 1, 112, 26, False),
    Matrix("MLP 1", "MLP 1: h × 4h", 1, 4, 4, 82, True),
    Matrix("MLP 2", "MLP 2: 4h × h", 4, 1, 128, 82, False),
)


def cut_stage(model: Model, cut: Strategy, sent: Sequence[Communication]) -> Stage:
    """The first block, its cut, and what a forward and a backward pass send for it.

    Of larger groups the first 8 NPUs of the tensor group and the first 2 copies are drawn.
    """
    shown, copies = min(cut.tensor, MOST_TENSOR), min(cut.data, MOST_COPIES)
    homes = [_home(k, shown, copy, copies) for copy in range(copies) for k in range(shown)]
    steps = _steps(model, cut, sent)
    pieces = [
        _slice(matrix, k, copy, homes[copy * shown + k], cut, len(steps))
        for copy in range(copies)
        for k in range(shown)
        for matrix in MATRICES
    ]
    pieces += [_sum(copy, k, homes[copy * shown + k], cut) for copy in range(copies) for k in range(shown)]
    matrices = [Frame(m.name, _whole(m), m.said) for m in MATRICES]
    npus = [
        Frame(f"NPU {copy * cut.tensor + k}", homes[copy * shown + k], f"NPU {copy * cut.tensor + k}")
        for copy in range(copies)
        for k in range(shown)
    ]
    links = _links(cut, [homes[copy * shown : (copy + 1) * shown] for copy in range(copies)], len(steps))
    title = f"A block of {model.name}, cut"
    return Stage(title, (WIDE, HIGH), tuple(steps), (*matrices, *npus), tuple(pieces), still=3, links=tuple(links))


TENSOR_STEPS = (4, 6, 8, 10)
"""In which the tensor group's collectives complete sums."""


def _links(cut: Strategy, homes: Sequence[Sequence[Box]], steps: int) -> list[Link]:
    """What a collective joins while it plays: the NPUs of a tensor group, below them, and the copies of a slice."""
    found = []

    def add(name: str, points: Sequence[Point], look: str, plays: Sequence[int]) -> None:
        wide = tuple(2.5 if step in plays else 0.0 for step in range(steps))
        found.append(Link(name, tuple(points), (look,) * steps, wide, title=f"{name}: a collective goes this way"))

    for copy, row in enumerate(homes):
        if cut.tensor > 1:
            add(f"tensor group of copy {copy}", _comb(row), "tensor group", TENSOR_STEPS)
    if cut.data > 1:
        plays = {0: (12,), 3: (2, 12)}.get(cut.zero, (12, 13))
        for k, ((x, y, wide, high), (_, below, _, _)) in enumerate(zip(homes[0], homes[1], strict=True)):
            middle = x + wide - 6
            add(f"data group of slice {k}", ((middle, y + high), (middle, below)), "data group", plays)
    return found


def _comb(row: Sequence[Box]) -> list[Point]:
    """From lower edge to lower edge, below the frames."""
    points: list[Point] = []
    for x, y, wide, high in row:
        middle, edge = x + wide / 2, y + high
        points += [(middle, edge + 3), (middle, edge), (middle, edge + 3)]
    return points


def _whole(matrix: Matrix) -> Box:
    return (matrix.x, matrix.y, matrix.outputs * UNIT, matrix.inputs * UNIT)


def _home(k: int, shown: int, copy: int, copies: int) -> Box:
    """The frame of an NPU."""
    wide = (WIDE - NPUS_X - 4) / shown - 5
    high = (HIGH - 4 - TOP) / copies - 16
    return (NPUS_X + k * (wide + 5), TOP + copy * (high + 16), min(wide, 150), high)


def _slice(matrix: Matrix, k: int, copy: int, home: Box, cut: Strategy, steps: int) -> Piece:
    """One slice of a matrix, from the whole to its NPU; each copy has its own."""
    there = _in_home(matrix, home, cut.tensor)
    at = (matrix.slice(k, cut.tensor), matrix.slice(k, cut.tensor, GAP if cut.tensor > 1 else 0))
    mine = not cut.zero or cut.data == 1 or MATRICES.index(matrix) % 2 == copy % 2
    looks = ["weights"] * (steps - 3) + ["partial sums" if cut.data > 1 else "gradients"]
    looks += ["gradients" if mine else "partial sums", "weights"]
    name = f"{matrix.name}, slice {k} of {cut.tensor}, copy {copy}"
    share = f"{matrix.name}: {'columns' if matrix.by_columns else 'rows'} {k + 1} of {cut.tensor}"
    kept = there if mine or cut.zero < 3 else None
    return Piece(name, (*at, *([there] * (steps - 3)), kept), tuple(looks), title=share)


def _in_home(matrix: Matrix, home: Box, tensor: int) -> Box:
    """Where a slice lies in its NPU: the four side by side and below each other, as large as there is room."""
    x, y, wide, high = home
    sizes = [m.slice(0, tensor)[2:] for m in MATRICES]
    (w0, h0), (w1, h1), (w2, h2), (w3, h3) = sizes
    columns, rows = max(w0, w2) + max(w1, w3) + 2, max(h0, h1) + max(h2, h3) + 2
    scale = min(1.0, (wide - 6) / columns, (high - 30) / rows)
    number = MATRICES.index(matrix)
    left = x + 3 + (scale * (max(w0, w2) + 2) if number % 2 else 0)
    above = y + 4 + (scale * (max(h0, h1) + 2) if number > 1 else 0)
    return (left, above, sizes[number][0] * scale, sizes[number][1] * scale)


def _sum(copy: int, k: int, home: Box, cut: Strategy) -> Piece:
    """What an NPU has computed, at the bottom of its frame: partial sums until their collective has played."""
    x, y, wide, high = home
    box = (x + 3, y + high - 20, wide - 6, 14.0)
    partial = "partial sums" if cut.tensor > 1 else "complete"
    looks = ("weights", "weights", "weights", *([partial, "complete"] * 4), "complete", "complete", "complete")
    at = (None, None, None, *([box] * 8), None, None, None)
    return Piece(f"sums of NPU {copy * cut.tensor + k}", at, looks, title="what the NPU has summed up")


def _steps(model: Model, cut: Strategy, sent: Sequence[Communication]) -> list[str]:
    of_block = {
        (each.operator.partition("_")[2], each.content): each for each in sent if each.operator.startswith("block1_")
    }

    def tensor(operator: str, content: str) -> str:
        each = of_block.get((operator, content))
        if each is None:
            return "There is no tensor group, so nothing is to be added up."
        said = f"A collective of the tensor group, {each.collective} of {format_bytes(each.size)}, completes them"
        if cut.sequence_parallel:
            return f"{said}, for each NPU those of its tokens; before the next cut an all-gather brings all tokens."
        return f"{said}."

    columns = "Q, K, V and MLP 1 by columns, the projection and MLP 2 by rows"
    whole = "A block's four matrices: 12 h² weights." + (
        f" A stage has {len(model.blocks) / cut.pipeline:g} of the {len(model.blocks)} blocks."
        if cut.pipeline > 1
        else ""
    )
    drawn = min(cut.tensor, MOST_TENSOR) * min(cut.data, MOST_COPIES)
    if drawn < cut.npus:
        whole += (
            f" Drawn are {drawn} of the {cut.npus:,} NPUs; the others do the same, with their own blocks or samples."
        )
    weights = [each for (_, content), each in of_block.items() if content == "weight gradients"]
    kinds = sorted({str(each.collective) for each in weights})
    together = sum(each.size * each.times for each in weights)
    sent_out = "Each slice goes to its NPU."
    if cut.data > 1:
        gathers = f"gathered from the {cut.data} copies, which keep a share of it each"
        has_all = f"each of the {cut.data} copies has all of them"
        sent_out = f"Each slice is used on its NPU, {gathers}." if cut.zero == 3 else f"{sent_out[:-1]}; {has_all}."
    share = "Each copy completes a share of them." if cut.zero else "Every copy has them all."
    update = {
        0: "Every NPU updates all its weights.",
        3: "Each copy updates its share, and keeps no more: the next pass gathers the rest.",
    }.get(cut.zero, "Each copy updates its share; an all-gather hands the new weights to the others.")
    return [
        whole,
        f"Cut for {cut.tensor} NPUs: {columns}." if cut.tensor > 1 else "No tensor group: nothing is cut.",
        sent_out,
        "Forward: after the projection every NPU has sums over its own rows only."
        if cut.tensor > 1
        else "Forward, attention.",
        tensor("projection", "activations"),
        "Forward, MLP: partial sums again." if cut.tensor > 1 else "Forward, MLP.",
        tensor("mlp2", "activations"),
        "Backward, MLP: the gradients of its inputs are partial sums, too." if cut.tensor > 1 else "Backward, MLP.",
        tensor("mlp1", "input gradients"),
        "Backward, attention: so are those of its inputs." if cut.tensor > 1 else "Backward, attention.",
        tensor("qkv", "input gradients"),
        "Each copy has the weights’ gradients of its own samples."
        if cut.data > 1
        else "The weights’ gradients are there.",
        f"The data group, {' and '.join(kinds)}: {format_bytes(together)} for the block in an iteration. {share}"
        if weights
        else "There is one copy, so they are complete.",
        update,
    ]
