"""What a person sees of who waits for whom, read back from a saved page: workers, losses, drags and clicks."""

from __future__ import annotations

from functools import cache
from math import log

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.instruments.looks import LOOKS
from browser.looking import SCHEMES, Later, numbers, saved, shade
from browser.test_chunks_seen import OVER, WORDS
from browser.test_cut_seen import BARS, BOXES, to_step
from browser.test_instrument_seen import CURVES

pytestmark = pytest.mark.browser

FIRST = Later(lambda: ae.WhoWaits())
OTHER = Later(lambda: ae.WhoWaits("workers=4 straggler=3 slow=2 size=256 bound=1"))


@cache
def page_of(text, moved=False):
    return saved(ae.WhoWaits(text), moved)


@pytest.fixture
def show(open_page):
    def shown(waits=FIRST, scheme="light", answered=True, moved=False, **options):
        page = open_page(page_of(waits.text, moved), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


def stage(waits):
    return waits.data["scene"]["stage"]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("waits", [FIRST, OTHER], ids=["8 workers", "4 workers"])
def test_every_worker_is_where_and_as_its_run_has_it_and_counters_go_with_it(show, waits, scheme):
    page = show(waits, scheme)
    for step in (0, 5, 20, 61, 80):
        to_step(page, step)
        seen, words = {entry["name"]: entry for entry in page.evaluate(BOXES, "[data-piece]")}, page.evaluate(WORDS)
        assert len(seen) == 3 * waits.values["workers"]
        for piece in stage(waits)["pieces"]:
            entry, look = seen[piece["name"]], LOOKS[piece["looks"][step]]
            assert entry["shown"]
            assert entry["box"] == pytest.approx(piece["at"][step], abs=1e-6)
            assert entry["fill"] == shade(look[:2], scheme)
            assert entry["hatched"] == bool(look[2])
            assert words[piece["name"]][0] == piece["text"]
        for frame in stage(waits)["frames"]:
            if frame["says"]:
                word = page.locator(f"[data-frame='{frame['name']}'] .astra-word")
                assert word.text_content() == frame["says"][step]
        assert page.locator(".astra-live").inner_text() == stage(waits)["steps"][step]


def test_who_has_made_an_update_goes_by_way_of_the_server(show):
    page = show()
    step, piece = next((int(s), p) for p in stage(FIRST)["pieces"] for s in p["by"])
    to_step(page, step - 1 + 0.75)
    boxes = {entry["name"]: entry["box"] for entry in page.evaluate(BOXES, "[data-piece]")}
    assert boxes[piece["name"]] == pytest.approx(piece["by"][step], abs=1e-6)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_losses_fall_as_trained_with_a_playhead_at_the_stages_time(show, scheme):
    page, curves = show(scheme=scheme), FIRST.data["scene"]["curves"][0]["curves"]
    seen, losses = page.evaluate(CURVES), [y for curve in curves for _, y in curve["points"]]
    low, high = min(losses), max(losses)
    assert list(seen) == sorted(
        seen, key=lambda name: -curves[[c["look"] for c in curves].index(name)]["points"][-1][1]
    )
    for curve in curves:
        look, drawn = LOOKS[curve["look"]], numbers(seen[curve["look"]]["d"])
        assert len(drawn) == 2 * len(curve["points"]) == 2 * 101
        assert (seen[curve["look"]]["colour"], seen[curve["look"]]["dashed"]) == (
            shade(look[1::-1], scheme),
            bool(look[2]),
        )
        drops = [(log(high) - log(y)) / (log(high) - log(low)) for _, y in curve["points"]]
        assert drawn[1::2] == pytest.approx([8 + (176 - 8) * drop for drop in drops], abs=0.01)
    for step in (0, 20, 80):
        to_step(page, step)
        x = numbers(page.locator(".astra-curves .astra-playhead").get_attribute("d"))[0]
        assert x == pytest.approx(54 + (640 - 130 - 54) * 2.5 * step / 400, abs=0.02)


def test_bars_say_how_long_it_takes_how_many_updates_are_made_and_who_waits(show):
    seen = show().evaluate(BARS)
    for mine, bars in zip(seen, FIRST.data["scene"]["bars"], strict=True):
        assert mine["title"] == f"{bars['title']}, {bars['unit']}"
        sizes = [[part["size"] for part in bar["parts"]] for bar in bars["bars"]]
        scale = mine["bars"][0]["parts"][0][2] / sizes[0][0]
        for bar, wanted in zip(mine["bars"], sizes, strict=True):
            assert [part[2] for part in bar["parts"]] == pytest.approx([scale * size for size in wanted], abs=1e-2)


def pulled(page, name, values):
    """Drag a piece by so many values' way."""
    box = page.locator(f"[data-piece='{name}'] .astra-ground").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    scale = box["width"] / 13
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 12 * scale * values, y, steps=4)
    page.mouse.up()


def test_pulling_the_straggler_back_makes_it_slower_and_only_the_straggler_can_be_pulled(show):
    page = show(moved=True)
    to_step(page, 20)
    pulled(page, "asynchronous, worker 0", 1)
    page.get_by_text(ae.WhoWaits(slow=4).data["scene"]["headline"]).wait_for()
    pulled(page, "bulk-synchronous, worker 0", -2)
    page.get_by_text(ae.WhoWaits(slow=2).data["scene"]["headline"]).wait_for()
    pulled(page, "asynchronous, worker 1", 1)
    assert page.locator(".astra-headline").inner_text() == ae.WhoWaits(slow=2).data["scene"]["headline"]


def test_a_lane_that_is_clicked_has_the_straggler(show):
    page = show(moved=True)
    page.locator("[data-frame='bounded staleness, lane of worker 5'] rect").click(position={"x": 60, "y": 8})
    page.get_by_text(ae.WhoWaits(straggler=5).data["title"]).first.wait_for()
    assert page.locator("[data-frame='asynchronous, name of worker 5'] text").text_content() == "worker 5 ×3"


def test_no_time_is_told_before_a_prediction_and_both_stay_after_it(show):
    page = show(answered=False)
    assert " ms" not in page.locator(".astra-right").inner_text()
    assert page.locator(".astra-curves").count() == 0
    assert not page.locator(".astra-live").is_visible()
    page.locator(".astra-fields input").fill("1.25")
    page.get_by_role("button", name="commit").click()
    said = page.locator(".astra-result").inner_text()
    assert "You said 1.25 times; it is 2.613 times: 2.09 times too little." in said
    assert page.locator(".astra-headline").inner_text() == FIRST.data["scene"]["headline"]


def test_a_curve_is_drawn_and_laid_beside_the_runs(open_page):
    drawn = ae.WhoWaits("straggler=3")
    page = open_page(page_of(drawn.text))
    page.get_by_role("slider", name="updates/s at slowness of worker 3 (times) 6").press("ArrowDown")
    page.get_by_role("button", name="commit").click()
    page.locator(".astra-drawing .astra-true").first.wait_for()
    assert "Your curve is off by" in page.locator(".astra-result").inner_text()


@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 720)])
@pytest.mark.parametrize("waits", [FIRST, OTHER], ids=["8 workers", "4 workers"])
def test_settings_stage_and_controls_are_in_sight_together_and_no_words_overlap(show, waits, wide, high):
    page = show(waits, viewport={"width": wide, "height": high})
    last, controls = (
        page.locator(which).bounding_box() for which in (".astra-setting:last-child", ".astra-right .astra-bar")
    )
    assert max(last["y"] + last["height"], controls["y"] + controls["height"]) <= high
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OVER) == []
