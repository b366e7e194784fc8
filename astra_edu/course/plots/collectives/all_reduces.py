"""Figures: how much of its bandwidth an all-reduce uses, over its size or by scheduler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import format_bytes
from astra_edu.course.plots.axes import grid, in_full, open_frame
from astra_edu.course.plots.collectives.sizes import size_axis
from astra_edu.course.plots.figure import COLOURS, MARKERS, WIDE, Picture, TimeUnit, percent, text_table, time_unit
from astra_edu.course.studies.case_studies.collectives import SCHEDULERS, UNRELEASED, AllReduce

_HATCHES = ("", "//", "\\\\", "..", "xx", "--", "++")
_FILLS = ("#e8e8e8", "#93c8ee", "#f7b787", "#9fd8c3", "#e2b6d2", "#f3e79b", "#d6e6f2")
_DASHES = ("-", "--", ":", "-.")
_MOST = len(MARKERS)


@dataclass(frozen=True)
class _Shown:
    """All-reduces, with their systems, schedulers and sizes in bytes, in the order of the rows."""

    rows: Sequence[AllReduce]
    systems: Sequence[str]
    schedulers: Sequence[str]
    sizes: Sequence[int]
    used: Mapping[tuple[str, str, int], float]

    @classmethod
    def of(cls, rows: Sequence[AllReduce]) -> _Shown:
        """Raises ConfigError for no rows, and for more systems than can be told apart."""
        if not isinstance(rows, Sequence) or not rows or not all(isinstance(row, AllReduce) for row in rows):
            raise ConfigError("give rows such as all_reduces() returns.")
        systems = list(dict.fromkeys(row.system for row in rows))
        schedulers = list(dict.fromkeys(row.scheduler for row in rows))
        if max(len(systems), len(schedulers)) > _MOST:
            raise ConfigError(
                f"{len(systems)} systems and {len(schedulers)} schedulers; at most {_MOST} can be told apart."
            )
        used = {(row.system, row.scheduler, row.size): row.used for row in rows}
        return cls(rows, systems, schedulers, sorted({row.size for row in rows}), used)

    def share(self, system: str, scheduler: str, size: int) -> str:
        """What is used of the bandwidth, as text."""
        used = self.used.get((system, scheduler, size))
        return "-" if used is None else f"{used:.0%}"

    @property
    def note(self) -> str:
        """What one must know of these schedulers."""
        return UNRELEASED if any(SCHEDULERS.get(name, ("",))[0] == "themis" for name in self.schedulers) else ""


def bandwidth_used(rows: Sequence[AllReduce]) -> Picture:
    """Draw the share of the bandwidth that an all-reduce uses over its size: a part for each scheduler, a line for each
    system. Raises ConfigError for no rows, for more systems than can be told apart, and for one size alone.

    >>> from astra_edu.studies.case_studies import all_reduces
    >>> rows = list(all_reduces(["W-2D"], ["baseline"], sizes=[2**20, 2**24], splits=8))
    >>> print(ae.plots.bandwidth_used(rows).table)
    bandwidth used  1 MiB  16 MiB
    W-2D, baseline    50%     51%
    """
    shown = _Shown.of(rows)
    if len(shown.sizes) < 2:
        size = format_bytes(shown.sizes[0])
        raise ConfigError(f"all rows are of {size}; give two sizes or more, or use all_reduce_bars.")
    return Picture(_drawn_over_size(shown), _alt_over_size(shown), _table_over_size(shown), shown.note)


def _drawn_over_size(shown: _Shown) -> Figure:
    figure = Figure(figsize=(min(WIDE, 1.5 + 4 * len(shown.schedulers)), 4.2), layout="constrained")
    panels = figure.subplots(1, len(shown.schedulers), sharey=True, squeeze=False)[0]
    for axes, scheduler in zip(panels, shown.schedulers, strict=True):
        _lines(axes, shown, scheduler)
    panels[0].set(ylabel="bandwidth used (%)", ylim=(0, 104))
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper", frameon=False)
    return figure


def _lines(axes: Axes, shown: _Shown, scheduler: str) -> None:
    for i, system in enumerate(shown.systems):
        keys = [(system, scheduler, size) for size in shown.sizes]
        points = [(key[2], 100 * shown.used[key]) for key in keys if key in shown.used]
        look: dict[str, Any] = {"color": COLOURS[i], "marker": MARKERS[i], "ls": _DASHES[i % len(_DASHES)]}
        axes.plot(*zip(*points, strict=True), label=system, ms=9 - i, mfc="none", mew=1.5, **look)
    size_axis(axes, shown.sizes)
    axes.set_title(scheduler, size=10)
    axes.tick_params(axis="x", labelrotation=45)
    grid(axes)


def _alt_over_size(shown: _Shown) -> str:
    first, last = format_bytes(shown.sizes[0]), format_bytes(shown.sizes[-1])
    sentences = [
        f"{scheduler}, {last}: "
        + ", ".join(f"{system} {shown.share(system, scheduler, shown.sizes[-1])}" for system in shown.systems)
        + "."
        for scheduler in shown.schedulers
    ]
    return (
        f"Share of the bandwidth that an all-reduce uses, over its size from {first} to {last}, a part for each "
        f"scheduler. {' '.join(sentences)}"
    )


def _table_over_size(shown: _Shown) -> str:
    rows: list[list[object]] = [
        [f"{system}, {scheduler}", *(shown.share(system, scheduler, size) for size in shown.sizes)]
        for scheduler in shown.schedulers
        for system in shown.systems
    ]
    return text_table(["bandwidth used", *map(format_bytes, shown.sizes)], rows)


def all_reduce_bars(rows: Sequence[AllReduce]) -> Picture:
    """Draw the time of all-reduces of one size: a group of bars for each system, a bar for each scheduler.

    A line marks the least time that the system's bandwidth allows. Raises ConfigError for rows of several sizes.

    >>> from astra_edu.studies.case_studies import all_reduces
    >>> rows = list(all_reduces(["W-2D"], ["baseline", "Themis, SCF"], sizes=[2**24], splits=8))
    >>> print(ae.plots.all_reduce_bars(rows).table)
    system             time (µs)  least (µs)  bandwidth used
    W-2D, baseline       121.328      62.378          51.4 %
    W-2D, Themis, SCF     71.904      62.378          86.8 %
    """
    shown = _Shown.of(rows)
    if len(shown.sizes) > 1:
        raise ConfigError(f"the rows are of {len(shown.sizes)} sizes; give those of one size, or use bandwidth_used.")
    unit = time_unit(max(row.total_ns for row in rows))
    return Picture(_drawn_bars(shown, unit), _alt_of_bars(shown, unit), _table_of_bars(shown, unit), shown.note)


def _drawn_bars(shown: _Shown, unit: TimeUnit) -> Figure:
    figure = Figure(figsize=(WIDE, 0.32 * len(shown.rows) + 1.5), layout="constrained")
    axes = figure.subplots()
    looks = [_look(fill, hatch) for fill, hatch in zip(_FILLS, _HATCHES, strict=True)]
    for row in shown.rows:
        _bar(axes, shown, row, unit, looks[shown.schedulers.index(row.scheduler)])
    axes.set_yticks(range(len(shown.systems)), shown.systems)
    size = format_bytes(shown.sizes[0])
    axes.set(ylim=(len(shown.systems) - 0.5, -0.5), xlabel=f"all-reduce of {size} ({unit.name})")
    in_full(axes.xaxis)
    axes.margins(x=0.2)
    axes.set_xlim(0, None)
    open_frame(axes)
    names = zip(shown.schedulers, looks, strict=False)
    entries = [Patch(**{**look, "hatch": 2 * look["hatch"]}, label=name) for name, look in names]
    least = axes.vlines([], 0, 1, color="black", lw=2, label="least time")
    figure.legend(handles=[*entries, least], loc="outside upper center", ncols=len(entries) + 1, frameon=False)
    return figure


def _look(fill: str, hatch: str) -> dict[str, Any]:
    return {"facecolor": fill, "edgecolor": "0.2", "hatch": hatch}


def _bar(axes: Axes, shown: _Shown, row: AllReduce, unit: TimeUnit, look: Mapping[str, Any]) -> None:
    height = 0.8 / len(shown.schedulers)
    middle = (len(shown.schedulers) - 1) / 2
    place = shown.systems.index(row.system) + (shown.schedulers.index(row.scheduler) - middle) * height
    axes.barh(place, row.total_ns / unit.ns, 0.9 * height, **look)
    axes.vlines(row.least_ns / unit.ns, place - height / 2, place + height / 2, color="black", lw=2)
    note = f"{unit.text(row.total_ns)} {unit.name}, {row.used:.0%} used"
    axes.annotate(note, (row.total_ns / unit.ns, place), (5, 0), textcoords="offset points", va="center", size=9)


def _alt_of_bars(shown: _Shown, unit: TimeUnit) -> str:
    sentences = " ".join(
        f"{row.system}, {row.scheduler}: {unit.named(row.total_ns)}, {row.used:.0%} of the bandwidth used."
        for row in shown.rows
    )
    size = format_bytes(shown.sizes[0])
    return f"Time of an all-reduce of {size}, a bar for each scheduler on each system. {sentences}"


def _table_of_bars(shown: _Shown, unit: TimeUnit) -> str:
    rows: list[list[object]] = [
        [f"{row.system}, {row.scheduler}", unit.text(row.total_ns), unit.text(row.least_ns), percent(row.used)]
        for row in shown.rows
    ]
    return text_table(["system", f"time ({unit.name})", f"least ({unit.name})", "bandwidth used"], rows)
