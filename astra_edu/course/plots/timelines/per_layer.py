"""Figure: the communication of each layer, and how much of it is exposed."""

from __future__ import annotations

from typing import NamedTuple

from matplotlib.figure import Figure

from astra_edu.base.errors import whole
from astra_edu.course.plots.figure import Picture, TimeUnit, text_table, time_axis, time_unit
from astra_edu.course.plots.looks import COMMUNICATION, EXPOSED
from astra_edu.run.result import Result


class _Bar(NamedTuple):
    name: str
    communication: float
    exposed: float


def layers(result: Result, most: int = 40) -> Picture:
    """Draw for each layer how long its collectives took, and for how long the NPU waited for them.

    A collective takes its time from the call to the end, with the waiting in queues, so that the times of several at
    once add up to more than the run. A layer's exposed time is what the training loop waited for it; the last bar is
    the exposed time that ASTRA-sim counts for no layer: the wait at the end of the run, and 1 ns from step to step.

    most: how many layers to draw at most; those with the longest communication are kept, in the workload's order.

    >>> result = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    >>> print(ae.plots.layers(result).table)
    layer       communication (µs)  exposed (µs)
    all-reduce              45.681        45.681
    no layer's               0.000         0.000
    """
    bars = [
        _Bar(layer.name, sum(t.communication_ns for t in layer.tasks), sum(t.exposed_ns for t in layer.tasks))
        for layer in result.running
    ]
    rest = _Bar("no layer's", 0, result.exposed_ns - sum(bar.exposed for bar in bars))
    longest_first = sorted(range(len(bars)), key=lambda i: -bars[i].communication)
    kept = set(longest_first[: whole("most", most, at_least=1)])
    shown = [*(bar for i, bar in enumerate(bars) if i in kept), rest]
    others = [bar for i, bar in enumerate(bars) if i not in kept]
    unit = time_unit(max(max(bar.communication, bar.exposed) for bar in shown))
    figure = Figure(figsize=(9, 0.24 * len(shown) + 1.4), layout="constrained")
    axes = figure.subplots()
    places = range(len(shown))
    for look, height, times in (
        (COMMUNICATION, 0.8, [bar.communication / unit.ns for bar in shown]),
        (EXPOSED, 0.4, [bar.exposed / unit.ns for bar in shown]),
    ):
        axes.barh(places, times, height, facecolor=look.fill, edgecolor=look.colour, hatch=look.hatch)
    axes.set_yticks(places, [bar.name for bar in shown], size=8)
    axes.set(ylim=(len(shown) - 0.4, -0.6), xlim=(0, None))
    time_axis(axes, unit)
    figure.legend(handles=[COMMUNICATION.patch(), EXPOSED.patch()], loc="outside upper center", ncols=2, frameon=False)
    if others:
        sums = sum(bar.communication for bar in others), sum(bar.exposed for bar in others)
        shown.append(_Bar(f"{len(others)} more, not drawn", *sums))
    rows: list[list[object]] = [[name, unit.text(c), unit.text(e)] for name, c, e in shown]
    table = text_table(["layer", f"communication ({unit.name})", f"exposed ({unit.name})"], rows)
    return Picture(figure, _alt(bars, rest, unit), table)


def _alt(bars: list[_Bar], rest: _Bar, unit: TimeUnit) -> str:
    longest = max(bars, key=lambda bar: bar.communication)
    awaited = max(bars, key=lambda bar: bar.exposed)
    words = [
        "Bars for each layer: its communication, and within it what is exposed.",
        f"{sum(bar.communication > 0 for bar in bars)} of {len(bars)} layers communicate.",
    ]
    if longest.communication:
        words.append(f"{longest.name} communicates longest, {unit.named(longest.communication)}.")
    if awaited.exposed:
        words.append(f"{awaited.name} is waited for longest, {unit.named(awaited.exposed)}.")
    words.append(
        f"{unit.named(rest.exposed)} of exposed time are no layer's: the wait at the end, and 1 ns from step to step."
    )
    return " ".join(words)
