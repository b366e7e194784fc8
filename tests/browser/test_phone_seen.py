"""What a person sees on a phone: a player's controls beside its picture, what cells say, and that pictures go on."""

from __future__ import annotations

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from browser.looking import saved

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}}
CUT = """() => [...document.querySelectorAll("td > span")].filter(({ textContent }) => textContent).map((span) => {
  const range = document.createRange();
  range.selectNodeContents(span);
  const [text, cell] = [range, span].map((one) => one.getBoundingClientRect());
  const over = [cell.left - text.left, text.right - cell.right, cell.top - text.top, text.bottom - cell.bottom];
  return [span.textContent, Math.max(...over)];
}).filter(([, over]) => over > 0.5).map(([text]) => text)"""
CUE = """() => [...document.querySelectorAll(".astra-swipe")].filter((one) => one.offsetParent).map((one) => ({
  moves: one.scrollWidth - one.clientWidth, said: getComputedStyle(one, "::before").content,
  shades: getComputedStyle(one).backgroundAttachment }))"""
SAID = '"↔ It is wider than the screen: move it sideways."'


def player(npus, **traits):
    return ae.Player(ae.schedule("all-reduce", "ring", npus), **traits)


@pytest.mark.parametrize("width", [320, 390, 700])
def test_the_whole_picture_and_the_controls_are_in_sight_together(open_page, width):
    page = open_page(player(8).page(), viewport={"width": width, "height": 700})
    stage = page.locator(".astra-stage").bounding_box()
    nodes = [node.bounding_box() for node in page.locator(".astra-node").all()]
    assert stage["height"] <= max(node["y"] + node["height"] for node in nodes) - min(n["y"] for n in nodes) + 40
    for part in (".astra-play", ".astra-panel .astra-range", ".astra-live"):
        box = page.locator(part).bounding_box()
        assert stage["y"] + stage["height"] <= box["y"]
        assert box["y"] + box["height"] <= 700
    assert page.locator("table").bounding_box()["y"] > page.locator(".astra-live").bounding_box()["y"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_on_a_wide_screen_the_table_is_beside_the_picture(open_page):
    page = open_page(player(8).page())
    stage, table = (page.locator(part).bounding_box() for part in (".astra-stage", ".astra-table"))
    assert table["x"] >= stage["x"] + stage["width"]
    assert table["y"] <= stage["y"]


def test_where_it_is_stands_in_full(open_page):
    page = open_page(player(8, step=14).page(), **PHONE)
    where = page.locator(".astra-where")
    assert where.inner_text() == "step 14 of 14"
    assert where.evaluate("(it) => it.scrollWidth <= it.clientWidth && it.scrollHeight <= it.clientHeight")


@pytest.mark.parametrize(("algorithm", "npus"), [("ring", 8), ("halving-doubling", 8), ("ring", 16)])
def test_no_cells_words_are_cut(open_page, algorithm, npus):
    plan = ae.schedule("all-reduce", algorithm, npus)
    page = open_page(ae.Player(plan).page(), **PHONE)
    for step in range(plan.step_count // 2 + 1):
        page.evaluate("(step) => astraModels[0].set('step', step)", step)
        page.locator(".astra-where", has_text=f"step {step} of").wait_for()
        assert page.evaluate(CUT) == []


@pytest.mark.parametrize("view", [ae.OrderTheSteps, ae.TrainingIteration, lambda: player(16)], ids=["o", "t", "p"])
def test_what_is_moved_sideways_says_so_and_is_shaded_at_its_edge(open_page, view):
    html = saved(view())
    phone = open_page(html, **PHONE)
    skip = phone.get_by_role("button", name="show me without")
    if skip.count():
        skip.click()
    cues = phone.evaluate(CUE)
    assert cues
    for cue in cues:
        assert cue["moves"] > 100
        assert (cue["said"], cue["shades"]) == (SAID, "local, local, scroll, scroll")
    assert {(cue["moves"], cue["said"]) for cue in open_page(html).evaluate(CUE)} == {(0, "none")}


def test_what_is_not_moved_says_nothing(open_page):
    assert open_page(player(8).page(), **PHONE).evaluate(CUE) == []
    assert open_page(saved(ae.Explorer(ask=False)), **PHONE).evaluate(CUE) == []
