"""What a person sees of a pipeline's stages, read back from a saved page: passes, what is kept, words, controls."""

from __future__ import annotations

import json
from functools import cache
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu import Stages
from astra_edu.course.instruments.looks import LOOKS
from astra_edu.course.instruments.stages import RATIOS, TRANSFERS
from astra_edu.course.instruments.stages_stage import moments
from browser.looking import SCHEMES, Later, shade
from browser.test_chunks_seen import OVER
from browser.test_cut_seen import BARS, BOXES, to_step
from browser.test_training_seen import BLOCKS, LEFT, RIGHT

pytestmark = pytest.mark.browser

WIDGETS = {
    "one": Later(lambda: Stages("1f1b", 4, 8)),
    "slow": Later(lambda: Stages("gpipe", 3, 4, p2p=0.25, slow=1)),
    "virtual": Later(lambda: Stages("interleaved", 2, 4, virtual=2)),
    "many": Later(lambda: Stages("gpipe", 12, 4)),
}
COUNTS = """() => Object.fromEntries([...document.querySelectorAll("[data-frame]")].map((group) =>
  [group.dataset.frame, group.querySelector(".astra-word")?.textContent ?? ""]))"""
WRITTEN = """() => Object.fromEntries([...document.querySelectorAll(".astra-block")].map((group) => {
  const word = group.querySelector(".astra-word");
  return [group.dataset.block, word && [word.textContent, Number(word.getAttribute("x"))]];
}))"""


@cache
def page_of(name):
    return WIDGETS[name].page()


