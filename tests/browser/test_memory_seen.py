"""What a person sees of memory systems, read back from a saved page: packets, links, the slowest stage, the veil."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.instruments.looks import LOOKS
from browser.looking import SCHEMES, Later, saved, shade
from browser.test_chunks_seen import OVER
from browser.test_cut_seen import BOXES, to_step

pytestmark = pytest.mark.browser

LOAD = Later(lambda: ae.MemorySystems("packet=1024 groups=64"))
STORE = Later(lambda: ae.MemorySystems("move=store-sum packet=1024 groups=64 link=512"))
LINES = """() => Object.fromEntries([...document.querySelectorAll("[data-link]")].map((group) => {
  const line = group.querySelector(".astra-line");
  return [group.dataset.link, [Number(line.getAttribute("stroke-width")), line.dataset.look,
    getComputedStyle(line).stroke, line.getAttribute("stroke-dasharray") !== null]];
}))"""


@cache
def page_of(text, moved=False):
    return saved(ae.MemorySystems(text), moved)


@pytest.fixture
def show(open_page):
    def shown(memory=LOAD, scheme="light", answered=True, moved=False, **options):
        page = open_page(page_of(memory.text, moved), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("memory", [LOAD, STORE], ids=["load", "store"])
def test_every_piece_is_where_and_as_its_transfer_has_it(show, memory, scheme):
    page, stage = show(memory, scheme), memory.data["scene"]["stage"]
    for step in (0, 3, len(stage["steps"]) // 2, len(stage["steps"]) - 1):
        to_step(page, step)
        seen = {entry["name"]: entry for entry in page.evaluate(BOXES, "[data-piece]")}
        for piece in stage["pieces"]:
            entry, box, look = seen[piece["name"]], piece["at"][step], LOOKS[piece["looks"][step]]
            assert entry["shown"] == (box is not None)
            if box:
                assert entry["box"] == pytest.approx(box, abs=1e-6)
                assert entry["fill"] == shade(look[:2], scheme)
                assert entry["hatched"] == bool(look[2])
        assert page.locator(".astra-live").inner_text() == stage["steps"][step]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_slowest_stage_has_a_colour_and_dashes_from_the_second_step_on(show, scheme):
    page, links = show(scheme=scheme), LOAD.data["scene"]["stage"]["links"]
    for step in (0, 1):
        to_step(page, step)
        seen = page.evaluate(LINES)
        for link in links:
            wide, look, stroke, dashed = seen[link["name"]]
            assert wide == pytest.approx(link["wide"][step])
            assert look == ("slowest stage" if step and "in-node" in link["name"] else "link")
            assert stroke == shade(LOOKS[look][1::-1], scheme)
            assert dashed == (look == "slowest stage")


def test_a_line_of_hiermem_can_be_clicked_to_choose_its_stage(show):
    page = show(ae.MemorySystems(), answered=False)
    line = page.locator('[data-link="HierMem, remote memory, line 0"] .astra-grip')
    line.click(force=True)
    assert page.get_by_role("radio", name="remote memory").is_checked()
    page.get_by_role("button", name="commit").click()
    page.get_by_text("You said remote memory; it is in-node links.").wait_for()


def looks(page):
    return {look for _, look, *_ in page.evaluate(LINES).values()}


def test_nothing_of_the_run_is_told_before_a_prediction(show):
    page = show(ae.MemorySystems(), answered=False)
    assert " µs" not in page.locator(".astra-widget").inner_text()
    assert any(looks(page) == {"link"} or page.wait_for_timeout(100) for _ in range(50))
    assert not page.locator(".astra-live").is_visible()


@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 720)])
def test_settings_question_and_stage_are_in_sight_together_and_no_words_overlap(show, wide, high):
    page = show(ae.MemorySystems(), answered=False, viewport={"width": wide, "height": high})
    for selector in (".astra-setting", ".astra-scene"):
        box = page.locator(selector).last.bounding_box()
        assert box["y"] + box["height"] <= high
    box = page.get_by_role("button", name="commit").bounding_box()
    assert box["y"] + box["height"] <= high
    page.get_by_role("button", name="show me without").click()
    controls = page.locator(".astra-right .astra-bar").bounding_box()
    assert controls["y"] + controls["height"] <= high
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OVER) == []


def test_the_lanes_names_are_not_cut_off(show):
    page = show(ae.MemorySystems())
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".astra-right svg text")].filter((text) => {
          const svg = text.ownerSVGElement.getBoundingClientRect(), box = text.getBoundingClientRect();
          if (!text.textContent || getComputedStyle(text).visibility !== "visible") return false;
          return box.left < svg.left - 1 || box.right > svg.right + 1;
        }).map((text) => text.textContent)"""
    )
    assert cut == []
