"""What a person sees of a graph of nodes and clicks on it, on a saved page."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.instruments.looks import LOOKS
from browser.looking import SCHEMES, shade
from browser.test_chunks_seen import WORDS
from browser.test_cut_seen import BOXES, to_step

pytestmark = pytest.mark.browser

LINES = """() => Object.fromEntries([...document.querySelectorAll("[data-link]")].map((group) => {
  const line = group.querySelector(".astra-line");
  const style = getComputedStyle(line);
  return [group.dataset.link, {
    shown: getComputedStyle(group).visibility === "visible",
    stroke: style.stroke,
    wide: Number(line.getAttribute("stroke-width")),
    dashed: line.getAttribute("stroke-dasharray"),
    word: group.querySelector(".astra-on-line")?.textContent ?? "",
  }];
}))"""
BLOCKS = """() => Object.fromEntries([...document.querySelectorAll("[data-block]")].map((group) => [
  group.dataset.block, {
  fill: getComputedStyle(group.querySelector(".astra-ground")).fill,
  hatched: group.querySelector(".astra-hatch")?.style.fill.startsWith("url") ?? false,
  marked: group.classList.contains("astra-because"),
}]))"""
CRITICAL = "backward 1 → all-reduce 2"


@cache
def page_of(setting):
    return ae.BuildATrace(setting).page()


@pytest.fixture
def show(open_page):
    def shown(setting="", scheme="light", answered=True, **options):
        page = open_page(page_of(setting), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


def click(page, arrow):
    """On the middle of the arrow's first stretch, where it can be taken hold of."""
    grip = page.locator(f"[data-link='{arrow}'] .astra-grip")
    x, y = grip.evaluate(
        """(path) => { const at = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM());
          return [at.x, at.y]; }"""
    )
    page.mouse.click(x, y)


def headline(page):
    return page.locator(".astra-headline").inner_text()


def scene_of(setting):
    return ae.BuildATrace(setting).data["scene"]


def end_of(page, setting):
    to_step(page, len(scene_of(setting)["stage"]["steps"]) - 1)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_arrows_and_nodes_look_at_every_moment_as_the_run_has_them(show, scheme):
    page, stage = show(scheme=scheme), scene_of("")["stage"]
    for step in range(len(stage["steps"])):
        to_step(page, step)
        lines, words = page.evaluate(LINES), page.evaluate(WORDS)
        for link in stage["links"]:
            seen = lines[link["name"]]
            assert seen["shown"] == (link["wide"][step] > 0)
            if seen["shown"]:
                light, dark, _ = LOOKS[link["looks"][step]]
                assert seen["stroke"] == shade((dark, light), scheme)
                assert seen["wide"] == link["wide"][step]
                assert seen["word"] == link["says"][step]
        for entry in page.evaluate(BOXES, "[data-piece]"):
            (piece,) = [piece for piece in stage["pieces"] if piece["name"] == entry["name"]]
            assert entry["fill"] == shade(LOOKS[piece["looks"][step]][:2], scheme)
            assert words[piece["name"]][0] == piece["says"][step]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_critical_path_is_thick_and_hatched_and_what_is_needless_is_dashed_and_thin(show, scheme):
    page = show(scheme=scheme)
    end_of(page, "")
    lines = page.evaluate(LINES)
    critical, needless = lines[CRITICAL], lines["backward 2 → update 2"]
    assert critical["wide"] > 2 * lines["all-reduce 2 → update 2"]["wide"]
    assert needless["wide"] < lines["all-reduce 2 → update 2"]["wide"]
    assert needless["dashed"]
    assert needless["word"] == "needless"
    assert lines["busy: all-reduce 2 → all-reduce 1"]["dashed"]
    blocks = page.evaluate(BLOCKS)
    assert all(
        block["hatched"] and block["fill"] == shade(LOOKS["critical path"][:2], scheme) for block in blocks.values()
    )


