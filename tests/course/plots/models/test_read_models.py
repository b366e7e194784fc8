"""Figures of models and devices, read back: roofs, points and their numbers, bars of arrays, models over the years."""

import pytest

pytest.importorskip("matplotlib")

from course.plots.reading import (
    bars,
    heights,
    key_of,
    labels,
    legend,
    place,
    points,
    rows,
    stroke_of,
    texts,
    told,
    uprights,
)
from course.plots.samples import ARRAYS, GEMMS, picture
from matplotlib.colors import to_hex

import astra_edu as ae
from astra_edu.course.plots.models.folds import folds
from astra_edu.course.plots.models.growth import KINDS
from astra_edu.workload.compute.irregular import irregular_foldings
from astra_edu.workload.compute.systolic import Folding
from astra_edu.workload.models.history import HISTORY, training_flops


def test_a_roof_and_its_points_have_the_colour_that_the_legend_gives_the_device():
    shown = picture("roofline")
    (axes,) = shown.figure.axes
    assert labels(axes) == (
        "",
        "operations for each byte of memory traffic",
        "10¹² operations a second",
        ("log", "log"),
    )
    bytes_of = {"large": 2 * 3 * 4096**2, "one row": 2 * (4096**2 + 2 * 4096)}
    intensity = {name: gemm.flops / bytes_of[name] for name, gemm in GEMMS.items()}
    for name, look in key_of(axes).items():
        device = ae.device(name)
        peak = device.flops_per_s * device.matrix_efficiency / 1e12
        (roof,) = [points(line) for line in axes.lines if stroke_of(line) == look._replace(marker="")]
        assert [x for x, _ in roof][1] == pytest.approx(device.ridge)
        assert [y for _, y in roof] == pytest.approx([peak * roof[0][0] / device.ridge, peak, peak])
        (dots,) = [line for line in axes.lines if stroke_of(line)[:2] == look[:2] and not stroke_of(line).lined]
        assert points(dots) == [
            (
                pytest.approx(intensity[work]),
                pytest.approx(gemm.flops / device.compute_ns(ae.workload.compute.Compute((gemm,)), 2) / 1e3),
            )
            for work, gemm in GEMMS.items()
        ]
    assert {place(axes, "1")[0], place(axes, "2")[0]} == {intensity["large"], intensity["one row"]}
    assert place(axes, "1")[0] == intensity["large"]
    assert sorted(uprights(axes)) == sorted(intensity.values())
    assert "1  large\n2  one row" in texts(axes)


@pytest.mark.parametrize("which", [0, 1])
def test_models_stand_at_their_year_and_their_size(which):
    shown = picture("model_growth", which)
    device = ae.device(("v100", "a100")[which])
    left, right = shown.figure.axes
    assert labels(left) == ("parameters", "year of the paper", "", ("linear", "log"))
    assert labels(right)[:2] == ("operations of the whole training", "year of the paper")
    key = legend(shown.figure)
    assert [*key] == [*KINDS]
    for axes, number in ((left, lambda key: ae.model(key).parameters), (right, training_flops)):
        found = {
            to_hex(dots.get_facecolor()[0]): [tuple(point) for point in dots.get_offsets()] for dots in axes.collections
        }
        for kind, names in KINDS.items():
            wanted = sorted((HISTORY[name].date, float(number(name))) for name in names if number(name))
            assert sorted(found.get(key[kind].colour, [])) == [pytest.approx(point) for point in wanted]
            for name in names:
                if number(name):
                    assert place(axes, ae.model(name).name) == (HISTORY[name].date, number(name))
    assert heights(left) == [device.memory_bytes / 16]
    assert heights(right) == [device.flops_per_s * 365 * 86400]
    (words,) = [text for text in texts(left) if "fit" in text]
    assert words == f"{device.name.upper()}: at 16 bytes each, {device.memory_bytes / 16e9:.1f} × 10⁹ fit"
    assert place(left, words)[1] == heights(left)[0]
    markers = [dots.get_paths()[0].vertices.tolist() for dots in left.collections]
    assert len({str(marker) for marker in markers}) == len(KINDS)


