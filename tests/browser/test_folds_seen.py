"""What a person sees of the folds, read back from a saved page: plane and arrays, words, bars, controls, the veil."""

from __future__ import annotations

import json
from functools import cache
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.instruments.folds import ARRAYS, COUNTS, PRODUCT, SIDES, SIZES
from astra_edu.course.instruments.looks import LOOKS
from astra_edu.workload.compute.systolic import AXES
from browser.looking import SCHEMES, Later, shade
from browser.test_chunks_seen import FRAMES, OVER
from browser.test_cut_seen import BARS, BOXES, to_step
from browser.test_stages_seen import COUNTS as WORDS

pytestmark = pytest.mark.browser

WIDGETS = {
    "small": Later(lambda: ae.Folds()),
    "tall": Later(lambda: ae.Folds(ae.Gemm(30, 20, 50), ae.SystolicArray(16, 8), "output")),
    "shared": Later(lambda: ae.Folds(ae.Gemm(64, 48, 40, 3), ae.SystolicArray(16, 16, 4))),
    "many": Later(lambda: ae.Folds(ae.Gemm(2000, 2000, 50), ae.SystolicArray(8, 8), "output")),
}
LOOK = {"on the arrays": "on", "done": "done", "next": "next", "idle PEs": "idle"}


def control(page, name):
    """A slider or the menu, by what is written beside it."""
    group = ARRAYS if name in ("rows", "columns", "arrays", "dataflow") else PRODUCT
    return page.get_by_role("combobox" if name == "dataflow" else "slider", name=f"{group}, {name}", exact=True)


@cache
def page_of(name):
    return WIDGETS[name].page()


@pytest.fixture
def show(open_page):
    def shown(name, scheme="light", answered=True, **options):
        page = open_page(page_of(name), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


def seen(page, step, scheme="light"):
    """What is on the stage in a step: {(kind, whether right of the plane): boxes}."""
    to_step(page, step)
    kinds = {shade(LOOKS[look][:2], scheme): kind for look, kind in LOOK.items()}
    found = {}
    for entry in page.evaluate(BOXES, "[data-piece]"):
        if entry["shown"]:
            found.setdefault((kinds[entry["fill"]], entry["box"][0] > 320), []).append(entry["box"])
    return found


def place(folding, plane, fold):
    """Where a fold must be: in the plane's frame, by its first row and column."""
    x, y, wide, high = plane
    across, down = wide / folding.spatial_columns, high / folding.spatial_rows
    return [x + across * fold.column, y + down * fold.row, across * fold.columns, down * fold.rows]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["small", "tall"])
def test_the_fold_on_the_array_is_where_its_rows_and_columns_are(show, name, scheme):
    page, folding = show(name, scheme), WIDGETS[name].folding
    plane = page.evaluate(FRAMES)["plane"][1:]
    made = list(folding.folds())
    for number, fold in enumerate(made):
        now = seen(page, number + 1, scheme)
        [box], [held], [idle] = now["on", False], now["on", True], now["idle", True]
        assert box == pytest.approx(place(folding, plane, fold), abs=0.02)
        array = folding.array
        wanted = [*idle[:2], idle[2] * fold.columns / array.columns, idle[3] * fold.rows / array.rows]
        assert held == pytest.approx(wanted, abs=0.02)
        done = sorted(place(folding, plane, before) for before in made[:number])
        assert sorted(now.get(("done", False), [])) == [pytest.approx(box, abs=0.02) for box in done]
        coming = [place(folding, plane, after) for after in made[number + 1 : number + 2]]
        assert now.get(("next", False), []) == [pytest.approx(box, abs=0.02) for box in coming]


