"""What a person sees of the case studies, read back from a saved page: NPUs, boxes, lines as wide as fast, the veil."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.instruments.looks import LOOKS
from browser.looking import SCHEMES, Later, saved, shade
from browser.test_chunks_seen import OVER
from browser.test_cut_seen import BOXES, to_step
from browser.test_memory_seen import LINES

pytestmark = pytest.mark.browser

CASE = Later(lambda: ae.CaseStudies("other=Conv-4D"))


@cache
def page_of(text, moved=False):
    return saved(ae.CaseStudies(text), moved)


@pytest.fixture
def show(open_page):
    def shown(case=CASE, scheme="light", answered=True, moved=False, **options):
        page = open_page(page_of(case.text, moved), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


@pytest.mark.parametrize("scheme", SCHEMES)
def test_npus_and_lines_look_as_the_collective_of_each_step_has_them(show, scheme):
    page, stage = show(scheme=scheme), CASE.data["scene"]["stage"]
    for step in range(3):
        to_step(page, step)
        seen = {entry["name"]: entry for entry in page.evaluate(BOXES, "[data-piece]")}
        assert len(seen) == 1024
        for piece in stage["pieces"]:
            entry, look = seen[piece["name"]], LOOKS[piece["looks"][step]]
            assert entry["box"] == pytest.approx(piece["at"][step])
            assert entry["fill"] == shade(look[:2], scheme)
            assert entry["hatched"] == bool(look[2])
        lines = page.evaluate(LINES)
        for link in stage["links"]:
            wide, look, stroke, dashed = lines[link["name"]]
            assert (wide, look) == (pytest.approx(link["wide"][step]), link["looks"][step])
            assert stroke == shade(LOOKS[look][1::-1], scheme)
            assert dashed == (look != "link")
        assert page.locator(".astra-live").inner_text() == stage["steps"][step]


def test_no_time_is_shown_before_a_prediction(show):
    page = show(answered=False)
    assert " ms" not in page.locator(".astra-widget").inner_text()


@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 720)])
def test_settings_question_and_stage_are_in_sight_together_and_no_words_overlap(show, wide, high):
    page = show(answered=False, viewport={"width": wide, "height": high})
    for box in (
        page.locator(".astra-setting").last.bounding_box(),
        page.locator(".astra-scene").bounding_box(),
        page.get_by_role("button", name="commit").bounding_box(),
        page.locator(".astra-right .astra-bar").bounding_box(),
    ):
        assert box["y"] + box["height"] <= high
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OVER) == []
