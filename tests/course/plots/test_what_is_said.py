"""What every figure must keep, whatever it shows: a legend that is true, words and a table made from the data shown."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("matplotlib")

from course.plots.reading import Fill, bars, legend, legends, numbers, said_by, stroke_of, told
from course.plots.samples import SAMPLES, picture

from astra_edu.course import plots
from astra_edu.course.plots.collectives import in_switch

FIGURES = sorted(SAMPLES)
UNNAMED = {
    "endpoint_steps": "boxes and arrows of its flow have their words beside them",
    "stages": "of several virtual stages the later ones are paler",
    "irregular_use": "a frame has the colour of its bar",
    "memory_hierarchy": "has no bars",
    "trace_graph": "has boxes, not bars; test_traces reads them",
}

NAMED_ELSEWHERE = {
    ("trace_graph", 0): "its boxes are no bars",
    ("trace_graph", 1): "its boxes are no bars",
    ("endpoint_steps", 1): "the legend is that of any NPU, so that those of two NPUs are the same",
}


def test_every_public_figure_is_read_back():
    assert {*plots.__all__} - {"Picture", "text_table"} == {*SAMPLES}


@pytest.mark.parametrize("name", FIGURES)
def test_no_two_entries_of_a_legend_look_alike(name):
    for which in (0, 1):
        for one in legends(picture(name, which).figure):
            looks = said_by(one)
            assert len({*looks}) == len(one.get_texts())
            alike = {"compute", "forward (F)"} <= {*looks}  # a pipeline above its trace: a forward pass is computed
            assert len({*looks.values()}) == len(looks) - alike


@pytest.mark.parametrize("name", FIGURES)
def test_what_a_legend_names_is_drawn_and_what_is_drawn_it_names(name):
    """A look of the legend without an artist, or a bar of no look of the legend, is a legend of something else."""
    for which in (0, 1):
        figure = picture(name, which).figure
        named = legend(figure)
        areas = {bar.look for axes in figure.axes for bar in bars(axes)}
        strokes = {stroke_of(line) for axes in figure.axes for line in axes.lines}
        for words, look in named.items():
            if (name, which) in NAMED_ELSEWHERE:
                continue
            if isinstance(look, Fill) and words not in ("least time", "frame: PEs that hold something"):
                assert look in areas, words
            elif not isinstance(look, Fill) and words not in ("least time", "measured", *_scattered(figure)):
                assert look in strokes, words
        if name not in UNNAMED and any(isinstance(look, Fill) for look in named.values()):
            assert areas <= {*named.values()}


def _scattered(figure):
    """What is drawn as single points (of model_growth), or as roofs whose points are apart."""
    return [text.get_text() for one in legends(figure) for text in one.get_texts() if _apart(figure, text.get_text())]


def _apart(figure, words):
    look = legend(figure)[words]
    return any(collection.get_label() == words for axes in figure.axes for collection in axes.collections) or any(
        (stroke.colour, stroke.dashes) == (look.colour, look.dashes)
        for axes in figure.axes
        for line in axes.lines
        for stroke in (stroke_of(line),)
        if not stroke.marker and look.marker
    )


@pytest.mark.parametrize("name", sorted({*FIGURES} - {"in_switch_gain"}))
def test_other_data_have_other_words_and_another_table(name):
    first, second = picture(name), picture(name, 1)
    assert first.alt != second.alt
    assert first.table != second.table
    assert numbers(first.alt) != numbers(second.alt)


def test_the_words_of_what_was_measured_follow_the_measurements(monkeypatch):
    before = plots.in_switch_gain()
    rows = [dict(row) for row in in_switch.table("in_switch").rows]
    for row in rows:
        row[in_switch.ON] = str(2 * float(row[in_switch.ON]))
    found = in_switch.table("in_switch")
    monkeypatch.setattr(in_switch, "table", lambda name: type(found)(**{**vars(found), "rows": rows}))
    after = plots.in_switch_gain()
    assert "H200: 1.00 with 4, 1.29 with 8." in before.alt
    assert "H200: 2.00 with 4, 2.59 with 8." in after.alt
    assert before.table != after.table


def said(number, text):
    """Whether a text says a number as exactly as it says any; a share may stand in it in %."""
    exact = {found.replace(",", "") for found in re.findall(r"\d[\d,]*\.?\d*", text)}
    known = [(float(found), 0.501 * 10 ** -len(found.partition(".")[2])) for found in exact]
    return any(abs(scale * abs(number) - value) <= half for scale in (1, 100) for value, half in known)


@pytest.mark.parametrize("name", ["all_reduce_bars", "communication", "compute_and_exposed", "endpoint_times",
                                  "iteration_times", "large_and_small", "layers", "memory_bars", "memory_traffic",
                                  "training_parts"])  # fmt: skip
def test_a_table_says_how_long_every_bar_is(name):
    for which in (0, 1):
        shown = picture(name, which)
        for axes in shown.figure.axes:
            for by_row in told(axes).values():
                for parts in by_row.values():
                    for left, right in parts:
                        assert said(right - left, shown.table), right - left


@pytest.mark.parametrize("name", ["all_reduce_costs", "bandwidth_sweep", "bandwidth_used", "bus_bandwidths", "curves",
                                  "goodput", "in_switch_gain", "ring_or_tree", "scaling"])  # fmt: skip
def test_a_table_says_where_every_point_of_a_line_is(name):
    for which in (0, 1):
        shown = picture(name, which)
        for axes in shown.figure.axes:
            named = {*legend(shown.figure).values()}
            for line in axes.lines:
                look = stroke_of(line)
                if look.marker and (look in named or name == "all_reduce_costs") and _in_units(name, axes):
                    assert all(said(y, shown.table) for y in line.get_ydata())


def _in_units(name, axes):
    """Sizes stand in KiB and MiB in the table of ring_or_tree."""
    return not (name == "ring_or_tree" and axes.get_ylabel() == "size")
