"""What a person sees of what-if: settings in groups, the platform, the timeline of the run, numbers that follow."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")

from course.instruments.test_what_if import INPUTS, shared

import astra_edu as ae
from astra_edu.run.lanes import lanes
from browser.looking import saved
from browser.test_cut_seen import BARS

pytestmark = pytest.mark.browser

MAKE = {
    "dgx2": lambda **more: ae.WhatIf("dgx2", "VGG-16", inputs=INPUTS, compute_scale=0.41, **more),
    "shared": lambda **more: ae.WhatIf(shared("direct"), ae.Workload.micro("all-reduce", 2**30), **more),
}
TITLES = """() => [...document.querySelectorAll(".astra-group")].filter((one) => one.offsetParent).map((one) =>
  [one.querySelector(".astra-heading").textContent,
   [...one.querySelectorAll(".astra-setting:not([hidden])")].map((it) => it.querySelector("span").textContent)])"""
RUN = """() => { const { run } = document.querySelector(".astra-timeline").astraTimeline;
  return { total: run.total, lanes: run.lanes.map(({ name }) => name), start: [...run.start], end: [...run.end] }; }"""
LINKS = """() => Object.fromEntries([...document.querySelectorAll("[data-link]")].map((group) => [group.dataset.link,
  [Number(getComputedStyle(group.querySelector(".astra-line")).strokeWidth.replace("px", "")),
   group.querySelector("text")?.textContent]]))"""
SMALL = {"viewport": {"width": 1280, "height": 720}}


@cache
def page_of(name, moved=False):
    return saved(MAKE[name](), moved)


@pytest.fixture
def show(open_page):
    def shown(name="dgx2", answered=True, moved=False, **options):
        page = open_page(page_of(name, moved), **(SMALL | options))
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


def headline(page):
    return page.locator(".astra-headline").inner_text()


def per_link(page, key):
    page.get_by_role("slider", name="dimension 1, per link").press(key)


def other(**given):
    found = MAKE["dgx2"](ask=False)
    found.set(**given)
    return found


def test_settings_stand_below_headings(show):
    own = ["topology", "algorithm", "NPUs", "links", "per link", "latency"]
    assert show().evaluate(TITLES) == [
        ["workload", ["workload", "compute", "sizes", "passes"]],
        ["platform", ["platform", "dimensions"]],
        *([f"dimension {d}", own] for d in (0, 1)),
        [
            "chunks and their order",
            ["endpoint", "splits", "at once", "scheduling", "intra-dim.", "inter-dim.", "optimised"],
        ],
    ]


def test_before_a_prediction_there_is_the_platform_and_no_number(show):
    page = show(answered=False)
    assert headline(page) == "Predict first: the numbers come then."
    assert page.locator(".astra-timeline").count() == 0
    assert "5,632" not in page.locator("body").inner_text()
    assert page.locator(".astra-transport, .astra-play").first.is_hidden()
    page.locator('[data-frame="dimension 1"]').click()
    assert page.get_by_role("radio", name="dimension 1").is_checked()
    page.get_by_role("button", name="commit").click()
    assert "You said dimension 1; so it is." in page.locator(".astra-result").inner_text()
    assert headline(page) == "5,632.316 µs in all"
    assert page.locator(".astra-timeline").is_visible()


def test_the_timeline_and_the_bars_are_the_runs_and_follow_a_slider(show):
    page = show(moved=True)
    for key, bandwidth in ((None, 6.25), ("ArrowRight", 12.5)):
        if key:
            per_link(page, key)
        view = other(bandwidth_1=bandwidth)
        page.get_by_text(view.result.in_all, exact=True).first.wait_for()
        found = lanes(view.result)
        seen, spans = page.evaluate(RUN), [s for lane in found for row in lane.rows for s in row]
        assert seen["total"] == view.result.total_ns
        assert sorted(zip(seen["start"], seen["end"], strict=True)) == sorted((s.start_ns, s.end_ns) for s in spans)
        assert seen["lanes"] == [lane.name for lane in found]
        for drawn, bars in zip(page.evaluate(BARS), view.scene(view.values).bars, strict=True):
            assert [bar["said"] for bar in drawn["bars"]] == [bar.said for bar in bars.bars]
        assert page.locator(".astra-words").inner_text().startswith(view.data["scene"]["sentences"][0])


def test_links_are_as_wide_as_their_bandwidth(show):
    page = show()
    assert page.evaluate(LINKS) == {
        "links 0": [14, "150 GB/s"],
        "links 1": [pytest.approx(1.5 + 12.5 * 6.25 / 150, rel=1e-4), "6.25 GB/s"],
    }


def test_the_pinned_setting_is_told_by_what_differs_and_led_back_to(show):
    page = show(moved=True)
    assert page.get_by_role("button", name="back to the pinned setting").is_hidden()
    page.get_by_role("button", name="pin this setting").click()
    assert page.get_by_role("button", name="back to the pinned setting").is_hidden()
    per_link(page, "ArrowRight")
    page.get_by_text("3,990.975 µs in all", exact=True).first.wait_for()
    words = page.locator(".astra-words").inner_text()
    assert "pinned setting (platform, platform dgx2 → edited; dimension 1, per link 6.25 GB/s → 12.5 GB/s): " in words
    assert "time 5,632.316 µs → 3,990.975 µs (−29.1 %)" in words
    page.get_by_role("button", name="back to the pinned setting").click()
    page.get_by_text("5,632.316 µs in all", exact=True).first.wait_for()
    slider = page.get_by_role("slider", name="dimension 1, per link")
    assert slider.get_attribute("aria-valuetext") == "6.25 GB/s"


def test_the_bound_leads_where_messages_share_links(show):
    page = show("shared")
    assert headline(page).startswith("at least 37,500.001 µs in all: the messages share links;")
    labels = [[bar["said"] for bar in one["bars"]] for one in page.evaluate(BARS)]
    assert labels[0][0] == "at least 37,500.001 µs"


@pytest.mark.parametrize("size", [(1280, 720), (900, 720)])
def test_no_scrolling_between_a_control_and_what_it_moves(show, size):
    page = show(viewport={"width": size[0], "height": size[1]})
    page.get_by_role("combobox", name="chunks and their order, scheduling").focus()
    bottom = page.locator(".astra-timeline canvas").first.bounding_box()
    assert bottom["y"] + bottom["height"] <= size[1]
    seen = page.evaluate(
        "(() => { const r = document.activeElement.getBoundingClientRect(); return [r.top, r.bottom]; })()"
    )
    assert 0 <= seen[0] < seen[1] <= size[1]
    assert page.evaluate("scrollY") == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_drag_goes_on_while_other_settings_come_and_go(show):
    page = show(moved=True)
    slider, hidden = (
        page.get_by_role("slider", name="dimension 1, per link"),
        page.get_by_role("combobox", name="the rest"),
    )
    box = slider.bounding_box()
    y, seen = box["y"] + box["height"] / 2, []
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    for x in range(int(box["width"] / 2), -8, -2):
        page.mouse.move(box["x"] + x, y)
        page.wait_for_timeout(60)
        seen.append((slider.get_attribute("aria-valuetext"), hidden.is_visible()))
    page.mouse.up()
    assert {*seen} >= {("12.5 GB/s", True), ("6.25 GB/s", False), ("3.125 GB/s", True)}
    assert seen[-1] == ("1 GB/s", True)


def test_in_jupyterlab_a_drag_ends_with_the_run_of_the_last_position(run_cell):
    source = f'import astra_edu as ae\nae.WhatIf("dgx2", "VGG-16", inputs="{INPUTS}", compute_scale=0.41, ask=False)'
    page = run_cell("what_if", source, ".astra-timeline")
    slider = page.get_by_role("slider", name="dimension 1, per link")
    page.get_by_text("5,632.316 µs in all", exact=True).first.wait_for(timeout=20_000)
    slider.press("ArrowRight")
    page.get_by_text("3,990.975 µs in all", exact=True).first.wait_for(timeout=20_000)
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    for step in range(120):
        page.mouse.move(box["x"] + abs(step % 60 - 30) / 30 * box["width"], y)
        page.wait_for_timeout(10)
    page.mouse.move(box["x"] - 20, y)
    page.mouse.up()
    last = other(bandwidth_1=1).result
    page.get_by_text(last.in_all, exact=True).first.wait_for(timeout=20_000)
    page.wait_for_timeout(500)
    assert page.evaluate(RUN)["total"] == last.total_ns  # nothing was queued
    page.get_by_role("button", name="what would help most?").click()
    page.get_by_text("Twice the bandwidth on dimension 1 (2 GB/s a link)").wait_for(timeout=60_000)
    slider = page.get_by_role("slider", name="dimension 0, NPUs")
    slider.press("ArrowLeft")
    page.get_by_text("✗ halving-doubling needs a power of two; 12 NPUs is none.").wait_for(timeout=20_000)
    slider.press("ArrowRight")
    page.get_by_text(last.in_all, exact=True).first.wait_for(timeout=20_000)
    page.get_by_role("button", name="save for ASTRA-sim").click()
    page.get_by_text("Written: what_if/network.json, what_if/system.txt, what_if/workload.txt.").wait_for(
        timeout=20_000
    )
