"""The frontier of a search, read back: which runs are drawn, which line, and what the words say of them."""

import pytest
from course.plots.reading import legend, numbers
from course.plots.samples import costs_and_times

import astra_edu as ae
from astra_edu.base.errors import ConfigError


@pytest.mark.parametrize("total", [100, 150])
def test_all_runs_and_the_frontier_are_drawn_where_they_are(total):
    search = costs_and_times(total)
    picture = ae.plots.frontier(search)
    (axes,) = picture.figure.axes
    both = [(row["at_least_ns"], row["network_cost"]) for _, row in search.table.iterrows()]
    best = sorted({v for v in both if not any(o[0] <= v[0] and o[1] <= v[1] and o != v for o in both)})
    dots, line = axes.lines
    assert list(zip(dots.get_xdata(), dots.get_ydata(), strict=True)) == both
    assert list(zip(line.get_xdata(), line.get_ydata(), strict=True)) == best
    assert line.get_drawstyle() == "steps-post"
    assert list(legend(axes)) == ["runs that keep the constraints", "frontier"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("at_least_ns", "network_cost")
    assert {len(both), len(best)} <= numbers(picture.alt)
    shown = [line.split() for line in picture.table.splitlines()[1:]]
    assert [float(row[0].replace(",", "")) for row in shown] == pytest.approx([x for x, _ in best], rel=1e-5)
    assert [float(row[1].replace(",", "")) for row in shown] == pytest.approx([y for _, y in best], rel=1e-5)


def test_one_objective_has_no_frontier():
    found = ae.search({"x": [1, 2]}, "y", run=lambda x: {"y": x}, progress=False)
    with pytest.raises(ConfigError, match="a frontier takes two"):
        ae.plots.frontier(found)
    nothing = ae.search({"x": [1]}, ["a", "b"], {"a": (5, 6)}, run=lambda x: {"a": x, "b": x}, progress=False)
    with pytest.raises(ConfigError, match="the nearest, x 1, has a 1, and 5 is the least"):
        ae.plots.frontier(nothing)
