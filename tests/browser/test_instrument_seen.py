"""What the base of instruments draws and hears, read back: lines, counters, lanes, curves, clicks, drags."""

from __future__ import annotations

import re
from functools import cache
from math import log

import pytest

pytest.importorskip("anywidget")

from course.instruments.everything import XS, Everything, truth

import astra_edu as ae
from astra_edu.course.instruments.looks import LOOKS
from browser.looking import SCHEMES, numbers, shade
from browser.test_cut_seen import to_step

pytestmark = pytest.mark.browser

LINES = """() => Object.fromEntries([...document.querySelectorAll("[data-link]")].map((group) => {
  const line = group.querySelector(".astra-line"), style = getComputedStyle(line);
  return [group.dataset.link, { shown: style.visibility === "visible", d: line.getAttribute("d"), colour: style.stroke,
    wide: Number(line.getAttribute("stroke-width")), dashed: style.strokeDasharray !== "none",
    said: group.querySelector(".astra-on-line")?.textContent ?? null,
    head: Boolean(group.querySelector(".astra-line-head")) }];
}))"""
BLOCKS = """() => Object.fromEntries([...document.querySelectorAll("[data-block]")].map((group) => {
  const ground = group.querySelector(".astra-ground");
  return [group.dataset.block, { x: Number(ground.getAttribute("x")), wide: Number(ground.getAttribute("width")),
    y: Number(ground.getAttribute("y")), fill: getComputedStyle(ground).fill,
    word: group.querySelector(".astra-word")?.textContent ?? "", because: group.classList.contains("astra-because") }];
}))"""
CURVES = """() => Object.fromEntries([...document.querySelectorAll("[data-curve]")].map((group) => {
  const line = group.querySelector(".astra-curve");
  return [group.dataset.curve, { d: line.getAttribute("d"), colour: getComputedStyle(line).stroke,
    dashed: getComputedStyle(line).strokeDasharray !== "none", name: group.querySelector("text").textContent }];
}))"""
LEFT, RIGHT = 136, 640 - 14


@cache
def page_of(text):
    return Everything(text).page()


