"""The folds: every box is of Folding.folds(), cycles are those of a wave followed PE by PE, shares are counted."""

from __future__ import annotations

import json
import sys
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.course.instruments import folds_stage
from astra_edu.course.instruments.folds import ALIKE, MOST_STORED
from astra_edu.course.instruments.folds_job import done_after, folding_of, held_before, values_of
from astra_edu.course.instruments.folds_plane import ARRAYS, PLANE, arrays_of, fitted, plane_of
from astra_edu.course.instruments.folds_stage import HIGH, SHOWN, STORED, WIDE, drawn_rounds
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.systolic import AXES, DATAFLOWS, Folding, SystolicArray

SMALL = Folding(Gemm(64, 48, 40), SystolicArray(16, 16))
SHARED = Folding(Gemm(64, 48, 40, 3), SystolicArray(16, 16, 4))
MANY = Folding(Gemm(2000, 2000, 50), SystolicArray(8, 8), "output")
WIDELY = Folding(Gemm(2000, 2000, 50), SystolicArray(8, 8, 256))
ALL = [SMALL, SHARED, MANY, WIDELY]

size = st.integers(1, 30)
foldings = st.builds(
    Folding,
    st.builds(Gemm, size, size, size, st.integers(1, 3)),
    st.builds(SystolicArray, st.integers(1, 9), st.integers(1, 9), st.integers(1, 5)),
    st.sampled_from(DATAFLOWS),
)


def folds(folding, **more):
    return ae.Folds(folding.gemm, folding.array, folding.dataflow, **more)


def scene_of(folding):
    shown = folds(folding)
    return shown.scene(shown.values)


def cells(boxes, outer, rows, columns):
    """The rows and columns that boxes cover, of so many in a box; no two may cover the same."""
    x, y, wide, high = outer
    across, down = wide / columns, high / rows
    found = []
    for left, top, w, h in boxes:
        first, last = round((left - x) / across), round((left + w - x) / across)
        begin, end = round((top - y) / down), round((top + h - y) / down)
        assert (left, left + w) == pytest.approx((x + across * first, x + across * last), abs=0.03)
        assert (top, top + h) == pytest.approx((y + down * begin, y + down * end), abs=0.03)
        found += product(range(begin, end), range(first, last))
    assert len(found) == len(set(found))
    return set(found)


def covered(folds):
    return {(r, c) for f in folds for r in range(f.row, f.row + f.rows) for c in range(f.column, f.column + f.columns)}


def check_every_step(folding, flying=True):
    stage = folds_stage.folds_stage("", folding)
    rounds = drawn_rounds(folding)
    frames = {frame.name: frame for frame in stage.frames}
    plane = frames["plane"].box
    together = [[], *([f for f in folding.folds() if f.first_cycle == (r - 1) * folding.fold_cycles] for r in rounds)]
    for step, here in enumerate(together):
        shown = here[-1].product if here else 0
        first = here[0].first_cycle if here else 0
        wanted = {
            "done": [f for f in folding.folds() if f.product == shown and f.first_cycle < first],
            "on": [f for f in here if f.product == shown],
            "next": [f for f in (together[step + 1] if step < len(rounds) else []) if f.product == shown],
        }
        at = {piece.name: (piece.at[step], piece.looks[step]) for piece in stage.pieces if piece.at[step]}
        seen = {"done": [], "on": [], "next": [], "array": []}
        for name, (box, look) in at.items():
            if name.startswith("array") and "," not in name:
                assert look == "idle PEs"
                continue
            kind = "array" if name.startswith("array") and look == "on the arrays" else look.split()[0]
            seen[kind].append((name, box))
        for kind, expected in wanted.items():
            boxes = [box for _, box in seen[kind]]
            if kind == "next" and not flying:
                assert boxes == []
                continue
            assert cells(boxes, plane, folding.spatial_rows, folding.spatial_columns) == covered(expected)
        held = {int(name.split(",")[0].split()[1]): box for name, box in seen["array"]}
        assert held.keys() == {fold.array for fold in here}
        for fold in here:
            idle = at[f"array {fold.array}"][0]
            taken = cells([held[fold.array]], idle, folding.array.rows, folding.array.columns)
            assert taken == set(product(range(fold.rows), range(fold.columns)))
        if folding.gemm.count > 1:
            assert frames["words: product"].says[step] == f"product {shown + 1} of {folding.gemm.count}"


