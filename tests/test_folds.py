"""Folds without a browser: what the widget sends to its view, and the figures of systolic arrays."""

from __future__ import annotations

import json
import re
from array import array
from base64 import b64decode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("anywidget")

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.array_use import irregular_use, large_and_small
from astra_edu.course.plots.folds import folds
from astra_edu.course.widgets.folds import MOST_FOLDS, Folds, payload
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.irregular import IRREGULAR, irregular_foldings
from astra_edu.workload.compute.systolic import DATAFLOWS, Folding, SystolicArray

SMALL = Folding(Gemm(64, 48, 40), SystolicArray(16, 16))
SHARED = Folding(Gemm(64, 48, 40, 3), SystolicArray(16, 16, 4))
MANY = Folding(Gemm(2000, 2000, 50), SystolicArray(8, 8), "output")
FOUR = [SystolicArray(side, side, 128**2 // side**2) for side in (128, 64, 32, 16)]

size = st.integers(1, 30)
foldings = st.builds(
    Folding,
    st.builds(Gemm, size, size, size, st.integers(1, 3)),
    st.builds(SystolicArray, st.integers(1, 9), st.integers(1, 9), st.integers(1, 5)),
    st.sampled_from(DATAFLOWS),
)


def unpacked(data):
    """The payload's folds as tuples: product, array, row, rows, column, columns."""
    numbers = array("d", data["folds"])
    n = len(numbers) // 6
    return list(zip(*(numbers[n * k : n * (k + 1)] for k in range(6)), strict=True))


def rows(picture):
    """The table's rows as lists of cells."""
    return [re.split(r"\s{2,}", line) for line in picture.table.splitlines()]


@settings(max_examples=50)
@given(foldings)
def test_the_payload_is_the_folds(folding):
    data = payload(folding)
    made = list(folding.folds())
    assert unpacked(data) == [fold[:6] for fold in made]
    rounds = [made[i : i + folding.array.count] for i in range(0, len(made), folding.array.count)]
    assert data["first"] == [made.index(together[0]) for together in rounds]
    assert data["end"] == [together[0].first_cycle + folding.fold_cycles - 1 for together in rounds]
    assert data["end"][-1] == folding.cycles
    assert data["held"] == [sum(fold.pes for fold in together) / folding.array.pes for together in rounds]
    assert data["done"][-1] == pytest.approx(folding.compute_utilisation)
    assert data["done"][0] == pytest.approx(data["held"][0] * folding.temporal / folding.fold_cycles)
    assert sum(cycles for _, cycles in data["parts"]) == data["fold_cycles"]
    assert all(0 < share <= 1 for share in (*data["held"], *data["done"]))


def test_many_folds_are_counted_but_not_all_sent():
    data = payload(MANY)
    assert MANY.fold_count == data["fold_count"] == 62_500
    assert len(data["first"]) == len(data["folds"]) / 48 == MOST_FOLDS
    assert data["mapping"] == MANY.mapping_utilisation
    whole = payload(Folding(Gemm(2000, 2000, 50), SystolicArray(8, 8, 7), "output"))
    assert len(whole["folds"]) / 48 == MOST_FOLDS // 7 * 7  # whole rounds


def test_the_payload_can_be_sent():
    data = {name: value for name, value in payload(SHARED).items() if name != "folds"}
    assert json.loads(json.dumps(data)) == json.loads(json.dumps(data | {"parts": [*map(list, data["parts"])]}))


def test_repr_and_text():
    shown = Folds(SMALL.gemm, SMALL.array)
    assert repr(shown) == f"Folds({SMALL})"
    bundle, _ = shown._repr_mimebundle_()
    assert bundle["text/plain"].endswith(shown.summary())
    assert shown.summary().splitlines() == [
        str(SMALL),
        "a fold: 16 load + 64 stream + 30 skew cycles",
        "folds: 6 of 16 × 16 PEs, 3 of 8 × 16 PEs",
    ]


def test_steps_stay_within_the_rounds():
    shown = Folds(SMALL.gemm, SMALL.array, step=4)
    assert (shown.step, shown.steps) == (4, 9)
    shown.step = 99
    assert shown.step == 9
    with pytest.raises(ConfigError, match="step is -1"):
        shown.step = -1


def test_another_folding_is_shown_as_far_through():
    shown = Folds(SMALL.gemm, SMALL.array, step=9)
    shown.folding = SHARED
    assert shown.folding is SHARED
    assert (shown.step, shown.steps) == (7, 7)
    assert shown.data == payload(SHARED)
    with pytest.raises(ConfigError, match="shows a Folding"):
        shown.folding = SMALL.gemm


ASKED = {
    **{"m": 64, "n": 48, "k": 40, "rows": 16, "columns": 16, "count": 1, "dataflow": "output"},
    **{"products": 1, "number": "a.1"},
}


def test_the_views_wish_is_answered():
    shown = Folds(SMALL.gemm, SMALL.array, step=3)
    shown.set_state({"asked": ASKED})
    wanted = Folding(SMALL.gemm, SMALL.array, "output")
    assert shown.folding == wanted
    assert shown.data == payload(wanted) | {"number": "a.1"}
    assert shown.step == 4  # a third of 12


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"m": None}, "M of a GEMM is None; it must be a number"),
        ({"k": 0}, "K of a GEMM is 0; it must be a whole number, 1 or more"),
        ({"rows": 2.5}, "rows of a systolic array is 2.5"),
        ({"count": 1000}, "1,000 arrays are too many to draw; 256 are the most"),
        ({"dataflow": "weights"}, "did you mean 'weight'"),
    ],
)
def test_an_impossible_wish_is_answered_with_the_reason(wish, said):
    shown = Folds(SMALL.gemm, SMALL.array)
    shown.set_state({"asked": ASKED | wish})
    assert said in shown.data["problem"]
    assert shown.data["number"] == "a.1"
    assert shown.folding == SMALL
    shown.set_state({"asked": ASKED | {"number": "a.2"}})
    assert shown.data["problem"] == ""


def test_a_page_of_its_own(tmp_path):
    shown = Folds(SHARED.gemm, SHARED.array, step=2)
    target = shown.save_html(tmp_path / "folds.html")
    text = target.read_text(encoding="utf-8")
    assert text == shown.page()
    [state] = json.loads(text.split('id="astra-states">')[1].split("</script>")[0])
    assert unpacked({"folds": b64decode(state["data"]["folds"])}) == unpacked(shown.data)
    assert (state["step"], state["live"]) == (2, False)
    assert shown.summary().splitlines()[1] in text
    with pytest.raises(ConfigError, match="can't be written"):
        shown.save_html(tmp_path)


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
