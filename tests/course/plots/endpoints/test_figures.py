"""Figures of endpoints: steps, traffic, iterations and curves."""

from __future__ import annotations

import pytest

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.course.plots import curves, endpoint_steps, endpoint_times, memory_traffic
from astra_edu.course.studies.endpoint import (
    ENDPOINTS,
    iteration,
    speed_up,
    torus_all_reduce,
)

SIZES = ((4, 2, 2), (4, 4, 2), (4, 4, 4), (4, 8, 4))  # 16 to 128 NPUs


@pytest.fixture(scope="module")
def sizes():
    """Runs of all endpoints with one sample of ResNet-50 on each NPU, by the torus's dimensions."""
    return {
        dims: {endpoint.name: iteration("resnet50", endpoint, dims, samples=1) for endpoint in ENDPOINTS}
        for dims in SIZES
    }


def test_the_picture_of_the_steps():
    picture = endpoint_steps(ae.schedule("all-reduce", "ring", 3))
    assert [line.split() for line in picture.table.splitlines()[1:]] == [
        ["through", "memory:", "reads", "its", "own", "data", "1", "1", "1", "1", "4"],
        ["through", "memory:", "reads", "what", "it", "received", "0", "1", "1", "0", "2"],
        ["through", "memory:", "writes", "what", "arrives", "1", "1", "1", "1", "4"],
        ["through", "memory:", "writes", "a", "sum", "0", "0", "1", "0", "1"],
        ["ACE:", "loads", "into", "its", "SRAM", "2", "1", "0", "0", "3"],
        ["ACE:", "stores", "from", "its", "SRAM", "0", "0", "1", "2", "3"],
        ["sends", "1", "1", "1", "1", "4"],
    ]
    assert "1.500 bytes read and 1.250 written for each byte sent" in picture.alt
    silent = endpoint_steps(ae.schedule("broadcast", "direct", 3), npu=2)  # sends nothing
    assert silent.table.splitlines()[-1].split() == ["sends", "0", "0"]
    memory, ace = picture.figure.axes[2:]
    assert sum(bar.get_height() for bar in memory.patches) == 6 - 5
    assert [bar.get_height() for bar in ace.patches] == [2, 1, -1, -2]
    texts = [text.get_text() for text in picture.figure.axes[0].texts]
    assert texts[3:] == ["sends 1.00", "own 1.00", "received 0.50", "sum 0.25", "arrives 1.00"]
    with pytest.raises(ConfigError, match="NPUs are 0 to 2"):
        endpoint_steps(ae.schedule("all-reduce", "ring", 3), npu=3)
    with pytest.raises(ConfigError, match="40 steps are the most"):
        endpoint_steps(ae.schedule("all-reduce", "ring", 64))


def test_the_bars_of_memory_traffic():
    picture = memory_traffic({"torus": torus_all_reduce((4, 4, 4)), "gather": ae.schedule("all-gather", "ring", 4)})
    assert [line.split() for line in picture.table.splitlines()[1:]] == [
        ["torus", "1.500", "1.056", "0.444", "0.444", "3.38", "2.88"],
        ["gather", "1.000", "1.000", "0.333", "1.000", "3.00", "1.50"],
    ]
    assert [bar.get_width() for bar in picture.figure.axes[0].patches[:4]] == pytest.approx([1.5, 4 / 9, 1, 1 / 3])
    with pytest.raises(ConfigError, match="each bar needs a name"):
        memory_traffic({})


def test_the_bars_of_iterations(sizes):
    picture = endpoint_times({"16": sizes[4, 2, 2], "64": sizes[4, 4, 4]})
    left, right = picture.figure.axes
    runs = sizes[4, 4, 4]
    assert right.get_title(loc="left") == f"64: ACE × {speed_up(runs):.2f}"
    assert [bar.get_width() for bar in right.patches[:5]] == pytest.approx(
        [run.compute_ns / 2e6 for run in runs.values()]
    )
    assert [bar.get_width() for bar in right.patches[5:]] == pytest.approx(
        [run.exposed_ns / 2e6 for run in runs.values()]
    )
    assert len(left.patches) == 10
    assert f"CommOpt {runs['CommOpt'].total_ns / 2e6:,.3f} ms, 0.0 % exposed" in picture.alt
    with pytest.raises(ConfigError, match=r"give .'DLRM'"):
        endpoint_times({})
    with pytest.raises(ConfigError, match="each bar needs a name"):
        endpoint_times({"64": {"ACE": 3}})


def test_curves():
    picture = curves(
        {"one": {1: 2.0, 10: 4.0}, "two": {10: 1.0, 100: 0.5}},
        "samples",
        "speed",
        levels={"one": 3, "other": 3.01},
        points={"here": (10, 4)},
        logarithmic="xy",
    )
    assert [line.split() for line in picture.table.splitlines()] == [
        ["samples", "one", "two"],
        ["1", "2"],
        ["10", "4", "1"],
        ["100", "0.5"],
    ]
    assert "two: 1 at 10, 0.5 at 100, least 0.5 at 100, most 1 at 10." in picture.alt
    assert "Line other at 3.01. Point here at 10, 4." in picture.alt
    axes = picture.figure.axes[0]
    low, high = (text.xy[1] for text in axes.texts if text.get_text() in ("one: 3", "other: 3.01"))
    assert high > low + 0.02  # their names don't cover each other
    assert {line.get_linestyle() for line in axes.lines[:2]} == {"-", "--"}
    with pytest.raises(ConfigError, match="two points or more"):
        curves({"one": {1: 2}}, "samples", "speed")
    with pytest.raises(ConfigError, match="logarithmic is 'y'"):
        curves({"one": {1: 2, 2: 3}}, "samples", "speed", logarithmic="y")