# Where everything is


@settings(max_examples=40, deadline=None)
@given(foldings)
def test_every_piece_is_where_the_folds_are(folding):
    check_every_step(folding)


@settings(max_examples=40, deadline=None)
@given(foldings)
def test_small_folds_are_drawn_together_and_cover_the_same(folding):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folds_stage, "FINEST", 1e9)
        check_every_step(folding, flying=False)


def test_a_fold_goes_from_its_place_in_the_plane_to_its_array():
    pieces = {piece.name: piece for piece in scene_of(SMALL).stage.pieces}
    plane, [array] = plane_of(SMALL), arrays_of(SMALL)
    for number, fold in enumerate(SMALL.folds()):
        piece = pieces[f"array 0, {'abc'[number % 3]}"]
        assert piece.at[number : number + 2] == (plane.fold(fold), array.held(fold))
        assert piece.looks[number : number + 2] == ("next", "on the arrays")
        assert piece.at[number + 2 : number + 3] in ((None,), ())
    assert pieces["plane 0"].at[0] is None


@pytest.mark.parametrize("folding", ALL)
def test_lines_are_between_the_folds_as_long_as_they_can_be_told_apart(folding):
    frames = {frame.name: frame.box for frame in scene_of(folding).stage.frames}
    x, y, wide, high = frames["plane"]
    down, across = folding.grid
    rows, columns = ([name for name in frames if name.startswith(kind)] for kind in ("row ", "column "))
    assert len(rows) == (down if high * folding.array.rows / folding.spatial_rows >= 3 else 0)
    assert len(columns) == (across if wide * folding.array.columns / folding.spatial_columns >= 3 else 0)
    for k in range(len(rows)):
        top = y + high * k * folding.array.rows / folding.spatial_rows
        assert frames[f"row {k}"][:3] == pytest.approx((x, top, wide), abs=0.01)
    assert sum(frames[name][3] for name in rows) == pytest.approx(high if rows else 0, abs=0.1)
    assert sum(frames[name][2] for name in columns) == pytest.approx(wide if columns else 0, abs=0.1)


@pytest.mark.parametrize("folding", ALL)
def test_everything_stays_in_its_room(folding):
    stage = scene_of(folding).stage
    assert stage.size == (WIDE, HIGH)
    assert stage.hidden
    plane, arrays = plane_of(folding).box, [array.box for array in arrays_of(folding)]
    for piece in stage.pieces:
        for (x, y, wide, high), look in ((a, b) for a, b in zip(piece.at, piece.looks, strict=True) if a):
            in_array = piece.name.startswith("array") and look in ("on the arrays", "idle PEs")
            left, top, all_wide, all_high = arrays[int(piece.name.split(",")[0].split()[1])] if in_array else plane
            assert left - 0.02 <= x < x + wide <= left + all_wide + 0.02
            assert top - 0.02 <= y < y + high <= top + all_high + 0.02
            assert min(wide, high) >= 2.99 or min(all_wide, all_high) < 10
    for box, room in [(plane, PLANE), *((array, ARRAYS) for array in arrays)]:
        assert room[0] - 0.02 <= box[0] < box[0] + box[2] <= room[0] + room[2] + 0.02
        assert room[1] - 0.02 <= box[1] < box[1] + box[3] <= room[1] + room[3] + 0.02
    places = [array[:2] for array in arrays]
    assert places == sorted(places, key=lambda at: at[::-1])


def test_what_is_too_long_is_out_of_scale_and_says_so():
    assert fitted(10, 20, 100, 100) == (100, 50, True)
    assert fitted(90, 10, 100, 100) == (25, 100, False)
    tall = scene_of(Folding(Gemm(30, 20, 5000), SystolicArray(128, 8)))
    texts = {frame.name: frame.text for frame in tall.stage.frames}
    assert texts["plane"] == "N = 20 (not to scale)"
    assert texts["words: rows"] == "K = 5,000"
    assert texts["words: arrays"] == "an array of 128 × 8 PEs (not to scale)"