def test_several_arrays_hold_a_fold_each_in_reading_order(show):
    page, folding = show("shared"), WIDGETS["shared"].folding
    for step in (1, 5, 7):
        now = seen(page, step)
        arrays = now["idle", True]
        assert [box[:2] for box in arrays] == sorted((box[:2] for box in arrays), key=lambda at: at[::-1])
        made = list(folding.folds())[4 * step - 4 : 4 * step]
        for idle, fold in zip(arrays, made, strict=False):
            wanted = [*idle[:2], idle[2] * fold.columns / 16, idle[3] * fold.rows / 16]
            assert any(box == pytest.approx(wanted, abs=0.02) for box in now["on", True])
        assert len(now["on", True]) == len(made)
        assert page.evaluate(WORDS)["words: product"] == f"product {made[-1].product + 1} of 3"


def test_a_fold_flies_from_the_plane_to_its_array(show):
    page = show("small")
    to_step(page, 1.3)  # halfway, as pieces move in 0.6 of a step
    stage = WIDGETS["small"].data["scene"]["stage"]
    pieces = {piece["name"]: piece for piece in stage["pieces"]}
    boxes = {entry["name"]: entry["box"] for entry in page.evaluate(BOXES, "[data-piece]")}
    a, b = pieces["array 0, b"]["at"][1:3]
    assert boxes["array 0, b"] == pytest.approx([(from_ + to) / 2 for from_, to in zip(a, b, strict=True)])
    assert a[0] < 320 < b[0]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_legend_has_the_looks_of_the_stage(show, scheme):
    page = show("small", scheme)
    keys = page.evaluate(
        """() => [...document.querySelectorAll(".astra-below .astra-key")].map((key) =>
          [key.textContent, getComputedStyle(key.querySelector(".astra-ground")).fill,
           key.querySelector(".astra-hatch")?.style.fill.startsWith("url") ?? false])"""
    )
    assert {name for name, *_ in keys} == set(LOOK)
    for name, fill, hatched in keys:
        assert fill == shade(LOOKS[name][:2], scheme)
        assert hatched == (name != "on the arrays")
    for part in range(3):
        assert len({LOOKS[name][part] for name in LOOK}) == 4


@pytest.mark.parametrize("name", WIDGETS)
def test_the_axes_are_named_at_their_sides(show, name):
    frames, folding = show(name).evaluate(FRAMES), WIDGETS[name].folding
    along, across, _ = AXES[folding.dataflow]
    array = folding.array
    assert frames["plane"][0] == f"{across} = {folding.spatial_columns:,}"
    assert frames["words: rows"][0] == f"{along} = {folding.spatial_rows:,}"
    assert frames["words: rows"][1] < frames["plane"][1]
    called = "an array" if array.count == 1 else f"{array.count} arrays"
    assert frames["words: arrays"][0] == f"{called} of {array.rows} × {array.columns} PEs"


@pytest.mark.parametrize("name", ["small", "tall"])
def test_words_say_what_the_step_shows(show, name):
    page, folding, macs = show(name), WIDGETS[name].folding, 0
    along, across, _ = AXES[folding.dataflow]
    thing = {"weight": "a weight", "output": "an output"}[folding.dataflow]
    for number, fold in enumerate(folding.folds()):
        to_step(page, number + 1)
        pes, last = folding.array.pes, fold.first_cycle + folding.fold_cycles - 1
        macs += fold.pes * folding.temporal
        done = 100 * macs / ((number + 1) * folding.fold_cycles * pes)
        assert page.locator(".astra-live").inner_text() == (
            f"Fold {number + 1} of {folding.fold_count}, cycles {fold.first_cycle} to {last}: "
            f"{along} {fold.row} to {fold.row + fold.rows - 1} along the rows, "
            f"{across} {fold.column} to {fold.column + fold.columns - 1} along the columns; "
            f"{100 * fold.pes / pes:.1f} % of the PEs hold {thing}; {done:.1f} % of the possible MACs are done so far."
        )
        text = f"{fold.rows} × {fold.columns} PEs hold {thing}, {pes - fold.pes} idle"
        assert page.evaluate(WORDS)["words: taken"] == text
        assert page.locator(".astra-where").inner_text() == f"step {number + 1} of {folding.fold_count}"


