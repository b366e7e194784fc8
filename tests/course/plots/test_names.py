"""Names stand in every figure as the user gave them: a dollar is a dollar."""

import pytest

pytest.importorskip("matplotlib")
from matplotlib.text import Text

import astra_edu as ae
from astra_edu.course import plots
from astra_edu.workload import Layer, Work

NAMES = ["$$", "$\\frac{"]


def loop(name):
    works = [Work(20_000, None, 0), Work(30_000, None, 0), Work(30_000, "all-reduce", 2**20)]
    return ae.simulate(ae.Workload("DATA", [Layer(f"{name}{k}", *works) for k in range(2)]), ae.preset("dgx2"))


def trace(name):
    made = ae.traces.Builder(4)
    made.all_reduce(name, 2**20, after=made.compute(name, 50))
    ring = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring", splits=4), congestion_aware=True)
    return ae.simulate(made.build(), ring, record=True)


def pictures(name):
    """Every figure that takes a run, or runs by their names."""
    for run in (loop(name), trace(name)):
        for figure in plots.__all__:
            for given in (run, {name: run, f"{name} again": run}):
                try:
                    picture = getattr(plots, figure)(given)
                except (ae.ConfigError, TypeError, AttributeError, ValueError, KeyError):
                    continue  # of something else
                if isinstance(picture, plots.Picture):
                    yield figure, picture


@pytest.mark.parametrize("name", NAMES)
def test_a_dollar_is_a_dollar_in_every_figure(name):
    drawn = set()
    for figure, picture in pictures(name):
        assert "<img" in picture._repr_html_()
        assert not any(text.get_parse_math() for text in picture.figure.findobj(Text) if "$" in text.get_text())
        drawn.add(figure)
    assert len(drawn) >= 8, drawn