@pytest.mark.parametrize("dataflow", DATAFLOWS)
def test_axes_are_named_with_their_sizes(dataflow):
    texts = {f.name: f.text for f in scene_of(Folding(SMALL.gemm, SMALL.array, dataflow)).stage.frames}
    sizes = {"M": 64, "N": 48, "K": 40}
    along, across, _ = AXES[dataflow]
    assert texts["words: rows"] == f"{along} = {sizes[along]}"
    assert texts["plane"] == f"{across} = {sizes[across]}"
    assert texts["words: arrays"] == "an array of 16 × 16 PEs"


@pytest.mark.parametrize("folding", ALL)
def test_of_many_rounds_some_are_drawn_and_a_sentence_says_so(folding):
    scene = scene_of(folding)
    stage, rounds = scene.stage, drawn_rounds(folding)
    assert len(stage.steps) == len(rounds) + 1 <= SHOWN.steps + 2
    assert sum(box is not None for piece in stage.pieces for box in piece.at) <= 24_000
    assert (rounds[0], rounds[-1]) == (1, folding.rounds)
    gaps = {b - a for a, b in pairwise(rounds[:-1])}
    assert len(gaps) <= 1
    if len(rounds) == folding.rounds:
        assert len(scene.sentences) == 3
    else:
        assert scene.sentences[3] == (
            f"One round in {gaps.pop():,} is drawn, and the last: {len(rounds)} of {folding.rounds:,}."
        )
    assert stage.steps[-1].startswith(("Fold", "Round"))
    assert f"cycles {folding.cycles - folding.fold_cycles + 1:,} to {folding.cycles:,}" in stage.steps[-1]


# Cycles and shares


def wave(rows, columns, temporal, load):
    """Cycles of a fold, followed from PE to PE: what stays comes in row by row, then each row streams a cycle later."""
    cycles = rows if load else 0
    seen = dict.fromkeys(product(range(rows), range(columns)), 0)
    at, beat = set(), 0
    while min(seen.values()) < temporal:
        at = {(r, c + 1) for r, c in at if c + 1 < columns} | {(r, 0) for r in range(rows) if 0 <= beat - r < temporal}
        for pe in at:
            seen[pe] += 1
        beat += 1
    return cycles + beat


def simulated(folding, dataflow):
    """Cycles of all rounds and the PEs that hold something, fold by fold: arrays take what they can of what is left."""
    gemm, array = folding.gemm, folding.array
    sizes = {"M": gemm.m, "N": gemm.n, "K": gemm.k}
    along, across, in_time = (sizes[axis] for axis in AXES[dataflow])
    left = [
        min(array.rows, along - r) * min(array.columns, across - c)
        for _ in range(gemm.count)
        for c in range(0, across, array.columns)
        for r in range(0, along, array.rows)
    ]
    held, cycles = [], 0
    while left:
        cycles += wave(array.rows, array.columns, in_time, load=dataflow != "output")
        held += left[: array.count]
        left = left[array.count :]
    return cycles, held


@settings(max_examples=25, deadline=None)
@given(
    st.builds(
        Folding,
        st.builds(Gemm, st.integers(1, 12), st.integers(1, 12), st.integers(1, 12), st.integers(1, 2)),
        st.builds(SystolicArray, st.integers(1, 6), st.integers(1, 6), st.integers(1, 3)),
        st.sampled_from(DATAFLOWS),
    )
)
def test_cycles_and_shares_are_those_of_a_wave_through_the_pes(folding):
    scene = scene_of(folding)
    cycles, held = simulated(folding, folding.dataflow)
    pes = folding.array.rows * folding.array.columns
    mean = sum(held) / len(held) / pes
    macs = folding.gemm.m * folding.gemm.n * folding.gemm.k * folding.gemm.count
    done = macs / (cycles * folding.array.pes)
    assert scene.numbers["cycles"] == (cycles - 1, f"{cycles - 1:,}")
    assert scene.numbers["PEs that hold something"][0] == pytest.approx(mean)
    assert scene.numbers["MACs done"][0] == pytest.approx(done)
    by_dataflow, shares = scene.bars
    for dataflow, bar in zip(DATAFLOWS, by_dataflow.bars, strict=True):
        assert bar.label == f"{dataflow} stationary"
        assert bar.size == simulated(folding, dataflow)[0]
        assert bar.said == f"{bar.size:,}"
        assert {part.look for part in bar.parts} <= {"load", "stream", "skew"}
        assert ("load" in {part.look for part in bar.parts}) == (dataflow != "output")
    assert [[part.look for part in bar.parts] for bar in shares.bars] == [
        ["on the arrays", "idle PEs"],
        ["done", "not done"],
    ]
    assert [bar.parts[0].size for bar in shares.bars] == pytest.approx([100 * mean, 100 * done])
    assert [bar.size for bar in shares.bars] == pytest.approx([100, 100])


