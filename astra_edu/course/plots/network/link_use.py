"""Figures: who uses which link when, as a heat-map of links over time, and the busiest links as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import floor, log10

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import choice, whole
from astra_edu.base.intervals import shares_of_periods
from astra_edu.course.plots.axes import open_frame
from astra_edu.course.plots.figure import COLOURS, WIDE, Picture, TimeUnit, percent, text_table, time_axis, time_unit
from astra_edu.course.plots.network.recorded import recorded
from astra_edu.network.shortest import LinkName
from astra_edu.run.link_times import KINDS, LinkTime, bottleneck, kind_of, link_name, link_times, uses_of
from astra_edu.run.trace_result import TraceResult

MOST_LINKS = 128
ORDERS = ("name", "busy")
_PERIODS = 100
_NAMED = 40  # links whose names and shares can be written one below the other
_HATCHES = ("", "//", "..", "\\\\")


@dataclass(frozen=True)
class _Used:
    """What is shown. links: from the top. of: how many there are. shares: of each period in which a link sends."""

    links: Sequence[LinkName]
    of: int
    times: Mapping[LinkName, LinkTime]
    shares: Mapping[LinkName, Sequence[float]]
    period_ns: int
    total_ns: int
    by_kind: bool

    @classmethod
    def of_run(cls, result: TraceResult, period_ns: int, by_kind: bool, most: int) -> _Used:
        times = link_times(result)
        shown = {time.link: time for time in times[:most]}
        links = [link for link in uses_of(result) if link in shown] if by_kind else list(shown)
        return cls(links, len(times), shown, busy_shares(result, period_ns), period_ns, result.total_ns, by_kind)

    @property
    def title(self) -> str:
        """Which links they are."""
        return (
            f"{len(self.links)} links"
            if len(self.links) == self.of
            else (f"the {len(self.links)} busiest of {self.of} links")
        )


def link_use(result: TraceResult, period_ns: int | None = None, order: str = "name", most: int = MOST_LINKS) -> Picture:
    """Draw for each link and each period the share of it in which the link sends, and beside it that of the whole run.

    result: of simulate(..., record=True) on the congestion-aware network. period_ns: by default a round number that
    makes about 100 periods. order: "name", first those between NPUs, then up to switches, between them and down; or
    "busy", the busiest first. most: how many links are drawn, the busiest ones. Raises ConfigError without a record.

    >>> ring = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring"), congestion_aware=True)
    >>> result = ae.simulate(ae.traces.collective("all_reduce", "1 MiB", npus=4), ring, record=True)
    >>> print(ae.plots.link_use(result).table)
    link   messages      bytes    busy  longest wait (µs)
    0 → 1         6  1,572,864  90.5 %              0.000
    1 → 2         6  1,572,864  90.5 %              0.000
    2 → 3         6  1,572,864  90.5 %              0.000
    3 → 0         6  1,572,864  90.5 %              0.000
    """
    choice("order", order, ORDERS)
    recorded(result, "link_use")
    most = whole("most", most, at_least=1)
    period = _period(result.total_ns) if period_ns is None else whole("period_ns", period_ns, at_least=1)
    used = _Used.of_run(result, period, order == "name", most)
    unit = time_unit(result.total_ns)
    alt = f"Heat-map of {used.title} over {unit.named(result.total_ns)}. {bottleneck(result)}"
    return Picture(_drawn(used, unit), alt, _table(list(used.times.values()), result))


def _drawn(used: _Used, unit: TimeUnit) -> Figure:
    count = len(used.links)
    figure = Figure(figsize=(WIDE, 1.4 + max(0.9, min(7.5, 0.24 * count))), layout="constrained")
    chart, bars = figure.subplots(1, 2, sharey=True, width_ratios=(6, 1))
    shares = [used.shares[link] for link in used.links]
    edges = [k * used.period_ns / unit.ns for k in range(len(shares[0]) + 1)]
    rows = [k - 0.5 for k in range(count + 1)]
    mesh = chart.pcolormesh(edges, rows, shares, cmap="Blues", vmin=0, vmax=1)
    mesh.set_rasterized(True)
    of_run = [used.times[link].share for link in used.links]
    bars.barh(range(count), of_run, 0.8 if count <= _NAMED else 1, color=COLOURS[0])
    _name_rows(chart, bars, used)
    chart.set(ylim=(count - 0.5, -0.5), xlim=(0, used.total_ns / unit.ns))
    time_axis(chart, unit, f", in periods of {used.period_ns / unit.ns:,.10g} {unit.name}")
    bars.set(xlim=(0, 1.35), xticks=[0, 1], xlabel="of the whole run")
    _in_percent(bars)
    open_frame(bars)
    figure.colorbar(mesh, ax=chart, location="left", pad=0.01, aspect=30, label="share of the period in which it sends")
    chart.set_title(used.title, loc="left", size=10)
    return figure


def _name_rows(chart: Axes, bars: Axes, used: _Used) -> None:
    """The links' names and shares as far as there is room, and lines between the kinds of links."""
    kinds = [(kind, list(places)) for kind, places in groupby(range(len(used.links)), lambda k: kind_of(used.links[k]))]
    if len(used.links) <= _NAMED:
        chart.set_yticks(range(len(used.links)), [link_name(link) for link in used.links], size=9)
        for place, link in enumerate(used.links):
            share = used.times[link].share
            bars.annotate(percent(share), (share, place), (3, 0), textcoords="offset points", va="center", size=9)
    elif used.by_kind:
        middles = [(places[0] + places[-1]) / 2 for _, places in kinds]
        chart.set_yticks(middles, [f"{len(places)} ×\n{kind}" for kind, places in kinds])
    else:
        chart.set_yticks([])
    for _, places in kinds[1:] if used.by_kind else ():
        for axes in (chart, bars):
            axes.axhline(places[0] - 0.5, color="black", lw=1)
    chart.tick_params(axis="y", length=0)
    bars.tick_params(axis="y", length=0)


