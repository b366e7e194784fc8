"""What a person sees of links and congestion, read back from a page: links that heat, counters, clicks, curves."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.instruments.looks import LOOKS
from browser.looking import SCHEMES, Later, numbers, shade
from browser.test_chunks_seen import OVER
from browser.test_cut_seen import BARS, to_step
from browser.test_instrument_seen import CURVES, LINES

pytestmark = pytest.mark.browser

FIRST = Later(lambda: ae.LinksAndCongestion())
TORUS = Later(lambda: ae.LinksAndCongestion("network=torus left=hierarchical size=0.25"))
SWITCH = Later(lambda: ae.LinksAndCongestion("network=switch left=ring size=0.25 late=20 room=64"))


@cache
def page_of(text):
    return ae.LinksAndCongestion(text).page()


@pytest.fixture
def show(open_page):
    def shown(links=FIRST, scheme="light", answered=True, **options):
        page = open_page(page_of(links.text), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


def stage(links):
    return links.data["scene"]["stage"]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("links", [FIRST, TORUS, SWITCH], ids=["racks", "torus", "switch"])
def test_every_link_is_as_wide_hot_and_dashed_as_its_run_has_it_and_counters_go_with_it(show, links, scheme):
    page = show(links, scheme)
    for step in (0, 6, 20, 48):
        to_step(page, step)
        seen = page.evaluate(LINES)
        assert len(seen) == len(stage(links)["links"])
        for line in stage(links)["links"]:
            entry, look = seen[line["name"]], LOOKS[line["looks"][step]]
            assert entry["shown"]
            assert entry["head"]
            assert numbers(entry["d"]) == [number for point in line["points"] for number in point]
            assert entry["wide"] == line["wide"][step]
            assert entry["colour"] == shade(look[1::-1], scheme)
            assert entry["dashed"] == bool(look[2])
            assert (entry["said"] or "") == line["says"][step]
        for frame in stage(links)["frames"]:
            if frame["says"]:
                word = page.locator(f"[data-frame='{frame['name']}'] .astra-word")
                assert word.text_content() == frame["says"][step]
        assert page.locator(".astra-live").inner_text() == stage(links)["steps"][step]


def test_a_clicked_link_chooses_its_kind_and_the_answer_stays_beside_it(show):
    page = show(answered=False)
    assert " µs" not in page.locator(".astra-right").inner_text()
    for link, kind in (("right: 0 → rack 0", "NPU → rack"), ("right: rack 0 → rack 1", "rack → rack")):
        page.locator(f"[data-link='{link}'] .astra-line").first.dispatch_event("pointerdown")
        page.locator(f"[data-link='{link}'] .astra-line").first.dispatch_event("pointerup")
        assert page.locator(".astra-fields input:checked").get_attribute("value") == kind
    page.get_by_role("button", name="commit").click()
    assert "You said rack → rack; so it is." in page.locator(".astra-result").inner_text()
    assert page.locator(".astra-headline").inner_text() == FIRST.data["scene"]["headline"]


def test_a_link_is_hit_by_a_mouse(show):
    page = show(answered=False)
    place = page.evaluate(
        """() => { const line = document.querySelector("[data-link='right: rack 1 → rack 0'] .astra-line");
        const p = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(line.getScreenCTM());
        return [p.x, p.y]; }"""
    )
    page.mouse.click(*place)
    assert page.locator(".astra-fields input:checked").get_attribute("value") == "rack → rack"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_waits_is_drawn_over_the_time_with_a_playhead(show, scheme):
    page, curves = show(scheme=scheme), FIRST.data["scene"]["curves"][0]["curves"]
    seen, most = page.evaluate(CURVES), max(y for curve in curves for _, y in curve["points"])
    for curve in curves:
        look, drawn = LOOKS[curve["look"]], numbers(seen[curve["look"]]["d"])
        assert seen[curve["look"]]["colour"] == shade(look[1::-1], scheme)
        heights = [176 - (176 - 8) * y / most for _, y in curve["points"]]
        assert drawn[1::2] == pytest.approx(heights, abs=0.02)
    to_step(page, 24)
    x = numbers(page.locator(".astra-curves .astra-playhead").get_attribute("d"))[0]
    assert x == pytest.approx(54 + (640 - 130 - 54) / 2, abs=0.1)


def test_times_over_the_room_are_drawn_where_the_room_ends(show):
    page = show(SWITCH)
    assert page.locator(".astra-curves").count() == 2
    points = SWITCH.data["scene"]["curves"][1]["curves"][1]["points"]
    titles = page.locator(".astra-curves").nth(1).locator("[data-curve=direct] circle title").all_text_contents()
    assert [float(text.split()[-2].rstrip(",")) for text in titles] == [x for x, _ in points]


def test_bars_say_how_long_it_takes_and_how_busy_each_kind_of_link_is(show):
    seen = show().evaluate(BARS)
    for mine, bars in zip(seen, FIRST.data["scene"]["bars"], strict=True):
        sizes = [bar["parts"][0]["size"] for bar in bars["bars"]]
        scale = mine["bars"][0]["parts"][0][2] / sizes[0]
        assert [bar["parts"][0][2] for bar in mine["bars"]] == pytest.approx([scale * s for s in sizes], abs=0.02)


@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 720)])
@pytest.mark.parametrize("links", [FIRST, TORUS, SWITCH], ids=["racks", "torus", "switch"])
def test_settings_stage_and_controls_are_in_sight_together_and_no_words_overlap(show, links, wide, high):
    page = show(links, viewport={"width": wide, "height": high})
    last, controls = (
        page.locator(which).bounding_box() for which in (".astra-setting:last-child", ".astra-right .astra-bar")
    )
    assert max(last["y"] + last["height"], controls["y"] + controls["height"]) <= high
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OVER) == []