@settings(max_examples=40, deadline=None)
@given(foldings)
def test_what_is_done_so_far_is_counted(folding):
    made = list(folding.folds())
    for number in range(len(made) + 1):
        assert held_before(folding, number) == sum(fold.pes for fold in made[:number])
    for number in range(1, folding.rounds + 1):
        macs = sum(f.pes for f in made[: number * folding.array.count]) * folding.temporal
        assert done_after(folding, number) == pytest.approx(macs / (number * folding.fold_cycles * folding.array.pes))
    assert done_after(folding, folding.rounds) == pytest.approx(folding.compute_utilisation)


# Words


def test_a_step_says_what_is_where_and_when():
    stage = scene_of(SMALL).stage
    assert stage.steps[0] == "Before the first of 9 folds."
    assert stage.steps[3] == (
        "Fold 3 of 9, cycles 220 to 329: K 32 to 39 along the rows, N 0 to 15 along the columns; "
        "50.0 % of the PEs hold a weight; 48.5 % of the possible MACs are done so far."
    )
    [taken] = [frame.says for frame in stage.frames if frame.name == "words: taken"]
    assert taken[:4] == (
        "nothing yet",
        *["16 × 16 PEs hold a weight, 0 idle"] * 2,
        "8 × 16 PEs hold a weight, 128 idle",
    )
    assert stage.still == 3


def test_a_round_of_several_folds_says_how_many():
    stage = scene_of(SHARED).stage
    assert stage.steps[5] == (
        "Round 5 of 7, folds 17 to 20, cycles 440 to 549: one fold on each of 4 arrays; "
        "87.5 % of all PEs hold a weight; 49.5 % of the possible MACs are done so far."
    )
    assert stage.steps[7].startswith("Round 7 of 7, folds 25 to 27, cycles 660 to 769: one fold on each of 3 arrays;")
    [taken] = [frame.says for frame in stage.frames if frame.name == "words: taken"]
    assert taken[5] == "87.5 % of all PEs hold a weight"


@pytest.mark.parametrize(
    ("dataflow", "thing"), [("weight", "a weight"), ("output", "an output"), ("input", "an input")]
)
def test_what_pes_hold_is_what_is_stationary(dataflow, thing):
    stage = scene_of(Folding(SMALL.gemm, SMALL.array, dataflow)).stage
    assert f"of the PEs hold {thing};" in stage.steps[1]


def test_the_sentences_explain_the_cycles():
    assert scene_of(SMALL).sentences == (
        "⌈K / R⌉ × ⌈N / C⌉ = ⌈40 / 16⌉ × ⌈48 / 16⌉ = 3 × 3 = 9 folds.",
        "A fold takes load 16 + stream 64 + skew 30 = 110 cycles, however few PEs it needs; 9 folds take 990. "
        "The number that SCALE-Sim reports is one less, 989: it is the last cycle’s, and they count from 0.",
        "6 folds fill their 16 × 16 PEs; at the edges of the plane 3 of 8 × 16 leave the others idle.",
    )
    shared = scene_of(Folding(Gemm(64, 48, 40, 3), SystolicArray(16, 16, 4), "output")).sentences
    assert shared[0] == (
        "⌈M / R⌉ × ⌈N / C⌉ = ⌈64 / 16⌉ × ⌈48 / 16⌉ = 4 × 3 folds of each of 3 products, 36 in all, "
        "of which 4 arrays take one each in a round: 9 rounds."
    )
    assert shared[1].startswith(
        "A fold takes stream 40 + skew 30 = 70 cycles, however few PEs it needs; 9 rounds take 630."
    )
    assert shared[2] == "Every fold fills its 16 × 16 PEs."
    tiny = scene_of(Folding(Gemm(3, 3, 3), SystolicArray(16, 16))).sentences
    assert tiny[0].endswith("= 1 × 1 = 1 fold.")
    assert "; 1 fold takes 49. " in tiny[1]
    assert tiny[2] == "No fold fills its 16 × 16 PEs; at the edges of the plane 1 of 3 × 3 leave the others idle."


