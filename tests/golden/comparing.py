"""How much two small pictures differ, where they differ most: edges and a pixel's shift don't count, a colour does."""

from __future__ import annotations

import io

import numpy as np
from matplotlib import rc_context, rcParamsDefault
from matplotlib.figure import Figure
from matplotlib.image import imread

DPI = 50
TOLERANCE = 0.08
"""Of a part's difference, where black against white is 1."""
_BLOCK = 4
_SHIFT = 1
"""Pixels: of a block whose mean colour is compared, and by how much what is drawn may have moved."""

Pixels = np.ndarray


def drawn(figure: Figure) -> bytes:
    """The figure as a small PNG, with matplotlib's own letters and settings."""
    png = io.BytesIO()
    with rc_context(rcParamsDefault):
        figure.savefig(png, format="png", dpi=DPI, metadata={"Software": None})
    return png.getvalue()


def difference(one: bytes, other: bytes) -> float:
    """RMS of the colours in the part that differs most, at the best of all shifts by a pixel; 1 for other sizes."""
    first, second = (imread(io.BytesIO(png))[..., :3] for png in (one, other))
    if first.shape != second.shape:
        return 1.0
    steps = range(-_SHIFT, _SHIFT + 1)
    apart = [_apart(_means(first), _means(np.roll(second, (down, right), (0, 1)))) for down in steps for right in steps]
    return float(np.minimum.reduce(apart).max())


def _means(pixels: Pixels) -> Pixels:
    """The mean colour of every block."""
    high, wide = (size // _BLOCK * _BLOCK for size in pixels.shape[:2])
    blocks = pixels[:high, :wide].reshape(high // _BLOCK, _BLOCK, wide // _BLOCK, _BLOCK, 3)
    return blocks.mean(axis=(1, 3))


def _apart(one: Pixels, other: Pixels) -> Pixels:
    """RMS over colours of each 2 × 2 blocks that touch."""
    square = ((one - other) ** 2).mean(axis=2)
    return np.sqrt((square[1:, 1:] + square[1:, :-1] + square[:-1, 1:] + square[:-1, :-1]) / 4)
