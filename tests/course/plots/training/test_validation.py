"""Figures of estimated iterations, beside measured ones."""

import re

import pytest

import astra_edu as ae
from astra_edu.course.plots.training.validation import KINDS, iteration_times, validation
from astra_edu.measured import megatron

ROWS = megatron()


@pytest.fixture(scope="module")
def errors():
    return {(row.model, row.recompute): row.error for row in ROWS}


def test_the_validation_figure_shows_each_prediction_beside_its_measurement(errors):
    picture = validation(ROWS)
    axes = picture.figure.axes[0]
    lines = picture.table.splitlines()
    assert len(lines) == 9
    for line, row in zip(lines[1:], ROWS, strict=True):
        cells = re.split(r"  +", line)
        error = errors[row.model, row.recompute]
        assert cells[0] == f"{row.model}, {row.recompute}"
        assert cells[-2:] == [f"{row.seconds:.2f}", f"{100 * error:+.1f} %".replace("-", "−")]
        assert sum(map(float, cells[2:7])) == pytest.approx(float(cells[7]), abs=0.03)
        assert f"{cells[0]}: predicted {cells[7]} s, measured {cells[8]} s, {cells[9]}" in picture.alt
    shown = [text.get_text() for text in axes.texts if text.get_text()]
    ends = [line.split("  ")[-1].strip() for line in lines[1:]]
    assert shown == [f"{end} of {row.seconds:.2f} s" for end, row in zip(ends, ROWS, strict=True)]
    marks = [line for line in axes.lines if list(line.get_xdata()) == [100, 100]]
    assert len(marks) == 8
    widths = [sum(bars.patches[i].get_width() for bars in axes.containers) for i in range(8)]
    assert widths == pytest.approx([100 * (1 + error) for error in errors.values()])
    assert len({bars.patches[0].get_hatch() for bars in axes.containers}) == len(axes.containers)


def test_iterations_are_split_into_parts_that_add_up():
    ring = ae.Dimension.of("Switch", 8, 200, 700)
    on = ae.Platform([ring], ae.SystemConfig.of("halvingDoubling"))
    found = {
        "stages": ae.estimate("bert-large", ae.Strategy(pipeline=8, batch=16), "a100", on),
        "copies": ae.estimate("bert-large", ae.Strategy(data=8, zero=1, batch=16), "a100", on),
    }
    picture = iteration_times(found)
    axes = picture.figure.axes[0]
    for place, each in enumerate(found.values()):
        width = sum(bars.patches[place].get_width() for bars in axes.containers)
        assert width == pytest.approx(each.total_ns / 1e6 if each.total_ns >= 1e8 else each.total_ns / 1e3)
    legend = [text.get_text() for text in picture.figure.legends[0].get_texts()]
    assert legend == ["compute", "waiting", "exchange", "update"]
    assert [kind in picture.table for kind in KINDS] == [kind in legend for kind in KINDS]
    assert "stages: " in picture.alt
    assert "waiting " in picture.alt


def test_figures_of_nothing_say_so():
    with pytest.raises(ae.ConfigError, match="no measurements to compare"):
        validation([])
    for wrong in ({}, [], {"a": 1}):
        with pytest.raises(ae.ConfigError, match="each bar needs a name, such as"):
            iteration_times(wrong)