@pytest.fixture
def show(open_page):
    def shown(text="", scheme="light", answered=True, **options):
        page = open_page(page_of(text), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_line_is_as_wide_coloured_and_dashed_as_its_step_has_it(show, scheme):
    page = show(scheme=scheme)
    for step, (look, wide, said) in enumerate([("compute", 1, ""), ("all-reduce", 6, "4 MiB"), ("compute", 2, "")]):
        to_step(page, step)
        there, back = (page.evaluate(LINES)[name] for name in ("there", "back"))
        assert numbers(there["d"]) == [70, 45, 230, 45]
        assert (there["wide"], there["said"], there["head"]) == (wide, said, True)
        assert there["colour"] == shade(LOOKS[look][1::-1], scheme)
        assert there["dashed"] == bool(LOOKS[look][2])
        assert (back["shown"], back["said"], back["head"]) == (step > 0, None, False)


def test_a_frames_counter_follows_the_steps(show):
    page = show()
    for step, said in enumerate(["0 MiB", "0 MiB", "4 MiB"]):
        to_step(page, step)
        assert page.locator("[data-frame='NPU 0'] .astra-word").text_content() == said


@pytest.mark.parametrize("scheme", SCHEMES)
def test_blocks_stand_from_their_start_to_their_end_in_their_lane(show, scheme):
    seen = show(scheme=scheme).evaluate(BLOCKS)
    scale = (RIGHT - LEFT) / 30
    assert seen["forward"]["x"] == pytest.approx(LEFT)
    assert seen["forward"]["wide"] == pytest.approx(10 * scale)
    assert seen["forward"]["word"] == "forward"
    assert seen["send"]["x"] == pytest.approx(LEFT + 10 * scale)
    assert seen["send"]["wide"] == pytest.approx(20 * scale)
    assert seen["send"]["y"] > seen["forward"]["y"] + 18
    for name, look in (("forward", "compute"), ("send", "all-reduce")):
        assert seen[name]["fill"] == shade(LOOKS[look][:2], scheme)


def test_a_block_says_what_it_is_and_marks_what_it_waited_for_by_mouse_and_by_keys(show):
    page = show()
    page.locator("[data-block=send]").click()
    assert page.locator(".astra-block-said").inner_text() == "dimension 0, 10 to 30 µs: an all-reduce"
    assert page.evaluate(BLOCKS)["forward"]["because"]
    page.keyboard.press("ArrowLeft")
    assert page.locator(".astra-block-said").inner_text() == "NPU, 0 to 10 µs: NPU 0 computes"
    assert not page.evaluate(BLOCKS)["forward"]["because"]
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.block") == "send"
    assert page.locator(".astra-where").inner_text().startswith("step 0")


def test_the_playhead_goes_with_the_stage_in_lanes_and_not_over_sizes(show):
    page = show()
    for at, time in ((0, 0), (1, 10), (1.5, 20), (2, 30)):
        to_step(page, at)
        x = numbers(page.locator(".astra-lanes .astra-playhead").get_attribute("d"))[0]
        assert x == pytest.approx(LEFT + time * (RIGHT - LEFT) / 30, abs=0.02)
    assert page.locator(".astra-curves .astra-playhead").get_attribute("visibility") == "hidden"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_curves_go_through_their_points_by_powers_and_are_named(show, scheme):
    seen = show(scheme=scheme).evaluate(CURVES)
    assert {name: curve["name"] for name, curve in seen.items()} == {"compute": "compute", "all-reduce": "all-reduce"}
    for name, look in (("compute", LOOKS["compute"]), ("all-reduce", LOOKS["all-reduce"])):
        assert seen[name]["colour"] == shade(look[1::-1], scheme)
        assert seen[name]["dashed"] == bool(look[2])
    drawn = numbers(seen["compute"]["d"])
    for x, y, size, time in zip(drawn[::2], drawn[1::2], XS, truth(2), strict=True):
        assert x == pytest.approx(54 + (640 - 130 - 54) * log(size) / log(64), abs=0.01)
        assert y == pytest.approx(176 - (176 - 8) * (log(time) - log(5)) / (log(200) - log(5)), abs=0.01)


def test_lanes_that_are_open_tell_no_time_before_a_prediction_and_curves_are_not_there(show):
    page = show(answered=False)
    assert page.locator("[data-block]").count() == 2
    assert page.locator(".astra-lanes").inner_text().split("\n")[0] == "The run"
    assert "µs" not in page.locator(".astra-right").inner_text()
    assert page.locator("[data-block=send]").get_attribute("aria-label") == "an all-reduce"
    assert page.locator(".astra-curves").count() == 0


def test_a_place_on_the_stage_or_in_the_lanes_is_a_choice(show):
    page = show(answered=False)
    for click, choice in (
        ("[data-link=there]", "link"),
        ("[data-frame='NPU 0']", "NPU"),
        ("[data-block=send]", "link"),
    ):
        page.locator(click).click()
        assert page.locator(".astra-fields input:checked").get_attribute("value") == f"the {choice}"
    assert page.evaluate("document.querySelector('[data-link=there]').classList.contains('astra-chosen')")
    assert not page.evaluate("document.querySelector('[data-frame=\"NPU 0\"]').classList.contains('astra-chosen')")
    page.get_by_role("button", name="commit").click()
    assert page.locator(".astra-result").inner_text().startswith("✓ Right")
    assert "You said the link; so it is." in page.locator(".astra-result").inner_text()


def test_clicking_what_stands_for_a_setting_takes_it(show):
    page = show()
    page.locator("[data-frame='NPU 1']").click()
    page.locator("pre", has_text="to=right").wait_for(state="attached")
    assert page.get_by_label("sends to").input_value() == "1"


@pytest.mark.parametrize(
    ("values", "there"), [(1, "3 times"), (2, "4 times"), (9, "4 times"), (-1, "1 time"), (-9, "1 time")]
)
def test_a_drag_moves_its_setting_by_as_many_values(show, values, there):
    page = show()
    box = page.locator("[data-piece=token] .astra-ground").bounding_box()
    unit = page.locator(".astra-scene").evaluate("(svg) => svg.getScreenCTM().a")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for share in (0.3, 0.6, 1):
        page.mouse.move(x + share * values * 20 * unit, y)
        page.wait_for_timeout(40)
    page.mouse.up()
    assert page.locator(".astra-setting output").first.inner_text() == there
    page.locator("pre", has_text=f"slow={there[0]}").wait_for(state="attached")
    now = 10 + 10 * int(there[0])
    words = f"Against the setting before: time 30 µs → {now} µs ({(now - 30) / 0.3:+.1f} %).".replace("-", "−")
    assert page.locator(".astra-change").inner_text() == words


def test_a_curve_is_drawn_by_mouse_and_by_keys_and_stays_beside_the_true_one(show):
    page = show("ask=curve", answered=False)
    points = page.get_by_role("slider", name="time (µs) at size (MiB)")
    assert points.count() == 4
    for point, true in zip(points.all(), truth(2), strict=True):
        box = page.locator(".astra-drawing .astra-frame").bounding_box()
        at = point.bounding_box()
        page.mouse.click(at["x"] + at["width"] / 2, box["y"] + box["height"] * (1 - log(true) / log(1000)))
        assert float(point.get_attribute("aria-valuenow")) == pytest.approx(true, rel=0.06)
    last = points.nth(3)
    before = float(last.get_attribute("aria-valuenow"))
    last.focus()
    page.keyboard.press("ArrowUp")
    drawn = [float(point.get_attribute("aria-valuenow")) for point in points.all()]
    assert drawn[3] == pytest.approx(before * 1000 ** (1 / 40), rel=0.01)
    assert page.locator(".astra-where").is_hidden()
    page.get_by_role("button", name="commit").click()
    result = page.locator(".astra-result")
    assert result.inner_text().startswith("✓ Near enough")
    assert "in the median counts as right." in result.inner_text()
    assert f"you drew {drawn[3]:g}, it is 84" in result.inner_text()
    mine, true = (numbers(result.locator(f"path.astra-{whose}").get_attribute("d"))[1::2] for whose in ("mine", "true"))
    scale = (mine[0] - mine[3]) / (log(drawn[3]) - log(drawn[0]))
    assert true[0] - true[3] == pytest.approx(scale * (log(84) - log(21)), abs=0.02)


def test_a_drawn_curve_far_off_is_said_to_be(show):
    page = show("ask=curve", answered=False)
    page.get_by_role("button", name="commit").click()
    said = page.locator(".astra-result").inner_text()
    assert said.startswith("✗ Not this time")
    assert "most at size (MiB) 64: you drew 31.6, it is 84." in said


def test_the_table_says_the_same_as_lanes_and_curves(show):
    page = show()
    page.get_by_text("The same as a table").click()
    page.get_by_text("an all-reduce").last.wait_for()
    lanes, curves = (
        page.locator("table", has_text=title).all_inner_texts()[0] for title in ("The run", "Time by size")
    )
    assert "dimension 0\t10\t30\tan all-reduce" in lanes
    assert "64\t84\t200" in curves
    assert "4\t24\t" in curves


STAGE = """() => {
  const what = (part) => (part.tagName === "path" ? "stroke" : "fill");
  const colour = (part) => getComputedStyle(part)[what(part)].replace(/#astra-[^-]*/, "");
  const at = (part) => ["x", "y", "width", "height", "d"].map((name) => part.getAttribute(name));
  const parts = (group) => [...group.querySelectorAll("rect, path, text")].filter((part) => part.style.fill !== "none")
    .map((part) => [part.tagName, at(part), part.textContent, colour(part)]);
  return [...document.querySelectorAll(["piece", "link", "frame"].map((name) => `.astra-scene [data-${name}]`).join())]
    .filter((group) => getComputedStyle(group).visibility === "visible")
    .map((group) => [Object.values(group.dataset)[0], group.querySelector("title")?.textContent ?? "",
      group.textContent, group.getAttribute("opacity"), parts(group)]);
}"""
FROM_TO = [
    (ae.CaseStudies, {"one": "Conv-3D"}, {"one": "W-1D-350"}),
    (ae.CutTheModel, {"tensor": 8}, {"tensor": 2}),
    (ae.CutTheModel, {"data": 1}, {"data": 2}),
    (ae.Folds, {"rows": 8}, {"rows": 64}),
    (ae.Stages, {"p2p": 0}, {"p2p": 0.5}),
]


@pytest.mark.parametrize(("kind", "first", "then"), FROM_TO, ids=[f"{k.__name__}-{t}" for k, _, t in FROM_TO])
def test_a_stage_on_which_another_setting_stood_is_as_a_new_one(open_page, kind, first, then):
    """Its elements are used again, so nothing of what they showed before may stay."""

    def at_step_1(settings, moved=None):
        view = kind(controls=list(then), **settings)
        view.dismiss()
        page = open_page(view.page())
        for name, value in (moved or {}).items():
            (setting,) = [s for s in kind.settings if s.name == name]
            control = page.get_by_role(
                "combobox" if setting.menu else "slider", name=re.compile(f"(^|, ){re.escape(setting.label)}$")
            )
            place = str(setting.values.index(value))
            control.select_option(place) if setting.menu else control.fill(place)
        to_step(page, 1)
        return page.evaluate(STAGE)

    new, moved = at_step_1(then), at_step_1(first, then)
    assert moved == new
    titles = {name: title for name, title, *_ in new}
    for piece in kind(**then).data["scene"]["stage"]["pieces"]:
        if piece["at"][1]:
            assert titles[piece["name"]] == (piece["title"] or piece["text"])
