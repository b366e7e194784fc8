"""What a person sees of a training iteration, read back from a saved page: layers, chunks, lanes, what a wait marks."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.instruments.looks import LOOKS
from astra_edu.course.instruments.training_job import run
from astra_edu.course.instruments.training_stage import layer_frame, moments
from browser.looking import SCHEMES, Later, shade
from browser.test_chunks_seen import FRAMES, OVER, WORDS
from browser.test_cut_seen import BARS, BOXES, to_step

pytestmark = pytest.mark.browser

FIVE = Later(lambda: ae.TrainingIteration())
VGG = Later(lambda: ae.TrainingIteration("workload=vgg16 scheduling=LIFO"))
BLOCKS = """() => Object.fromEntries([...document.querySelectorAll(".astra-block")].map((group) => {
  const rect = group.querySelector("rect");
  return [group.dataset.block, { x: Number(rect.getAttribute("x")), width: Number(rect.getAttribute("width")),
    y: Number(rect.getAttribute("y")), fill: getComputedStyle(rect).fill,
    marked: group.classList.contains("astra-because") }];
}))"""
LEFT, RIGHT = 136, 626
"""Of the lanes' time."""


@cache
def page_of(text):
    return ae.TrainingIteration(text).page()


@pytest.fixture
def show(open_page):
    def shown(training=FIVE, scheme="light", answered=True, **options):
        page = open_page(page_of(training.text), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("training", [FIVE, VGG], ids=["five layers", "vgg16"])
def test_every_chunk_and_the_npu_are_where_and_as_the_run_has_them(show, training, scheme):
    page, stage = show(training, scheme), training.data["scene"]["stage"]
    for step in (0, 9, 17, len(stage["steps"]) - 1):
        to_step(page, step)
        seen = {entry["name"]: entry for entry in page.evaluate(BOXES, "[data-piece]")}
        assert len(seen) == len(stage["pieces"])
        for piece in stage["pieces"]:
            entry, look = seen[piece["name"]], LOOKS[piece["looks"][step]]
            assert entry["shown"] == (piece["at"][step] is not None)
            if entry["shown"]:
                assert entry["box"] == pytest.approx(piece["at"][step], abs=1e-6)
                assert entry["fill"] == shade(look[:2], scheme)
                assert entry["hatched"] == bool(look[2])
        assert page.locator(".astra-live").inner_text() == stage["steps"][step]


def test_a_chunk_has_its_layers_number_and_a_layer_its_time_and_size(show):
    page = show()
    to_step(page, 17)
    words = page.evaluate(WORDS)
    layers = ["conv1", "conv2", "conv3", "fc1", "fc2"]
    for piece in FIVE.data["scene"]["stage"]["pieces"][:-1]:
        whose = piece["title"].split(" of ")[1].split("’s")[0]
        assert words[piece["name"]][0] == str(layers.index(whose) + 1)
    seen = page.evaluate(FRAMES)
    assert [seen[layer_frame(name)][0] for name in layers] == [
        f"{number} {name}, {time} µs"
        for number, (name, time) in enumerate(zip(layers, (60, 100, 100, 20, 10), strict=True), 1)
    ]
    assert [seen[f"sends {name}"][0] for name in layers] == ["256 KiB", "1 MiB", "4 MiB", "64 MiB", "16 MiB"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_blocks_lie_in_their_lanes_at_their_times(show, scheme):
    page, lanes = show(scheme=scheme), FIVE.data["scene"]["lanes"][0]
    seen = page.evaluate(BLOCKS)
    scale = (RIGHT - LEFT) / lanes["end"]
    for block in lanes["blocks"]:
        found = seen[block["name"]]
        assert found["x"] == pytest.approx(LEFT + block["start"] * scale, abs=0.01)
        assert found["width"] == pytest.approx(max(0.75, (block["end"] - block["start"]) * scale), abs=0.01)
        assert found["y"] == 4 + 24 * lanes["lanes"].index(block["lane"])
        assert found["fill"] == shade(LOOKS[block["look"]][:2], scheme)


def test_a_wait_that_is_clicked_marks_what_went_on_and_says_for_whom(show):
    page, lanes = show(), FIVE.data["scene"]["lanes"][0]
    wait = next(block for block in lanes["blocks"] if block["name"] == "wait 0")
    page.locator('[data-block="wait 0"]').click()
    assert {name for name, block in page.evaluate(BLOCKS).items() if block["marked"]} == set(wait["because"])
    marked = {block["text"] for block in lanes["blocks"] if block["name"] in wait["because"]}
    assert marked == {"fc1", "conv3", "conv2", "conv1"}
    assert "waits for the weight gradients of conv1, 1,245.596 µs" in page.locator(".astra-block-said").inner_text()
    page.keyboard.press("ArrowLeft")
    assert "the NPU computes" in page.locator(".astra-block-said").inner_text()


def test_a_playhead_shows_where_the_stage_has_got(show):
    page, scene = show(), FIVE.data["scene"]
    to_step(page, 17)
    at = float(page.locator(".astra-playhead").get_attribute("d").split()[0][1:])
    scale = (RIGHT - LEFT) / scene["lanes"][0]["end"]
    assert at == pytest.approx(LEFT + moments(run(FIVE.values))[17] / 1e3 * scale, abs=0.02)


def test_a_layer_that_is_clicked_is_the_prediction(show):
    page = show(answered=False)
    page.locator(f'[data-frame="{layer_frame("fc1")}"]').click()
    assert page.get_by_role("radio", name="fc1").is_checked()
    page.get_by_role("button", name="commit").click()
    page.get_by_text("You said fc1; it is conv1.").wait_for()
    assert page.locator(".astra-headline").inner_text() == FIVE.data["scene"]["headline"]


def test_no_time_of_the_run_is_told_before_a_prediction(show):
    page = show(answered=False)
    assert page.locator(".astra-block").count() == 0
    assert not page.locator(".astra-live").is_visible()
    assert "exposed, " not in page.locator(".astra-right").inner_text()
    assert "%" not in page.locator(".astra-right").inner_text()


def test_bars_are_the_report_and_lifo_of_a_saved_page_shows_its_own(show):
    page = show()
    page.get_by_role("combobox", name="who is next").select_option(label="LIFO: last issued")
    other = ae.TrainingIteration("scheduling=LIFO").data["scene"]
    page.get_by_text(other["headline"]).wait_for()
    shown = page.evaluate(BARS)[1]
    assert shown["title"].startswith("Each layer’s communication")
    per = shown["bars"][3]["parts"][1][2] / other["bars"][1]["bars"][3]["parts"][1]["size"]
    for bar, wanted in zip(shown["bars"], other["bars"][1]["bars"], strict=True):
        parts = [part["size"] * per for part in wanted["parts"] if part["size"] * per > 1]
        assert [part[2] for part in bar["parts"] if part[2] > 1] == pytest.approx(parts, rel=1e-3, abs=0.1)


@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 800)])
def test_settings_stage_and_lanes_are_in_sight_together_and_no_words_overlap(show, wide, high):
    page = show(viewport={"width": wide, "height": high})
    lasts = page.locator(".astra-setting").last.bounding_box()
    lanes = page.locator(".astra-lanes svg[role=group]").bounding_box()
    assert max(lasts["y"] + lasts["height"], lanes["y"] + lanes["height"]) <= high
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OVER) == []
