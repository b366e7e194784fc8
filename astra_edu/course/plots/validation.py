"""Figures: where the time of estimated iterations goes, and how it compares with what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.lines import Line2D

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.figure import Picture, percent, text_table, time_axis, time_unit
from astra_edu.course.plots.looks import COMPUTE, EXPOSED, LOOKS, Look
from astra_edu.course.plots.stacked import by_name, stacked
from astra_edu.course.studies.iteration import Iteration
from astra_edu.course.studies.measured import Measured

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
    names, found = list(iterations), list(iterations.values())
    kinds, unit = _kinds(found), time_unit(max(each.total_ns for each in found))
    totals = [unit.named(each.total_ns) for each in found]
    bars = [(KINDS[kind], [each.split[kind] / unit.ns for each in found]) for kind in kinds]
    figure, axes = stacked(names, bars, totals)
    time_axis(axes, unit)
    rows: list[list[object]] = [
        [name, *(unit.text(each.split[kind]) for kind in kinds), unit.text(each.total_ns)]
        for name, each in iterations.items()
    ]
    alt = "A bar for each iteration, split into what its time goes into. " + " ".join(
        f"{name}: {total}; {_shares(each)}." for name, each, total in zip(names, found, totals, strict=True)
    )
    return Picture(figure, alt, text_table([f"time ({unit.name})", *kinds, "in all"], rows), _note(kinds))


def validation(rows: Sequence[Measured]) -> Picture:
    """Draw what is predicted for each row of measurements as a split bar, and what was measured as a mark.

    Everything as a share of the measured time, so that 1 s and 90 s can stand beside each other; the seconds are in
    the table. Raises ConfigError if there are no rows.

    >>> from astra_edu.studies.measured import megatron
    >>> print(ae.plots.validation(megatron()[:1]).table)
    s          NPUs  compute  repeated  tensor group  update  predicted  measured   error
    22b, full     8     0.80      0.28          0.22    0.05       1.35      1.42  −4.9 %
    """
    if not rows:
        raise ConfigError("there are no measurements to compare with; astra_edu.measured.megatron() has eight.")
    found = [row.predicted() for row in rows]
    kinds, names = _kinds(found), [f"{row.model}, {row.recompute}" for row in rows]
    ends = [each.total_ns / 1e7 / row.seconds for row, each in zip(rows, found, strict=True)]
    labels = [f"{end - 100:+.1f} %".replace("-", "−") for end in ends]
    mark = Line2D([], [], color="black", lw=2, marker="D", markersize=4, label="measured")
    bars = [
        (KINDS[kind], [each.split[kind] / 1e7 / row.seconds for row, each in zip(rows, found, strict=True)])
        for kind in kinds
    ]
    figure, axes = stacked(names, bars, [""] * len(names), [mark])
    for place, (end, label, row) in enumerate(zip(ends, labels, rows, strict=True)):
        axes.plot([100, 100], [place - 0.4, place + 0.4], color="black", lw=2, marker="D", markersize=4)
        at, text = (max(100.0, end), place), f"{label} of {row.seconds:.2f} s"
        axes.annotate(text, at, (9, 0), textcoords="offset points", va="center", size=9)
    axes.set(xlabel="predicted time, in % of the measured time", xlim=(0, 1.2 * max(100.0, *ends)))
    table: list[list[object]] = []
    sentences = []
    for name, row, each, label in zip(names, rows, found, labels, strict=True):
        predicted, measured = f"{each.total_ns / 1e9:.2f}", f"{row.seconds:.2f}"
        parts = (f"{each.split[kind] / 1e9:.2f}" for kind in kinds)
        table.append([name, row.strategy.npus, *parts, predicted, measured, label])
        sentences.append(f"{name}: predicted {predicted} s, measured {measured} s, {label}; {_shares(each)}.")
    off = [abs(end / 100 - 1) for end in ends]
    alt = (
        "For each measured iteration a bar of the predicted time, split into what it goes into, and a mark where the "
        f"measured time is. Mean error {percent(sum(off) / len(off))}, at most {percent(max(off))}. "
        + " ".join(sentences)
    )
    header = ["s", "NPUs", *kinds, "predicted", "measured", "error"]
    return Picture(figure, alt, text_table(header, table), _note(kinds))


def _kinds(iterations: Sequence[Iteration]) -> list[str]:
    """The kinds of time that any of them has."""
    return [kind for kind in KINDS if any(each.split[kind] for each in iterations)]


def _shares(each: Iteration) -> str:
    return ", ".join(f"{kind} {percent(time / each.total_ns)}" for kind, time in each.split.items() if time)


def _note(kinds: Sequence[str]) -> str:
    words = "; ".join(f"{kind}: {WORDS[kind]}" for kind in kinds)
    return f"{words[0].upper()}{words[1:]}. All on the stage that is busy longest."
