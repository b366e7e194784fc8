"""What a person sees of feed the network, read back from a saved page: shards, counters, arrows, bars, the veil."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.instruments.looks import LOOKS
from browser.looking import SCHEMES, Later, saved, shade
from browser.test_chunks_seen import FRAMES, OVER, WORDS
from browser.test_cut_seen import BARS, BOXES, to_step

pytestmark = pytest.mark.browser

FEED = Later(lambda: ae.FeedTheNetwork())
SCENE = Later(lambda: FEED.data["scene"])
COUNTERS = """() => Object.fromEntries([...document.querySelectorAll("[data-frame]")].map((group) =>
  [group.dataset.frame, group.querySelector(".astra-word")?.textContent ?? null]))"""
LINES = """() => Object.fromEntries([...document.querySelectorAll("[data-link]")].map((group) =>
  [group.dataset.link, Number(group.querySelector(".astra-line").getAttribute("stroke-width"))]))"""


@cache
def page_of(text, moved=False):
    return saved(ae.FeedTheNetwork(text), moved)


@pytest.fixture
def show(open_page):
    def shown(text="", scheme="light", answered=True, moved=False, **options):
        page = open_page(page_of(text, moved), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("text", ["", "collective=reduce-scatter shape=8"])
def test_every_shard_is_where_and_as_the_step_has_it(show, text, scheme):
    feed = ae.FeedTheNetwork(text)
    page, stage = show(feed.text, scheme), feed.data["scene"]["stage"]
    for step in (0, 1, 2, 3, 8, len(stage["steps"]) - 1):
        to_step(page, step)
        seen = {entry["name"]: entry for entry in page.evaluate(BOXES, "[data-piece]")}
        words = page.evaluate(WORDS.replace("[data-piece]", "[data-piece]:has(.astra-word)"))
        assert len(seen) == len(stage["pieces"])
        for piece in stage["pieces"]:
            entry, box, look = seen[piece["name"]], piece["at"][step], LOOKS[piece["looks"][step]]
            assert entry["shown"] == (box is not None)
            if box:
                assert entry["box"] == pytest.approx(box, abs=1e-6)
                assert entry["fill"] == shade(look[:2], scheme)
                assert entry["hatched"] == bool(look[2])
                assert words.get(piece["name"], [""])[0] == piece["text"]
        assert page.locator(".astra-live").inner_text() == stage["steps"][step]


def test_counters_say_what_was_read_until_then(show):
    page = show()
    for step in (0, 1, 2, 7, 12):
        to_step(page, step)
        seen = page.evaluate(COUNTERS)
        for frame in SCENE["stage"]["frames"]:
            assert seen[frame["name"]] == (frame["says"][step] if frame["says"] else None)
    read = [seen[f"{half}, number read from HBM"] for half in ("baseline", "ACE")]
    assert read == ["9", "4"]


def test_arrows_are_as_thick_as_what_goes_there(show):
    page = show()
    for step in (1, 2, 3):
        to_step(page, step)
        assert page.evaluate(LINES) == {link["name"]: link["wide"][step] for link in SCENE["stage"]["links"]}
    loads = {link["name"]: link["wide"] for link in SCENE["stage"]["links"]}
    assert loads["ACE, reads"][1] > loads["baseline, reads"][1] > loads["baseline, reads"][2]


def test_parts_are_named_and_stand_where_they_are(show):
    seen = show().evaluate(FRAMES)
    for frame in SCENE["stage"]["frames"]:
        assert seen[frame["name"]] == [frame["text"], *frame["box"]]
    assert seen["baseline, cores"][0] == "6 cores: read and add"
    assert seen["ACE, SRAM"][0] == "ACE’s SRAM"


def test_nothing_is_counted_before_a_prediction(show):
    page = show(answered=False)
    assert not page.locator(".astra-right .astra-range").is_visible()
    assert page.locator(".astra-live").inner_text() == SCENE["stage"]["steps"][0]  # what the boxes are, and no count
    assert not page.locator(".astra-all-bars").is_visible()
    page.get_by_role("button", name="pin this setting").focus()
    page.keyboard.press("End")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(COUNTERS)["baseline, number read from HBM"] == "0"
    page.locator(".astra-fields input").fill("1")
    page.get_by_role("button", name="commit").click()
    page.get_by_text("You said 1 bytes; it is 1.5 bytes: 1.5 times too little.").wait_for()
    assert page.locator(".astra-headline").inner_text() == SCENE["headline"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_bars_are_as_long_as_what_they_say(show, scheme):
    seen = show(scheme=scheme).evaluate(BARS)
    assert [bars["title"] for bars in seen] == [f"{bars['title']}, {bars['unit']}" for bars in SCENE["bars"]]
    for drawn, bars in zip(seen, SCENE["bars"], strict=True):
        sizes = [sum(part["size"] for part in bar["parts"]) for bar in bars["bars"]]
        scale = sum(part[2] for part in drawn["bars"][0]["parts"]) / sizes[0]
        for shape, bar, size in zip(drawn["bars"], bars["bars"], sizes, strict=True):
            assert (shape["label"], shape["said"]) == (bar["label"], bar["said"])
            assert sum(part[2] for part in shape["parts"]) == pytest.approx(size * scale, rel=1e-3)
            for part, wanted in zip(shape["parts"], bar["parts"], strict=True):
                assert part[3] == shade(LOOKS[wanted["look"]][:2], scheme)


def test_another_setting_of_a_saved_page_has_its_own_steps(show):
    page = show(moved=True)
    page.get_by_label("collective").select_option("all-gather")
    other = ae.FeedTheNetwork("collective=all-gather").data["scene"]
    page.get_by_text(other["headline"]).wait_for()
    to_step(page, 2)
    assert page.locator(".astra-live").inner_text() == other["stage"]["steps"][2]
    options = page.locator(".astra-setting select").nth(1).locator("option")
    assert [options.nth(k).is_disabled() for k in range(options.count())] == [False, False, True, True, True]


@pytest.mark.parametrize("text", ["", "shape=4x4x4 cores=12", "collective=all-to-all shape=8 memory=64"])
@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 720)])
def test_settings_and_the_stage_are_in_sight_together_and_no_words_overlap(show, text, wide, high):
    page = show(ae.FeedTheNetwork(text).text, viewport={"width": wide, "height": high})
    lasts = page.locator(".astra-setting").last.bounding_box()
    controls = page.locator(".astra-right .astra-bar").bounding_box()
    assert max(lasts["y"] + lasts["height"], controls["y"] + controls["height"]) <= high
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OVER) == []
    edge = page.locator(".astra-scene").bounding_box()
    for box in [place.bounding_box() for place in page.locator(".astra-scene .astra-caption").all()]:
        assert box["x"] + box["width"] <= edge["x"] + edge["width"] + 0.5
