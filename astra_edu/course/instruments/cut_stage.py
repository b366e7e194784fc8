"""A transformer's block on the stage: its weights cut and sent to NPUs, its tokens, and the sums that collectives
complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from astra_edu.course.instruments.cut_matrices import GAP, block_of
from astra_edu.course.instruments.cut_places import WIDE, Grid, expert_in, matrix_in, sums_in
from astra_edu.course.instruments.cut_steps import GATHERING, ROUTING, TENSOR, steps
from astra_edu.course.instruments.cut_tokens import gathered, samples, tokens
from astra_edu.course.instruments.scene import Box, Frame, Link, Piece, Point, Stage
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Communication, Strategy


def cut_stage(model: Model, cut: Strategy, sent: Sequence[Communication]) -> Stage:
    """A block, its cut, and what a forward and a backward pass send for it: the first with experts, if there are any.

    sent: what NPUs of the stage that has the block send. Of larger groups the first 8 NPUs of the tensor group and the
    first 2 with the same weights are drawn.
    """
    grid = Grid(cut, block_of(model))
    drawn = grid.rows * grid.columns
    said = steps(model, cut, sent, drawn, len(grid.drawn))
    keys = list(said)
    places = [(row, k) for row in range(grid.rows) for k in range(grid.columns)]
    pieces = [piece for row, k in places for piece in _weights(grid, row, k, keys)]
    pieces += [_sum(grid, row, k, keys) for row, k in places]
    pieces += [piece for row, k in places for piece in (*tokens(grid, row, k, keys), *gathered(grid, row, k, keys))]
    frames = [Frame(m.name, m.whole, m.said) for m in grid.block.matrices]
    frames += [Frame(f"expert {each}", grid.whole(each), f"E{each}") for each in grid.drawn]
    frames += samples(grid)
    frames += [
        Frame(f"NPU {grid.number(row, k)}", grid.home(row, k), f"NPU {grid.number(row, k)}") for row, k in places
    ]
    return Stage(
        f"A block of {model.name}, cut",
        (WIDE, grid.high),
        tuple(said.values()),
        tuple(frames),
        tuple(pieces),
        still=keys.index("attention"),
        links=tuple(_links(grid, keys)),
    )


def _weights(grid: Grid, row: int, k: int, keys: Sequence[str]) -> Iterator[Piece]:
    """An NPU's slices of the matrices, and of its experts."""
    cut, home = grid.cut, grid.home(row, k)
    for number, matrix in enumerate(grid.block.matrices):
        name = f"{matrix.name}, slice {k} of {cut.tensor}, copy {row}"
        share = (
            f"{matrix.name}: {f'{matrix.split} {k + 1} of {cut.tensor}' if matrix.split != 'copied' else 'all of it'}"
        )
        apart = GAP if cut.tensor > 1 else 0
        way = _way(matrix.slice(k, cut.tensor), matrix.slice(k, cut.tensor, apart), matrix_in(grid, matrix, home))
        yield _slice(name, share, way, keys, cut, cut.copies, number % 2 == row % 2)
    for expert in grid.owned(row) if grid.experts else ():
        name = f"expert {expert}, slice {k} of {cut.tensor}, copy {row}"
        share = f"expert {expert}" + (f": slice {k + 1} of {cut.tensor}" if cut.tensor > 1 else "")
        way = _way(grid.expert(expert, k), grid.expert(expert, k, GAP), expert_in(grid, row, expert, home))
        slices = _slice(name, share, way, keys, cut, cut.copies // cut.expert, expert % 2 == row % 2)
        called = f"E{expert}" if way("home")[2] > 16 else ""
        yield replace(slices, says=tuple("" if key in ("whole", "cut") else called for key in keys))


def _way(whole: Box, apart: Box, home: Box) -> Callable[[str], Box]:
    return lambda key: {"whole": whole, "cut": apart}.get(key, home)


def _slice(
    name: str, share: str, way: Callable[[str], Box], keys: Sequence[str], cut: Strategy, alike: int, own_share: bool
) -> Piece:
    """A slice on its way to its NPU. alike: how many NPUs have it; own_share: whether ZeRO's share is this one's."""
    mine = not cut.zero or alike == 1 or own_share
    looks = {
        "gradients": "partial sums" if alike > 1 else "gradients",
        "exchange": "gradients" if mine else "partial sums",
    }
    at = [way(key) if mine or cut.zero < 3 or key != "update" else None for key in keys]
    return Piece(name, tuple(at), tuple(looks.get(key, "weights") for key in keys), title=share)


def _sum(grid: Grid, row: int, k: int, keys: Sequence[str]) -> Piece:
    """What an NPU has computed, at the bottom of its frame: partial sums until their collective has played."""
    box, there, look = sums_in(grid.home(row, k)), False, "weights"
    at, looks = [], []
    for key in keys:
        if key in ("attention", "MLP", "MLP gradients", "attention gradients"):
            there, look = True, "partial sums" if grid.cut.tensor > 1 else "complete"
        elif key in TENSOR:
            look = "complete"
        elif key == "gradients":
            there = False
        at.append(box if there else None)
        looks.append(look)
    return Piece(f"sums of NPU {grid.number(row, k)}", tuple(at), tuple(looks), title="what the NPU has summed up")


def _links(grid: Grid, keys: Sequence[str]) -> Iterator[Link]:
    """What a collective joins while it plays: NPUs of a tensor group, below them, and the rows of a slice."""
    cut = grid.cut

    def line(name: str, points: Sequence[Point], look: str, plays: Sequence[str]) -> Link:
        wide = tuple(2.5 if key in plays else 0.0 for key in keys)
        return Link(name, tuple(points), (look,) * len(keys), wide, title=f"{name}: a collective goes this way")

    for row in range(grid.rows) if cut.tensor > 1 else ():
        homes = [grid.home(row, k) for k in range(grid.columns)]
        yield line(f"tensor group of copy {row}", _comb(homes), "tensor group", TENSOR)
    if grid.rows == 1:
        return
    groups: Mapping[str, tuple[int, Sequence[str]]] = {
        "data": (cut.copies, {0: ("exchange",), 3: ("home", "exchange")}.get(cut.zero, ("exchange", "update"))),
        "context": (cut.context, GATHERING),
        "expert": (cut.expert, ROUTING),
    }
    for place, (group, (npus, plays)) in enumerate(groups.items()):
        for k in range(grid.columns) if npus > 1 else ():
            (x, y, wide, high), (_, below, _, _) = grid.home(0, k), grid.home(1, k)
            middle = x + wide - 6 - 8 * place
            yield line(f"{group} group of slice {k}", ((middle, y + high), (middle, below)), f"{group} group", plays)


def _comb(row: Sequence[Box]) -> list[Point]:
    """From lower edge to lower edge, below the frames."""
    points: list[Point] = []
    for x, y, wide, high in row:
        middle, edge = x + wide / 2, y + high
        points += [(middle, edge + 3), (middle, edge), (middle, edge + 3)]
    return points
