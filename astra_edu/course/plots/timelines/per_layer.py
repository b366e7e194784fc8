"""Figure: the communication of each layer of a run, or each node of a trace, and how much of it is exposed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from matplotlib.figure import Figure

from astra_edu.base.errors import whole
from astra_edu.base.intervals import common, covered
from astra_edu.base.run import Run
from astra_edu.base.span import COMMUNICATION as COMMUNICATES
from astra_edu.base.span import RECEIVES
from astra_edu.course.plots.figure import WIDE, Picture, TimeUnit, text_table, time_axis, time_unit
from astra_edu.course.plots.kinds_of_run import Instead, no_figure_of
from astra_edu.course.plots.looks import COMMUNICATION, EXPOSED
from astra_edu.pipeline import PipelineRun
from astra_edu.run.lanes import chosen_npus, interval
from astra_edu.run.result import Result
from astra_edu.run.trace_result import TraceResult


class _Bar(NamedTuple):
    """A layer or node: how long it communicates, and what of that is exposed, in ns."""

    name: str
    communication: float
    exposed: float


@dataclass(frozen=True)
class _Bars:
    """What is shown. thing: what bars are of. of: how many things there are. most: are drawn.

    rest: exposed time of none of them; why: what it is.
    """

    thing: str
    of: int
    every: Sequence[_Bar]
    rest: _Bar
    why: str
    most: int

    @property
    def drawn(self) -> list[_Bar]:
        """Those that communicate longest, in their order, and the rest."""
        return [*(bar for i, bar in enumerate(self.every) if i in self._longest), self.rest]

    @property
    def listed(self) -> list[_Bar]:
        """The same, and those that are not drawn as one."""
        left = [bar for i, bar in enumerate(self.every) if i not in self._longest]
        sums = sum(bar.communication for bar in left), sum(bar.exposed for bar in left)
        return [*self.drawn, *([_Bar(f"{len(left)} more, not drawn", *sums)] if left else [])]

    @property
    def _longest(self) -> set[int]:
        return set(sorted(range(len(self.every)), key=lambda i: -self.every[i].communication)[: self.most])

    @property
    def unit(self) -> TimeUnit:
        """Of all its times."""
        return time_unit(max(max(bar.communication, bar.exposed) for bar in self.drawn))


def layers(result: Run, most: int = 40, npu: int = 0) -> Picture:
    """Draw for each layer how long its collectives took, and for how long the NPU waited for them.

    A collective takes its time from the call to the end, with the waiting in queues, so that the times of several at
    once add up to more than the run. A layer's exposed time is what the training loop waited for it; the last bar is
    the exposed time that ASTRA-sim counts for no layer: the wait at the end of the run, and 1 ns from step to step.

    Of a trace there is a bar for each node's name of one NPU, npu, that communicates; exposed of it is the time in
    which the NPU computes nothing. Receives, of which any number wait at once, have no bar: what they take while the
    NPU does nothing else is in the last one.

    most: how many layers to draw at most; those with the longest communication are kept, in the workload's order.
    Raises ConfigError for a pipeline, whose run has no record of communication, and for an NPU that isn't there.

    >>> result = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    >>> print(ae.plots.layers(result).table)
    layer       communication (µs)  exposed (µs)
    all-reduce              45.681        45.681
    no layer's               0.000         0.000
    """
    shown = _shown(result, whole("most", most, at_least=1), npu)
    return Picture(_drawn(shown), _alt(shown), _table(shown))


def _shown(result: Run, most: int, npu: int) -> _Bars:
    if isinstance(result, Result):
        return _of_layers(result, most)
    if isinstance(result, TraceResult):
        return _of_nodes(result, most, *chosen_npus(result, [npu], 1))
    raise no_figure_of(result, "layers", "the communication of what ae.simulate returns", _INSTEAD)


_INSTEAD: Instead = {PipelineRun: "a pipeline's run has no record of it; ae.plots.stages draws when its passes run"}


def _of_layers(result: Result, most: int) -> _Bars:
    bars = [
        _Bar(layer.name, sum(t.communication_ns for t in layer.tasks), sum(t.exposed_ns for t in layer.tasks))
        for layer in result.running
    ]
    rest = _Bar("no layer's", 0, result.exposed_ns - sum(bar.exposed for bar in bars))
    return _Bars("layer", len(bars), bars, rest, "the wait at the end, and 1 ns from step to step", most)


def _of_nodes(result: TraceResult, most: int, npu: int) -> _Bars:
    """An NPU is in one communication at a time, so that no time is exposed of two nodes."""
    mine = [span for span in result.timeline if span.npu == npu]
    free = [interval(span) for span in result.idle if span.npu == npu]
    found: dict[str, list[tuple[float, float]]] = {}
    for span in sorted((span for span in mine if span.lane == COMMUNICATES), key=interval):
        found.setdefault(span.layer, []).append(interval(span))
    bars = [_Bar(name, covered(own), covered(common(own, free))) for name, own in found.items()]
    rest = _Bar("no node's", 0, covered(free) - sum(bar.exposed for bar in bars))
    receives = any(span.lane == RECEIVES for span in mine)
    why = "the NPU waits for messages and other NPUs" if receives else "the NPU waits for other NPUs"
    names = {span.layer for span in mine if span.dimension is None}
    return _Bars("node", len(names), bars, rest, why, most)


def _drawn(shown: _Bars) -> Figure:
    bars, unit = shown.drawn, shown.unit
    figure = Figure(figsize=(WIDE, 0.24 * len(bars) + 1.4), layout="constrained")
    axes = figure.subplots()
    places = range(len(bars))
    for look, height, times in (
        (COMMUNICATION, 0.8, [bar.communication / unit.ns for bar in bars]),
        (EXPOSED, 0.4, [bar.exposed / unit.ns for bar in bars]),
    ):
        axes.barh(places, times, height, facecolor=look.fill, edgecolor=look.colour, hatch=look.hatch)
    axes.set_yticks(places, [bar.name for bar in bars], size=9)
    axes.set(ylim=(len(bars) - 0.4, -0.6), xlim=(0, None))
    time_axis(axes, unit)
    figure.legend(handles=[COMMUNICATION.patch(), EXPOSED.patch()], loc="outside upper center", ncols=2, frameon=False)
    return figure


def _table(shown: _Bars) -> str:
    unit = shown.unit
    rows: list[list[object]] = [[name, unit.text(c), unit.text(e)] for name, c, e in shown.listed]
    return text_table([shown.thing, f"communication ({unit.name})", f"exposed ({unit.name})"], rows)


def _alt(shown: _Bars) -> str:
    unit, thing = shown.unit, shown.thing
    longest = max(shown.every, key=lambda bar: bar.communication, default=shown.rest)
    awaited = max(shown.every, key=lambda bar: bar.exposed, default=_Bar("", 0, 0))
    words = [
        f"Bars for each {thing}: its communication, and within it what is exposed.",
        f"{sum(bar.communication > 0 for bar in shown.every)} of {shown.of} {thing}s communicate.",
    ]
    if longest.communication:
        words.append(f"{longest.name} communicates longest, {unit.named(longest.communication)}.")
    if awaited.exposed:
        words.append(f"{awaited.name} is waited for longest, {unit.named(awaited.exposed)}.")
    words.append(f"{unit.named(shown.rest.exposed)} of exposed time are no {thing}'s: {shown.why}.")
    return " ".join(words)
