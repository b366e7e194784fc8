"""Figures of collectives, read back: which line is whose, where its points are, what stands beside it."""

import pytest

pytest.importorskip("matplotlib")

from course.plots.reading import (
    curves,
    heights,
    key_of,
    labels,
    legend,
    lengths,
    place,
    points,
    rows,
    stroke_of,
    texts,
    ticks,
    told,
)
from course.plots.samples import MIB, picture
from course.plots.samples import rows as all_reduces
from course.plots.samples import sizes as over_sizes
from matplotlib.colors import to_hex

import astra_edu as ae
from astra_edu import measured
from astra_edu.collectives import counts, schedule
from astra_edu.course.studies.case_studies.collectives import UNRELEASED
from astra_edu.measured.nccl_model import cost, crossover


def near(curve):
    return pytest.approx([number for point in curve for number in point])


def flat(curve):
    return [number for point in curve for number in point]


def test_each_line_of_the_costs_is_named_at_its_end_in_its_colour():
    npus, algorithms = (2, 4, 8, 16), ("ring", "halving-doubling", "naive")
    steps, busiest = picture("all_reduce_costs").figure.axes
    assert labels(steps) == ("steps", "NPUs", "", ("log", "log"))
    assert labels(busiest) == ("busiest NPU: buffers sent or received", "NPUs", "", ("log", "log"))
    assert ticks(steps) == ticks(busiest) == ["2", "4", "8", "16"]
    for axes, of in (
        (steps, lambda c: c.steps),
        (busiest, lambda c: max(c.sent, c.received) / 16),
    ):
        said = {}
        for text in axes.texts:
            (line,) = [line for line in axes.lines if stroke_of(line).colour == to_hex(text.get_color())]
            said |= {name: points(line) for name in text.get_text().split(", ")}
            assert text.xy[1] >= points(line)[-1][1]
        assert said == {
            name: [(n, of(counts(schedule("all-reduce", name, n), 16))) for n in npus] for name in algorithms
        }
        assert len({stroke_of(line).marker for line in axes.lines}) == len(axes.lines)


def test_the_costs_in_words():
    alt = picture("all_reduce_costs").alt
    assert "over 2 to 16 NPUs" in alt
    assert "ring: 2 to 30 steps, 1.00 to 1.88 buffers." in alt
    assert "naive: 1 to 1 steps, 1.00 to 15.00 buffers." in alt


def test_bandwidth_used_has_a_part_for_each_scheduler_and_a_line_for_each_system():
    shown = picture("bandwidth_used")
    used = {(row.system, row.scheduler, row.size): 100 * row.used for row in over_sizes()}
    for axes, scheduler in zip(shown.figure.axes, ("baseline", "Themis, SCF"), strict=True):
        assert labels(axes)[:2] == (scheduler, "size")
        assert axes.get_xscale() == "log"
        assert {name: flat(curve) for name, curve in curves(axes).items()} == {
            system: near([(size, used[system, scheduler, size]) for size in (2**20, 2**24)])
            for system in ("W-2D", "Conv-3D")
        }
    first = shown.figure.axes[0]
    assert (first.get_ylabel(), first.get_ylim()) == ("bandwidth used (%)", (0, 104))
    assert ticks(first) == ["1 MiB", "2 MiB", "4 MiB", "8 MiB", "16 MiB"]
    last = f"{used['W-2D', 'Themis, SCF', 2**24]:.0f}%"
    assert "over its size from 1 MiB to 16 MiB" in shown.alt
    assert f"Themis, SCF, 16 MiB: W-2D {last}" in shown.alt
    assert shown.note == UNRELEASED


