"""Figure: all that a search ran, by two of its objectives, and the frontier of those that nothing beats."""

from __future__ import annotations

from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError, instance_of
from astra_edu.course.plots.figure import COLOURS, WIDE, Picture, text_table
from astra_edu.explore.search import Search

MOST_ROWS = 12
"""Of the frontier's table."""


def frontier(search: Search) -> Picture:
    """Points that keep the constraints, and the frontier as a line of steps; below and left of it nothing was found.

    search: with two or more objectives, of which the first two are drawn. Raises ConfigError otherwise, and where no
    point keeps the constraints.

    >>> work, platforms = ae.Workload.micro("all-reduce", 2**26), ae.bandwidths(ae.preset("dgx2"), total=100, steps=4)
    >>> found = ae.search({"platform": platforms}, ["at_least_ns", "network_cost"], given={"workload": work})
    >>> print(ae.plots.frontier(found).table)
    at_least_ns  network_cost
    398,557         2,067,200
    423,177         1,523,200
    813,801           979,200
    """
    instance_of("search", search, Search, "give what ae.search returns")
    names = search.goals.names
    if len(names) < 2:
        raise ConfigError(f"this search has the one objective {names[0]}; a frontier takes two, such as its cost, too.")
    every = [(each.values[0], each.values[1]) for each in search.tried if each.kept and each.values]
    table = search.frontier
    if table.empty:
        raise ConfigError(repr(search)[1:-1] + ".")
    best = [(float(x), float(y)) for x, y in zip(table[names[0]], table[names[1]], strict=True)]
    figure = Figure(figsize=(WIDE, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(*zip(*every, strict=True), "o", color="0.6", markersize=4, label="runs that keep the constraints")
    xs, ys = zip(*best, strict=True)
    axes.plot(xs, ys, color=COLOURS[0], marker="D", drawstyle="steps-post", label="frontier")
    axes.set_xlabel(names[0])
    axes.set_ylabel(names[1])
    axes.xaxis.set_major_formatter("{x:,.10g}")
    axes.yaxis.set_major_formatter("{x:,.10g}")
    axes.legend()
    runs = f"{len(every):,} run{'s' * (len(every) > 1)}"
    ends = f"from {best[0][0]:,.6g} and {best[0][1]:,.6g} to {best[-1][0]:,.6g} and {best[-1][1]:,.6g}"
    alt = f"{names[0]} and {names[1]} of {runs}; the frontier has {len(best):,}, {ends}."
    rows = [[f"{x:,.0f}" if x == int(x) and abs(x) > 999 else f"{x:,.6g}" for x in pair] for pair in best[:MOST_ROWS]]
    left = f" The first {MOST_ROWS} of {len(best)}." if len(best) > MOST_ROWS else ""
    return Picture(figure, alt, text_table(names[:2], rows), f"A row for each point of the frontier.{left}")