def test_the_headline_and_the_title():
    scene = scene_of(SHARED)
    assert scene.title == "3 × (64 × 40) · (40 × 48) on 4 arrays of 16 × 16 PEs, weight stationary"
    assert scene.headline == "769 cycles; 83.3 % of the PEs hold something, 46.8 % of the possible MACs are done"


def test_repr_and_summary():
    shown = ae.Folds()
    assert repr(shown) == f"Folds({shown.text!r})"
    assert "Predict first" in shown.summary()
    assert "989" not in shown.summary()
    shown.predict(80)
    bundle, _ = shown._repr_mimebundle_()
    assert bundle["text/plain"].endswith(shown.summary())
    assert "989 cycles; 83.3 % of the PEs hold something" in shown.summary()


@pytest.mark.parametrize("folding", [*ALL[:3], Folding(Gemm(3, 4, 5, 2), SystolicArray(2, 3, 2), "input")])
def test_the_code_says_the_same(folding, capsys):
    exec(scene_of(folding).code, {"ae": ae})
    uses = f"{folding.cycles} {folding.mapping_utilisation} {folding.compute_utilisation}"
    assert capsys.readouterr().out.splitlines() == [str(folding), uses]


# Settings


def test_a_product_and_an_array_are_what_is_set():
    shown = ae.Folds(SHARED.gemm, SHARED.array, "input", step=4)
    assert shown.folding == Folding(SHARED.gemm, SHARED.array, "input")
    assert (shown.step, shown.steps) == (4, 9)
    assert shown.text == "m=64 n=48 k=40 products=3 rows=16 columns=16 count=4 dataflow=input"
    assert ae.Folds().folding == SMALL
    assert ae.Folds(array=SystolicArray(8, 4)).folding == Folding(SMALL.gemm, SystolicArray(8, 4))
    assert ae.Folds(Gemm(5, 6, 7), count=2).folding == Folding(Gemm(5, 6, 7), SystolicArray(16, 16, 2))


def test_a_line_of_text_makes_the_same_again():
    shown = ae.Folds("m=300 n=301 k=302 rows=128 columns=127 count=3 products=5 dataflow=output", step=2)
    assert shown.folding == Folding(Gemm(300, 301, 302, 5), SystolicArray(128, 127, 3), "output")
    assert ae.Folds(shown.text).text == shown.text
    assert ae.Folds("m=300", dataflow="input").folding == Folding(Gemm(300, 48, 40), SMALL.array, "input")


@given(foldings)
@settings(max_examples=20, deadline=None)
def test_settings_and_foldings_are_the_same(folding):
    assert folding_of(values_of(folding)) == folding


def test_numbers_of_ones_own_are_among_those_of_the_sliders():
    shown = ae.Folds(m=301, rows=17)
    shown.set(k=77)
    shown.set(k=78)
    values = {setting.name: setting.values for setting in shown.settings}
    assert 301 in values["m"]
    assert 17 in values["rows"]
    assert {77, 78} <= set(values["k"])
    assert list(values["k"]) == sorted(values["k"])
    assert 301 not in values["n"]
    assert 77 not in {s.name: s.values for s in ae.Folds.settings}["k"]


def test_another_folding_is_shown_as_far_through():
    shown = folds(SMALL, step=9)
    shown.folding = SHARED
    assert shown.folding == SHARED
    assert (shown.step, shown.steps) == (7, 7)
    shown.step = 3
    shown.values = shown.values | {"dataflow": "output"}
    assert (shown.step, shown.steps) == (4, 9)
    with pytest.raises(ConfigError, match=r"shows a Folding\(gemm, array, dataflow\), not Gemm"):
        shown.folding = SMALL.gemm