@pytest.mark.parametrize("name", ["small", "shared"])
def test_bars_are_the_cycles_of_each_dataflow_and_the_shares(show, name):
    cycles, shares = show(name).evaluate(BARS)
    folding = WIDGETS[name].folding
    assert cycles["title"] == "Cycles, by dataflow, all rounds"
    all_of = {d: ae.Folding(folding.gemm, folding.array, d) for d in AXES}
    scale = None
    for bar, (dataflow, other) in zip(cycles["bars"], all_of.items(), strict=True):
        assert bar["label"] == f"{dataflow} stationary"
        assert bar["said"] == f"{other.cycles + 1:,}"
        assert [part[0] for part in bar["parts"]] == list(other.parts)
        for (_, _, wide, _), size in zip(bar["parts"], other.parts.values(), strict=True):
            scale = scale or wide / size / other.rounds
            assert wide == pytest.approx(size * other.rounds * scale, rel=1e-3)
    for bar, share, said in zip(
        shares["bars"],
        (folding.mapping_utilisation, folding.compute_utilisation),
        ("PEs holding something", "MACs done"),
        strict=True,
    ):
        assert (bar["label"], bar["said"]) == (said, f"{100 * share:.1f} %")
        (_, _, first, _), (_, _, second, _) = bar["parts"]
        assert first / (first + second) == pytest.approx(share, rel=1e-3)


def test_thousands_of_folds_stay_a_small_picture(show):
    page, folding = show("many"), WIDGETS["many"].folding
    assert page.evaluate("document.querySelectorAll('.astra-scene *').length") < 250
    plane = page.evaluate(FRAMES)["plane"][1:]
    now = seen(page, 61)
    [on] = now["on", False]
    assert min(on[2:]) >= 2.99  # however small the fold is
    before = 60 * 521
    done = sum(wide * high for _, _, wide, high in now["done", False])
    assert done == pytest.approx(plane[2] * plane[3] * before / folding.fold_count, rel=0.01)
    assert page.locator(".astra-live").inner_text().startswith(f"Fold {before + 1:,} of 62,500, cycles")
    page.get_by_text("One round in 521 is drawn, and the last: 121 of 62,500.").wait_for()


def test_the_controls_say_what_is_set(show):
    page = show("tall")
    wanted = {"M": "30", "N": "20", "K": "50", "products": "1", "rows": "16", "columns": "8", "arrays": "1"}
    for name, said in wanted.items():
        slider = control(page, name)
        assert slider.get_attribute("aria-valuetext") == said
    assert control(page, "M").get_attribute("max") == str(len(SIZES))  # and 30
    assert control(page, "rows").get_attribute("max") == str(len(SIDES) - 1)
    assert control(page, "arrays").get_attribute("max") == str(len(COUNTS) - 1)
    menu = control(page, "dataflow")
    assert menu.locator("option").all_inner_texts() == [f"{name} stationary" for name in AXES]
    assert menu.locator("option:checked").inner_text() == "output stationary"


def test_buttons_and_the_strip_lead_where_they_say(show):
    page = show("small")
    for name, expected in [("Next step", 1), ("End", 9), ("Step before", 8), ("Start", 0)]:
        page.get_by_role("button", name=name, exact=True).click()
        page.get_by_text(f"step {expected} of 9", exact=True).wait_for()
    to_step(page, 4)
    assert page.get_by_role("slider", name="Step").get_attribute("aria-valuetext").startswith("Fold 4 of 9")


def test_keys_go_from_fold_to_fold_and_are_read_out(show):
    page = show("small")
    page.locator(".astra-widget").focus()
    for key, expected in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 9), ("Home", 0)]:
        page.keyboard.press(key)
        page.get_by_text(f"step {expected} of 9", exact=True).wait_for()
    assert page.locator(".astra-live").inner_text() == "Before the first of 9 folds."


