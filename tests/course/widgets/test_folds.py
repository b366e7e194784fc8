"""Folds without a browser: what the widget sends to its view, and the figures of systolic arrays."""

from __future__ import annotations

import json
from array import array
from base64 import b64decode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("anywidget")

from astra_edu.base.errors import ConfigError
from astra_edu.course.widgets.folds import MOST_FOLDS, Folds, payload
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.systolic import DATAFLOWS, Folding, SystolicArray

SMALL = Folding(Gemm(64, 48, 40), SystolicArray(16, 16))
SHARED = Folding(Gemm(64, 48, 40, 3), SystolicArray(16, 16, 4))
MANY = Folding(Gemm(2000, 2000, 50), SystolicArray(8, 8), "output")

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
