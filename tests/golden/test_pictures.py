"""The most important figures look as they did when a person last looked at them."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from course.plots.samples import SAMPLES
from golden.comparing import TOLERANCE, difference, drawn
from matplotlib import rc_context, rcParamsDefault
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

HERE = Path(__file__).parent
FIGURES = (
    "all_reduce_costs",
    "chunks",
    "compute_and_exposed",
    "endpoint_steps",
    "layers",
    "link_use",
    "memory_bars",
    "roofline",
    "size_sweep",
    "stages",
    "timeline",
    "trace_graph",
    "trace_timeline",
    "utilisation",
)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_looks_as_it_did(name, request):
    with rc_context(rcParamsDefault):
        now = drawn(SAMPLES[name][0]().figure)
    stored = HERE / f"{name}.png"
    if request.config.getoption("--renew-pictures", False):
        stored.write_bytes(now)
    assert difference(stored.read_bytes(), now) < TOLERANCE, (
        f"{name} doesn't look as it did. Wanted? pytest tests/golden -n 0 --renew-pictures; look at {stored}."
    )


def test_no_picture_is_left_over():
    assert {path.stem for path in HERE.glob("*.png")} == {*FIGURES}
    assert all(path.stat().st_size < 40_000 for path in HERE.glob("*.png"))


def sketch(colours=("#93c8ee", "#f7b787"), left=0.1, words="12"):
    figure = Figure(figsize=(4, 2))
    for k, colour in enumerate(colours):
        figure.add_artist(Rectangle((left, 0.2 + 0.4 * k), 0.5, 0.2, facecolor=colour))
    figure.text(0.7, 0.3, words)
    return drawn(figure)


def test_a_shift_by_a_pixel_is_no_difference_and_a_colour_or_a_place_is_one():
    first = sketch()
    assert difference(first, sketch()) == 0
    assert difference(first, sketch(left=0.1 + 1 / 200)) < TOLERANCE
    assert difference(first, sketch(("#f7b787", "#93c8ee"))) > TOLERANCE
    assert difference(first, sketch(left=0.15)) > TOLERANCE
    assert difference(first, sketch(words="")) > TOLERANCE
