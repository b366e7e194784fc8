"""The tokens on the stage of a cut: shared out by a context group, sent to experts; keys and values of the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_uppercase

from astra_edu.course.instruments.cut_matrices import GAP
from astra_edu.course.instruments.cut_places import Grid, sample, tokens_in
from astra_edu.course.instruments.cut_steps import ROUTING
from astra_edu.course.instruments.scene import Box, Frame, Piece

AWAY = (ROUTING[0], "MLP", ROUTING[2], "MLP gradients")
"""Steps in which tokens, or their gradients, are with their experts."""


LETTER = 6.0
"""How wide a letter is; what is narrower has its name alone."""


def whose(row: int) -> str:
    """A letter for the tokens of a row's NPUs."""
    return ascii_uppercase[row]


def samples(grid: Grid) -> Iterator[Frame]:
    """Where a sample's tokens lie whole."""
    if grid.cut.context > 1:
        yield Frame("tokens", sample(grid.block, 0, 1), "a sample’s tokens")


def tokens(grid: Grid, row: int, k: int, keys: Sequence[str]) -> Iterator[Piece]:
    """Those of an NPU, one piece for each drawn NPU of its expert group, to which it goes and from which it returns."""
    cut = grid.cut
    if not grid.with_tokens:
        return
    own, of = row % cut.context, cut.context
    parts = min(grid.rows, cut.expert)
    for to in range(parts):
        there = tokens_in(grid.home(to, k), to % of, of, row, parts)
        here = tokens_in(grid.home(row, k), own, of, to, parts)
        whole, apart = (_in_sample(sample(grid.block, own, of, gap), to, parts) for gap in (0, GAP))
        at = {"whole": whole if of > 1 else None, "cut": apart if of > 1 else None}
        at |= {key: there for key in AWAY if cut.expert > 1}
        what = f"tokens {own + 1} of {of} of a sample" if of > 1 else f"tokens of copy {row}"
        name = f"tokens of NPU {grid.number(row, k)}" + (f" for NPU {grid.number(to, k)}" if parts > 1 else "")
        boxes = [at.get(key, here) for key in keys]
        says = tuple(_letter(row, box) for box in boxes)
        yield Piece(name, tuple(boxes), ("tokens",) * len(keys), title=what, says=says)


def gathered(grid: Grid, row: int, k: int, keys: Sequence[str]) -> Iterator[Piece]:
    """Keys and values of other NPUs' tokens, from the gathering on until they have been used."""
    cut = grid.cut
    for other in range(cut.context):
        if other == row % cut.context:
            continue
        here = tokens_in(grid.home(row, k), other, cut.context)
        source = _unseen(tokens_in(grid.home(other, k), other, cut.context) if other < grid.rows else here)
        at: dict[str, Box] = {"home": source, "keys gathered": here, "attention": here}
        at |= {"keys gathered again": here, "attention gradients": here, "keys’ gradients scattered": source}
        before_again = keys[keys.index("keys gathered again") - 1]
        at[before_again] = source
        looks = ("partial sums" if key == "attention gradients" else "keys and values" for key in keys)
        what = f"keys and values of tokens {other + 1} of {cut.context}"
        yield Piece(
            f"keys and values of tokens {other + 1} on NPU {grid.number(row, k)}",
            tuple(at.get(key) for key in keys),
            tuple(looks),
            title=f"{what}; in the backward pass summands of their gradients",
            says=tuple(_letter(other, here) if at.get(key, source) is here else "" for key in keys),
        )


def _letter(row: int, box: Box | None) -> str:
    return whose(row) if box and box[2] >= LETTER else ""


def _in_sample(box: Box, part: int, parts: int) -> Box:
    x, y, wide, high = box
    return (x + part * wide / parts, y, wide / parts, high)


def _unseen(box: Box) -> Box:
    """In the middle of a box, without width."""
    x, y, wide, high = box
    return (x + wide / 2, y, 0.0, high)
