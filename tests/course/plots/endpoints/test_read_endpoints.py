"""Figures of endpoints, read back: which bar is what, on which step, which way an arrow points and how thick it is."""

import pytest

pytest.importorskip("matplotlib")

from course.plots.reading import (
    arrows,
    bars,
    curves,
    ends,
    fill_of,
    heights,
    key_of,
    labels,
    legend,
    lengths,
    place,
    rows,
    texts,
    ticks,
)
from course.plots.samples import picture, with_endpoints
from matplotlib.colors import to_hex

from astra_edu.collectives import schedule
from astra_edu.course.studies.endpoint import accesses, speed_up, traffic

NAMES = {
    "own": "reads its own data",
    "received": "reads what it received",
    "arrival": "writes what arrives",
    "sum": "writes a sum",
    "load": "loads into its SRAM",
    "store": "stores from its SRAM",
}
WRITTEN = ("arrival", "sum", "store")


@pytest.mark.parametrize(("which", "of", "npu"), [(0, ("ring", 3), 0), (1, ("single-master", 4), 2)])
def test_each_step_has_what_the_endpoint_reads_above_and_what_it_writes_below(which, of, npu):
    figure = picture("endpoint_steps", which).figure
    plan = schedule("all-reduce", *of)
    key = legend(figure)
    for axes, on_chip in zip(figure.axes[2:], (False, True), strict=True):
        wanted: dict[tuple[str, int], int] = {}
        for access in accesses(plan, on_chip):
            if access.npu == npu:
                wanted[access.what, access.step] = wanted.get((access.what, access.step), 0) + 1
        found = {}
        for bar in bars(axes):
            (what,) = [what for what, words in NAMES.items() if key.get(words) == bar.look]
            found[what, round(bar.middle[0]) - 1] = bar.high - bar.low
            assert (bar.middle[1] < 0) == (what in WRITTEN)
        assert found == wanted
        assert labels(axes)[1] == "step"
        assert ticks(axes) == [str(k + 1) for k in range(plan.step_count)]
        assert heights(axes) == [0]
    assert figure.axes[2].get_ylabel() == "shards: read ↑, written ↓"


def test_the_flow_has_an_arrow_for_each_kind_from_where_it_is_to_where_it_goes():
    """HBM is on the left, the network on the right; ring of 3: 4 sent, 4 own, 2 received, 1 sum, 4 arrivals."""
    figure = picture("endpoint_steps").figure
    memory, ace = figure.axes[:2]
    key = legend(figure)
    boxes = {"HBM": (0, 1.7), "cores\n(SMs)": (4.1, 5.8), "ACE:\nSRAM and\nadders": (4.1, 5.8), "network": (8.4, 10.1)}
    for axes, middle in ((memory, "cores\n(SMs)"), (ace, "ACE:\nSRAM and\nadders")):
        for words in ("HBM", middle, "network"):
            left, right = boxes[words]
            assert place(axes, words)[0] == pytest.approx((left + right) / 2)
    ways = {
        memory: {
            "sends 1.00": (5.8, 8.4, None),
            "own 1.00": (1.7, 4.1, "own"),
            "received 0.50": (1.7, 4.1, "received"),
            "sum 0.25": (4.1, 1.7, "sum"),
            "arrives 1.00": (8.4, 1.7, "arrival"),
        },
        ace: {
            "sends 1.00": (5.8, 8.4, None),
            "loads 0.75": (1.7, 4.1, "load"),
            "stores 0.75": (4.1, 1.7, "store"),
            "receives 1.00": (8.4, 5.8, None),
        },
    }
    for axes, wanted in ways.items():
        found = {}
        for text, arrow in zip(axes.texts[3:], arrows(axes), strict=True):
            (start, y), (end, _) = ends(arrow)
            what = [what for what, words in NAMES.items() if key.get(words) == fill_of(arrow)]
            found[text.get_text()] = (start, end, what[0] if what else None)
            assert text.xy == (pytest.approx((start + end) / 2), y)
            rate = float(text.get_text().split()[-1])
            assert arrow.get_arrowstyle().tail_width == pytest.approx(max(1, 7 * rate))
        assert found == wanted
    assert labels(memory)[0] == "through memory: bytes for each byte sent"
    assert labels(ace)[0] == "ACE: bytes for each byte sent"


