"""Figure: how much of the time each dimension, or other lane, has something to do, one run above the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import floor, log10
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.bound import caveat, total_words
from astra_edu.base.errors import ConfigError, whole
from astra_edu.base.intervals import covered, merged
from astra_edu.base.run import Run
from astra_edu.course.plots.figure import (
    COLOURS,
    WIDE,
    Picture,
    TimeUnit,
    checked,
    percent,
    text_table,
    time_axis,
    time_unit,
)
from astra_edu.run.result import Result

_HIGH = 0.8  # of a lane is 100 %
_HATCHES = ("//", "\\\\", "..", "xx", "--", "++")
_PERIODS = 150
_MEANING_OF_LANES = "share of each period in which a lane has something, waiting or running, the mean of all NPUs"
_MEANING = "share of each period in which a dimension has a chunk, waiting or running (dotted line: 100 %)"


class _Use(NamedTuple):
    """How a lane was used: its shares of the run, with something waiting or running there, and running.

    npus: how many NPUs each one stands for that has it, and when it had something there, waiting or running; many: how
    many NPUs to take the mean of.
    bandwidth: bytes sent over what could have been sent; None where that isn't known.
    """

    lane: str
    npus: Sequence[tuple[int, Sequence[tuple[float, float]]]]
    many: int
    present: float
    running: float
    bandwidth: float | None


def utilisation(results: Mapping[str, Run], period_ns: int | None = None) -> Picture:
    """Draw for each run the share of every period in which each dimension has a chunk, waiting or running.

    This is utilisation as ASTRA-sim's dimension_utilization.csv has it: it doesn't say how well the bandwidth is
    used, which the table does. The last, incomplete period of each run is left out of the picture, but not of the
    means.

    Of a trace or a pipeline, the lanes are those of its NPUs (links are drawn by link_use), and the shares their mean.

    results: runs by their names, the first on top. period_ns: by default a round number of ns that makes about 100
    periods. Raises ConfigError for periods longer than a run.

    >>> result = ae.simulate(ae.Workload.micro("all-reduce", 2**24), ae.preset("dgx2"))
    >>> table = ae.plots.utilisation({"DGX-2": result}).table
    >>> print(*[line[:51].rstrip() for line in table.splitlines()], sep="\\n")
    run    dimension  with a chunk  running  bandwidth
    DGX-2          0        59.6 %   59.6 %     51.1 %
    DGX-2          1        85.1 %   85.1 %     76.6 %
    """
    results = checked(results)
    longest = max(result.total_ns for result in results.values())
    shortest = min(result.total_ns for result in results.values())
    if period_ns is None:
        period = min(_round(longest / _PERIODS), int(shortest))
    else:
        period = whole("period_ns", period_ns, at_least=1)
    if period > shortest:
        raise ConfigError(f"period_ns is {period}; the shortest run has {shortest:,.10g} ns, less than one period.")
    unit = time_unit(longest)
    uses = {name: _uses(result) for name, result in results.items()}
    lanes = [len(found) for found in uses.values()]
    figure = Figure(figsize=(WIDE, 0.45 * sum(lanes) + 0.5 * len(lanes) + 1), layout="constrained")
    of_lanes = "lane" if not all(isinstance(result, Result) for result in results.values()) else "dimension"
    figure.suptitle(_MEANING if of_lanes == "dimension" else _MEANING_OF_LANES, size=10)
    grid = figure.subplots(len(lanes), 1, sharex=True, squeeze=False, height_ratios=lanes)
    for axes, (name, result) in zip(grid[:, 0], results.items(), strict=True):
        _draw(axes, name, result, uses[name], period, unit)
    time_axis(grid[-1, 0], unit, f", in periods of {period / unit.ns:,.10g} {unit.name}")
    grid[-1, 0].set_xlim(0, longest / unit.ns)
    alt = (
        f"A lane for each {of_lanes} of each run: the share of the time in which it has a chunk, waiting or running. "
        + " ".join(_sentence(name, result, uses[name], unit) for name, result in results.items())
    )
    return Picture(figure, alt, _table(results, uses, longest, unit), _note(longest / 10, unit))


def _uses(result: Run) -> list[_Use]:
    """The lanes of a run's NPUs, and how they were used."""
    runs: dict[str, dict[int | None, list[tuple[float, float]]]] = {}
    for span in result.timeline:
        runs.setdefault(span.lane, {}).setdefault(span.npu, []).append((span.start_ns, span.end_ns))
    many, found = sum(map(result.count_of, result.npu_names)), []
    sent = dict(zip(result.presence(), result.dimensions["utilisation"], strict=True)) if _of_layers(result) else {}
    for lane, npus in result.presence().items():
        if None not in npus:
            present, running = (
                sum(covered(own) * result.count_of(npu) for npu, own in each.items()) / many / result.total_ns
                for each in (npus, runs.get(lane, {}))
            )
            there = [(result.count_of(npu), merged(own)) for npu, own in npus.items()]
            found.append(_Use(lane, there, many, present, running, sent.get(lane)))
    return found