def _in_percent(axes: Axes) -> None:
    axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")


def busiest_links(results: Mapping[str, TraceResult] | TraceResult, most: int = 10) -> Picture:
    """Draw for each run the `most` busiest links as bars: the share of the run in which they send.

    results: recorded runs by their names, or one. Raises ConfigError for a run without a record.

    >>> ring = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring"), congestion_aware=True)
    >>> result = ae.simulate(ae.traces.collective("all_reduce", "1 MiB", npus=4), ring, record=True)
    >>> print(ae.plots.busiest_links(result, most=2).table)
    link   messages      bytes    busy  longest wait (µs)
    0 → 1         6  1,572,864  90.5 %              0.000
    1 → 2         6  1,572,864  90.5 %              0.000
    """
    runs = recorded(results, "busiest_links")
    shown = {name: link_times(result)[: whole("most", most, at_least=1)] for name, result in runs.items()}
    alt = "The busiest links as bars. " + " ".join(
        f"{name}: {bottleneck(run)}" if name else bottleneck(run) for name, run in runs.items()
    )
    tables = [_table(shown[name], run, name) for name, run in runs.items()]
    titles = [_title(name, run, len(shown[name])) for name, run in runs.items()]
    return Picture(_bars_drawn(titles, list(shown.values())), alt, "\n\n".join(tables))


def _bars_drawn(titles: Sequence[str], shown: Sequence[Sequence[LinkTime]]) -> Figure:
    heights = [len(times) for times in shown]
    figure = Figure(figsize=(WIDE, 0.27 * sum(heights) + 0.6 * len(shown) + 0.5), layout="constrained")
    grid = figure.subplots(len(shown), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axes, title, times in zip(grid, titles, shown, strict=True):
        for place, time in enumerate(times):
            kind, end = KINDS.index(kind_of(time.link)), (time.share, place)
            axes.barh(place, time.share, 0.75, facecolor=COLOURS[kind], edgecolor="white", hatch=_HATCHES[kind], lw=0)
            axes.annotate(percent(time.share), end, (4, 0), textcoords="offset points", va="center", size=9)
        axes.set_yticks(range(len(times)), [link_name(time.link) for time in times], size=9)
        axes.set(ylim=(len(times) - 0.4, -0.6), xlim=(0, 1.12))
        axes.set_title(title, loc="left", size=10)
        open_frame(axes)
    grid[-1].set_xlabel("share of the run in which the link sends")
    _in_percent(grid[-1])
    return figure


def busy_shares(result: TraceResult, period_ns: int) -> dict[LinkName, list[float]]:
    """For each link the share of every period in which it sends; the last period may be longer than the run."""
    count = -(-result.total_ns // period_ns)
    return {
        link: shares_of_periods([(use.start_ns, use.free_ns) for use in uses], period_ns, count)
        for link, uses in uses_of(result).items()
    }


def _period(total_ns: int) -> int:
    """A round number of ns, about a hundredth of the run."""
    wanted = max(1.0, total_ns / _PERIODS)
    power: int = 10 ** floor(log10(wanted))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= wanted)


def _title(name: str, result: TraceResult, links: int) -> str:
    took = time_unit(result.total_ns).named(result.total_ns)
    return f"{name or 'busiest links'}: {took}, {links} of {len(link_times(result))} links"


def _table(times: Sequence[LinkTime], result: TraceResult, name: str = "") -> str:
    unit = time_unit(result.total_ns)
    rows: list[list[object]] = [
        [link_name(t.link), f"{t.messages:,}", f"{t.size:,}", percent(t.share), unit.text(t.longest_wait_ns)]
        for t in times
    ]
    return text_table([name or "link", "messages", "bytes", "busy", f"longest wait ({unit.name})"], rows)
