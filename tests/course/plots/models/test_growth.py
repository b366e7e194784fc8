"""Figures of growth and of scaling: their words and numbers, and that these are what is drawn."""

from __future__ import annotations

import pytest

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.models.growth import KINDS, model_growth, points, scientific
from astra_edu.course.plots.training.scaling import scaling
from astra_edu.workload.models.history import HISTORY, training_flops


@pytest.fixture(scope="module")
def growth():
    return model_growth()


def drawn(axes):
    """All points of a scatter plot, as a sorted list."""
    return sorted(tuple(xy) for of in axes.collections for xy in of.get_offsets().tolist())


def test_every_published_model_is_a_point_with_its_name(growth):
    left, right = growth.figure.axes
    found = list(points())
    assert [point.key for point in found] == list(HISTORY)
    assert drawn(left) == sorted((p.date, p.parameters) for p in found)
    assert drawn(right) == sorted((p.date, p.flops) for p in found if p.flops)
    names = {text.get_text() for text in left.texts}
    assert names >= {ae.model(name).name for name in HISTORY}


def test_kinds_differ_in_colour_and_marker(growth):
    left, _ = growth.figure.axes
    assert [of.get_label() for of in left.collections] == list(KINDS)
    colours = {tuple(of.get_facecolor()[0]) for of in left.collections}
    shapes = {tuple(map(tuple, of.get_paths()[0].vertices.tolist())) for of in left.collections}
    assert len(colours) == len(shapes) == len(KINDS)


def test_what_a_device_holds_and_does_in_a_year():
    """80 GiB at 16 bytes each; 312 × 10¹² operations a second for 365 days."""
    left, right = model_growth("a100").figure.axes
    assert left.lines[0].get_ydata() == pytest.approx([80 * 2**30 / 16] * 2)
    assert right.lines[0].get_ydata() == pytest.approx([312e12 * 365 * 86_400] * 2)


def test_growth_in_words(growth):
    assert "from ResNet-50, 0.026 × 10⁹, to Transformer-1T, 1,008 × 10⁹; 7 of 12 models are above" in growth.alt
    assert "3 of 7 are above the line of its year" in growth.alt
    lines = growth.table.splitlines()
    assert len(lines) == 1 + len(HISTORY) + 1  # the last of them: what the two lines mark
    assert next(line for line in lines if line.startswith("GPT-3 ")).split()[1:3] == ["2020.3", "174.604"]
    assert scientific(training_flops("gpt3")) in growth.table
    assert "not published" in growth.table
    assert "assumption" in growth.note


def test_powers_of_ten():
    assert scientific(3.14e23) == "3.14 × 10²³"
    assert scientific(0.00125) == "1.25 × 10⁻³"
    assert scientific(1) == "1.00 × 10⁰"


def test_growth_beside_a_device_without_memory():
    with pytest.raises(ConfigError, match="tutorial-46 has no memory_bytes, so nothing can be said to fit or not"):
        model_growth("tutorial-46")
    with pytest.raises(ConfigError, match="did you mean 'v100'"):
        model_growth("V100")


RATES = {"strong": {4: 50.0, 1: 20.0, 2: 38.0}, "weak": {1: 10.0, 8: 72.0}}


def test_speed_up_and_efficiency_by_hand():
    picture = scaling(RATES)
    left, right = picture.figure.axes
    lines = {line.get_label(): line for line in left.lines}
    assert lines["strong"].get_xydata().tolist() == [[1, 1.0], [2, 1.9], [4, 2.5]]
    assert lines["weak"].get_xydata().tolist() == [[1, 1.0], [8, 7.2]]
    assert lines["ideal"].get_xydata().tolist() == [[1, 1], [2, 2], [4, 4], [8, 8]]
    efficiency = [line.get_ydata().tolist() for line in right.lines if line.get_label() in RATES]
    assert efficiency == [[1, 0.95, 0.625], [1, 0.9]]
    assert [line.split() for line in picture.table.splitlines()] == [
        ["NPUs", "strong", "weak"],
        ["1", "1.0", "100.0", "%", "1.0", "100.0", "%"],
        ["2", "1.9", "95.0", "%"],
        ["4", "2.5", "62.5", "%"],
        ["8", "7.2", "90.0", "%"],
    ]
    assert "strong: 4 NPUs are 2.5 times as fast as 1, an efficiency of 62.5 %." in picture.alt
    assert "weak: 8 NPUs are 7.2 times as fast as 1, an efficiency of 90.0 %." in picture.alt


@pytest.mark.parametrize(
    ("rates", "sentence"),
    [
        ({}, "rates has no series; give at least one name with its rates by the number of NPUs."),
        ({"a": {1: 5}}, "a has 1 rate; a comparison takes two or more numbers of NPUs."),
        (
            {"a": {1: 5, 2: 9}, "b": {2: 5, 4: 9}},
            "b begins with 2 NPUs; give it a rate with 1 as well, as others have.",
        ),
        ({"a": {1: 5, 2: 0}}, "the rate of a with 2 NPUs is 0; it must be greater than 0."),
        ({"a": {0: 5, 2: 1}}, "NPUs of a is 0; it must be a whole number, 1 or more."),
    ],
)
def test_scaling_of_nothing(rates, sentence):
    with pytest.raises(ConfigError) as error:
        scaling(rates)
    assert sentence in str(error.value)


def test_a_batch_shared_out_further_is_bound_by_its_all_reduce():
    """The notebook's wall: VGG-16's gradients take 264 MiB of all-reduce, however few images each NPU has."""
    two = ae.preset("dgx2")
    times = [
        ae.simulate(ae.generate_workload("vgg16", ae.Strategy(data=256, micro_batch=batch), "v100"), two)
        for batch in (1, 32)
    ]
    alone = ae.simulate(ae.Workload.micro("all-reduce", 2 * ae.model("vgg16").parameters), two)
    assert times[0].message_bytes == times[1].message_bytes
    assert times[0].total_ns > alone.total_ns > times[0].compute_ns
    assert times[1].exposed_ns / times[1].total_ns < 0.01