def test_all_reduce_bars_are_the_times_and_their_marks_the_least_times():
    shown = picture("all_reduce_bars")
    (axes,) = shown.figure.axes
    assert labels(axes)[1] == "all-reduce of 16 MiB (µs)"
    assert [*rows(axes)] == ["W-2D", "Conv-3D"]
    key = {name: look for name, look in legend(shown.figure).items() if name != "least time"}
    assert lengths(axes, key) == {
        scheduler: {
            row.system: pytest.approx(row.total_ns / 1000) for row in all_reduces() if row.scheduler == scheduler
        }
        for scheduler in ("baseline", "Themis, SCF")
    }
    marks = [path.vertices for lines in axes.collections for path in lines.get_paths()]
    bars = dict(zip(all_reduces(), axes.texts, strict=True))
    for (row, text), mark in zip(bars.items(), marks, strict=False):
        assert mark[0][0] == mark[1][0] == pytest.approx(row.least_ns / 1000)
        assert (mark[0][1] + mark[1][1]) / 2 == pytest.approx(text.xy[1])
        assert text.xy[0] == pytest.approx(row.total_ns / 1000)
        assert text.get_text() == f"{row.total_ns / 1000:,.3f} µs, {row.used:.0%} used"
        assert f"{row.system}, {row.scheduler}: {row.total_ns / 1000:,.3f} µs, {row.used:.0%} of" in shown.alt
    heights = [text.xy[1] for text in axes.texts]
    assert heights == sorted(heights)  # systems, and in each the schedulers, from the top
    assert axes.get_ylim() == (1.5, -0.5)


def test_bus_bandwidths_are_bytes_over_time_times_what_an_all_reduce_sends():
    shown = picture("bus_bandwidths")
    (axes,) = shown.figure.axes
    wanted = {}
    for name in ("h100-16", "a100-8"):
        of = measured.sweep(name)
        factor = 2 * (of.npus - 1) / of.npus / 1000
        wanted[of.title] = near([(size, size * factor / us) for size, us in of.points])
    assert {name: flat(curve) for name, curve in curves(axes).items()} == wanted
    assert labels(axes) == ("", "size", "bus bandwidth (10⁹ bytes/s)", ("log", "linear"))
    assert heights(axes) == [200]
    assert texts(axes) == ["wire: 200"]
    assert place(axes, "wire: 200")[1] == 200
    assert axes.get_ylim()[0] == 0


def test_the_gain_in_the_switch_is_measured_over_what_the_ring_needs():
    shown = picture("in_switch_gain")
    (axes,) = shown.figure.axes
    rows = [row for row in measured.table("in_switch").rows if row["bytes"] == str(2**33)]
    for system in ("H200", "B200"):
        assert curves(axes)[f"{system}, measured"] == [
            (int(row["gpus"]), pytest.approx(float(row["on (10^9 bytes/s)"]) / float(row["off (10^9 bytes/s)"])))
            for row in rows
            if row["system"] == system
        ]
    for model, factor in (("up and down at once", 2), ("first up, then down", 1)):
        assert curves(axes)[f"model: {model}"] == [(n, pytest.approx(factor * (n - 1) / n)) for n in range(4, 9)]
    assert [look.lined for look in key_of(axes).values()] == [False, False, True, True]
    assert heights(axes) == [1]
    assert labels(axes)[1:3] == ("GPUs", "times as fast as the ring")


def test_models_stand_beside_what_was_measured_and_below_is_their_error():
    shown = picture("against_measured")
    of = measured.sweep("a100-8")
    times, errors = shown.figure.axes
    assert labels(times) == (of.title, "", "time (µs)", ("log", "log"))
    assert labels(errors) == ("", "size", "model / measured − 1 (%)", ("log", "linear"))
    said = curves(times)
    assert said["measured, fitted to"] == [tuple(map(float, point)) for point in of.halves[0]]
    assert said["measured, held out"] == [tuple(map(float, point)) for point in of.halves[1]]
    assert {y for _, y in said["free"]} == {50.0}
    fitted = measured.judged(of).model
    assert all(us == pytest.approx(fitted(size)) for size, us in said["one line"])
    key = key_of(times)
    assert (key["measured, fitted to"].hollow, key["measured, held out"].hollow) == (False, True)
    for name, model in (("one line", fitted), ("free", lambda size: 50.0)):
        (line,) = [
            line
            for line in errors.lines
            if (stroke_of(line).colour, stroke_of(line).dashes) == (key[name].colour, key[name].dashes)
            and stroke_of(line).marker
        ]
        assert flat(points(line)) == near([(size, 100 * (model(size) / us - 1)) for size, us in of.points])
    assert heights(errors) == [0]


