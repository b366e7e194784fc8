"""Figure: the bus bandwidth that was reached, over the size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import format_bytes
from astra_edu.course.plots.axes import grid
from astra_edu.course.plots.collectives.sizes import DASHES, size_axis
from astra_edu.course.plots.figure import COLOURS, MARKERS, WIDE, Picture, text_table
from astra_edu.measured.models import bus_bandwidth
from astra_edu.measured.tables import Sweep


@dataclass(frozen=True)
class _Reached:
    """What is shown, in 10⁹ bytes/s. by_size: for each sweep. limits: horizontal lines by their names."""

    by_size: Mapping[str, Mapping[int, float]]
    limits: Mapping[str, float]

    @property
    def sizes(self) -> list[int]:
        """All sizes, in bytes."""
        return sorted({size for found in self.by_size.values() for size in found})


def bus_bandwidths(sweeps: Sequence[Sweep], limits: Mapping[str, float] | None = None) -> Picture:
    """Draw the bus bandwidth over the size, a line for each sweep.

    limits: horizontal lines with names, such as the bandwidth of a link, in 10⁹ bytes/s. Raises ConfigError for none
    or more than seven sweeps.

    >>> picture = ae.plots.bus_bandwidths([ae.measured.sweep("hgx-h100-2")])
    >>> print(picture.table.splitlines()[-1])
    2 GiB                                         364.60
    """
    if not 1 <= len(sweeps) <= len(COLOURS):
        raise ConfigError(f"give 1 to {len(COLOURS)} sweeps to one figure, not {len(sweeps)}.")
    reached = _Reached({sweep.title: _by_size(sweep) for sweep in sweeps}, limits or {})
    return Picture(_drawn(reached), _alt(reached), _table(reached))


def _by_size(sweep: Sweep) -> Mapping[int, float]:
    return {size: bus_bandwidth("all-reduce", sweep.npus, size, us) for size, us in sweep.points}


def _drawn(reached: _Reached) -> Figure:
    figure = Figure(figsize=(WIDE, 4.6), layout="constrained")
    axes = figure.subplots()
    for i, (name, found) in enumerate(reached.by_size.items()):
        look = {"color": COLOURS[i], "linestyle": DASHES[i % len(DASHES)], "marker": MARKERS[i], "ms": 5}
        axes.plot(list(found), list(found.values()), label=name, **look)
    for name, limit in reached.limits.items():
        axes.axhline(limit, color="0.35", lw=1, ls=":")
        at = (reached.sizes[0], limit)
        axes.annotate(f"{name}: {limit:g}", at, (0, 3), textcoords="offset points", fontsize=9)
    size_axis(axes, reached.sizes)
    axes.set(ylabel="bus bandwidth (10⁹ bytes/s)", ylim=(0, None))
    grid(axes)
    axes.legend(loc="upper left", bbox_to_anchor=(0, 0.86), frameon=False)
    return figure


def _alt(reached: _Reached) -> str:
    lines = " ".join(
        f"{name}: {min(found.values()):,.2f} to {max(found.values()):,.2f}." for name, found in reached.by_size.items()
    )
    drawn = "".join(f" A line at {limit:g}: {name}." for name, limit in reached.limits.items())
    return f"Bus bandwidth in 10⁹ bytes/s over the size, which is on a logarithmic axis. {lines}{drawn}"


def _table(reached: _Reached) -> str:
    every = reached.by_size.values()
    rows: list[list[object]] = [
        [format_bytes(size), *(f"{found[size]:,.2f}" if size in found else "" for found in every)]
        for size in reached.sizes
    ]
    return text_table(["size: 10⁹ bytes/s", *reached.by_size], rows)
