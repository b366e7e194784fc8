"""The figure of how cost grows, as SVG: a panel for each thing that doubles, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

from tools.bench_cpp.growth import Grown, exponent

matplotlib.use("svg")
from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter

FIGURE = Path(__file__).parents[2] / "docs" / "growth.svg"
LOOKS = (("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"))
"""Colours that colour-blind people tell apart (Okabe and Ito), each with a marker of its own."""


def draw(grown: Sequence[Grown], path: Path = FIGURE) -> None:
    """Draw what was measured; the C++ program's times are dashed, with hollow markers."""
    doubles = list(dict.fromkeys(one.series.doubles for one in grown))
    plt.rcParams.update({"svg.hashsalt": "growth", "svg.fonttype": "path", "font.size": 9})
    columns = min(2, len(doubles))
    rows = -(-len(doubles) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(5 * columns, 3.6 * rows), squeeze=False, sharey=True)
    for axis in axes.flat[len(doubles) :]:
        axis.remove()
    for axis, what in zip(axes.flat, doubles, strict=False):
        here = [one for one in grown if one.series.doubles == what]
        for one, (colour, marker) in zip(here, LOOKS, strict=False):
            power = exponent(one.ours)
            label = one.series.name + (f", n^{power:.1f}" if power is not None else "")
            axis.plot(list(one.ours), list(one.ours.values()), color=colour, marker=marker, markersize=4, label=label)
            hollow = {"markerfacecolor": "white", "linestyle": "--", "linewidth": 0.8}
            axis.plot(list(one.theirs), list(one.theirs.values()), color=colour, marker=marker, markersize=4, **hollow)
        axis.set(xscale="log", yscale="log", xlabel=what)
        axis.set_xscale("log", base=2)
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axis.grid(True, which="major", color="#dddddd", linewidth=0.6)
        axis.legend(fontsize=7.5, frameon=False, loc="upper left")
    low, high = axes[0][0].get_ylim()
    axes[0][0].set_ylim(low / 2, high * 20)  # all have the same axis; the legends are above the lines
    for row in axes:
        row[0].set_ylabel("CPU seconds")
    dashed = any(one.theirs for one in grown)
    figure.suptitle(
        "Time of a run, simulating alone" + ("; dashed: the whole C++ process" if dashed else ""), fontsize=10
    )
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def alt_text(grown: Sequence[Grown]) -> str:
    """What the figure shows, in words."""
    parts = []
    for one in grown:
        power = exponent(one.ours)
        if power is not None:
            parts.append(f"{one.series.name}: n to the {power:.1f} where n counts {one.series.doubles}")
    return "Time of a run over what doubles, both logarithmic. " + "; ".join(parts) + "."
