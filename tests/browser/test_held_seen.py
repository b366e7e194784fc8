"""What a person sees of a comparison with measurements, read back from a saved page: bars, errors, curves, the veil."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.instruments.looks import LOOKS
from browser.looking import SCHEMES, Later, shade
from browser.test_chunks_seen import OVER
from browser.test_cut_seen import BOXES, to_step

pytestmark = pytest.mark.browser

FIRST = Later(lambda: ae.HeldAgainst())
OUTSIDE = """() => {
  const inside = document.querySelector("svg.astra-drawing").getBoundingClientRect();
  return [...document.querySelectorAll("svg.astra-drawing text")].map((text) => text.getBoundingClientRect())
    .filter((text) => text.left < inside.left || text.right > inside.right).length;
}"""


@cache
def page_of(text):
    return ae.HeldAgainst(text).page()


@pytest.fixture
def show(open_page):
    def shown(text="", scheme="light", answered=True, **options):
        page = open_page(page_of(text), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("step", [0, 1, 7])
def test_bars_and_errors_come_as_the_step_has_them(show, scheme, step):
    page, stage = show(scheme=scheme), FIRST.data["scene"]["stage"]
    to_step(page, step)
    seen = {entry["name"]: entry for entry in page.evaluate(BOXES, "[data-piece]")}
    for piece in stage["pieces"]:
        entry = seen[piece["name"]]
        assert entry["shown"] == (piece["at"][step] is not None)
        if entry["shown"]:
            assert entry["box"] == pytest.approx(piece["at"][step])
            assert entry["fill"] == shade(LOOKS[piece["looks"][step]][:2], scheme)
            assert entry["hatched"]
    for frame in stage["frames"]:
        words = frame["says"][step] if frame["says"] else frame["text"]
        assert page.locator(f"[data-frame='{frame['name']}']").text_content() == words
    assert page.locator(".astra-live").inner_text() == stage["steps"][step]


def test_measured_simulated_and_published_are_drawn_each_with_its_name(show):
    page = show()
    for curve in FIRST.data["scene"]["curves"][0]["curves"]:
        group = page.locator(f"[data-curve='{curve['look']}']")
        assert group.locator("circle").count() == 7
        assert group.locator("text").text_content() == curve["look"]


def test_a_drawn_error_is_laid_beside_the_true_one_and_the_source_is_said(show):
    page = show(answered=False)
    assert page.locator(".astra-curves").count() == 0
    assert "%" not in page.locator(".astra-right").inner_text()
    point = page.get_by_role("slider", name="simulated (% of measured) at size (MiB) 32")
    point.press("PageDown")
    assert point.get_attribute("aria-valuenow") == "60"
    page.get_by_role("button", name="commit").click()
    said = page.locator(".astra-result").inner_text()
    assert "Your curve is off by" in said
    assert "−34.3 % at 32 MiB" in said
    assert page.locator("path.astra-true").count() == 1
    assert "Measured, source: ASTRA-sim documentation" in page.locator(".astra-right").inner_text()


@pytest.mark.parametrize("text", ["", "system=h200-8 bandwidth=links", "system=v100-64"])
def test_no_figure_of_the_drawing_is_cut_off(show, text):
    page = show(text, answered=False)
    if page.locator("svg.astra-drawing").count():
        assert page.evaluate(OUTSIDE) == 0


@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 720)])
@pytest.mark.parametrize("text", ["", "system=a100-8"])
def test_settings_question_and_stage_are_in_sight_together_and_no_words_overlap(show, wide, high, text):
    page = show(text, answered=False, viewport={"width": wide, "height": high})
    for box in (
        page.locator(".astra-setting:visible").last.bounding_box(),
        page.locator(".astra-scene").bounding_box(),
        page.get_by_role("button", name="commit").bounding_box(),
    ):
        assert box["y"] + box["height"] <= high
    page.get_by_role("button", name="show me without").click()
    to_step(page, 7)
    assert page.locator(".astra-right .astra-bar").bounding_box()["y"] < high - 40
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OVER) == []