def test_arrows_are_clicked_until_the_graph_is_right_and_fastest(show):
    page = show()
    for arrow, said in (
        (CRITICAL, "233.4 µs: right, but another right graph ends 10.0 µs sooner"),
        ("all-reduce 1 → update 2", "✓ 223.4 µs: right, and no right graph is faster"),
        ("backward 2 → all-reduce 2", "✗ 223.4 µs, and wrong: all-reduce 2 doesn’t wait for backward 2"),
        ("backward 2 → all-reduce 2", "✓ 223.4 µs: right, and no right graph is faster"),
    ):
        click(page, arrow)
        page.get_by_text(said).first.wait_for()
    chosen = page.locator("fieldset select").evaluate_all("(all) => all.map((one) => one.selectedOptions[0].text)")
    assert chosen == ["on", "off", "on", "on", "off", "on", "on"]


def test_the_menus_do_what_clicks_do(show):
    page = show()
    page.locator(".astra-setting", has_text="backward 1 → all-reduce 2").locator("select").select_option(label="off")
    page.get_by_text("233.4 µs: right").first.wait_for()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_missing_edge_is_red_with_words_and_so_is_the_node_that_is_too_early(show, scheme):
    setting = "backward2_reduce2=off backward1_reduce2=off"
    page = show(setting, scheme)
    to_step(page, 0)
    assert page.evaluate(LINES)["backward 2 → all-reduce 2"]["word"] == "off"
    to_step(page, 1)
    line = page.evaluate(LINES)["backward 2 → all-reduce 2"]
    light, dark, _ = LOOKS["may be too early"]
    assert line["word"] == "✗ missing"
    assert line["stroke"] == shade((dark, light), scheme)
    assert page.evaluate(WORDS)["all-reduce 2"][0] == "✗ all-reduce 2"
    (node,) = [entry for entry in page.evaluate(BOXES, "[data-piece]") if entry["name"] == "all-reduce 2"]
    assert node["fill"] == shade((light, dark), scheme)
    assert node["hatched"]
    assert "before they are computed" in page.locator(".astra-live").inner_text()


def test_a_block_marks_the_nodes_that_it_waited_for(show):
    page = show()
    page.locator("[data-block='all-reduce 1']").click()
    marked = {name for name, block in page.evaluate(BLOCKS).items() if block["marked"]}
    assert marked == {"backward 1", "all-reduce 2"}
    said = page.locator(".astra-block-said").inner_text()
    assert "waited for backward 1 and the NPU, which was busy with all-reduce 2" in said


def test_while_the_question_is_open_a_click_chooses_and_switches_nothing(show):
    page = show(answered=False)
    click(page, CRITICAL)
    assert page.locator(".astra-fields input:checked").get_attribute("value") == CRITICAL
    assert headline(page) == "Predict first: the numbers come then."
    assert page.locator("[data-block]").count() == 0
    page.get_by_role("button", name="commit").click()
    said = page.locator(".astra-result").inner_text()
    assert said.startswith("✓ Right")
    assert "ends 41.3 µs sooner" in said


@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 720)])
def test_all_is_in_sight_together(show, wide, high):
    page = show(answered=False, viewport={"width": wide, "height": high})
    for part in (".astra-predict button >> nth=0", "[data-piece='update 1']"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= high
    page.get_by_role("button", name="show me without").click()
    box = page.locator(".astra-right .astra-bar").first.bounding_box()
    assert box["y"] + box["height"] <= high
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_no_word_of_the_stage_lies_on_another(show):
    page = show()
    end_of(page, "")
    boxes = page.evaluate(
        """() => [...document.querySelectorAll(".astra-scene text")].filter((text) => text.textContent
          && getComputedStyle(text).visibility === "visible").map((text) => {
          const { left, right, top, bottom } = text.getBoundingClientRect();
          return [text.textContent, left, right, top, bottom]; })"""
    )
    assert len(boxes) > 16
    for k, (one, left, right, top, bottom) in enumerate(boxes):
        for other, a, b, c, d in boxes[k + 1 :]:
            assert min(right, b) <= max(left, a) or min(bottom, d) <= max(top, c), (one, other)
