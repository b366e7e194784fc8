"""Figure: how the steps and the busiest NPU's traffic of each all-reduce algorithm grow with the NPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.collectives import counts, schedule
from astra_edu.course.plots.figure import COLOURS, MARKERS, Picture, text_table

ALGORITHMS = ("ring", "direct", "halving-doubling", "double-binary-tree", "single-master", "naive")


def all_reduce_costs(npus: Sequence[int] = (2, 4, 8, 16, 32, 64), algorithms: Sequence[str] = ALGORITHMS) -> Picture:
    """Left: steps. Right: what the busiest NPU sends or receives, as a multiple of its buffer.

    npus: powers of two, so that every algorithm works.

    >>> print(ae.plots.all_reduce_costs([4, 8], ["ring", "halving-doubling"]).table)
    algorithm         NPUs  steps  busiest NPU (buffers)  fan-in
    ring                 4      6                  1.500       1
    ring                 8     14                  1.750       1
    halving-doubling     4      4                  1.500       1
    halving-doubling     8      6                  1.750       1
    """
    unit = max(npus)
    cost = {a: [counts(schedule("all-reduce", a, n), unit) for n in npus] for a in algorithms}
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    _lines(left, npus, {name: tuple(c.steps for c in found) for name, found in cost.items()})
    _lines(right, npus, {name: tuple(max(c.sent, c.received) / unit for c in found) for name, found in cost.items()})
    left.set_title("steps")
    right.set_title("busiest NPU: buffers sent or received")
    rows: list[list[object]] = [
        [name, n, c.steps, f"{max(c.sent, c.received) / unit:.3f}", c.fan_in]
        for name, found in cost.items()
        for n, c in zip(npus, found, strict=True)
        if n in (npus[0], 8, npus[-1])
    ]
    table = text_table(["algorithm", "NPUs", "steps", "busiest NPU (buffers)", "fan-in"], rows)
    alt = (
        "Two log-log line charts over the number of NPUs. Steps: ring grows in proportion, halving-doubling and the "
        "double binary tree with the logarithm, direct, single master and naive stay constant. Traffic of the busiest "
        "NPU: ring, direct and halving-doubling approach 2 buffers, single master and naive grow in proportion."
    )
    return Picture(figure, alt, table)


def _lines(axes: Axes, npus: Sequence[int], series: Mapping[str, tuple[float, ...]]) -> None:
    """Log-log lines with their names at their ends; equal lines are drawn once and named together."""
    place = 0.0
    for i, values in enumerate(sorted(set(series.values()), key=lambda line: (line[-1], line))):
        names = [name for name, other in series.items() if other == values]
        axes.plot(npus, values, color=COLOURS[i], marker=MARKERS[i])
        place = max(values[-1], place * 1.4)
        axes.annotate(
            ", ".join(names),
            (1.02, place),
            xycoords=("axes fraction", "data"),
            color=COLOURS[i],
            fontsize=8,
            va="center",
            annotation_clip=False,
        )
    axes.set(xscale="log", yscale="log", xlabel="NPUs")
    axes.set_xticks(npus, [str(n) for n in npus])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
