"""The roofline's figure: where its roofs and points are, and what it says beside them."""

from __future__ import annotations

import re

import pytest

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.models.roofline import roofline
from astra_edu.workload.compute import Compute, Device, Gemm

# 100 × 10¹² operations and 10¹² bytes a second: the ridge is at 100 operations a byte
ONE = Device("one", 100e12, 1e12)
TWO = Device("two", 200e12, 1e12, matrix_efficiency=0.5, memory_efficiency=0.25)
FLAT = Device("flat", 50e12)

WORK = {
    "many operations": Gemm(1200, 1200, 1200),  # 2 · 1200³ operations on 3 · 1200² elements of 2 bytes: 400 a byte
    "few": Compute((), 10_000, 5_000),  # 1 a byte
    "both": Compute((Gemm(1200, 1200, 1200),), 10_000_000, 500_000_000),
}


def rows(picture):
    return [re.split(r"\s{2,}", line) for line in picture.table.splitlines()]


def test_points_by_hand():
    picture = roofline(ONE, WORK)
    assert rows(picture)[1:] == [
        ["1", "many operations", "400", "one", "operations", "100", "100.0 %"],
        ["2", "few", "1", "one", "memory", "1", "1.0 %"],
        # 34.56 µs of operations, then 1,000 µs of memory traffic, for 3.466 × 10⁹ operations and 1,008.64 × 10⁶ bytes
        ["3", "both", "3.44", "one", "memory", "3.35", "3.4 %"],
    ]
    roof, points = picture.figure.axes[0].lines[:2]
    (low, ridge, high), (left, top, right) = roof.get_xdata(), roof.get_ydata()
    assert ridge == pytest.approx(100)
    assert low == pytest.approx(1 / 3)
    assert high == pytest.approx(1200)
    assert (left, top, right) == pytest.approx((1 / 3, 100, 100))
    assert list(points.get_xdata()) == pytest.approx([400, 1, 3466e6 / 1008.64e6], rel=1e-4)
    assert list(points.get_ydata()) == pytest.approx([100, 1, 3466 / 1034.56], rel=1e-4)


def test_efficiencies_lower_the_roof_and_a_device_without_memory_has_a_flat_one():
    picture = roofline([ONE, TWO, FLAT], WORK)
    one, two, flat = picture.figure.axes[0].lines[:3]
    assert two.get_xdata()[1] == pytest.approx(400)
    assert list(two.get_ydata())[1:] == pytest.approx([100, 100])
    assert list(flat.get_ydata()) == pytest.approx([50, 50])
    assert len({line.get_linestyle() for line in (one, two, flat)}) == 3
    assert [row[3] for row in rows(picture)[1:]] == ["one", "two", "flat"] * 3
    assert "flat: 50 × 10¹² operations a second at most, whatever the intensity" in picture.alt
    assert "few at 1 operations a byte, bound by memory on one, memory on two, operations on flat" in picture.alt


def test_wider_elements_halve_the_intensity():
    narrow, wide = (rows(roofline(ONE, WORK, element_bytes=size))[2][2] for size in (2, 4))
    assert (narrow, wide) == ("1", "0.5")


def test_numbers_that_would_meet_stand_above_each_other():
    same = {name: Compute((), 1000, 500) for name in "abc"} | {"far": Compute((), 1_000_000, 500)}
    picture = roofline(ONE, same)
    numbers = [text for text in picture.figure.axes[0].texts if text.get_text().isdigit()]
    heights = {text.get_text(): text.get_position()[1] for text in numbers}
    assert len({heights["1"], heights["2"], heights["3"]}) == 3
    assert heights["4"] == min(heights.values())


@pytest.mark.parametrize(
    ("devices", "work", "said"),
    [
        (ONE, {}, "give work by name"),
        (ONE, Gemm(1, 2, 3), "give work by name"),
        (ONE, {"a": 3}, "a is 3; give what operator.forward"),
        (ONE, {"a": Compute((), 5, 0)}, "a has 5 operations and moves 0 elements; neither may be 0"),
        ("a100", WORK, "'a' is no device"),
        (5, WORK, "5 is no device"),
        ([ONE] * 6, WORK, "6 devices are too many"),
    ],
)
def test_what_it_needs(devices, work, said):
    with pytest.raises(ConfigError, match=said):
        roofline(devices, work)


@pytest.mark.parametrize("size", [0, "x", 1.5])
def test_an_element_has_bytes(size):
    with pytest.raises(ConfigError, match="element_bytes is "):
        roofline(ONE, WORK, element_bytes=size)