def test_the_steps_in_words():
    alt = picture("endpoint_steps", 1).alt
    plan = schedule("all-reduce", "single-master", 4)
    assert alt.startswith("What the endpoint of NPU 2 does in single-master all-reduce on 4 NPUs")
    found = [access for access in accesses(plan, False) if access.npu == 2]
    sent = sum(transfer.source == 2 for step in plan.steps() for transfer in step.transfers)
    own = sum(access.what == "own" for access in found)
    assert f"Through memory, in shards: reads its own data {own}, writes what arrives" in alt
    read = sum(access.what in ("own", "received") for access in found) / sent
    written = sum(access.what in ("arrival", "sum") for access in found) / sent
    assert f"That is {read:.3f} bytes read and {written:.3f} written for each byte sent." in alt


def test_traffic_has_two_bars_for_each_schedule():
    shown = picture("memory_traffic")
    (axes,) = shown.figure.axes
    plans = {"ring": schedule("all-reduce", "ring", 8), "direct": schedule("all-reduce", "direct", 4)}
    each = {
        f"{name}, {how}": traffic(plan, on_chip)
        for name, plan in plans.items()
        for how, on_chip in (("through memory", False), ("ACE", True))
    }
    assert [*rows(axes)] == [*each]
    assert lengths(axes) == {
        "read": {name: pytest.approx(one.reads_per_byte) for name, one in each.items()},
        "written": {name: pytest.approx(one.writes_per_byte) for name, one in each.items()},
    }
    assert texts(axes) == [f"{one.reads_per_byte:.3f} + {one.writes_per_byte:.3f}" for one in each.values()]
    assert [text.xy[1] for text in axes.texts] == [0, 1, 2, 3]
    assert labels(axes)[1] == "bytes of HBM traffic for each byte sent"
    assert "ring, ACE: 0.571 read and 0.571 written." in shown.alt


def test_iterations_have_a_panel_for_each_workload():
    shown = picture("endpoint_times")
    for axes, (name, runs) in zip(
        shown.figure.axes, {"VGG-16": with_endpoints(), "GNMT": with_endpoints("gnmt")}.items(), strict=True
    ):
        assert labels(axes)[:2] == (f"{name}: ACE × {speed_up(runs):.2f}", "time (ms)")
        assert [*rows(axes)] == [*runs]
        assert lengths(axes) == {
            "compute": {each: pytest.approx(run.compute_ns / 2e6) for each, run in runs.items()},
            "exposed communication": {each: pytest.approx(run.exposed_ns / 2e6) for each, run in runs.items()},
        }
        assert texts(axes) == [f"{run.total_ns / 2e6:,.3f}" for run in runs.values()]
        for each, run in runs.items():
            assert f"{each} {run.total_ns / 2e6:,.3f} ms, {100 * run.exposed_ns / run.total_ns:.1f} %" in shown.alt


def test_curves_have_levels_and_points_where_they_say():
    shown = picture("curves", 1)
    (axes,) = shown.figure.axes
    assert curves(axes) == {"ACE": [(1, 2), (10, 8)], "software": [(10, 1), (100, 0.5)]}
    assert labels(axes) == ("", "samples", "speed", ("log", "log"))
    assert sorted(heights(axes)) == [3.01, 6]
    colours = {line.get_ydata()[0]: to_hex(line.get_color()) for line in axes.lines if line.get_ydata()[0] in (3.01, 6)}
    assert colours == {6: key_of(axes)["ACE"].colour, 3.01: "#595959"}
    named = {text.get_text(): text for text in axes.texts}
    assert set(named) == {"ACE: 6", "another: 3.01", "here"}
    assert to_hex(named["ACE: 6"].get_color()) == key_of(axes)["ACE"].colour
    assert named["ACE: 6"].xy[1] > named["another: 3.01"].xy[1]
    assert named["here"].xy == (10, 2)
    (circle,) = [line for line in axes.lines if len(line.get_xdata()) == 1]
    assert (circle.get_xdata()[0], circle.get_ydata()[0]) == (10, 2)
    assert shown.note == "speed"
    assert "ACE: 2 at 1, 8 at 10, least 2 at 1, most 8 at 10." in shown.alt


def test_curves_on_one_logarithmic_axis():
    from astra_edu.course.plots import curves as draw

    (axes,) = draw({"a": {1: 1, 1000: 5}}, "n", "µs").figure.axes
    assert labels(axes)[3] == ("log", "linear")
    assert {"1", "10", "100", "1,000"} <= set(ticks(axes))