def test_irregular_products_have_a_bar_for_each_dataflow():
    shown = picture("irregular_use")
    (axes,) = shown.figure.axes
    found = irregular_foldings(ae.SystolicArray(128, 128))
    key = {words: look for words, look in legend(shown.figure).items() if "frame" not in words}
    names = {f"{row.workload} {row.gemm.m:,} × {row.gemm.n:,} × {row.gemm.k:,}": each for row, each in found.items()}
    assert [*rows(axes)] == [*names]
    assert told(axes, key) == {
        f"{dataflow} stationary": {
            name: [(0, pytest.approx(100 * each[dataflow].compute_utilisation))] for name, each in names.items()
        }
        for dataflow in ("weight", "output", "input")
    }
    frames = {
        f"{dataflow} stationary": {
            name: [(0, pytest.approx(100 * each[dataflow].mapping_utilisation))] for name, each in names.items()
        }
        for dataflow in ("weight", "output", "input")
    }
    frame_of = {words: look._replace(face="none", hatch="") for words, look in key.items()}
    assert told(axes, frame_of) == frames
    assert labels(axes)[1] == "utilisation of 128 × 128 PEs (%)"


def test_each_array_has_a_bar_in_both_halves():
    shown = picture("large_and_small")
    left, right = shown.figure.axes
    foldings = {str(array): {name: Folding(gemm, array, "weight") for name, gemm in GEMMS.items()} for array in ARRAYS}
    assert [*rows(left)] == ["large", "one row"]
    assert told(left) == {
        array: {name: [(0, pytest.approx(100 * each.compute_utilisation))] for name, each in by_name.items()}
        for array, by_name in foldings.items()
    }
    assert told(right) == {
        array: {name: [(0, pytest.approx(each.edge_elements / each.macs))] for name, each in by_name.items()}
        for array, by_name in foldings.items()
    }
    assert labels(left)[1] == "possible MACs that are done (%)"
    assert labels(right)[1] == "elements over the arrays' edges for each MAC"
    for axes in (left, right):
        middles = [bar.middle[1] for bar in sorted(bars(axes), key=lambda bar: bar.middle[1])]
        assert len({round(y, 6) for y in middles}) == 4


@pytest.mark.parametrize("number", [1, 8])
def test_folds_are_drawn_where_they_are(number):
    folding = Folding(ae.Gemm(64, 48, 40), ae.SystolicArray(16, 16), "weight")
    fold = folding.fold(number)
    plane, array = folds(folding, number).figure.axes
    key = legend(plane.figure)
    taken = [(b.left, b.right, b.low, b.high) for b in bars(plane) if b.look == key["taken by the fold"]]
    assert taken == [(fold.column, fold.column + fold.columns, fold.row, fold.row + fold.rows)]
    assert [(b.right, b.high) for b in bars(array) if b.look == key["taken by the fold"]] == [(fold.columns, fold.rows)]
    assert [(b.right, b.high) for b in bars(array) if b.look == key["idle"]] == [(16, 16)]
    (dot,) = plane.lines
    assert (dot.get_xdata()[0], dot.get_ydata()[0]) == (
        fold.column + fold.columns / 2,
        fold.row + fold.rows / 2,
    )
    down, wide = folding.grid
    assert plane.get_title(loc="left") == f"{down} × {wide} folds; • is fold {number + 1} of {folding.fold_count}"
    assert array.get_title(loc="left") == (f"its array: {fold.pes} of 256 PEs taken, {100 * fold.pes / 256:.1f} %")
    cuts = [path.vertices for lines in plane.collections for path in lines.get_paths()]
    across = sorted(cut[0][1] for cut in cuts if cut[0][1] == cut[1][1])
    along = sorted(cut[0][0] for cut in cuts if cut[0][0] == cut[1][0])
    assert across == [16 * k for k in range(1, down)]
    assert along == [16 * k for k in range(1, wide)]
    for axes in (plane, array):
        assert axes.get_ylim()[1] == 0  # from the top
    assert (array.get_xlabel(), array.get_ylabel()) == ("16 columns of PEs", "16 rows of PEs")
    sizes = (plane.get_xlabel().split(" = ")[1], plane.get_ylabel().split(" = ")[1])
    assert sizes == (str(folding.spatial_columns), str(folding.spatial_rows))
