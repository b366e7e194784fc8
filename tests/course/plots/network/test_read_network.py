"""Figures of links, read back: which row is whose, how dark a cell and how long a bar is, what waits when."""

import pytest

pytest.importorskip("matplotlib")

from course.plots.reading import curves, heights, key_of, labels, place, rows, texts, ticks
from course.plots.samples import MIB, links, picture, small
from matplotlib.colors import to_hex
from matplotlib.patches import StepPatch
from recorded_runs import incast, run, tree

import astra_edu as ae
from astra_edu.course.plots.network.queues import waiting_bytes
from astra_edu.network.buffers import SwitchBuffers
from astra_edu.network.graph import GraphNetwork
from astra_edu.run.link_times import link_name, link_times, uses_of


def sent(result, link, start, end):
    """How much of a part of the run a link sends."""
    inside = sum(max(0, min(use.free_ns, end) - max(use.start_ns, start)) for use in uses_of(result)[link])
    return inside / (end - start)


@pytest.mark.parametrize("order", ["name", "busy"])
def test_a_cell_is_as_dark_as_the_link_is_busy(order):
    result = run(GraphNetwork(tree(2, 2)))
    shown = ae.plots.link_use(result, period_ns=1000, order=order)
    chart, beside, bar_of_colours = shown.figure.axes
    by_name = {link_name(time.link): time for time in link_times(result)}
    assert {*rows(chart)} == {*by_name}
    if order == "busy":
        assert [*rows(chart)] == [*by_name]
    (mesh,) = chart.collections
    shares = mesh.get_array()
    for name, row in rows(chart).items():
        found = [float(share) for share in shares[round(row)]]
        assert found == pytest.approx(
            [sent(result, by_name[name].link, k * 1000, (k + 1) * 1000) for k in range(len(found))]
        )
        assert beside.patches[round(row)].get_width() == pytest.approx(by_name[name].share)
        assert beside.texts[round(row)].get_text() == f"{100 * by_name[name].share:.1f} %"
        assert beside.texts[round(row)].xy == (pytest.approx(by_name[name].share), row)
    assert mesh.get_clim() == (0, 1)
    white, blue = mesh.get_cmap()(0.0), mesh.get_cmap()(1.0)
    assert sum(white[:3]) > 2.5 > 1.2 > sum(blue[:3])  # the busier, the darker
    edges = mesh.get_coordinates()[0, :, 0]
    assert list(edges[:3]) == [0, 1, 2]
    assert chart.get_ylim() == (len(by_name) - 0.5, -0.5)
    assert labels(chart)[:2] == (f"{len(by_name)} links", "time (µs), in periods of 1 µs")
    assert chart.get_xlim() == (0, result.total_ns / 1000)
    assert beside.get_xlabel() == "of the whole run"
    assert ticks(beside) == ["0 %", "100 %"]
    assert bar_of_colours.get_ylabel() == "share of the period in which it sends"
    kinds = sum(heights_ > 0 for heights_ in heights(chart))
    assert kinds == (2 if order == "name" else 0)  # from NPUs, between switches, to NPUs


def test_the_busiest_links_stand_on_top():
    result = links(8)
    (axes,) = ae.plots.busiest_links(result, most=3).figure.axes
    busiest = link_times(result)[:3]
    assert [*rows(axes)] == [link_name(time.link) for time in busiest]
    assert [bar.get_width() for bar in axes.patches] == [time.share for time in busiest]
    assert texts(axes) == [f"{100 * time.share:.1f} %" for time in busiest]
    assert labels(axes)[:2] == (
        f"busiest links: {result.total_ns / 1000:,.3f} µs, 3 of {len(link_times(result))} links",
        "share of the run in which the link sends",
    )
    assert "100 %" in ticks(axes)
    first, second = picture("busiest_links").figure.axes
    assert first.get_title(loc="left").startswith("ring: ")
    assert second.get_title(loc="left").startswith("tree: ")
    assert picture("busiest_links").alt.startswith("The busiest links as bars. ring: ")