def test_ring_and_tree_have_their_colour_and_dash_and_a_protocol_its_marker():
    latency, equal = picture("ring_or_tree").figure.axes
    nodes = (2, 16, 64)
    said = curves(latency)
    for algorithm in ("ring", "tree"):
        for protocol in ("LL", "LL128", "Simple"):
            wanted = [(n, cost(algorithm, protocol, 8 * n, 200, n).latency_us) for n in nodes]
            assert flat(said[f"{algorithm}, {protocol}"]) == near(wanted)
    looks = key_of(latency)
    assert len({looks[f"ring, {p}"].dashes for p in ("LL", "LL128", "Simple")}) == 1
    assert looks["ring, LL"].dashes != looks["tree, LL"].dashes
    assert len({look.marker for look in key_of(equal).values()}) == 3
    for protocol in ("LL", "LL128", "Simple"):
        assert key_of(equal)[protocol].marker == looks[f"ring, {protocol}"].marker == looks[f"tree, {protocol}"].marker
        assert looks[f"ring, {protocol}"].colour == "#0072b2"
        assert looks[f"tree, {protocol}"].colour == "#cc79a7"
        assert flat(curves(equal)[protocol]) == near([(n, crossover(8 * n, 200, n, protocol)) for n in nodes])
    assert labels(latency) == ("before the first byte is there", "machines", "latency (µs)", ("log", "log"))
    assert labels(equal)[:3] == ("below the line the tree is faster, above it the ring", "machines", "size")
    assert ticks(latency) == ticks(equal) == ["2", "16", "64"]
    alt = picture("ring_or_tree").alt
    assert "2 to 64 machines of 8 NPUs" in alt
    assert "LL: 155.9 KiB to 36.2 MiB" in alt
    names = zip(equal.get_yticks(), [label.get_text() for label in equal.get_yticklabels()], strict=True)
    assert all(text == ae.units.format_bytes(size) for size, text in names)


def test_a_sweep_names_the_floor_and_the_slope_where_they_are():
    shown = picture("size_sweep")
    linear, logarithmic = shown.figure.axes
    mib, ring, tree = (1, 16, 256), (45, 302, 4404), (40, 400, 6000)
    slope = (4404 - 302) / 240
    floor = 45 - slope
    words = f"floor {floor:.1f} µs, slope {slope:.2f} µs/MiB"
    assert curves(linear, key_of(linear))[f"ring: {words}"] == [*zip(mib, ring, strict=True)]
    key = {name: look for name, look in key_of(linear).items() if name.startswith("tree")}
    assert [*curves(linear, key).values()] == [[*zip(mib, tree, strict=True)]]
    assert labels(linear) == ("linear axes: one straight line", "size (MiB)", "time (µs)", ("linear", "linear"))
    assert labels(logarithmic) == ("logarithmic axes: two regimes", "size (MiB)", "time (µs)", ("log", "log"))
    (triangle,) = [points(line) for line in linear.lines if stroke_of(line).colour == "#595959"]
    (a, low), (b, corner), (c, high) = triangle
    assert (b, corner) == (c, low)
    assert (high - low) / (b - a) == pytest.approx(slope)
    assert low == pytest.approx(floor + slope * a)
    text = f"bandwidth slope\n{slope:.2f} µs/MiB"
    assert place(linear, text)[0] == b
    (arrow,) = [one for one in linear.texts if one.get_text().startswith("latency floor")]
    assert arrow.xy == (0, pytest.approx(floor))  # the arrow's head
    assert f"{100 * floor / linear.get_ylim()[1]:.1f} % of this axis" in arrow.get_text()
    said = curves(logarithmic)
    assert set(said) == {f"latency floor of ring: {floor:.1f} µs", f"bandwidth slope of ring: {slope:.2f} µs/MiB"}
    assert [y for _, y in said[f"latency floor of ring: {floor:.1f} µs"]] == pytest.approx([floor, floor])
    line = said[f"bandwidth slope of ring: {slope:.2f} µs/MiB"]
    assert flat(line) == near([(size, slope * size) for size in mib])
    assert "from 1 to 256 MiB" in shown.alt
    assert f"ring starts at 45.0 µs, has a latency floor of {floor:.1f} µs and grows by {slope:.2f} µs" in shown.alt


def test_ten_thousand_is_written_in_full():
    (axes, _) = ae.plots.size_sweep([MIB, 20_000 * MIB], {"a": [1, 2e7]}).figure.axes
    assert "20,000" in ticks(axes)
    assert not any("e" in text for text in ticks(axes))


def test_bars_of_a_picture_are_told_apart_by_more_than_colour():
    (axes,) = picture("all_reduce_bars").figure.axes
    looks = [look for look in legend(axes.figure).values() if hasattr(look, "hatch")]
    assert len({look.hatch for look in looks}) == len(looks)
    assert told(axes)
