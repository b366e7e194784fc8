"""Figures of links and of what waits in front of them."""

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("anywidget")
pytest.importorskip("networkx")

from recorded_runs import MIB, incast, run, tree

import astra_edu as ae
from astra_edu.course.plots.network.link_use import busiest_links, busy_shares, link_use
from astra_edu.course.plots.network.queues import goodput, queue_length, waiting_bytes
from astra_edu.course.widgets.link_player import LinkPlayer
from astra_edu.network.buffers import SwitchBuffers
from astra_edu.network.graph import GraphNetwork
from astra_edu.run.link_times import link_times


@pytest.fixture(scope="module")
def ring():
    return run(ae.Block("Ring", 8, 50, 500))


@pytest.fixture(scope="module")
def switch():
    return run(ae.Block("Switch", 8, 50, 500))


def test_shares_add_up_to_the_time_that_links_send(ring):
    for period in (777, 5000, ring.total_ns, 3 * ring.total_ns):
        shares = busy_shares(ring, period)
        for time in link_times(ring):
            assert sum(shares[time.link]) * period == pytest.approx(time.busy_ns)
            assert all(0 <= share <= 1 for share in shares[time.link])


def test_the_heat_map_has_a_row_for_each_link(ring):
    picture = link_use(ring)
    chart, bars, *_ = picture.figure.axes
    labels = [text.get_text() for text in chart.get_yticklabels()]
    assert labels[:4] == ["0 → 1", "0 → 7", "1 → 0", "1 → 2"]
    assert len(labels) == len(bars.patches) == 16
    (mesh,) = chart.collections
    assert mesh.get_array().shape[0] == 16
    assert mesh.get_array().max() == pytest.approx(1)
    assert picture.alt.startswith("Heat-map of 16 links over")
    assert picture.table.count("\n") == 16
    first = next(time for time in link_times(ring) if time.link == (0, 1))
    assert f"{100 * first.share:.1f} %" in _row(picture, "0 → 1")


def _row(picture, link):
    return next(line for line in picture.table.splitlines() if line.startswith(link))


def test_many_links_are_named_by_kind_and_the_idle_left_out():
    result = run(GraphNetwork(tree(4, 8)), size=2 * MIB)
    chart, *_ = link_use(result).figure.axes
    assert [text.get_text() for text in chart.get_yticklabels()] == [
        "32 ×\nNPU → switch",
        "8 ×\nswitch → switch",
        "32 ×\nswitch → NPU",
    ]
    few = link_use(result, order="busy", most=5)
    chart, *_ = few.figure.axes
    assert [text.get_text() for text in chart.get_yticklabels()] == [
        "ToR 0 → spine 0",
        *(f"ToR {n} → spine 0" for n in (1, 2, 3)),
        "spine 0 → ToR 0",
    ]
    assert f"the 5 busiest of {len(link_times(result))} links" in few.alt


def test_the_busiest_links_as_bars(ring, switch):
    picture = busiest_links({"ring": ring, "switch": switch}, most=3)
    titles = [axes.get_title(loc="left") for axes in picture.figure.axes]
    assert titles[0].startswith("ring: 50.850 µs, 3 of 16 links")
    widths = [[bar.get_width() for bar in axes.patches] for axes in picture.figure.axes]
    assert widths == [[time.share for time in link_times(result)[:3]] for result in (ring, switch)]
    assert len({bar.get_hatch() for axes in picture.figure.axes for bar in axes.patches}) == 2  # a kind each
    assert "switch: 16 of 16 links are busiest" in picture.alt
    assert busiest_links(ring).table.count("\n") == 10


def test_what_waits_in_front_of_a_link():
    endless = incast(SwitchBuffers(None))
    times, lengths = waiting_bytes(endless, ("switch 0.0", 0))
    assert times[0] == 0 == lengths[0]
    assert sum(use.size for use in endless.uses if use.link == ("switch 0.0", 0)) == 8 * 128 * 1024
    peak = max(lengths)
    assert 7 * 128 * 1024 <= peak < 8 * 128 * 1024  # one of eight is gone when all are there
    assert lengths[-1] <= 4096
    dropped = incast(SwitchBuffers(128 * 1024))
    picture = queue_length({"endless": endless, "dropped": dropped}, ("switch 0.0", 0))
    assert f"{len(dropped.lost)} packets lost" in picture.alt
    assert max(waiting_bytes(dropped, ("switch 0.0", 0))[1]) <= 128 * 1024
    marks = [line for line in picture.figure.axes[1].lines if line.get_marker() == "x"]
    assert len(marks[0].get_xdata()) == len(dropped.lost)
    with pytest.raises(ae.ConfigError, match="no message uses the link"):
        waiting_bytes(endless, ("switch 0.0", 99))


def test_a_queue_of_packets_has_its_buffer_and_what_was_lost():
    platform = ae.TracePlatform(ae.Block("Switch", 9, 10, 500), ae.TraceSystem.of("direct"))
    builder = ae.traces.Builder(9)
    for npu in range(1, 9):
        builder.message(f"from {npu}", "64 KiB", npu, 0)
    result = ae.simulate(builder.build(), platform, network=ae.Packets(buffer="32 KiB"), record=True, progress=False)
    picture = queue_length(result, ("switch 0.0", 0))
    (axes,) = picture.figure.axes
    dashed, crosses = axes.lines
    assert dashed.get_ydata()[0] == 32
    assert len(crosses.get_xdata()) == result.statistics["packets_dropped"] > 50
    assert 32 - 1.538 < max(waiting_bytes(result, ("switch 0.0", 0))[1]) / 1024 <= 32 + 1.538


def test_goodput_over_senders():
    picture = goodput([1, 2, 4], {"drop": [10, 5, 1], "credit": [10, 11, 12]}, 12.5)
    axes = picture.figure.axes[0]
    assert [list(line.get_ydata()) for line in axes.lines[:2]] == [[10, 5, 1], [10, 11, 12]]
    assert len({line.get_marker() for line in axes.lines[:2]}) == 2
    assert "drop: from 10.00 to 1.00, lowest 1.00." in picture.alt
    with pytest.raises(ae.ConfigError, match="2 values for 3"):
        goodput([1, 2, 4], {"drop": [1, 2]}, 12.5)


@pytest.mark.parametrize("draw", [link_use, busiest_links, LinkPlayer])
def test_a_run_without_a_record_is_refused(draw):
    with pytest.raises(ae.ConfigError, match="record=True"):
        draw(run(ae.Block("Ring", 4, 50, 500), record=False))


def test_wrong_settings_are_told(ring):
    with pytest.raises(ae.ConfigError, match="period_ns is 0"):
        link_use(ring, period_ns=0)
    with pytest.raises(ae.ConfigError, match="Allowed: name, busy"):
        link_use(ring, order="time")
    with pytest.raises(ae.ConfigError, match="at least one"):
        busiest_links({})
    with pytest.raises(ae.ConfigError, match="at least one"):
        queue_length({}, (0, 1))