def test_a_pale_link_is_pale_even_where_none_is_busy():
    trace = ae.traces.Builder(4)
    trace.compute("long", 100, after=trace.all_reduce("short", MIB // 64))
    ring = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring"), congestion_aware=True)
    result = ae.simulate(trace.build(), ring, record=True)
    (mesh,) = ae.plots.link_use(result, period_ns=50_000).figure.axes[0].collections
    assert mesh.get_array().max() < 0.5
    assert mesh.get_clim() == (0, 1)


def test_each_kind_of_link_has_its_colour_and_its_hatch():
    result = run(GraphNetwork(tree(2, 2)))
    (axes,) = ae.plots.busiest_links(result, most=99).figure.axes
    looks = {}
    for name, bar in zip(rows(axes), axes.patches, strict=True):
        ends = tuple("NPU" if end.isdigit() else "switch" for end in name.split(" → "))
        looks.setdefault(ends, set()).add((to_hex(bar.get_facecolor()), bar.get_hatch()))
    assert len(looks) == 3
    assert all(len(each) == 1 for each in looks.values())
    assert len({look for each in looks.values() for look in each}) == 3


def test_a_queue_is_as_high_as_what_waits():
    shown = picture("queue_length")
    link = ("switch 0.0", 0)
    for axes, (name, result) in zip(
        shown.figure.axes, {"endless": incast(SwitchBuffers(None)), "small": small()}.items(), strict=True
    ):
        times, lengths = waiting_bytes(result, link)
        here = [(use.queued_ns, use.free_ns, use.size) for use in uses_of(result)[link]]
        assert lengths == [sum(size for since, until, size in here if since <= time < until) for time in times]
        outlines = [patch.get_data() for patch in axes.patches if isinstance(patch, StepPatch)]
        assert len(outlines) == 2
        for values, edges, _ in outlines:
            assert list(values) == [length / 1024 for length in lengths]
            assert list(edges) == [time / 1000 for time in (*times, result.total_ns)]
        lost = [packet.time_ns / 1000 for packet in result.lost if packet.link == link]
        crosses = [list(line.get_xdata()) for line in axes.lines if line.get_marker() == "x"]
        assert crosses == ([lost] if lost else [])
        assert heights(axes) == ([128] if name == "small" else [])
        title = f"{name}: {result.total_ns / 1000:,.3f} µs, {len(lost)} packets lost here"
        assert labels(axes)[0] == title
        assert axes.get_ylabel() == "KiB"
        assert axes.get_ylim()[0] == 0
        busy = sum(use.free_ns - use.start_ns for use in uses_of(result)[link]) / result.total_ns
        assert f"{len(lost)} packets lost, the link busy for {100 * busy:.1f} %" in shown.alt
    assert labels(shown.figure.axes[-1])[1] == "time (µs)"
    assert shown.alt.startswith("Bytes in front of the link switch 0.0 → 0 over time")


def test_goodput_has_its_lines_and_the_link():
    shown = picture("goodput")
    (axes,) = shown.figure.axes
    assert {name: curve for name, curve in curves(axes).items() if "link" not in name} == {
        "drop": [(1, 10), (2, 5), (4, 1)],
        "credit": [(1, 10), (2, 11), (4, 12)],
    }
    assert heights(axes) == [12.5]
    assert key_of(axes)["the link: 12.5"].dashes
    assert labels(axes) == ("", "senders to one receiver", "goodput (× 10⁹ bytes/s)", ("log", "linear"))
    assert ticks(axes) == ["1", "2", "4"]
    assert axes.get_ylim()[0] == 0
    assert "Goodput over 1 to 4 senders; the link carries 12.5 × 10⁹ bytes/s. drop: from 10.00 to 1.00" in shown.alt
    assert not any(place(axes, text) for text in texts(axes))


def test_another_simulator_s_figures_are_hollow_marks_in_the_colour_and_shape_of_the_line():
    shown = picture("beside")
    (axes,) = shown.figure.axes
    drawn = {line.get_label(): line for line in axes.lines if not line.get_label().startswith("_")}
    rings = [line for line in axes.lines if line.get_label().startswith("_")]
    assert curves(axes)["mesh"] == [(0.1, 30), (0.2, 34), (0.4, 80)]
    assert curves(axes)["torus"] == [(0.1, 26), (0.4, 33)]
    assert [list(zip(*ring.get_data(), strict=True)) for ring in rings] == [[(0.1, 31), (0.3, 41)], []]
    assert [ring.get_markerfacecolor() for ring in rings] == ["none", "none"]
    assert [ring.get_markeredgecolor() for ring in rings] == [drawn[name].get_color() for name in ("mesh", "torus")]
    assert [ring.get_marker() for ring in rings] == [drawn[name].get_marker() for name in ("mesh", "torus")]
    assert rings[0].get_linestyle() == "None"
    tall = picture("beside", 1).figure
    tall.canvas.draw()
    assert {text.get_text() for text in tall.axes[0].get_yticklabels(minor=True)} <= {"", "20", "50", "200"}
    assert "BookSim 2 (hollow)" in drawn
    assert labels(axes) == ("", "load", "latency (cycles)", ("linear", "linear"))
    assert labels(picture("beside", 1).figure.axes[0])[3] == ("linear", "log")
    assert "farthest from BookSim 2 at 0.1, 0.968 times its figure" in shown.alt
    assert shown.table.splitlines()[1:3] == [
        "0.1     30         31     26",
        "0.2     34",
    ]
