"""What a person sees of a training that fails, read back from a saved page: the day, the curves, the bars, the veil."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.instruments.looks import LOOKS
from browser.looking import SCHEMES, Later, numbers, saved, shade
from browser.test_chunks_seen import OVER
from browser.test_cut_seen import BARS
from browser.test_instrument_seen import BLOCKS, CURVES

pytestmark = pytest.mark.browser

FIRST = Later(lambda: ae.KeepTraining())


@cache
def page_of(text, moved=False):
    return saved(ae.KeepTraining(text), moved)


@pytest.fixture
def show(open_page):
    def shown(text="", scheme="light", answered=True, moved=False, **options):
        page = open_page(page_of(text, moved), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("text", ["", "spares=4 restart=30"])
def test_the_day_is_seen_block_by_block_where_and_as_it_was(show, scheme, text):
    page, scene = show(text, scheme), ae.KeepTraining(text).data["scene"]
    seen = page.evaluate(BLOCKS)
    (lanes,) = scene["lanes"]
    assert list(seen) == [block["name"] for block in lanes["blocks"]]
    rows = sorted({entry["y"] for entry in seen.values()})
    assert len(rows) == len({block["lane"] for block in lanes["blocks"]})
    left, wide = seen["0, row 0"]["x"], 0.0
    for block in lanes["blocks"]:
        entry = seen[block["name"]]
        if block["end"] == lanes["end"] and not wide:
            wide = (entry["x"] + entry["wide"] - left) / lanes["end"]
    for block in lanes["blocks"]:
        entry = seen[block["name"]]
        assert entry["x"] == pytest.approx(left + wide * block["start"], abs=0.1)
        assert entry["y"] == rows[lanes["lanes"].index(block["lane"])]
        assert entry["fill"] == shade(LOOKS[block["look"]][:2], scheme)
        if wide * (block["end"] - block["start"]) > 2:
            assert entry["wide"] == pytest.approx(wide * (block["end"] - block["start"]), abs=0.6)


def test_a_block_that_is_clicked_says_what_it_is(show):
    page = show()
    lost = next(block for block in FIRST.data["scene"]["lanes"][0]["blocks"] if block["look"] == "lost")
    block = page.locator(f"[data-block='{lost['name']}']")
    block.click()
    assert lost["title"] in page.locator(".astra-right").inner_text()
    assert "this is lost with the next failure" in lost["title"]


def test_both_curves_are_drawn_with_their_names_and_bars_share_a_scale(show):
    page = show()
    scene, curves = FIRST.data["scene"], page.evaluate(CURVES)
    assert {entry["name"] for entry in curves.values()} == {"by the formula", "simulated failures"}
    assert [curves[name]["dashed"] for name in ("by the formula", "simulated failures")] == [False, True]
    for curve in scene["curves"][0]["curves"]:
        drawn = numbers(curves[curve["look"]]["d"])
        heights, shares = drawn[1::2], [y for _, y in curve["points"]]
        assert sorted(range(7), key=heights.__getitem__) == sorted(range(7), key=lambda k: -shares[k])
    (seen,), (bars,) = page.evaluate(BARS), scene["bars"]
    for bar, wanted in zip(seen["bars"], bars["bars"], strict=True):
        sizes = [part["size"] for part in wanted["parts"]]
        assert [part[2] / bar["parts"][0][2] for part in bar["parts"]] == pytest.approx(
            [size / sizes[0] for size in sizes], abs=0.01
        )


def test_no_share_is_told_before_a_prediction_and_both_stay_after_it(show):
    page = show(answered=False)
    assert "%" not in page.locator(".astra-right").inner_text()
    assert page.locator(".astra-curves").count() == 0
    assert page.locator("[data-block]").count() == len(FIRST.data["scene"]["lanes"][0]["blocks"])
    page.get_by_role("radio", name="30 min", exact=True).check()
    page.get_by_role("button", name="commit").click()
    assert "You said 30 min; it is 20 min." in page.locator(".astra-result").inner_text()
    assert page.locator(".astra-headline").inner_text() == FIRST.data["scene"]["headline"]


def test_a_day_would_tell_how_often_it_fails_and_isnt_shown_while_that_is_asked(show):
    page = show("every=120", answered=False)
    assert page.locator("[data-block]").count() == 0
    page.locator(".astra-fields input").fill("10")
    page.get_by_role("button", name="commit").click()
    said = page.locator(".astra-result").inner_text()
    assert "You said 10 failures; it is 55.1 failures: 5.51 times too little." in said
    assert page.locator("[data-block]").count() > 6


def test_a_slider_changes_the_day(show):
    page = show(moved=True)
    page.get_by_role("slider", name="between checkpoints").press("ArrowLeft")
    page.get_by_text(ae.KeepTraining(every=30).data["scene"]["headline"]).first.wait_for()


@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 720)])
def test_settings_and_the_day_are_in_sight_together_and_no_words_overlap(show, wide, high):
    page = show(viewport={"width": wide, "height": high})
    last, day = (page.locator(which).first.bounding_box() for which in (".astra-setting:last-child", "[data-block]"))
    assert max(last["y"] + last["height"], day["y"] + day["height"]) <= high
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OVER) == []
