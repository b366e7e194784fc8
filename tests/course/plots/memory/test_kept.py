"""The figure of what an NPU keeps."""

import pytest

import astra_edu as ae
from astra_edu.course.plots.memory.kept import memory_bars

GIB = 2**30


def test_the_figure_has_a_bar_for_each_strategy_and_a_line_for_the_device():
    kept = {f"ZeRO-{zero}": ae.memory("turing-nlg", ae.Strategy(data=64, zero=zero)) for zero in (1, 2, 3)}
    picture = memory_bars(kept, "v100")
    axes = picture.figure.axes[0]
    bars = [[bar.get_width() for bar in kind.patches] for kind in axes.containers]
    for name, widths in zip(kept, zip(*bars, strict=True), strict=True):
        memory = kept[name]
        parts = {kind: size for kind, size in memory.kinds.items() if kind != "recomputed"}  # which none has
        assert widths == pytest.approx([part / GIB for part in parts.values()])
        verdict = "fits" if memory.fits("v100") else f"{memory.total / GIB - 32:,.1f} too much"
        assert f"{name}: {memory.total / GIB:,.1f} GiB, {verdict}" in picture.alt
        assert picture.table.count(verdict) == 1
    assert {memory.fits("v100") for memory in kept.values()} == {True, False}
    assert [list(line.get_xdata()) for line in axes.lines] == [[32, 32]]
    assert "v100: 32 GiB" in [text.get_text().strip() for text in axes.texts]
    assert len({kind.patches[0].get_hatch() for kind in axes.containers}) == 6


def test_kinds_that_none_has_are_left_out():
    plain, again = (
        memory_bars({"a": ae.memory("gpt2", ae.Strategy(recompute=how), fragmentation=0)}) for how in ("none", "full")
    )
    for picture in (plain, again):
        assert "buffers" not in picture.alt + picture.table
        assert "fragmentation" not in picture.alt + picture.table
    assert "recomputed" in again.table
    assert "recomputed" not in plain.table


def test_the_figure_without_a_device_judges_nothing():
    picture = memory_bars({"alone": ae.memory("gpt2", ae.Strategy())})
    assert not picture.figure.axes[0].lines
    assert "fits" not in picture.alt + picture.table


@pytest.mark.parametrize(
    ("kept", "on", "sentence"),
    [
        ({}, None, "each bar needs a name"),
        ({"a": 3}, None, "each bar needs a name"),
        ({"a": ae.memory("gpt2", ae.Strategy())}, "tutorial-46", "tutorial-46 has no memory_bytes"),
    ],
)
def test_the_figure_of_nothing_says_so(kept, on, sentence):
    with pytest.raises(ae.ConfigError, match=sentence):
        memory_bars(kept, on)


@pytest.mark.parametrize("recompute", ["none", "full"])
def test_all_names_of_the_legend_are_within_the_figure(recompute):
    kept = ae.memory("gpt3", ae.Strategy(data=64, batch=64, zero=3, recompute=recompute))
    figure = memory_bars({"ZeRO-3": kept}, "a100").figure
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()][-1] == "fragmentation"
    box, paper = legend.get_window_extent(), figure.bbox
    assert paper.x0 <= box.x0
    assert box.x1 <= paper.x1
