"""An algorithm has one colour wherever it is drawn."""

from __future__ import annotations

from colorsys import rgb_to_hls

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("anywidget")

from course.plots.reading import key_of, stroke_of

import astra_edu as ae
from astra_edu.collectives import ALGORITHMS
from astra_edu.course.algorithm_looks import FAMILIES, family_of
from astra_edu.course.instruments.looks import LOOKS as IN_INSTRUMENTS
from astra_edu.course.plots.figure import COLOURS, MARKERS
from astra_edu.course.plots.looks import LOOKS as IN_FIGURES
from astra_edu.course.plots.looks import line_looks
from astra_edu.course.widgets.palette import PALETTE

BLUE, ORANGE, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
SIZES = [2**20, 2**24]


def hue(colour):
    """In degrees."""
    red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return 360 * rgb_to_hls(red, green, blue)[0]


def near(one, other):
    return abs((hue(one) - hue(other) + 180) % 360 - 180)


def lines(axes):
    return {name.partition(":")[0]: look.colour for name, look in key_of(axes).items()}


def test_every_algorithm_of_the_package_has_a_family():
    assert [name for name in ALGORITHMS if family_of(name) is None] == []
    spellings = [spelling for algorithm in ALGORITHMS.values() for spelling in algorithm.spellings]
    assert [name for name in spellings if name[0].islower() and family_of(name) is None] == []


def test_the_figures_agree_in_whatever_order_algorithms_are_drawn():
    costs = ae.plots.all_reduce_costs([2, 4], ["direct", "double-binary-tree", "ring", "halving-doubling"])
    steps = costs.figure.axes[0]
    at_the_end = {name: text.get_color().lower() for text in steps.texts for name in text.get_text().split(", ")}
    wanted = {"ring": BLUE, "direct": ORANGE, "halving-doubling": GREEN, "double-binary-tree": PINK}
    assert at_the_end == wanted
    assert {stroke_of(line).colour for line in steps.lines} == {*wanted.values()}
    sweep = ae.plots.size_sweep(SIZES, {"tree": [4, 40], "direct all-reduce": [1, 60], "Ring": [3, 50]})
    assert lines(sweep.figure.axes[0]) == {"tree": PINK, "direct all-reduce": ORANGE, "Ring": BLUE}
    protocols = lines(ae.plots.ring_or_tree((2, 16)).figure.axes[0])
    assert {name.partition(",")[0]: colour for name, colour in protocols.items()} == {"ring": BLUE, "tree": PINK}


def test_topologies_have_the_look_of_the_algorithm_that_suits_them():
    for name in ("Ring", "FullyConnected", "Switch"):
        assert family_of(name) == family_of(ae.topologies.find(name).suits)


def test_other_series_take_what_is_left():
    assert line_looks(["a", "b"]) == {"a": (COLOURS[0], MARKERS[0]), "b": (COLOURS[1], MARKERS[1])}
    mixed = line_looks(["a", "ring", "b", "binary-tree", "double-binary-tree"])
    assert [*mixed] == ["a", "ring", "b", "binary-tree", "double-binary-tree"]
    assert (mixed["ring"].colour.lower(), mixed["binary-tree"].colour.lower()) == (BLUE, PINK)
    assert len({*mixed.values()}) == 5
    assert len(line_looks(map(str, range(20)))) == 20


@pytest.mark.parametrize("name", FAMILIES)
def test_an_instrument_has_the_hue_of_the_figures(name):
    light, dark, hatch = IN_INSTRUMENTS[name]
    assert near(light, FAMILIES[name].colour) < 25
    assert near(dark, FAMILIES[name].colour) < 25
    assert hatch == FAMILIES[name].hatch


def test_families_are_told_apart_by_more_than_colour():
    for part in ("colour", "marker", "pale", "hatch"):
        assert len({getattr(family, part) for family in FAMILIES.values()}) == len(FAMILIES), part


@pytest.mark.parametrize(("collective", "in_player"), [("reduce-scatter", "reduce"), ("all-gather", "copy")])
def test_a_collective_has_one_hue_in_figures_instruments_and_the_player(collective, in_player):
    colours = [IN_FIGURES[collective].fill, *IN_INSTRUMENTS[collective][:2], *PALETTE[in_player]]
    assert max(near(colour, IN_FIGURES[collective].colour) for colour in colours) < 15
