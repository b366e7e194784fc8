"""What the figures over sizes have in common."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from typing import Any

from matplotlib.axes import Axes

from astra_edu.base.units import format_bytes

DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
"""How the lines of models differ besides their colour and their marker."""


def size_axis(axes: Axes, sizes: Sequence[int]) -> None:
    """Make the horizontal axis one of sizes: logarithmic, with KiB, MiB and GiB, not more than a dozen labels."""
    powers = [round(log2(size)) for size in sizes]
    step = ceil((max(powers) - min(powers) + 1) / 12)
    shown = [2**power for power in range(min(powers), max(powers) + 1, step)]
    axes.set(xscale="log", xlabel="size")
    axes.set_xticks(shown, [format_bytes(size) for size in shown])
    axes.minorticks_off()