@pytest.fixture
def show(open_page):
    def shown(name, scheme="light", answered=True, **options):
        page = open_page(page_of(name), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


def frame(page):
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", WIDGETS)
def test_a_bar_for_every_pass_from_its_start_to_its_end_in_its_look(show, name, scheme):
    page, run = show(name, scheme), WIDGETS[name].run
    seen = page.evaluate(BLOCKS)
    scale = (RIGHT - LEFT) / run.total_ns
    assert len(seen) == len(run.spans)
    for span in run.spans:
        part = span.virtual_stage * run.stages + span.stage
        block = seen[f"{span.kind} {part},{span.micro_batch}"]
        assert block["x"] == pytest.approx(LEFT + span.start_ns * scale, abs=0.01)
        assert block["width"] == pytest.approx((span.end_ns - span.start_ns) * scale, abs=0.01)
        assert block["y"] == 4 + 24 * span.stage
        look = {"F": "forward", "B": "backward"}[span.kind] + (" b" if span.virtual_stage else "")
        assert block["fill"] == shade(LOOKS[look][:2], scheme)


@pytest.mark.parametrize("name", WIDGETS)
def test_what_is_written_on_a_bar_is_its_micro_batch_and_its_virtual_stage(show, name):
    page, run = show(name), WIDGETS[name].run
    written = page.evaluate(WRITTEN)
    scale = (RIGHT - LEFT) / run.total_ns
    for span in run.spans:
        part = span.virtual_stage * run.stages + span.stage
        letter = "ab"[span.virtual_stage] if run.virtual > 1 else ""
        said, x = written[f"{span.kind} {part},{span.micro_batch}"]
        assert said == f"{span.micro_batch}{letter}"
        assert x == pytest.approx(LEFT + (span.start_ns + span.end_ns) / 2 * scale, abs=0.01)


def test_stages_are_named_from_0_from_top_to_bottom(show):
    for name, count in (("one", 4), ("many", 12)):
        texts = show(name).locator(".astra-lanes svg[role=group] > .astra-name").all_text_contents()
        assert texts == [f"stage {stage}" for stage in range(count)]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_later_virtual_stages_are_paler_and_backward_passes_hatched(show, scheme):
    page = show("virtual", scheme)
    named = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll(".astra-lanes .astra-key")].map((key) =>
          [key.textContent, [getComputedStyle(key.querySelector(".astra-ground")).fill,
           key.querySelector(".astra-hatch")?.style.fill.startsWith("url") ?? false]]))"""
    )
    assert set(named) == {"forward", "forward b", "backward", "backward b"}

    def from_paper(look):
        paper = 255 if scheme == "light" else 22
        return sum(abs(int(part) - paper) for part in named[look][0][4:-1].split(", "))

    assert from_paper("forward b") < from_paper("forward")
    assert from_paper("backward b") < from_paper("backward")
    assert [named[look][1] for look in ("forward", "forward b", "backward", "backward b")] == [False, False, True, True]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["one", "virtual", "slow"])
def test_the_stage_shows_what_each_stage_does_and_keeps(show, name, scheme):
    page, widget = show(name, scheme), WIDGETS[name]
    run, stage = widget.run, widget.data["scene"]["stage"]
    for step in (0, 5, 9, len(stage["steps"]) - 1):
        to_step(page, step)
        now = moments(run)[step]
        seen = {entry["name"]: entry for entry in page.evaluate(BOXES, "[data-piece]")}
        words = page.evaluate(COUNTS)
        for s in range(run.stages):
            mine = [span for span in run.spans if span.stage == s]
            begun = {(x.virtual_stage, x.micro_batch) for x in mine if x.kind == "F" and x.start_ns <= now}
            held = begun - {(x.virtual_stage, x.micro_batch) for x in mine if x.kind == "B" and x.end_ns <= now}
            most = f" of {run.in_flight[s]:g}" if step else ""
            assert words[f"count {s}"] == f"{len(held) / run.virtual:g}{most}"
            shown = [entry for piece, entry in seen.items() if piece.startswith(f"stage {s} keeps") and entry["shown"]]
            assert len(shown) == len(held)
            assert {entry["fill"] for entry in shown} <= {shade(LOOKS["activations"][:2], scheme)}
            current = [span for span in mine if span.start_ns <= now < span.end_ns]
            assert seen[f"stage {s} computes"]["shown"] == bool(current)
            if current:
                assert words[f"does {s}"].startswith({"F": "forward of ", "B": "backward of "}[current[0].kind])
        assert page.locator(".astra-live").inner_text() == stage["steps"][step]
        assert page.locator(".astra-where").inner_text() == f"step {step} of {len(stage['steps']) - 1}"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_playhead_is_where_the_axis_says(show, scheme):
    page, run = show("one", scheme), WIDGETS["one"].run
    for step in (0, 7, 19):
        to_step(page, step)
        head = page.locator(".astra-playhead")
        x = float(head.get_attribute("d").split()[0][1:])
        assert x == pytest.approx(LEFT + moments(run)[step] / run.total_ns * (RIGHT - LEFT), abs=0.02)


def test_keys_go_from_event_to_event_and_are_read_out(show):
    page, run = show("one"), WIDGETS["one"].run
    page.locator(".astra-widget").focus()
    for step in range(1, 6):
        page.keyboard.press("ArrowRight")
        page.get_by_text(f"step {step} of {len(moments(run)) - 1}", exact=True).wait_for()
    assert page.locator(".astra-live").inner_text() == (
        "72.000 µs: stage 0 waits, keeps 0–3; stage 1 waits, keeps 0–2; "
        "stage 2 backward of 0, keeps 0, 1; stage 3 forward of 1, keeps 1."
    )
    page.keyboard.press("End")
    page.get_by_text(f"step {len(moments(run)) - 1} of {len(moments(run)) - 1}", exact=True).wait_for()


def test_a_pass_that_is_clicked_says_what_it_is_and_marks_what_it_waited_for(show):
    page = show("one")
    page.locator('[data-block="B 2,0"]').click()
    said = page.locator(".astra-block-said").inner_text()
    assert said == "stage 2, 72 to 96 µs: backward pass of micro-batch 0 through part 2 of the model"
    assert {name for name, block in page.evaluate(BLOCKS).items() if block["marked"]} == {"B 3,0"}


@pytest.mark.parametrize("name", ["one", "slow"])
def test_bars_say_what_is_kept_beside_the_formula_and_what_time_goes_to(show, name):
    page, run = show(name), WIDGETS[name].run
    kept, time = page.evaluate(BARS)
    assert kept["title"].startswith("Micro-batches whose activations a stage keeps at most")
    per = kept["bars"][0]["parts"][0][2] / run.in_flight[0]
    for stage, bar in enumerate(kept["bars"]):
        assert bar["parts"][0][2] == pytest.approx(run.in_flight[stage] * per)
    scale = time["bars"][0]["parts"][0][2] / sum(
        s.end_ns - s.start_ns for s in run.spans if (s.stage, s.kind) == (0, "F")
    )
    for stage, bar in enumerate(time["bars"]):
        bubble = [part for part in bar["parts"] if part[0] == "bubble"]
        assert bubble[0][2] == pytest.approx((run.total_ns - run.busy_ns[stage]) * scale, rel=1e-3)


def test_the_controls_say_what_is_set(show):
    page = show("slow")
    for name, said in [
        ("stages", "3"),
        ("micro-batches", "4"),
        ("virtual stages", "2"),
        ("backward", "2 × forward"),
        ("transfer", "25 % of forward"),
        ("forward", "12000 ns"),
    ]:
        assert page.get_by_role("slider", name=name, exact=True).get_attribute("aria-valuetext") == said
    assert page.get_by_role("slider", name="backward", exact=True).get_attribute("max") == str(len(RATIOS) - 1)
    assert page.get_by_role("slider", name="transfer", exact=True).get_attribute("max") == str(len(TRANSFERS) - 1)
    order, slow = (page.get_by_role("combobox", name=name) for name in ("order", "slow stage"))
    assert order.locator("option").all_inner_texts() == list(ae.ORDERS)
    assert slow.locator("option:checked").inner_text() == "stage 1"
    assert slow.locator("option").all_inner_texts()[:4] == ["none", "stage 0", "stage 1", "stage 2"]


def test_on_a_saved_page_another_order_shows_its_own_run(show):
    page = show("one")
    page.get_by_role("combobox", name="order").select_option("gpipe")
    other = Stages("gpipe", 4, 8).data["scene"]
    page.get_by_text(other["headline"]).wait_for()
    assert len(page.evaluate(BLOCKS)) == 64
    page.get_by_role("slider", name="transfer").focus()
    page.keyboard.press("End")
    page.get_by_text("this page doesn't hold this setting").wait_for()


def test_nothing_of_the_run_is_told_before_a_prediction(show):
    page = show("one", answered=False)
    assert page.locator(".astra-block").count() == 0
    assert " µs" not in page.locator(".astra-right").inner_text()
    page.get_by_role("radio", name="gpipe").check()
    page.get_by_role("button", name="commit").click()
    page.get_by_text("You said gpipe; it is two or more alike.").wait_for()
    assert page.locator(".astra-headline").inner_text() == WIDGETS["one"].data["scene"]["headline"]


@pytest.mark.parametrize("name", WIDGETS)
@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 800)])
def test_settings_and_the_stage_are_in_sight_together_and_no_words_overlap(show, name, wide, high):
    page = show(name, viewport={"width": wide, "height": high})
    lasts = page.locator(".astra-setting").last.bounding_box()
    controls = page.locator(".astra-right .astra-bar").bounding_box()
    assert max(lasts["y"] + lasts["height"], controls["y"] + controls["height"]) <= high
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OVER) == []


def test_in_jupyterlab_the_controls_simulate(chromium, lab):
    address, token = lab
    source = "import astra_edu as ae\nshown = ae.Stages()\nshown"
    cell = {"cell_type": "code", "id": "c", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": [cell]}
    body = json.dumps({"type": "notebook", "format": "json", "content": content}).encode()
    headers = {"Authorization": f"token {token}", "Content-Type": "application/json"}
    urlopen(Request(f"{address}/api/contents/stages.ipynb", body, headers, method="PUT")).close()
    page = chromium.new_page(viewport={"width": 1300, "height": 1000})
    page.goto(f"{address}/lab/workspaces/stages/tree/stages.ipynb?token={token}&reset")
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
    page.click('.lm-MenuBar-itemLabel:text-is("Run")')
    page.click('.lm-Menu-itemLabel:text-is("Run All Cells")')
    page.locator(".astra-instrument").wait_for(timeout=60_000)
    words = page.locator(".astra-words")

    def bubble(text):
        without = page.get_by_role("button", name="show me without")
        words.filter(has_text=text).or_(without).first.wait_for(timeout=20_000)
        if without.is_visible():
            without.click()
        words.filter(has_text=text).wait_for(timeout=20_000)

    bubble("is 27.3 % of it")
    page.get_by_role("slider", name="stages", exact=True).press("ArrowRight")
    bubble("is 33.3 % of it")
    page.get_by_role("slider", name="stages", exact=True).press("ArrowLeft")
    bubble("is 27.3 % of it")
    page.get_by_role("combobox", name="order").select_option("interleaved")
    bubble("is 15.8 % of it")
    page.get_by_role("combobox", name="slow stage").select_option("stage 2")
    bubble("but stage 2 takes 1.5 times as long")
    page.get_by_role("combobox", name="slow stage").select_option("none")
    page.get_by_role("slider", name="transfer").press("End")
    bubble("but a transfer takes 12.000 µs")
    page.close()
