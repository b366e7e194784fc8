"""Figures: who uses which link when, as a heat-map of links over time, and the busiest links as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import floor, log10

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError, choice, whole
from astra_edu.base.intervals import shares_of_periods
from astra_edu.course.plots.figure import COLOURS, Picture, percent, text_table, time_axis, time_unit
from astra_edu.network.shortest import LinkName
from astra_edu.run.link_times import KINDS, LinkTime, bottleneck, kind_of, link_name, link_times, uses_of
from astra_edu.run.trace_result import TraceResult

MOST_LINKS = 128
ORDERS = ("name", "busy")
_PERIODS = 100
_NAMED = 40  # links whose names and shares can be written one below the other
_HATCHES = ("", "//", "..", "\\\\")


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
    times = link_times(result)
    shown = {time.link: time for time in times[: whole("most", most, at_least=1)]}
    links = [link for link in uses_of(result) if link in shown] if order == "name" else list(shown)
    period = _period(result.total_ns) if period_ns is None else whole("period_ns", period_ns, at_least=1)
    shares = busy_shares(result, period)
    unit = time_unit(result.total_ns)
    figure = Figure(figsize=(11, 1.4 + max(0.9, min(7.5, 0.24 * len(links)))), layout="constrained")
    chart, bars = figure.subplots(1, 2, sharey=True, width_ratios=(6, 1))
    edges = [k * period / unit.ns for k in range(len(shares[links[0]]) + 1)]
    rows = [k - 0.5 for k in range(len(links) + 1)]
    mesh = chart.pcolormesh(edges, rows, [shares[link] for link in links], cmap="Blues", vmin=0, vmax=1)
    mesh.set_rasterized(True)
    bars.barh(
        range(len(links)), [shown[link].share for link in links], 0.8 if len(links) <= _NAMED else 1, color=COLOURS[0]
    )
    _name_rows(chart, bars, links, shown, by_kind=order == "name")
    chart.set(ylim=(len(links) - 0.5, -0.5), xlim=(0, result.total_ns / unit.ns))
    time_axis(chart, unit, f", in periods of {period / unit.ns:,.10g} {unit.name}")
    bars.set(xlim=(0, 1.35), xticks=[0, 0.5, 1], xlabel="of the whole run")
    bars.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    bars.spines[["top", "right"]].set_visible(False)
    figure.colorbar(mesh, ax=chart, location="left", pad=0.01, aspect=30, label="share of the period in which it sends")
    left_out = len(times) - len(links)
    title = f"{len(links)} links" if not left_out else f"the {len(links)} busiest of {len(times)} links"
    chart.set_title(title, loc="left", size=10)
    return Picture(
        figure,
        f"Heat-map of {title} over {unit.named(result.total_ns)}. {bottleneck(result)}",
        _table(list(shown.values()), result),
    )


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
    runs = {"": results} if isinstance(results, TraceResult) else dict(results)
    if not runs:
        raise ConfigError("results is empty; give at least one recorded run.")
    shown = {name: link_times(result)[: whole("most", most, at_least=1)] for name, result in runs.items()}
    heights = [len(times) for times in shown.values()]
    figure = Figure(figsize=(9, 0.27 * sum(heights) + 0.6 * len(runs) + 0.5), layout="constrained")
    grid = figure.subplots(len(runs), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axes, (name, times) in zip(grid, shown.items(), strict=True):
        for place, time in enumerate(times):
            kind = KINDS.index(kind_of(time.link))
            axes.barh(place, time.share, 0.75, facecolor=COLOURS[kind], edgecolor="white", hatch=_HATCHES[kind], lw=0)
            axes.annotate(
                percent(time.share), (time.share, place), (4, 0), textcoords="offset points", va="center", size=8
            )
        axes.set_yticks(range(len(times)), [link_name(time.link) for time in times], size=8)
        axes.set(ylim=(len(times) - 0.4, -0.6), xlim=(0, 1.12))
        axes.set_title(_title(name, runs[name], len(times)), loc="left", size=10)
        axes.spines[["top", "right"]].set_visible(False)
    grid[-1].set_xlabel("share of the run in which the link sends")
    grid[-1].xaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    alt = "The busiest links as bars. " + " ".join(
        f"{name}: {bottleneck(run)}" if name else bottleneck(run) for name, run in runs.items()
    )
    tables = [_table(shown[name], run, name) for name, run in runs.items()]
    return Picture(figure, alt, "\n\n".join(tables))


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


def _name_rows(
    chart: Axes, bars: Axes, links: Sequence[LinkName], times: Mapping[LinkName, LinkTime], by_kind: bool
) -> None:
    """The links' names and shares as far as there is room, and lines between the kinds of links."""
    if len(links) <= _NAMED:
        chart.set_yticks(range(len(links)), [link_name(link) for link in links], size=8)
        for place, link in enumerate(links):
            share = times[link].share
            bars.annotate(percent(share), (share, place), (3, 0), textcoords="offset points", va="center", size=7.5)
    elif by_kind:
        groups = [(kind, list(places)) for kind, places in groupby(range(len(links)), lambda k: kind_of(links[k]))]
        chart.set_yticks(
            [(places[0] + places[-1]) / 2 for _, places in groups],
            [f"{len(places)} ×\n{kind}" for kind, places in groups],
        )
    else:
        chart.set_yticks([])
    if by_kind:
        for k in range(1, len(links)):
            if kind_of(links[k]) != kind_of(links[k - 1]):
                for axes in (chart, bars):
                    axes.axhline(k - 0.5, color="black", lw=1)
    chart.tick_params(axis="y", length=0)
    bars.tick_params(axis="y", length=0)


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
