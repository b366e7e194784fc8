"""Figures of systolic arrays: folds, and how well arrays are used."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("anywidget")
from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.models.array_use import irregular_use, large_and_small
from astra_edu.course.plots.models.folds import folds
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.irregular import IRREGULAR, irregular_foldings
from astra_edu.workload.compute.systolic import DATAFLOWS, Folding, SystolicArray

SMALL = Folding(Gemm(64, 48, 40), SystolicArray(16, 16))

SHARED = Folding(Gemm(64, 48, 40, 3), SystolicArray(16, 16, 4))

MANY = Folding(Gemm(2000, 2000, 50), SystolicArray(8, 8), "output")

FOUR = [SystolicArray(side, side, 128**2 // side**2) for side in (128, 64, 32, 16)]


def rows(picture):
    """The table's rows as lists of cells."""
    return [re.split(r"\s{2,}", line) for line in picture.table.splitlines()]


@pytest.mark.parametrize("folding", [SMALL, SHARED, MANY], ids=str)
def test_the_figure_of_folds(folding):
    picture = folds(folding, 2)
    *sizes, total = rows(picture)[1:]
    assert total == ["all", f"{folding.fold_count:,}", "as a mean", f"{100 * folding.mapping_utilisation:.1f} %"]
    assert sum(int(row[1].replace(",", "")) for row in sizes) == folding.fold_count
    assert picture.alt.startswith(f"{folding}. Fold 3 has ")
    plane, on_array = picture.figure.axes
    drawn = plane.patches[1].get_bbox().bounds
    fold = folding.fold(2)
    assert drawn == (fold.column, fold.row, fold.columns, fold.rows)
    assert on_array.patches[1].get_bbox().bounds == (0, 0, fold.columns, fold.rows)


def test_the_figure_of_folds_says_what_it_needs():
    with pytest.raises(ConfigError, match="draws a Folding"):
        folds(SMALL.gemm)
    with pytest.raises(ConfigError, match="folds 0 to 8"):
        folds(SMALL, 9)


def test_the_figure_of_irregular_products():
    picture = irregular_use()
    table = irregular_foldings(SystolicArray(128, 128))
    header, *found = rows(picture)
    assert header[1:] == [f"{name} stationary" for name in DATAFLOWS]
    assert [row[0] for row in found] == [str(row) for row in IRREGULAR]
    for row, by_dataflow in zip(found, table.values(), strict=True):
        assert row[1:] == [
            f"{100 * f.compute_utilisation:.1f} % ({100 * f.mapping_utilisation:.1f} %)" for f in by_dataflow.values()
        ]
    [axes] = picture.figure.axes
    # for each dataflow ten frames, then ten bars: where they stand and how long they are
    for i, dataflow in enumerate(DATAFLOWS):
        frames, bars = axes.containers[2 * i : 2 * i + 2]
        for place, by_dataflow in enumerate(table.values()):
            folding = by_dataflow[dataflow]
            assert bars[place].get_width() == pytest.approx(100 * folding.compute_utilisation)
            assert frames[place].get_width() == pytest.approx(100 * folding.mapping_utilisation)
            assert abs(bars[place].get_y() + bars[place].get_height() / 2 - place) < 0.5


def test_the_figure_of_large_and_small_arrays():
    gemms = {str(row): row.gemm for row in IRREGULAR[:3]}
    picture = large_and_small(gemms, FOUR, "output")
    found = rows(picture)[1:]
    expected = [Folding(gemm, on, "output") for gemm in gemms.values() for on in FOUR]
    assert [row[:4] for row in found] == [
        [name, str(on), f"{f.fold_count:,}", f"{f.cycles:,}"]
        for (name, on), f in zip(((name, on) for name in gemms for on in FOUR), expected, strict=True)
    ]
    left, right = picture.figure.axes
    for i, on in enumerate(FOUR):
        for place, gemm in enumerate(gemms.values()):
            folding = Folding(gemm, on, "output")
            assert left.containers[i][place].get_width() == pytest.approx(100 * folding.compute_utilisation)
            assert right.containers[i][place].get_width() == pytest.approx(folding.edge_elements / folding.macs)


@pytest.mark.parametrize(
    ("gemms", "arrays", "said"),
    [
        ({}, FOUR, "give products by name"),
        (Gemm(1, 2, 3), FOUR, "give products by name"),
        ({"a": Gemm(1, 2, 3)}, [], "0 arrays are too many or too few"),
        ({"a": Gemm(1, 2, 3)}, [FOUR[0], SystolicArray(64, 64)], "64 × 64 PEs are 4,096 PEs and 128 × 128 PEs are 16"),
    ],
)
def test_the_figure_of_large_and_small_arrays_says_what_it_needs(gemms, arrays, said):
    with pytest.raises(ConfigError, match=said):
        large_and_small(gemms, arrays)
