"""Figures: where the time of estimated iterations goes, and how it compares with what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from astra_edu.base.bound import caveat, total_words
from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.figure import Picture, TimeUnit, percent, text_table, time_axis, time_unit
from astra_edu.course.plots.looks import COMPUTE, EXPOSED, LOOKS, Look
from astra_edu.course.plots.stacked import by_name, stacked
from astra_edu.explore.iteration import Iteration
from astra_edu.measured import Measured

REPEATED = Look("repeated", "", "#f3e79b", "#8a7a00", "..")
TENSOR = Look("tensor group", "", "#93c8ee", "#0072b2", "\\\\")
WAITING = EXPOSED._replace(name="waiting")
EXCHANGE = LOOKS["reduce-scatter"]._replace(name="exchange", short="")
UPDATE = Look("update", "", "#e2b6d2", "#9c3f78", "--")
KINDS = {look.name: look for look in (COMPUTE, REPEATED, TENSOR, WAITING, EXCHANGE, UPDATE)}
"""How the parts of Iteration.split look."""
WORDS = {
    "compute": "what is computed once",
    "repeated": "recomputation",
    "tensor group": "collectives that a micro-batch waits for",
    "waiting": "for other stages, the bubble and messages",
    "exchange": "what isn't hidden of gradients and parameters among the copies",
    "update": "the optimiser",
}


def iteration_times(iterations: Mapping[str, Iteration]) -> Picture:
    """Draw a bar for each estimated iteration, split into what its time goes into.

    iterations: as `ae.estimate` gives them, by names, the first on top. Raises ConfigError if there is none.

    >>> pods = ae.Platform((ae.Dimension.of("Switch", 8, 220, 1000),), ae.SystemConfig.of("halvingDoubling"))
    >>> took = {"8 copies": ae.estimate("gpt2", ae.Strategy(data=8), "a100", pods)}
    >>> print(ae.plots.iteration_times(took).table)
    time (µs)     compute   exchange      update      in all
    8 copies   53,325.704  4,580.644  22,917.281  80,823.629
    """
    iterations = by_name(iterations, Iteration, '{"8 stages": ae.estimate(model, strategy, device, platform)}')
    found = list(iterations.values())
    kinds, unit = _kinds(found), time_unit(max(each.total_ns for each in found))
    table = _times_table(iterations, kinds, unit)
    return Picture(_times_drawn(iterations, kinds, unit), _times_alt(iterations, unit), table, _note(kinds))


def _times_drawn(iterations: Mapping[str, Iteration], kinds: Sequence[str], unit: TimeUnit) -> Figure:
    found = iterations.values()
    bars = [(KINDS[kind], [each.split[kind] / unit.ns for each in found]) for kind in kinds]
    figure, axes = stacked(
        list(iterations), bars, [total_words(each.total_ns, each.bound_ns, unit.named) for each in found]
    )
    time_axis(axes, unit)
    return figure


def _times_alt(iterations: Mapping[str, Iteration], unit: TimeUnit) -> str:
    return "A bar for each iteration, split into what its time goes into. " + " ".join(
        f"{name}: {_total(each, unit)}; {_shares(each)}." for name, each in iterations.items()
    )


def _total(each: Iteration, unit: TimeUnit) -> str:
    why = "" if each.bound_ns is None else f" ({caveat(each.total_ns, each.bound_ns, unit.named)})"
    return f"{total_words(each.total_ns, each.bound_ns, unit.named)}{why}"


def _times_table(iterations: Mapping[str, Iteration], kinds: Sequence[str], unit: TimeUnit) -> str:
    rows: list[list[object]] = [
        [name, *(unit.text(each.split[kind]) for kind in kinds), unit.text(each.total_ns)]
        for name, each in iterations.items()
    ]
    head = [f"time ({unit.name})", *kinds, "in all"]
    bounds = [each.bound_ns for each in iterations.values()]
    if any(bound is not None for bound in bounds):  # what leads stands first
        head.insert(1, "at least")
        for row, bound in zip(rows, bounds, strict=True):
            row.insert(1, "-" if bound is None else unit.text(bound))
    return text_table(head, rows)


@dataclass(frozen=True)
class _Compared:
    """A measurement, and what is predicted for it."""

    row: Measured
    predicted: Iteration

    @property
    def name(self) -> str:
        """What was measured."""
        return f"{self.row.model}, {self.row.recompute}"

    def percent_of_measured(self, time_ns: float) -> float:
        """A time in % of the measured one."""
        return time_ns / 1e7 / self.row.seconds

    @property
    def end(self) -> float:
        """The predicted time in % of the measured one."""
        return self.percent_of_measured(self.predicted.total_ns)

    @property
    def error(self) -> str:
        """By how much the prediction is off, as text."""
        return f"{self.end - 100:+.1f} %".replace("-", "−")


def validation(rows: Sequence[Measured]) -> Picture:
    """Draw what is predicted for each row of measurements as a split bar, and what was measured as a mark.

    Everything as a share of the measured time, so that 1 s and 90 s can stand beside each other; the seconds are in
    the table. Raises ConfigError if there are no rows.

    >>> from astra_edu.measured import megatron
    >>> print(ae.plots.validation(megatron()[:1]).table)
    s          NPUs  compute  repeated  tensor group  update  predicted  measured   error
    22b, full     8     0.80      0.28          0.22    0.05       1.35      1.42  −4.9 %
    """
    if not rows:
        raise ConfigError("there are no measurements to compare with; astra_edu.measured.megatron() has eight.")
    compared = [_Compared(row, row.predicted()) for row in rows]
    kinds = _kinds([each.predicted for each in compared])
    return Picture(_drawn(compared, kinds), _alt(compared), _table(compared, kinds), _note(kinds))


def _drawn(compared: Sequence[_Compared], kinds: Sequence[str]) -> Figure:
    look: dict[str, Any] = {"color": "black", "lw": 2, "marker": "D", "markersize": 4}
    bars = [
        (KINDS[kind], [each.percent_of_measured(each.predicted.split[kind]) for each in compared]) for kind in kinds
    ]
    mark = Line2D([], [], label="measured", **look)
    figure, axes = stacked([each.name for each in compared], bars, [""] * len(compared), [mark])
    for place, each in enumerate(compared):
        axes.plot([100, 100], [place - 0.4, place + 0.4], **look)
        at, text = (max(100.0, each.end), place), f"{each.error} of {each.row.seconds:.2f} s"
        axes.annotate(text, at, (9, 0), textcoords="offset points", va="center", size=9)
    most = max(100.0, *(each.end for each in compared))
    axes.set(xlabel="predicted time, in % of the measured time", xlim=(0, 1.2 * most))
    return figure


def _alt(compared: Sequence[_Compared]) -> str:
    off = [abs(each.end / 100 - 1) for each in compared]
    sentences = [
        f"{each.name}: predicted {each.predicted.total_ns / 1e9:.2f} s, measured {each.row.seconds:.2f} s, "
        f"{each.error}; {_shares(each.predicted)}."
        for each in compared
    ]
    return (
        "For each measured iteration a bar of the predicted time, split into what it goes into, and a mark where the "
        f"measured time is. Mean error {percent(sum(off) / len(off))}, at most {percent(max(off))}. "
        f"{' '.join(sentences)}"
    )


def _table(compared: Sequence[_Compared], kinds: Sequence[str]) -> str:
    rows: list[list[object]] = []
    for each in compared:
        times = [*(each.predicted.split[kind] for kind in kinds), each.predicted.total_ns]
        seconds = [f"{ns / 1e9:.2f}" for ns in times]
        rows.append([each.name, each.row.strategy.npus, *seconds, f"{each.row.seconds:.2f}", each.error])
    return text_table(["s", "NPUs", *kinds, "predicted", "measured", "error"], rows)


def _kinds(iterations: Sequence[Iteration]) -> list[str]:
    """The kinds of time that any of them has."""
    return [kind for kind in KINDS if any(each.split[kind] for each in iterations)]


def _shares(each: Iteration) -> str:
    return ", ".join(f"{kind} {percent(time / each.total_ns)}" for kind, time in each.split.items() if time)


def _note(kinds: Sequence[str]) -> str:
    words = "; ".join(f"{kind}: {WORDS[kind]}" for kind in kinds)
    return f"{words[0].upper()}{words[1:]}. All on the stage that is busy longest."
