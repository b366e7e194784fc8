"""The graph of a trace, read back: boxes left of those that wait for them, arrows to them, what is critical."""

import pytest

pytest.importorskip("matplotlib")

import itertools

from course.plots.reading import arrows, ends, fill_of, legend, rows, stroke_of
from course.plots.samples import MIB
from matplotlib.colors import to_hex

import astra_edu as ae
from astra_edu.course.plots.traces.looks import LANES
from astra_edu.explain.path_of_nodes import nodes_on_path
from astra_edu.traces import Builder
from astra_edu.traces.kinds import kind_of
from astra_edu.traces.outline import unit_of


def trace():
    made = Builder(4)
    forward = made.compute("forward", 30)
    side = made.compute("loss", 5)
    backward = made.compute("backward", 60, after=[forward, side])
    early = made.all_reduce("head", MIB, after=forward)
    made.all_gather("weights", 2 * MIB, after=[forward, backward, early])
    return made.build()


def run():
    ring = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring"))
    return ae.simulate(trace(), ring)


@pytest.fixture(scope="module")
def shown():
    return ae.plots.trace_graph(run())


def boxes(axes):
    """{number of the node: (where it is, its box)}."""
    return {
        int(text.get_text().split()[0]): (text.get_position(), text)
        for text in axes.texts
        if text.get_text()[:1].isdigit()
    }


def node_at(axes, point):
    (number,) = [number for number, (spot, _) in boxes(axes).items() if spot == pytest.approx(point)]
    return number


def test_every_arrow_goes_from_what_is_waited_for_to_what_waits(shown):
    (axes,) = shown.figure.axes
    drawn = {tuple(node_at(axes, end) for end in ends(arrow)) for arrow in arrows(axes) if _solid(arrow)}
    nodes = trace().nodes[0]
    assert drawn == {(parent, node.id) for node in nodes for parent in (*node.data_deps, *node.ctrl_deps)}
    for arrow in arrows(axes):
        (x0, _), (x1, _) = ends(arrow)
        assert x0 < x1 or not _solid(arrow)
        assert arrow.get_arrowstyle().__class__.__name__ == "CurveFilledB"  # a head at its end, and only there


def _solid(arrow):
    return arrow.get_linestyle() in ("solid", "-")


def test_every_box_looks_like_its_kind_and_stands_in_its_lane(shown):
    (axes,) = shown.figure.axes
    key = legend(shown.figure)
    lanes = rows(axes)
    for node in trace().nodes[0]:
        (_, y), text = boxes(axes)[node.id]
        (words,) = [words for words, look in key.items() if look == fill_of(text.get_bbox_patch())]
        assert words.startswith(kind_of(node))
        nearest = min(lanes, key=lambda lane: abs(lanes[lane] - y))
        assert nearest == LANES[unit_of(node)]
    assert [*lanes] == ["compute", "communication"]


def test_the_critical_path_is_thick_and_nothing_else(shown):
    (axes,) = shown.figure.axes
    critical = [ran.node.id for ran in nodes_on_path(run(), 0)]
    framed = {number for number, (_, text) in boxes(axes).items() if text.get_bbox_patch().get_path_effects()}
    assert framed == {*critical}
    thick = {tuple(node_at(axes, end) for end in ends(arrow)) for arrow in arrows(axes) if arrow.get_linewidth() > 2}
    assert thick == {*itertools.pairwise(critical)}
    colours = {arrow.get_linewidth() > 2: to_hex(arrow.get_edgecolor()) for arrow in arrows(axes)}
    assert colours == {True: "#000000", False: "#8c8c8c"}
    assert stroke_of_path(shown).colour == "#000000"


def stroke_of_path(shown):
    return legend(shown.figure)["critical path"]


def test_a_box_says_what_it_is_how_much_and_how_long(shown):
    (axes,) = shown.figure.axes
    result = run()
    took = {ran.node.id: ran.end_ns - ran.start_ns for ran in result.ran if ran.npu == 0}
    said = {number: text.get_text().split("\n") for number, (_, text) in boxes(axes).items()}
    assert said[1] == ["1 forward", "30 µs"]
    assert said[4] == ["4 head", "AR 1 MiB", ae.units.format_ns(took[4])]
    assert said[5] == ["5 weights", "AG 2 MiB", ae.units.format_ns(took[5])]
    assert f"The run takes {ae.units.format_ns(result.total_ns)}" in shown.alt
    assert "Graph of the 5 nodes of all 4 NPUs (3 compute, 1 all-reduce, 1 all-gather)" in shown.alt


def test_waiting_for_a_free_unit_is_dashed():
    made = Builder(2)
    made.compute("first", 30)
    made.compute("second", 40)
    ring = ae.TracePlatform(ae.Block("Ring", 2, 50, 500), ae.TraceSystem.of("ring"))
    shown = ae.plots.trace_graph(ae.simulate(made.build(), ring))
    (axes,) = shown.figure.axes
    (arrow,) = arrows(axes)
    assert not _solid(arrow)
    assert tuple(node_at(axes, end) for end in ends(arrow)) == (1, 2)
    assert legend(shown.figure)["... until the NPU is free"].dashes
    assert not legend(shown.figure)["critical path"].dashes
    assert stroke_of(shown.figure.legends[0].legend_handles[-1]).colour == to_hex("black")


def test_a_message_says_where_it_goes():
    made = Builder(2)
    made.message("x", MIB, 0, 1)
    first, second = (ae.plots.trace_graph(made, npu=npu).figure.axes[0].texts[0].get_text() for npu in (0, 1))
    assert first.endswith("1 MiB to 1")
    assert second.endswith("1 MiB from 0")
