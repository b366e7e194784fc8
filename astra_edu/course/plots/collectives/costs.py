"""Figure: how the steps and the busiest NPU's traffic of each all-reduce algorithm grow with the NPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.collectives import counts, schedule
from astra_edu.collectives.counts import Counts
from astra_edu.course.plots.figure import WIDE, Picture, text_table
from astra_edu.course.plots.looks import line_looks

ALGORITHMS = ("ring", "direct", "halving-doubling", "double-binary-tree", "single-master", "naive")
_DASH = 5.0  # line widths, of lines that lie on each other
_APART = 1.5  # times as high as the name below
_AT_THE_END = ("axes fraction", "data")


@dataclass(frozen=True)
class _Costs:
    """What is shown. by_algorithm: for each number of NPUs, of a buffer of `buffer_bytes`."""

    npus: Sequence[int]
    by_algorithm: Mapping[str, Sequence[Counts]]
    buffer_bytes: int

    @classmethod
    def of(cls, npus: Sequence[int], algorithms: Sequence[str]) -> _Costs:
        unit = max(npus)
        return cls(npus, {a: [counts(schedule("all-reduce", a, n), unit) for n in npus] for a in algorithms}, unit)

    def busiest(self, found: Counts) -> float:
        """Buffers that the busiest NPU sends or receives."""
        return max(found.sent, found.received) / self.buffer_bytes


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
    costs = _Costs.of(npus, algorithms)
    return Picture(_drawn(costs), _alt(costs), _table(costs))


def _drawn(costs: _Costs) -> Figure:
    figure = Figure(figsize=(WIDE, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    _lines(left, costs.npus, {name: tuple(c.steps for c in found) for name, found in costs.by_algorithm.items()})
    _lines(right, costs.npus, {name: tuple(map(costs.busiest, found)) for name, found in costs.by_algorithm.items()})
    left.set_title("steps")
    right.set_title("busiest NPU: buffers sent or received")
    return figure


def _lines(axes: Axes, npus: Sequence[int], series: Mapping[str, tuple[float, ...]]) -> None:
    """Log-log lines with their names at their ends, an algorithm's in both halves alike; equal lines take turns."""
    place = 0.0
    looks = line_looks(series)
    for name in sorted(series, key=lambda name: (series[name][-1], series[name])):
        values, look = series[name], looks[name]
        equal = [other for other in series if series[other] == values]
        turn = equal.index(name)
        dashes = (turn * _DASH, (_DASH, (len(equal) - 1) * _DASH)) if len(equal) > 1 else "-"
        points = (turn % len(npus), min(len(equal), len(npus)))
        axes.plot(npus, values, color=look.colour, marker=look.marker, linestyle=dashes, markevery=points)
        place = max(values[-1], place * _APART)
        at = (1.02, place)
        axes.annotate(name, at, xycoords=_AT_THE_END, color=look.colour, size=9, va="center", annotation_clip=False)
    axes.set(xscale="log", yscale="log", xlabel="NPUs")
    axes.set_ylim(top=max(axes.get_ylim()[1], place * _APART**0.5))  # no name stands in the title
    axes.set_xticks(npus, [str(n) for n in npus])
    axes.minorticks_off()
    axes.grid(alpha=0.3)


def _alt(costs: _Costs) -> str:
    fewest, most = costs.npus[0], costs.npus[-1]
    grown = " ".join(
        f"{name}: {found[0].steps} to {found[-1].steps} steps, "
        f"{costs.busiest(found[0]):.2f} to {costs.busiest(found[-1]):.2f} buffers."
        for name, found in costs.by_algorithm.items()
    )
    return (
        f"Two log-log line charts over {fewest} to {most} NPUs: the steps of each algorithm, and what the busiest NPU "
        f"sends or receives, in buffers. {grown}"
    )


def _table(costs: _Costs) -> str:
    rows: list[list[object]] = [
        [name, n, c.steps, f"{costs.busiest(c):.3f}", c.fan_in]
        for name, found in costs.by_algorithm.items()
        for n, c in zip(costs.npus, found, strict=True)
    ]
    return text_table(["algorithm", "NPUs", "steps", "busiest NPU (buffers)", "fan-in"], rows)
