"""What a person sees of the budget, read back from a saved page: money against its limit, tokens, the verdict."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.instruments.looks import LOOKS
from browser.looking import SCHEMES, shade
from browser.test_cut_seen import BARS, BOXES, to_step

pytestmark = pytest.mark.browser

DEAR = "npus=64 tensor=8 pipeline=4 inside_gb_s=200"
LIMITS = """() => [...document.querySelectorAll("[data-bar]")].map((group) =>
  group.querySelector(".astra-limit")?.getAttribute("d").match(/[\\d.]+/)[0] ?? null).map(Number)"""

FRAME = """(name) => ["x", "width"].map((side) =>
  Number(document.querySelector(`[data-frame="${name}"] rect`).getAttribute(side)))"""


@cache
def design():
    return ae.SpendTheBudget(DEAR, budget=300_000)


@cache
def page_text():
    return design().page()


@pytest.fixture
def show(open_page):
    def shown(scheme="light", answered=True, **options):
        page = open_page(page_text(), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


@pytest.mark.parametrize("scheme", SCHEMES)
def test_money_stands_against_the_budget_and_memory_against_the_device(show, scheme):
    page, scene = show(scheme), design().scene(design().values)
    shown = page.evaluate(BARS)
    limits = page.evaluate(LIMITS)
    for seen, bars, limit in zip(shown, scene.bars, (limits[0], None, limits[2]), strict=True):
        bar, (look, x, wide, fill) = bars.bars[0], seen["bars"][0]["parts"][0]
        scale = wide / bar.parts[0].size
        assert look == bar.parts[0].look
        assert fill == shade(LOOKS[look][:2], scheme)
        assert [part[2] / scale for part in seen["bars"][0]["parts"]] == pytest.approx(
            [p.size for p in bar.parts], abs=1e-6
        )
        if limit is not None:
            assert (limit - x) / scale == pytest.approx(bar.limit)


def test_a_design_that_is_too_dear_is_said_to_be_beside_its_speed(show):
    said = show().locator(".astra-headline").inner_text()
    assert said == design().scene(design().values).headline
    assert "more than there is" in said


@pytest.mark.parametrize("scheme", SCHEMES)
def test_micro_batches_go_through_the_stages_and_back_and_gradients_come_last(show, scheme):
    page, stage = show(scheme), design().data["scene"]["stage"]
    for step in (0, 3, 4, 7, 8):
        to_step(page, step)
        seen = {entry["name"]: entry for entry in page.evaluate(BOXES, "[data-piece]")}
        for piece in stage["pieces"]:
            entry = seen[piece["name"]]
            assert entry["shown"] == (piece["at"][step] is not None)
            if entry["shown"]:
                assert entry["box"] == pytest.approx(piece["at"][step], abs=1e-6)
                assert entry["fill"] == shade(LOOKS[piece["looks"][step]][:2], scheme)
        if step < 8:
            x, wide = page.evaluate(FRAME, f"copy 0, stage {min(step, 7 - step)}")
            assert x < seen["micro-batch of copy 0"]["box"][0] < x + wide


def test_no_number_is_told_before_a_prediction(show):
    page = show(answered=False)
    right = page.locator(".astra-right").inner_text()
    assert "sequences/s" not in right
    assert "$" not in right.replace("$300,000", "")


@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 800)])
def test_settings_question_and_stage_are_in_sight_together(show, wide, high):
    page = show(answered=False, viewport={"width": wide, "height": high})
    for part in (".astra-setting >> nth=-1", ".astra-predict button >> nth=0", ".astra-right .astra-bar"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= high
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
