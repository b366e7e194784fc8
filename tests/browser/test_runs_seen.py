"""What a person sees of a prediction among measured runs, read back from a saved page: marks, rays, bars, the veil."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.instruments.looks import LOOKS
from astra_edu.course.instruments.runs_known import by_model
from browser.looking import SCHEMES, Later, numbers, saved, shade
from browser.test_chunks_seen import OVER
from browser.test_cut_seen import BARS, BOXES, to_step

pytestmark = pytest.mark.browser

FIRST = Later(lambda: ae.HeldAgainstRuns())
LINKS = """() => Object.fromEntries([...document.querySelectorAll("[data-link]")].map((group) =>
  [group.dataset.link, group.querySelector("path").getAttribute("d")]))"""


@cache
def page_of(text, moved=False):
    return saved(ae.HeldAgainstRuns(text), moved)


@pytest.fixture
def show(open_page):
    def shown(text="", scheme="light", answered=True, moved=False, **options):
        page = open_page(page_of(text, moved), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("step", [0, 1, 2])
def test_every_run_is_a_mark_where_its_shares_are_and_the_prediction_comes_after_them(show, scheme, step):
    page, stage = show(scheme=scheme), FIRST.data["scene"]["stage"]
    to_step(page, step)
    seen = {entry["name"]: entry for entry in page.evaluate(BOXES, "[data-piece]")}
    assert len(seen) == len(stage["pieces"])
    for piece in stage["pieces"]:
        entry = seen[piece["name"]]
        assert entry["shown"] == (piece["at"][step] is not None)
        if entry["shown"]:
            assert entry["box"] == pytest.approx(piece["at"][step])
            assert entry["fill"] == shade(LOOKS[piece["looks"][step]][:2], scheme)
    assert page.locator(".astra-live").inner_text() == stage["steps"][step]


def test_rays_run_from_nothing_to_where_measured_took_as_long_as_they_say(show):
    lines = show().evaluate(LINKS)
    for link in FIRST.data["scene"]["stage"]["links"]:
        wanted = [number for point in link["points"] for number in point]
        assert numbers(lines[link["name"]]) == pytest.approx(wanted, abs=0.1)


def test_a_mark_tells_its_run_and_a_click_takes_it(show):
    page = show(moved=True)
    run = next(
        run
        for run in by_model("nanotron-h100")["nanotron-8b"]
        if run.values == FIRST.values | {"tensor": run.values["tensor"]} and run.values["tensor"] != 4
    )
    mark = page.locator(f"[data-piece='run {run.number}']")
    assert f"{run.mfu[1]:.1f} % of the peak; predicted" in mark.locator("title").text_content()
    mark.click(force=True)
    page.get_by_text(ae.HeldAgainstRuns(**run.values).data["scene"]["headline"]).first.wait_for()


def test_bars_are_as_long_as_what_they_stand_for(show):
    page, scene = show(), FIRST.data["scene"]
    for seen, bars in zip(page.evaluate(BARS), scene["bars"], strict=True):
        long = max(sum(part["size"] for part in bar["parts"]) for bar in bars["bars"])
        wide = max(sum(part[2] for part in bar["parts"]) for bar in seen["bars"])
        for bar, wanted in zip(seen["bars"], bars["bars"], strict=True):
            assert (bar["label"], bar["said"]) == (wanted["label"], wanted["said"])
            assert [part[0] for part in bar["parts"]] == [part["look"] for part in wanted["parts"]]
            sizes = [part[2] / wide for part in bar["parts"]]
            assert sizes == pytest.approx([part["size"] / long for part in wanted["parts"]], abs=0.005)


def test_the_runs_are_seen_but_not_this_one_before_a_prediction(show):
    page = show(answered=False)
    assert page.locator("[data-piece]").count() > 100
    assert not [e for e in page.evaluate(BOXES, "[data-piece]") if e["shown"] and e["name"] in ("predicted", "range")]
    assert page.locator(".astra-bars:visible").count() == 0
    page.locator(".astra-fields input").fill("30")
    page.get_by_role("button", name="commit").click()
    said = f"You said 30 %; it is {FIRST.data['scene']['numbers']['MFU'][1]}"
    assert said in page.locator(".astra-result").inner_text()
    assert page.locator(".astra-headline").inner_text() == FIRST.data["scene"]["headline"]


def test_what_makes_no_difference_is_greyed_and_says_why_in_words(show):
    page = show("kind=torchtitan-h100 model=llama3-405b")
    slider = page.get_by_role("slider", name="micro-batch", exact=True)
    assert slider.is_disabled()
    said = slider.evaluate("(control) => document.getElementById(control.getAttribute('aria-describedby')).innerText")
    assert said == "No difference here: with stages, TorchTitan has micro-batches of 1 sample."
    assert page.get_by_text(said).is_visible()
    precision = page.get_by_role("combobox", name="precision", exact=True)
    assert precision.is_enabled()
    assert page.get_by_text("Predicted as fp8: fp8 rowwise, fp8 tensorwise; only the 8 bits count.").is_visible()
    offered = precision.locator("option:not([hidden])").all_inner_texts()
    assert offered == ["bf16", "amp_bf16", "fp16", "fp8", "fp8 rowwise", "fp8 tensorwise", "nvfp4"]
    assert page.get_by_role("slider", name="pipeline", exact=True).is_enabled()


def test_before_a_prediction_it_is_said_what_the_marks_are(show):
    page = show(answered=False)
    said = page.locator(".astra-live", has_text="measured runs")
    said.wait_for()
    assert said.inner_text() == FIRST.data["scene"]["stage"]["steps"][0]


@pytest.mark.parametrize("wide", [1280, 900, 390])
def test_words_at_the_axes_are_large_enough_to_read(show, wide):
    page = show(viewport={"width": wide, "height": 720})
    labels = page.evaluate("""() => [...document.querySelectorAll("[data-label]")].map((label) =>
      [label.textContent, label.getBoundingClientRect().height])""")
    assert [text for text, _ in labels] == [label["text"] for label in FIRST.data["scene"]["stage"]["labels"]]
    assert min(high for _, high in labels) > 11


@pytest.mark.parametrize("text", ["", "kind=bridge-gb200"])
@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 720)])
def test_no_words_overlap(show, text, wide, high):
    page = show(text, viewport={"width": wide, "height": high})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OVER) == []