def test_nothing_is_told_before_a_prediction(show):
    page = show("small", answered=False)
    words = page.locator(".astra-right").inner_text()
    assert "%" not in words
    assert "cycles" not in words
    assert not page.locator(".astra-right .astra-bar").is_visible()
    assert not any(bars.is_visible() for bars in page.locator(".astra-bars").all())
    kinds = {kind for kind, _ in seen_veiled(page)}
    assert kinds == {"idle", "next"}
    page.locator(".astra-predict input").fill("83")
    page.get_by_role("button", name="commit").click()
    page.get_by_text("You said 83 %; it is 83.3 %: 0.4 % too little.").wait_for()
    assert page.locator(".astra-headline").inner_text() == WIDGETS["small"].data["scene"]["headline"]
    assert "K takes 40 of 3 × 16 rows" in page.locator(".astra-result").inner_text()


def seen_veiled(page):
    kinds = {shade(LOOKS[look][:2], "light"): kind for look, kind in LOOK.items()}
    shown = [entry for entry in page.evaluate(BOXES, "[data-piece]") if entry["shown"]]
    return {(kinds[entry["fill"]], entry["box"][0] > 320) for entry in shown}


def test_on_a_saved_page_another_dataflow_and_another_size_show_their_own_folds(show):
    page = show("small")
    control(page, "dataflow").select_option("output stationary")
    page.get_by_text(ae.Folds(dataflow="output").data["scene"]["headline"]).wait_for()
    assert page.evaluate(FRAMES)["words: rows"][0] == "M = 64"
    control(page, "dataflow").select_option("weight stationary")
    control(page, "M").press("End")
    page.get_by_text(ae.Folds(m=SIZES[-1]).data["scene"]["headline"]).wait_for()


@pytest.mark.parametrize("name", WIDGETS)
@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 800)])
def test_settings_question_and_stage_are_in_sight_together_and_no_words_overlap(show, name, wide, high):
    page = show(name, answered=False, viewport={"width": wide, "height": high})
    asked = page.locator(".astra-predict").bounding_box()
    assert asked["y"] + asked["height"] <= high
    page.get_by_role("button", name="show me without").click()
    controls = page.locator(".astra-right .astra-bar").bounding_box()
    assert controls["y"] + controls["height"] <= high
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OVER) == []


def test_in_jupyterlab_the_controls_fold_anew(chromium, lab):
    address, token = lab
    source = "import astra_edu as ae\nshown = ae.Folds()\nshown.dismiss()\nshown"
    cell = {"cell_type": "code", "id": "c", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": [cell]}
    body = json.dumps({"type": "notebook", "format": "json", "content": content}).encode()
    headers = {"Authorization": f"token {token}", "Content-Type": "application/json"}
    urlopen(Request(f"{address}/api/contents/folds.ipynb", body, headers, method="PUT")).close()
    page = chromium.new_page(viewport={"width": 1300, "height": 1000})
    page.goto(f"{address}/lab/workspaces/folds/tree/folds.ipynb?token={token}&reset")
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
    page.click('.lm-MenuBar-itemLabel:text-is("Run")')
    page.click('.lm-Menu-itemLabel:text-is("Run All Cells")')
    page.locator(".astra-instrument").wait_for(timeout=60_000)
    headline = page.locator(".astra-headline")
    headline.filter(has_text="989 cycles;").wait_for(timeout=20_000)
    page.get_by_role("button", name="End", exact=True).click()
    page.get_by_text("step 9 of 9", exact=True).wait_for()
    control(page, "dataflow").select_option("output stationary")
    headline.filter(has_text="839 cycles;").wait_for(timeout=20_000)
    page.get_by_text("step 12 of 12", exact=True).wait_for()  # as far through as before
    control(page, "arrays").press("ArrowRight")
    headline.filter(has_text="419 cycles;").wait_for(timeout=20_000)
    page.get_by_text("step 6 of 6", exact=True).wait_for()
    page.close()
