"""Figures of collectives that were measured, and of NCCL's model."""

import re

import pytest

import astra_edu as ae
from astra_edu.course.plots import against_measured, bus_bandwidths, in_switch_gain, ring_or_tree
from astra_edu.measured import (
    Line,
    judged,
    sweep,
)
from astra_edu.measured.nccl_model import crossover

MIB = 2**20


def cells(line):
    return re.split(r"  +", line)


def test_models_stand_beside_what_was_measured():
    known = sweep("a100-8")
    model = judged(known).model
    picture = against_measured(known, {"alpha-beta": model})
    lines = picture.table.splitlines()
    assert len(lines) == 1 + 20 + 4
    assert cells(lines[0]) == ["size", "half", "measured (µs)", "alpha-beta (µs)", "error"]
    assert cells(lines[6])[:3] == ["1 MiB", "held out", "101.9"]
    assert cells(lines[6])[4] == "−37.8 %"
    assert [cells(line)[-1] for line in lines[-4:]] == ["15.8 %", "28.9 %", "15.4 %", "37.8 %"]
    assert "alpha-beta: mean error 15.6 %, at most 37.8 %" in picture.alt
    times, off = picture.figure.axes
    half, other = times.lines[1:]
    assert [tuple(point) for point in half.get_xydata()] == list(known.halves[0])
    assert [tuple(point) for point in other.get_xydata()] == list(known.halves[1])
    assert half.get_markerfacecolor() != other.get_markerfacecolor()
    drawn = dict(off.lines[0].get_xydata())
    assert drawn[MIB] == pytest.approx(100 * (model(MIB) / 101.9 - 1))


def test_models_that_know_only_some_sizes_are_shown_there():
    known = sweep("hpe-v100-8")
    picture = against_measured(known, {"simulated": known.simulated, "line": Line(0, 1e-5)}, fitted=False)
    lines = picture.table.splitlines()
    assert len(lines) == 1 + 3 + 2
    assert "half" not in lines[0]
    assert lines[3].startswith("512 MiB")
    assert "−6.0 %" in lines[3]
    assert len(cells(lines[1])) == 4  # no cells for a size that wasn't simulated
    dashes = [line.get_linestyle() for line in picture.figure.axes[0].lines[:2]]
    assert len(set(map(str, dashes))) == 2


def test_figures_of_nothing_say_so():
    known = sweep("a100-8")
    with pytest.raises(ae.ConfigError, match="give 1 to 5 models by name"):
        against_measured(known, {})
    with pytest.raises(ae.ConfigError, match="says nothing about any size of 8 A100"):
        against_measured(known, {"simulated": known.simulated})
    with pytest.raises(ae.ConfigError, match="give 1 to 7 sweeps"):
        bus_bandwidths([])
    with pytest.raises(ae.ConfigError, match="two numbers of machines"):
        ring_or_tree(nodes=(2,))


def test_bus_bandwidths_are_drawn_with_their_limits():
    picture = bus_bandwidths([sweep("h100-16"), sweep("a100-8")], {"wire (unverified)": 200})
    assert "A line at 200: wire (unverified)." in picture.alt
    lines = picture.table.splitlines()
    assert len(lines) == 1 + 32
    assert cells(lines[-2]) == ["8 GiB", "338.83", "234.61"]
    axes = picture.figure.axes[0]
    assert len({line.get_marker() for line in axes.lines[:2]}) == 2
    assert axes.lines[0].get_ydata()[-1] == pytest.approx(338.83, abs=0.01)


def test_the_gain_in_the_switch_is_drawn_between_the_two_models():
    picture = in_switch_gain()
    assert cells(picture.table.splitlines()[-1]) == ["8", "1.29", "1.23", "1.75", "0.88"]
    assert "H200: 1.00 with 4, 1.29 with 8" in picture.alt


def test_ring_and_tree_are_drawn_over_the_machines():
    picture = ring_or_tree(nodes=(2, 16))
    two, sixteen = picture.table.splitlines()[1:]
    assert cells(two) == ["2", "29", "75", "132", "25", "48", "92", "155.9 KiB", "18.1 MiB", "25.0 MiB"]
    assert cells(sixteen)[1:4] == ["222", "560", "1,190"]
    left, right = picture.figure.axes
    assert (len(left.lines), len(right.lines)) == (6, 3)
    assert right.lines[0].get_ydata()[0] == pytest.approx(crossover(16, 200, 2, "LL"))
