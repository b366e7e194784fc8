"""The folds in a browser, from a file, with no kernel and no network; and once in JupyterLab."""

from __future__ import annotations

import json
import re
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("anywidget")

from course.widgets.test_folds import MANY, SHARED, SMALL

from astra_edu.course.widgets.folds import Folds

pytestmark = pytest.mark.browser

VIEW = "document.querySelector('.astra-folds').astraFolds"
RECTANGLES = re.compile(r"M(-?[\d.]+) (-?[\d.]+)h(-?[\d.]+)v(-?[\d.]+)h")


@pytest.fixture
def show(open_page):
    def shown(folding, step=0, focus=True, live=False, **options):
        html = Folds(folding.gemm, folding.array, folding.dataflow, step).page()
        page = open_page(html.replace('"live": false', '"live": true') if live else html, **options)
        if focus:
            page.locator(".astra-folds").focus()
        return page

    return shown


def step(page):
    return page.evaluate(f"{VIEW}.step")


def shape(page, name):
    """x, y, width, height of each rectangle of a path of the view, such as "nowShape"."""
    path = page.evaluate(f"{VIEW}.{name}.getAttribute('d')") or ""
    return [tuple(map(float, found)) for found in RECTANGLES.findall(path)]


def area(rectangles):
    return sum(width * height for *_, width, height in rectangles)


def figures(page):
    names, values = page.locator("dt").all_inner_texts(), page.locator("dd").all_inner_texts()
    return dict(zip(names, values, strict=True))


def test_nothing_moves_by_itself(show):
    page = show(SMALL, step=3)
    before = page.locator(".astra-body").inner_html()
    page.wait_for_timeout(400)
    assert page.locator(".astra-body").inner_html() == before
    assert step(page) == page.evaluate("astraModels[0].get('step')") == 3


@pytest.mark.parametrize("number", range(9))
def test_the_fold_on_the_array_is_where_python_says(show, number):
    page = show(SMALL, step=number + 1)
    fold = SMALL.fold(number)
    x, y, across, down = page.evaluate(f"(({{ x, y, scale }}) => [x, y, ...scale])({VIEW}.plane)")
    assert across == pytest.approx(down)  # to scale
    [now] = shape(page, "nowShape")
    assert now == pytest.approx((x + across * fold.column, y + down * fold.row, across * 16, down * fold.rows))
    assert area(shape(page, "doneShape")) / (across * down) == pytest.approx(
        sum(before.pes for before in SMALL.folds() if before.first_cycle < fold.first_cycle)
    )
    [held] = shape(page, "heldShape")
    tile = page.evaluate(f"{VIEW}.tiles[0]")
    assert held == pytest.approx((tile["x"], tile["y"], tile["across"] * 16, tile["down"] * fold.rows))
    assert figures(page)["fold"] == f"{number + 1} of 9"
    assert figures(page)["cycle"] == f"{fold.first_cycle + 109} of 989"
    idle = 256 - fold.pes
    assert f"{fold.rows} × 16 PEs hold a weight, {idle} idle" in page.locator(".astra-body").inner_html()


def test_several_arrays_have_a_fold_each(show):
    page = show(SHARED, step=5)
    tiles = page.evaluate(f"{VIEW}.tiles")
    held = shape(page, "heldShape")
    folds = [fold for fold in SHARED.folds() if fold.first_cycle == 4 * 110]
    assert [fold.array for fold in folds] == [0, 1, 2, 3]
    for tile, place, fold in zip(tiles, held, folds, strict=True):
        assert place == pytest.approx((tile["x"], tile["y"], tile["across"] * fold.columns, tile["down"] * fold.rows))
    # on the plane are those of the last product, of which folds 18 and 19 are the first two
    assert len(shape(page, "nowShape")) == len([fold for fold in folds if fold.product == 2]) == 2
    assert shape(page, "doneShape") == []
    assert page.get_by_text("product 3 of 3").count() == 1
    assert figures(page)["folds"] == "17–20 of 27"
    assert figures(page)["PEs that hold something"] == "87.5 % now, 83.3 % as a mean"


