"""Figure: NPUs on their platform, with the role that each plays, and who is followed for it; or their roles alone."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from astra_edu.base.units import several
from astra_edu.course.plots.figure import WIDE, Picture, text_table
from astra_edu.run.roles import Roles
from astra_edu.run.roles.of_run import roles as roles_of
from astra_edu.system import TracePlatform
from astra_edu.traces import Trace

MOST_DRAWN = 1024
"""NPUs whose letters can still be read; of more, roles are drawn."""
MOST_ROLES = 200
"""Roles that are drawn and listed where NPUs aren't."""
_FILLS = ("#cfe3f2", "#f9d3b8", "#c4e6da", "#f1d9e6", "#f6e9b8", "#d6eefb", "#e2e2e2")
_CELL = 0.3
_ACROSS = int(WIDE / _CELL) - 1
_SQUARE, _IN_ROW = 0.95, 8


def roles(trace: Trace, platform: TracePlatform) -> Picture:
    """Draw each NPU of a platform with the letter of its role; who is followed for the others has a thick frame.

    Columns are the first dimension, rows the second; further ones are panels. Of more than 1,024 NPUs the picture is
    folded: a square for each role, in the order of who is followed, says how many NPUs play it; 200 roles at most.

    >>> network = ae.Block("Switch", 4, 50, 500), ae.Block("Ring", 4, 50, 500)
    >>> platform = ae.TracePlatform(network, ae.TraceSystem.of(["ring", "ring"]))
    >>> trace = ae.traces.from_pipeline("1f1b", 4, 4, forward_micros=10, backward_micros=20, bytes=4096)
    >>> print(ae.plots.roles(trace, ae.TracePlatform(network[1], ae.TraceSystem.of("ring"))).table)
    role  NPUs  followed
    A        1     NPU 0
    B        1     NPU 1
    C        1     NPU 2
    D        1     NPU 3
    """
    found = roles_of(trace, platform)
    folded = trace.npus > MOST_DRAWN
    names = [letters(role) for role in range(min(found.count, MOST_ROLES) if folded else found.count)]
    each = list(zip(names, found.sizes, found.representatives, strict=False))
    rows = [[name, f"{count:,}", f"NPU {npu}"] for name, count, npu in each]
    more = found.count - len(each)
    figure = _folded(each, more, trace.npus) if folded else _drawn(found, platform.dims, names)
    note = f"{more:,} more roles are in ae.roles(trace, platform)." if more else ""
    return Picture(figure, _alt(found, names, folded), text_table(["role", "NPUs", "followed"], rows), note)


def letters(role: int) -> str:
    """A to Z, then AA, AB and so on.

    >>> from astra_edu.course.plots.traces.roles import letters
    >>> letters(0), letters(25), letters(26), letters(701)
    ('A', 'Z', 'AA', 'ZZ')
    """
    name = ""
    role += 1
    while role:
        role, digit = divmod(role - 1, 26)
        name = chr(ord("A") + digit) + name
    return name


def _folded(each: Sequence[tuple[str, int, int]], more: int, npus: int) -> Figure:
    """A square for each role, with its letter, how many NPUs play it, and who is followed."""
    across, down = min(len(each), _IN_ROW), -(-len(each) // _IN_ROW)
    figure = Figure(figsize=(max(4.2, across * _SQUARE + 0.5), down * _SQUARE + 0.75), layout="constrained")
    axes = figure.subplots()
    axes.set_axis_off()
    left = f" ({more:,} more aren't drawn)" if more else ""
    said = f"{several(npus, 'NPU')} in {several(len(each) + more, 'role')}{left};\nbelow, who is followed for each"
    axes.set_title(said, fontsize=10)
    for role, (name, count, npu) in enumerate(each):
        y, x = divmod(role, _IN_ROW)
        axes.add_patch(Rectangle((x, y), 1, 1, facecolor=_FILLS[role % len(_FILLS)], edgecolor="k", lw=0.8))
        axes.text(x + 0.5, y + 0.25, name, ha="center", va="center", fontsize=13, color="k", weight="bold")
        axes.text(x + 0.5, y + 0.57, several(count, "NPU"), ha="center", va="center", fontsize=9, color="k")
        axes.text(x + 0.5, y + 0.83, f"NPU {npu:,}", ha="center", va="center", fontsize=9, color="k", style="italic")
    axes.set(xlim=(-0.05, across + 0.05), ylim=(down + 0.05, -0.05), aspect="equal")
    return figure


def _drawn(found: Roles, dims: tuple[int, ...], names: list[str]) -> Figure:
    across = dims[0]
    down = dims[1] if len(dims) > 1 else 1
    panels = prod(dims[2:])
    if down == 1 and across > _ACROSS:
        across = next(c for c in range(_ACROSS, 0, -1) if dims[0] % c == 0)
        down = dims[0] // across
    in_row = max(1, min(panels, _ACROSS // (across + 1)))
    high = -(-panels // in_row) * ((down + 1) * _CELL + 0.25)
    figure = Figure(figsize=(min(WIDE, in_row * (across + 1) * _CELL + 0.5), high + 0.2), layout="constrained")
    grid = figure.subplots(-(-panels // in_row), in_row, squeeze=False)
    for panel, axes in enumerate(grid.flat):
        axes.set_axis_off()
        if panel < panels:
            first = panel * across * down
            _panel(axes, found, names, range(first, first + across * down), across)
            if panels > 1:
                axes.set_title(f"NPU {first} to {first + across * down - 1}", fontsize=9)
    return figure


def _panel(axes: Axes, found: Roles, names: list[str], npus: range, across: int) -> None:
    for npu in npus:
        y, x = divmod(npu - npus.start, across)
        role = found.of[npu]
        followed = found.representatives[role] == npu
        axes.add_patch(
            Rectangle(
                (x, y),
                1,
                1,
                facecolor=_FILLS[role % len(_FILLS)],
                edgecolor="k",
                lw=2.2 if followed else 0.4,
                zorder=2 if followed else 1,
            )
        )
        axes.text(
            x + 0.5,
            y + 0.5,
            names[role],
            ha="center",
            va="center",
            fontsize=9,
            color="k",
            weight="bold" if followed else "normal",
            zorder=3,
        )
    axes.set(xlim=(-0.1, across + 0.1), ylim=(len(npus) // across + 0.1, -0.1), aspect="equal")


def _alt(found: Roles, names: Sequence[str], folded: bool) -> str:
    said = [
        f"role {name} is played by {several(count, 'NPU')}, followed is NPU {npu}"
        for name, count, npu in zip(names[:12], found.sizes, found.representatives, strict=False)
    ]
    more = f"; and {found.count - 12} more" if found.count > 12 else ""
    drawn = ", a square for each role" if folded else ""
    return f"{several(len(found.of), 'NPU')} in {several(found.count, 'role')}{drawn}: {'; '.join(said)}{more}."
