"""Figure: what the NPUs of a pipeline's stages keep as an iteration goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from astra_edu.base.errors import instance_of
from astra_edu.base.units import GIB
from astra_edu.course.plots.axes import grid, in_full
from astra_edu.course.plots.figure import COLOURS, WIDE, Picture, text_table
from astra_edu.explore.iteration import Iteration
from astra_edu.explore.iteration.kept_over_time import Moment

STYLES = ("-", "--", "-.", ":")
NEAR = 2
"""How many times what is kept the device may have, for its line to be drawn."""
MOST = 4
"""Stages that are drawn: the first, the last, and others between them."""


@dataclass(frozen=True)
class _Shown:
    """stages: what each keeps, by its number. there: what the device has, in GiB; None where that isn't known."""

    iteration: Iteration
    stages: Mapping[int, Sequence[Moment]]
    there: float | None


def memory_over_time(iteration: Iteration) -> Picture:
    """Draw what an NPU of the first stage, of the last and of some between keeps, in GiB, over the iteration's time.

    iteration: as `ae.estimate` returns it; its state is there all the time, activations come and go, and with each pass
    buffers and what is recomputed. Raises ConfigError for anything else.

    >>> pods = ae.Platform((ae.Dimension.of("Switch", 4, 220, 1000),), ae.SystemConfig.of("halvingDoubling"))
    >>> took = ae.estimate("gpt2", ae.Strategy(pipeline=4, batch=8), "a100", pods)
    >>> print(ae.plots.memory_over_time(took).table)
    GiB of an NPU  state  activations  recomputed  buffers  fragmentation  at most  at (ms)
    stage 0         6.72         8.36        0.00     0.00           0.47    15.54   14.120
    stage 1         5.50         6.26        0.00     0.01           0.36    12.13   14.136
    stage 2         5.50         4.17        0.00     0.01           0.30     9.98   14.140
    stage 3         6.70         2.29        0.00     0.00           0.28     9.26   14.145
    """
    instance_of("iteration", iteration, Iteration, "give one that ae.estimate returns")
    count = iteration.strategy.pipeline
    some = sorted({round(k * (count - 1) / (MOST - 1)) for k in range(MOST)})
    device = iteration.device
    there = device.memory_bytes / GIB if device is not None and device.memory_bytes else None
    shown = _Shown(iteration, {stage: iteration.memory_timeline(stage) for stage in some}, there)
    return Picture(_drawn(shown), _alt(shown), _table(shown))


def _peak(moments: Sequence[Moment]) -> Moment:
    return max(moments, key=lambda moment: moment.total)


def _drawn(shown: _Shown) -> Figure:
    figure = Figure(figsize=(WIDE, 4.2), layout="constrained")
    axes = figure.subplots()
    for k, (stage, moments) in enumerate(shown.stages.items()):
        times, kept = [moment.ns / 1e6 for moment in moments], [moment.total / GIB for moment in moments]
        axes.plot(times, kept, drawstyle="steps-post", color=COLOURS[k], linestyle=STYLES[k], label=f"stage {stage}")
        peak = _peak(moments)
        axes.plot([peak.ns / 1e6], [peak.total / GIB], "o", color=COLOURS[k], mfc="none")
    highest = max(_peak(moments).total for moments in shown.stages.values()) / GIB
    if shown.there is not None and shown.iteration.device is not None:
        near = shown.there <= NEAR * highest
        name = f"{shown.iteration.device.name}: {shown.there:,.0f} GiB{'' if near else ', further up'}"
        at = (0, shown.there) if near else (0, 1.06 * highest)
        axes.annotate(name, at, (4, 3), textcoords="offset points", size=9)
        if near:
            axes.axhline(shown.there, color="black", lw=1.5)
            highest = max(highest, shown.there)
    in_full(axes.xaxis, axes.yaxis)
    axes.set(xlabel="time (ms)", ylabel="memory of one NPU (GiB = 2³⁰ bytes)", ylim=(0, 1.15 * highest))
    grid(axes)
    figure.legend(loc="outside right upper", frameon=False)
    return figure


def _alt(shown: _Shown) -> str:
    sentences = [
        f"Stage {stage}: {moments[0].state / GIB:,.2f} GiB of state, {_peak(moments).total / GIB:,.2f} GiB at most, "
        f"first at {_peak(moments).ns / 1e6:,.3f} ms, {_peak(moments).activations / GIB:,.2f} of it activations."
        for stage, moments in shown.stages.items()
    ]
    line = "" if shown.there is None else f" The device has {shown.there:,.0f} GiB."
    return f"A line for each stage, of what one NPU keeps over time. {' '.join(sentences)}{line}"


def _table(shown: _Shown) -> str:
    rows: list[list[object]] = [
        [f"stage {stage}", *(f"{size / GIB:,.2f}" for size in (*peak[1:], peak.total)), f"{peak.ns / 1e6:,.3f}"]
        for stage, moments in shown.stages.items()
        for peak in [_peak(moments)]
    ]
    return text_table(["GiB of an NPU", *Moment._fields[1:], "at most", "at (ms)"], rows)