def test_keys(show):
    page = show(SMALL)
    assert page.locator(".astra-live").inner_text().startswith("Before the first of 9 folds")
    for key, expected in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 9), ("ArrowRight", 9)]:
        page.keyboard.press(key)
        assert step(page) == expected
    assert page.locator(".astra-live").inner_text() == (
        "Fold 9 of 9, cycles 880 to 989: K 32 to 39 along the rows, N 32 to 47 along the columns; "
        "50.0 % of the PEs hold a weight."
    )
    page.wait_for_function("astraModels[0].get('step') === 9")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert step(page) == 0
    page.keyboard.press("+")
    assert page.get_by_label("Speed").input_value() == "2"


def test_buttons_and_the_strip(show):
    page = show(SMALL, focus=False)
    for name, expected in [
        ("One round of folds on", 1),
        ("After the last fold", 9),
        ("One round of folds back", 8),
        ("Before the first fold", 0),
    ]:
        page.get_by_role("button", name=name).click()
        assert step(page) == expected
    strip = page.get_by_role("slider", name="Rounds of folds that are over")
    strip.evaluate("(it) => { it.value = 4; it.dispatchEvent(new Event('input', { bubbles: true })); }")
    assert step(page) == 4
    assert strip.get_attribute("aria-valuetext") == "4 of 9"


def test_playing_ends_with_the_last_fold_and_can_be_stopped(show):
    page = show(SMALL)
    page.keyboard.press("+")
    page.keyboard.press("+")
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause").wait_for()
    assert page.locator(".astra-live").get_attribute("aria-live") == "off"
    page.wait_for_function(f"{VIEW}.step > 1")
    page.keyboard.press("Space")
    at = step(page)
    page.wait_for_timeout(400)
    assert step(page) == at
    page.keyboard.press("Space")
    page.wait_for_function(f"{VIEW}.step === 9 && !{VIEW}.playing")
    page.get_by_role("button", name="Play").wait_for()
    assert page.locator(".astra-live").get_attribute("aria-live") == "polite"


def test_thousands_of_folds_stay_a_small_picture(show):
    page = show(MANY, step=10_000)
    assert page.evaluate("document.querySelectorAll('.astra-folds *').length") < 250
    [now] = shape(page, "nowShape")
    assert min(now[2:]) >= 5  # however small the fold is
    note = page.locator(".astra-note").inner_text()
    assert note.startswith("The first 10,000 of 62,500 folds can be stepped through")
    page.keyboard.press("ArrowLeft")
    assert figures(page)["fold"] == "9,999 of 62,500"
    across, down = page.evaluate(f"{VIEW}.plane.scale")
    assert area(shape(page, "doneShape")) == pytest.approx(9_998 * 64 * across * down)


def test_controls_ask_python_one_wish_at_a_time(show):
    page = show(SMALL, live=True, focus=False)
    asked = "astraModels[0].get('asked')"
    page.get_by_role("slider", name="M", exact=True).press("ArrowRight")
    wish = page.evaluate(asked)
    assert wish | {"number": ""} == {
        **{"m": 96, "n": 48, "k": 40, "rows": 16, "columns": 16, "count": 1},
        **{"products": 1, "dataflow": "weight", "number": ""},
    }
    page.get_by_label("Dataflow").select_option("output")
    page.get_by_label("K, exactly").fill("50")
    page.get_by_label("K, exactly").press("Enter")
    assert page.evaluate(asked) == wish  # no answer yet
    answer = "({number, ...more}) => astraModels[0].set('data', {...astraModels[0].get('data'), number, ...more})"
    page.evaluate(answer, {"number": wish["number"], "problem": "K is too odd."})
    assert page.get_by_role("alert").inner_text() == "K is too odd."
    assert "astra-stale" in page.locator(".astra-body").get_attribute("class")
    latest = page.evaluate(asked)
    assert (latest["m"], latest["k"], latest["dataflow"]) == (96, 50, "output")
    page.evaluate(answer, {"number": latest["number"], "problem": ""})
    assert page.get_by_role("alert").inner_text() == ""
    assert page.get_by_label("M, exactly").input_value() == "64"  # what the answer says