def _of_layers(result: Run) -> bool:
    return isinstance(result, Result)


def _draw(axes: Axes, name: str, result: Run, uses: Sequence[_Use], period: int, unit: TimeUnit) -> None:
    shares = result.utilisation(period)
    count = len(uses)
    edges = [k * period / unit.ns for k in range(len(shares) + 1)]
    end = result.total_ns / unit.ns
    for d, use in enumerate(uses):
        bottom = d + 0.5  # the axis points down
        values = [bottom - _HIGH * share for share in shares[use.lane]]
        colour = COLOURS[d % len(COLOURS)]
        axes.hlines(bottom - _HIGH, 0, end, color="0.5", lw=0.7, linestyle=":")
        axes.stairs(values, edges, baseline=bottom, fill=True, color=colour, alpha=0.3)
        axes.stairs(values, edges, baseline=bottom, color=colour, lw=1, hatch=_HATCHES[d % len(_HATCHES)])
        mean = f"mean {percent(use.present)}"
        at = (1.01, bottom - _HIGH / 2)
        axes.annotate(mean, at, xycoords=("axes fraction", "data"), va="center", size=9, annotation_clip=False)
    axes.axvline(end, color="0.35", lw=1)
    axes.set_title(f"{name}: {_total(result, unit)}", loc="left", size=10)
    axes.set(ylim=(count - 0.4, -0.5))
    axes.set_yticks([d + 0.5 - _HIGH / 2 for d in range(count)], [use.lane for use in uses])
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _round(period: float) -> int:
    """The next of 1, 2, 5, 10, 20, ... ns."""
    power: int = 10 ** floor(log10(max(1, period)))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= period)


def _sentence(name: str, result: Run, uses: Sequence[_Use], unit: TimeUnit) -> str:
    shares = [f"{use.lane} {percent(use.present)}" for use in uses]
    too_much = [use.lane for use in uses if use.bandwidth is not None and use.bandwidth > 1]
    more = f" On {' and '.join(too_much)} there are more bytes than the links can carry." if too_much else ""
    return f"{name}, {_total(result, unit)}: {', '.join(shares)}.{more}"


def _total(result: Run, unit: TimeUnit) -> str:
    """The total time; where messages share links, the bound that leads and why."""
    total, bound = result.total_ns, result.bound_ns
    why = "" if bound is None else f" ({caveat(total, bound, unit.named)})"
    return f"{total_words(total, bound, unit.named)}{why}"


def _of_bandwidth(share: float) -> str:
    return percent(share) if share <= 1 else f"{percent(share)}: more than the links can carry"


def _table(results: Mapping[str, Run], uses: Mapping[str, Sequence[_Use]], longest: float, unit: TimeUnit) -> str:
    """A row for each dimension: the whole run, then each tenth of the longest run's time."""
    ends = [k * longest / 10 for k in range(11)]
    rows: list[list[object]] = []
    for name, result in results.items():
        for use in uses[name]:
            lane = use.lane.removeprefix("dimension ") if _of_layers(result) else use.lane
            sent = "-" if use.bandwidth is None else _of_bandwidth(use.bandwidth)
            shares = percent(use.present), percent(use.running), sent
            rows.append([name, lane, *shares, *_tenths(use, result.total_ns, ends)])
    of_lanes = "dimension" if all(map(_of_layers, results.values())) else "lane"
    header = [
        "run",
        of_lanes,
        "with a chunk",
        "running",
        "bandwidth",
        *(f"to {_short(end / unit.ns)}" for end in ends[1:]),
    ]
    return text_table(header, rows)


def _note(tenth: float, unit: TimeUnit) -> str:
    """How to read the table. tenth: of the longest run's time, in ns."""
    ends = [f"{_short(k * tenth / unit.ns)} {unit.name}" for k in (1, 2)]
    return (
        "With a chunk: share of the run in which a chunk waits for the dimension or runs on it. Running: in which one "
        "runs on it. Bandwidth: bytes sent over what could have been sent. Then the time in ten equal parts, with the "
        f"share, in %, in which the dimension has a chunk: from 0 to {ends[0]}, from there to {ends[1]}, and so on; "
        "a dash where the run is over."
    )


def _short(time: float) -> str:
    """A time with enough digits for the head of a column."""
    return f"{time:,.0f}" if time >= 100 else f"{time:.3g}"


def _tenths(use: _Use, total_ns: float, ends: Sequence[float]) -> list[str]:
    """The share with a chunk between each two of `ends`, in %; a dash where the run is over."""
    shares = []
    for start, end in pairwise(ends):
        end = min(end, total_ns)
        inside = sum(count * max(0.0, min(end, b) - max(start, a)) for count, there in use.npus for a, b in there)
        shares.append(f"{100 * inside / use.many / (end - start):.0f}" if end > start else "-")
    return shares