def test_steps_stay_within_the_rounds():
    shown = folds(SMALL, step=4)
    shown.step = 99
    assert shown.step == 9
    with pytest.raises(ConfigError, match="step is -1"):
        shown.step = -1
    assert shown.step == 9
    assert folds(SMALL, step=10**6).step == 9


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"m": None}, "M of a GEMM is None; it must be a number"),
        ({"k": 0}, "K of a GEMM is 0; it must be a whole number, 1 or more"),
        ({"rows": 2.5}, "rows of a systolic array is 2.5"),
        ({"count": 1000}, "1,000 arrays are too many to draw; 256 are the most"),
        ({"dataflow": "weights"}, "did you mean 'weight'"),
        ({"speed": 3}, "setting is 'speed'"),
        ({"step": -1}, "step is -1"),
        ({"gemm": 5}, r"a folding needs a product such as Gemm\(64, 48, 40\)"),
        ({"gemm": Gemm(1, 2, 3), "array": 5}, "a folding needs an array such as"),
        ({"gemm": "m=0"}, "M of a GEMM is 0"),
        ({"gemm": "m=2.5"}, "M of a GEMM is 2.5; it must be a whole number"),
        ({"gemm": "count=1000"}, "1,000 arrays are too many"),
        ({"gemm": "dataflow=weights"}, "did you mean 'weight'"),
        ({"gemm": "ring"}, "'ring' is no setting; one is written as in 'm=1'"),
        ({"gemm": Gemm(2**60, 2**60, 1), "array": SystolicArray(1, 1), "dataflow": "output"}, "are too many to count"),
        ({"controls": ["speed"]}, "a control is 'speed'"),
    ],
)
def test_settings_that_cannot_be_shown(given, said):
    with pytest.raises(ConfigError, match=said):
        ae.Folds(**given)


def test_what_cannot_be_set_changes_nothing():
    shown = folds(SMALL)
    for wrong in ({"m": 0}, {"count": 257}, {"dataflow": "none"}):
        with pytest.raises(ConfigError):
            shown.set(**wrong)
    assert shown.folding == SMALL
    assert 257 not in {s.name: s.values for s in shown.settings}["count"]


def test_very_large_products_are_shown():
    shown = ae.Folds(Gemm(10**6, 10**6, 10**6), SystolicArray(2, 2, 256))
    assert shown.folding.rounds == 976_562_500
    assert shown.steps <= SHOWN.steps + 1
    json.dumps(shown.data)


def test_only_the_named_controls_are_there():
    shown = ae.Folds(controls=["m", "dataflow"])
    assert [s.name for s in shown._movable if not s.fixed] == ["m", "dataflow"]
    assert shown.data["hidden"] == ["n", "k", "products", "rows", "columns", "count"]


def test_controls_say_what_is_set():
    said = {s.name: (s.label, s.called(s.values[-1])) for s in ae.Folds.settings}
    assert said["m"] == ("M", "4,096")
    assert said["count"] == ("arrays", "64")
    assert said["dataflow"] == ("dataflow", "input stationary")


# Questions


def asked(**given):
    shown = ae.Folds(**given)
    return shown.question(shown.values), shown.answer(shown.values)


def test_all_three_questions_come_up_in_turn():
    texts = [asked(m=m)[0].text for m in (64, 96, 128, 192)]
    assert "as a mean over the folds, which share of an array’s PEs hold something?" in texts[0]
    assert "which share of the MACs that are possible in all cycles is done?" in texts[1]
    assert texts[2].endswith("which dataflow takes the fewest cycles?")
    assert texts[3].replace("192", "64") == texts[0]
    assert "weight stationary" not in texts[2]
    ends = {asked(dataflow=dataflow)[0].text.split(" ")[-1] for dataflow in DATAFLOWS}
    assert ends == {"something?", "done?", "cycles?"}


def test_a_question_stays_the_same_when_other_numbers_are_given():
    shown = ae.Folds(m=128)
    before = shown.question(shown.values)
    shown._remember({"m": 100})
    assert shown.question(shown.values) == before


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 12), st.integers(1, 12), st.integers(1, 12), st.integers(1, 5), st.integers(1, 5), st.integers(1, 3)
)
def test_answers_are_counted(m, n, k, rows, columns, count):
    for dataflow in DATAFLOWS:
        question, answer = asked(m=m, n=n, k=k, rows=rows, columns=columns, count=count, dataflow=dataflow)
        folding = Folding(Gemm(m, n, k), SystolicArray(rows, columns, count), dataflow)
        cycles, held = simulated(folding, dataflow)
        if "as a mean" in question.text:
            assert answer.value == pytest.approx(100 * sum(held) / len(held) / rows / columns, abs=0.05)
        elif "MACs" in question.text:
            done = 100 * m * n * k / (cycles * rows * columns * count)
            assert answer.value == pytest.approx(done, rel=0.006)
        else:
            sizes = {each: simulated(folding, each)[0] for each in DATAFLOWS}
            fewest = [each for each, size in sizes.items() if size == min(sizes.values())]
            assert answer.value == (fewest[0] if len(fewest) == 1 else ALIKE)
            assert answer.value in question.choices
            assert all(f"= {size:,}" in answer.why for size in sizes.values())
            assert set(answer.others) == {each for each, size in sizes.items() if size > min(sizes.values())}