def test_without_python_there_are_no_controls(show):
    page = show(SMALL)
    assert not page.get_by_role("group", name="Product and array").is_visible()


def test_names_for_assistive_technology_and_keys_of_others(show):
    page = show(SMALL, step=1, live=True)
    title = "(64 × 40) · (40 × 48) on 16 × 16 PEs, weight stationary"
    group = page.get_by_role("group", name=f"Folds: {title}")
    assert page.locator(f"#{group.get_attribute('aria-describedby')}").inner_text().startswith("Fold 1 of 9")
    unnamed = "[...document.querySelectorAll('button, input, select')].filter((it) => !it.getAttribute('aria-label'))"
    assert page.evaluate(f"{unnamed}.length") == 0
    page.evaluate("() => { window.leaked = []; addEventListener('keydown', (e) => leaked.push(e.key)); }")
    for key in ("x", "ArrowRight", "Shift+Enter"):
        page.keyboard.press(key)
    assert page.evaluate("leaked.filter((key) => key !== 'Shift')") == ["Enter"]
    page.get_by_label("M, exactly").press("ArrowUp")  # the field's own
    assert step(page) == 2


@pytest.mark.parametrize("width", [360, 640, 1100])
def test_it_fits_the_width(show, width):
    page = show(SHARED, live=True, focus=False, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_in_jupyterlab_two_widgets_keep_apart_and_a_slider_gets_its_answer(chromium, lab):
    address, token = lab
    code = (
        "from astra_edu.course.widgets.folds import Folds\n"
        "from astra_edu.workload.compute.gemm import Gemm\n"
        "from astra_edu.workload.compute.systolic import SystolicArray\n"
        "shown = Folds(Gemm(64, 48, 40), SystolicArray(16, 16), step=9)\n"
        "shown"
    )
    cells = [
        {"cell_type": "code", "id": f"c{i}", "source": c, "metadata": {}, "outputs": [], "execution_count": None}
        for i, c in enumerate([code, "Folds(Gemm(9, 9, 9), SystolicArray(8, 8))"])
    ]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    body = json.dumps({"type": "notebook", "format": "json", "content": notebook}).encode()
    headers = {"Authorization": f"token {token}", "Content-Type": "application/json"}
    urlopen(Request(f"{address}/api/contents/folds.ipynb", body, headers, method="PUT")).close()
    page = chromium.new_page(viewport={"width": 1300, "height": 1400})
    page.goto(f"{address}/lab/workspaces/folds/tree/folds.ipynb?token={token}&reset")
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
    page.click('.lm-MenuBar-itemLabel:text-is("Run")')
    page.click('.lm-Menu-itemLabel:text-is("Run All Cells")')
    page.wait_for_function("document.querySelectorAll('.astra-folds').length === 2", timeout=60_000)
    ids = page.evaluate("[...document.querySelectorAll('.astra-folds [id]')].map((it) => it.id)")
    assert len(set(ids)) == len(ids)  # else the hatches of one depend on the other being in sight
    folds = page.locator(".astra-folds").first
    folds.get_by_role("slider", name="rows").press("ArrowRight")
    title = folds.locator(".astra-title")
    title.get_by_text("on 24 × 16 PEs, weight stationary").wait_for(timeout=20_000)
    folds.get_by_label("Dataflow").select_option("output")
    title.get_by_text("on 24 × 16 PEs, output stationary").wait_for(timeout=20_000)
    assert step(page) == 9  # 3 × 3 folds, still at the end
    folds.get_by_label("N, exactly").fill("")
    folds.get_by_label("N, exactly").press("Enter")
    page.get_by_text("N of a GEMM is None; it must be a number").wait_for(timeout=20_000)
    folds.get_by_label("N, exactly").fill("70")
    folds.get_by_label("N, exactly").press("Enter")
    title.get_by_text("(64 × 40) · (40 × 70) on 24 × 16 PEs").wait_for(timeout=20_000)
    page.close()
