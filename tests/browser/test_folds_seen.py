"""What a person sees of folds, against the folding: where they are, what is done, held and idle, and the figures."""

from __future__ import annotations

import pytest

pytest.importorskip("anywidget")

from course.widgets.test_folds import SHARED, SMALL

from astra_edu.course.widgets.folds import Folds
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.systolic import AXES, Folding, SystolicArray
from browser.looking import SCHEMES, colour, script

pytestmark = pytest.mark.browser

READ = script("folds")
TALL = Folding(Gemm(30, 20, 50), SystolicArray(16, 8), "output")


@pytest.fixture
def show(open_page):
    def shown(folding, step=0, scheme="light"):
        return open_page(Folds(folding.gemm, folding.array, folding.dataflow, step).page(), color_scheme=scheme)

    return shown


def seen(page, step=None):
    if step is not None:
        page.evaluate("(step) => astraModels[0].set('step', step)", step)
    return page.evaluate(READ)


def percent(share):
    return f"{100 * share:.1f} %"


def place(folding, now, fold):
    """Where a fold must be: in the plane's frame, by its first row and column."""
    [[x, y, wide, high]] = now["plane"]["frame"]["boxes"]
    across, down = wide / folding.spatial_columns, high / folding.spatial_rows
    return [x + across * fold.column, y + down * fold.row, across * fold.columns, down * fold.rows]


@pytest.mark.parametrize("folding", [SMALL, TALL], ids=["small", "tall"])
def test_the_fold_on_the_array_is_where_its_rows_and_columns_are(show, folding):
    page = show(folding)
    for number, fold in enumerate(folding.folds()):
        now = seen(page, number + 1)
        [box] = now["plane"]["now"]["boxes"]
        x, y, wide, high = place(folding, now, fold)
        assert [box[0] + box[2] / 2, box[1] + box[3] / 2] == pytest.approx([x + wide / 2, y + high / 2])
        assert box[2:] == pytest.approx([max(5, wide), max(5, high)])
        [frame] = now["array"]["frame"]["boxes"]
        [held] = now["array"]["now"]["boxes"]
        rows, columns = folding.array.rows, folding.array.columns
        assert held == pytest.approx([*frame[:2], frame[2] * fold.columns / columns, frame[3] * fold.rows / rows])
        down, right = ([at for at in now["plane"]["pointers"] if at[3] == step] for step in (-8, -4))
        assert [at[0] for at in down] == pytest.approx([x + wide / 2])
        assert [at[1] for at in right] == pytest.approx([y + high / 2])


def test_what_is_done_is_what_came_before(show):
    page = show(SMALL)
    folds = list(SMALL.folds())
    for step in (0, 1, 4, 9):
        now = seen(page, step)
        done = sum(wide * high for _, _, wide, high in now["plane"]["done"]["boxes"])
        wanted = sum(w * h for _, _, w, h in (place(SMALL, now, fold) for fold in folds[: max(0, step - 1)]))
        assert done == pytest.approx(wanted)
        for x, y, wide, high in now["plane"]["done"]["boxes"]:
            fold_x, fold_y, fold_wide, fold_high = place(SMALL, now, folds[step - 1])
            assert (
                x + wide <= fold_x + 1
                or fold_x + fold_wide <= x + 1
                or y + high <= fold_y + 1
                or fold_y + fold_high <= y + 1
            )