def test_answers_say_why():
    assert asked()[1].why == ("K takes 40 of 3 × 16 rows and N 48 of 3 × 16 columns: 83.3 % × 100.0 % = 83.3 %.")
    assert asked(m=96)[1].why == (
        "M streams in 96 of a fold’s 142 cycles, and 83.3 % of the PEs hold something: that leaves 56.3 %."
    )
    assert "hold something, on 27 of 28 places in the rounds: that leaves" in asked(products=3, count=4)[1].why
    fewest = asked(m=128)[1]
    assert fewest.value == "weight"
    assert fewest.why == (
        "Rounds × cycles of a fold: weight 9 × 174 = 1,566; output 24 × 70 = 1,680; input 24 × 94 = 2,256."
    )


def test_a_wrong_choice_is_told_why():
    shown = ae.Folds(m=128)
    found = shown.predict("output")
    assert not found.right
    assert found.why.startswith("Without loading, but with more rounds. Rounds × cycles of a fold:")


def test_nothing_tells_the_answer_before_a_prediction():
    for m in (64, 96, 128):
        shown = ae.Folds(m=m)
        scene, still = shown.scene(shown.values), shown.still()
        for _, words in scene.numbers.values():
            assert f"{words}<" not in still
            assert words not in shown.summary()
        stage = scene.stage
        before = [
            stage.steps[0],
            *(frame.says[0] for frame in stage.frames if frame.says),
            *(f.text for f in stage.frames),
        ]
        assert not any("%" in words or "idle" in words for words in before)
        assert {piece.looks[0] for piece in stage.pieces if piece.at[0]} == {"idle PEs", "next"}


# Pages


def test_a_page_of_its_own(tmp_path, monkeypatch):
    shown = folds(SHARED, step=2)
    text = shown.page()
    monkeypatch.setattr(type(shown), "page", lambda self: text)  # simulates all that it stores
    assert shown.save_html(tmp_path / "folds.html").read_text(encoding="utf-8") == text
    assert len(text) < 4_000_000
    [state] = json.loads(text.split('id="astra-states">')[1].split("</script>")[0])
    assert (state["step"], state["live"]) == (2, False)
    assert state["data"]["scene"] == json.loads(json.dumps(shown.data["scene"]))
    stored = {entry["text"] for entry in state["stored"].values()}
    assert {text.split("dataflow=")[1] for text in stored} == set(DATAFLOWS)
    assert {text.split()[0] for text in stored} >= {"m=1", "m=4096"}
    with pytest.raises(ConfigError, match="can't be written"):
        shown.save_html(tmp_path)


def test_a_page_stays_small_with_many_arrays():
    shown = folds(WIDELY)
    assert shown.folding.array.count > MOST_STORED
    stored = shown.state()["stored"]
    assert len(json.dumps(stored)) < 5_000_000
    assert {text.split()[0] for text in stored} == {"m=2000"}
    others = [entry["scene"]["stage"] for text, entry in stored.items() if text != shown.text]
    assert max(len(stage["steps"]) for stage in others) <= STORED.steps + 2


def test_the_widget_of_this_name_is_the_instrument(monkeypatch):
    from astra_edu.course import widgets

    monkeypatch.delitem(sys.modules, "astra_edu.course.widgets.folds", raising=False)  # another test may have had it

    with pytest.warns(DeprecationWarning, match=r"widgets\.Folds is an instrument now: astra_edu\.Folds"):
        assert widgets.Folds is ae.Folds
    with pytest.warns(DeprecationWarning, match="goes with release"):
        from astra_edu.course.widgets.folds import Folds
    assert Folds is ae.Folds


def test_a_number_that_was_refused_has_no_place_on_a_slider():
    folds = ae.Folds()
    with pytest.raises(ae.ConfigError, match="too many to count"):
        folds.set(m=10**18, n=10**18, rows=1, columns=1)
    assert all(10**18 not in setting.values for setting in folds.settings)
    assert folds.text == ae.Folds().text