def test_several_arrays_hold_a_fold_each_in_reading_order(show):
    page = show(SHARED)
    for step in (1, 5):
        now = seen(page, step)
        frames, held = now["array"]["frame"]["boxes"], now["array"]["now"]["boxes"]
        assert [frame[:2] for frame in frames] == sorted((frame[:2] for frame in frames), key=lambda at: at[::-1])
        folds = list(SHARED.folds())[4 * step - 4 : 4 * step]
        for frame, box, fold in zip(frames, held, folds, strict=True):
            assert box == pytest.approx([*frame[:2], frame[2] * fold.columns / 16, frame[3] * fold.rows / 16])
        assert now["figures"]["folds"] == f"{4 * step - 3}–{4 * step} of {SHARED.fold_count}"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_legend_has_the_looks_of_the_picture(show, scheme):
    now = seen(show(SMALL, 5, scheme))
    looks = {key["text"]: key["look"] for key in now["legend"]}
    assert list(looks) == ["on the array now", "done", "idle PEs"]
    assert looks["on the array now"] == now["plane"]["now"]["look"] == now["array"]["now"]["look"]
    assert looks["on the array now"] == colour("pale orange", scheme)
    assert now["plane"]["now"]["edge"] == colour("orange", scheme)
    assert looks["done"] == now["plane"]["done"]["look"]
    assert looks["done"][0] == colour("light blue", scheme)
    assert looks["idle PEs"] == now["array"]["idle"]["look"]
    assert looks["idle PEs"][0] == colour("paper", scheme)
    assert looks["done"][1] != looks["idle PEs"][1]
    assert now["back"] == colour("paper", scheme)


@pytest.mark.parametrize("folding", [SMALL, TALL], ids=["small", "tall"])
def test_the_axes_are_named_at_their_sides(show, folding):
    now = seen(show(folding))
    along, across, _ = AXES[folding.dataflow]
    (top, turned), (side, upright), *_ = now["plane"]["texts"]
    assert (top, turned) == (f"{across} = {folding.spatial_columns}", "")
    assert (side, upright[:10]) == (f"{along} = {folding.spatial_rows}", "rotate(-90")
    array = folding.array
    assert now["array"]["texts"][0][0] == f"array of {array.rows} × {array.columns} PEs"


@pytest.mark.parametrize("folding", [SMALL, TALL], ids=["small", "tall"])
def test_the_figures_are_the_foldings(show, folding):
    page, macs = show(folding), 0
    along, across, _ = AXES[folding.dataflow]
    for number, fold in enumerate(folding.folds()):
        now, mean = seen(page, number + 1), percent(folding.mapping_utilisation)
        pes, cycle = folding.array.pes, fold.first_cycle + folding.fold_cycles - 1
        macs += fold.pes * folding.temporal
        done = macs / ((number + 1) * folding.fold_cycles * pes)
        assert now["figures"] == {
            "fold": f"{number + 1} of {folding.fold_count}",
            "cycle": f"{cycle:,} of {folding.cycles:,}",
            "PEs that hold something": f"{percent(fold.pes / pes)} now, {mean} as a mean",
            "MACs done": f"{percent(done)} so far, {percent(folding.compute_utilisation)} at the end",
        }
        where = f"{along} {fold.row} to {fold.row + fold.rows - 1} along the rows"
        assert where in now["live"]
        assert f"{across} {fold.column} to {fold.column + fold.columns - 1} along the columns" in now["live"]
        assert f"cycles {fold.first_cycle} to {cycle}" in now["live"]
        thing = {"weight": "a weight", "output": "an output"}[folding.dataflow]
        text = f"{fold.rows} × {fold.columns} PEs hold {thing}, {pes - fold.pes} idle"
        assert now["array"]["texts"][1][0] == text
        assert now["slider"] == [number + 1, folding.fold_count]
        assert now["over"] == pytest.approx((number + 1) / folding.fold_count, abs=2e-3)
        assert now["where"] == f"round {number + 1} of {folding.fold_count}"


def test_the_cycles_of_a_fold_are_a_bar_with_its_parts_in_order(show):
    now = seen(show(SMALL))
    parts = SMALL.parts
    said = " + ".join(f"{name} {cycles}" for name, cycles in parts.items())
    assert now["parts"] == f"one fold: {said} = {SMALL.fold_cycles} cycles"
    for (kind, text, wide), (name, cycles) in zip(now["bar"], parts.items(), strict=True):
        assert kind.endswith(f"astra-part-{name}")
        assert text == (name if cycles / SMALL.fold_cycles > 0.12 else "")
        assert wide == pytest.approx(cycles / SMALL.fold_cycles, abs=0.01)


def test_the_controls_say_what_is_set(show):
    now = seen(show(TALL))
    wanted = {"M": "30", "N": "20", "K": "50", "rows": "16", "columns": "8", "arrays": "1"}
    assert {name: value for name, value in now["controls"] if value} == wanted
    assert now["dataflow"] == "output"
