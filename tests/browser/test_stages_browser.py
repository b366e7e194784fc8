"""The chart of a pipeline's stages in a browser, from a file, with no kernel; and with its controls in JupyterLab."""

from __future__ import annotations

import json
from itertools import pairwise
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("anywidget")

from astra_edu.course.widgets.stages import Stages

pytestmark = pytest.mark.browser

VIEW = "document.querySelector('.astra-stages').astraStages"
ONE = Stages()
SLOW = Stages("gpipe", 3, 4, p2p=0.25, slow=1)
VIRTUAL = Stages("interleaved", 4, 8, virtual=2)


@pytest.fixture
def show(open_page):
    def shown(widget, focus=True, options=None):
        page = open_page(widget.page(), **(options or {}))
        if focus:
            page.locator(".astra-plot").focus()
        frame(page)
        return page

    return shown


def frame(page):
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def time(page):
    return page.evaluate("astraModels[0].get('time')")


def set_time(page, ns):
    page.evaluate("(ns) => astraModels[0].set('time', ns)", ns)
    frame(page)


def rows(page):
    return [row.split("\t") for row in page.locator(".astra-table tbody tr").all_inner_texts()]


def picture(page):
    frame(page)
    return page.evaluate(f"{VIEW}.canvas.toDataURL()")


def colour(page, x, y):
    return tuple(
        page.evaluate(
            f"([x, y]) => [...{VIEW}.context.getImageData(x * devicePixelRatio, y * devicePixelRatio, 1, 1).data]",
            [x, y],
        )[:3]
    )


def events(run):
    return sorted({time for span in run.spans for time in span[-2:]})


def held(run, stage, now):
    """The (virtual stage, micro-batch) whose activations a stage keeps at a time, from the run itself."""
    mine = [span for span in run.spans if span.stage == stage]
    begun = {(s.virtual_stage, s.micro_batch) for s in mine if s.kind == "F" and s.start_ns <= now}
    return begun - {(s.virtual_stage, s.micro_batch) for s in mine if s.kind == "B" and s.end_ns <= now}


def test_nothing_moves_by_itself(show):
    page = show(ONE)
    before = picture(page)
    page.wait_for_timeout(400)
    assert picture(page) == before
    assert time(page) == 0


@pytest.mark.parametrize("widget", [ONE, SLOW], ids=repr)
def test_the_cells_are_where_the_passes_are(show, widget):
    page = show(widget, options={"color_scheme": "light"})
    set_time(page, widget.run.total_ns)  # the cursor is out of the way
    for span in widget.run.spans:
        x, end = (page.evaluate(f"(ns) => {VIEW}.x(ns)", ns) for ns in (span.start_ns, span.end_ns))
        y = page.evaluate(f"(stage) => {VIEW}.y(stage)", span.stage)
        near = {colour(page, x + 3 + d, y + 3) for d in range(7)}
        assert ((87, 173, 136) in near) == (span.kind == "F")
        assert ((195, 201, 242) in near) == (span.kind == "B")
    for stage in range(widget.run.stages):
        mine = sorted((s.start_ns, s.end_ns) for s in widget.run.spans if s.stage == stage)
        gaps = [(a[1], b[0]) for a, b in pairwise(mine) if b[0] > a[1]]
        y = page.evaluate(f"(stage) => {VIEW}.y(stage)", stage)
        for start, end in gaps:
            x = page.evaluate(f"(ns) => {VIEW}.x(ns)", (start + end) / 2)
            assert colour(page, x, y + 3)[0] < 30  # ink, at 10 %


@pytest.mark.parametrize("widget", [ONE, SLOW, VIRTUAL], ids=repr)
def test_the_table_says_what_each_stage_does_and_keeps(show, widget):
    page, run = show(widget), widget.run
    for now in (0, *events(run)[3:-1:7], run.total_ns):
        set_time(page, now)
        for stage, (name, doing, keeps, number, most, formula, idle) in enumerate(rows(page)):
            mine = [span for span in run.spans if span.stage == stage]
            current = [s for s in mine if s.start_ns <= now < s.end_ns]
            kept = held(run, stage, now)
            assert name == f"stage {stage}"
            if current:
                through = f", virtual stage {'ab'[current[0].virtual_stage]}" if run.virtual > 1 else ""
                word = {"F": "forward", "B": "backward"}[current[0].kind]
                assert doing == f"{word} of micro-batch {current[0].micro_batch}{through}"
            else:
                assert doing == ("done" if mine[-1].end_ns <= now else "waits")
            assert float(number) == len(kept) / run.virtual
            assert (keeps == "nothing") == (not kept)
            assert float(most) == float(formula) == run.in_flight[stage]
            assert idle == f"{100 * run.idle_shares[stage]:.1f} %"
    set_time(page, 40_000)
    if widget is ONE:
        assert [row[2] for row in rows(page)] == ["0–3", "0–2", "0, 1", "0"]
    if widget is VIRTUAL:
        assert rows(page)[0][2] == "a: 0–3; b: 0–2"


def test_keys_go_from_event_to_event_and_are_read_out(show):
    page, run = show(ONE), ONE.run
    times = events(run)
    for expected in times[1:6]:
        page.keyboard.press("ArrowRight")
        assert time(page) == expected
    said = page.locator(".astra-said").inner_text()
    assert said == (
        "72.000 µs: stage 0 waits, keeps 0–3; stage 1 waits, keeps 0–2; "
        "stage 2 backward of micro-batch 0, keeps 0, 1; stage 3 forward of micro-batch 1, keeps 1"
    )
    page.keyboard.press("ArrowLeft")
    assert time(page) == times[4]
    page.keyboard.press("End")
    assert time(page) == run.total_ns
    page.keyboard.press("ArrowRight")
    assert time(page) == run.total_ns
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert time(page) == 0


def test_between_events_a_key_goes_to_the_next_one(show):
    page = show(ONE)
    for key, expected in (("ArrowRight", 24_000), ("ArrowLeft", 12_000)):
        set_time(page, 13_000)
        page.keyboard.press(key)
        assert time(page) == expected


def test_buttons_and_slider(show):
    page, total = show(ONE, focus=False), ONE.run.total_ns
    for name, expected in [("End", total), ("Start", 0), ("Moment after", 12_000), ("Moment before", 0)]:
        page.get_by_role("button", name=name, exact=True).click()
        assert time(page) == expected
    slider = page.get_by_role("slider", name="Time")
    slider.focus()
    page.keyboard.press("ArrowRight")
    frame(page)
    assert time(page) == 12_000
    assert slider.get_attribute("aria-valuetext") == "12.000 µs"
    slider.evaluate("(s) => { s.value = 100000; s.dispatchEvent(new Event('input')); }")
    frame(page)
    assert time(page) == 100_000
    assert page.locator(".astra-where").inner_text() == "100.000 µs of 396.000 µs"


def test_play_pause_and_the_end(show):
    page = show(ONE)
    page.keyboard.press("Space")
    page.wait_for_function("astraModels[0].get('time') > 5000")
    assert page.get_by_role("button", name="Pause").count() == 1
    page.keyboard.press("k")
    stopped = time(page)
    page.wait_for_timeout(150)
    assert time(page) == stopped
    set_time(page, ONE.run.total_ns - 1000)
    page.keyboard.press("Space")
    page.wait_for_function(f"astraModels[0].get('time') === {ONE.run.total_ns}")
    page.get_by_role("button", name="Play").wait_for()


def test_who_wants_no_motion_sees_moments(show):
    page = show(ONE, options={"reduced_motion": "reduce"})
    page.evaluate(
        "() => (window.seen = new Set(), astraModels[0].on('change:time', () => seen.add(astraModels[0].get('time'))))"
    )
    page.keyboard.press("Space")
    page.wait_for_function("seen.size >= 3")
    page.keyboard.press("Space")
    assert page.evaluate("[...seen]")[:3] == events(ONE.run)[1:4]


def test_the_pointer_moves_the_cursor(show):
    page = show(ONE, focus=False)
    box = page.locator(".astra-plot").bounding_box()
    at = [page.evaluate(f"(ns) => {VIEW}.x(ns)", ns) for ns in (50_000, 200_000)]
    page.mouse.move(box["x"] + at[0], box["y"] + 60)
    page.mouse.down()
    assert time(page) == pytest.approx(50_000, abs=1500)
    page.mouse.move(box["x"] + at[1], box["y"] + 90, steps=3)
    assert time(page) == pytest.approx(200_000, abs=1500)
    page.mouse.up()
    page.mouse.move(box["x"] + at[0], box["y"] + 60)
    assert time(page) == pytest.approx(200_000, abs=1500)


def test_names_for_assistive_technology(show):
    page = show(ONE)
    assert page.get_by_role("group", name="Pipeline: 1f1b: 4 stages, 8 micro-batches").count() == 1
    plot = page.get_by_role("application")
    assert "the bubble is 27.3 % of it. By formula" in plot.get_attribute("aria-label")
    assert page.locator(f"#{plot.get_attribute('aria-describedby')}").text_content().startswith("Space or k: play")
    for name in ("stages", "micro-batches", "virtual stages", "backward", "transfer", "Time"):
        assert page.get_by_role("slider", name=name, exact=True).count() == 1
    for name in ("order", "slow stage"):
        assert page.get_by_role("combobox", name=name).count() == 1
    page.get_by_role("button", name="keys: keyboard and mouse").click()
    assert page.get_by_text("Mouse: click or drag in the lanes").is_visible()


def test_without_a_kernel_the_controls_are_off(show):
    page = show(VIRTUAL)
    assert page.get_by_role("combobox", name="order").is_disabled()
    page.evaluate("() => { astraModels[0].set('live', true); astraModels[0].set('order', 'gpipe'); }")
    assert page.get_by_role("slider", name="virtual stages").is_disabled()
    page.evaluate("astraModels[0].set('order', 'interleaved')")
    assert page.get_by_role("slider", name="virtual stages").is_enabled()


def test_keys_reach_nobody_else_and_the_pages_own_pass(show):
    page = show(ONE)
    page.evaluate("() => { window.leaked = []; addEventListener('keydown', (e) => leaked.push(e.key)); }")
    for key in ("x", "k", "k", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate("leaked") == []
    page.keyboard.press("Shift+Enter")
    assert page.evaluate("leaked").count("Enter") == 1


def test_another_setting_arrives_in_place(show):
    page = show(ONE)
    page.evaluate(f"window.root = {VIEW}.root")
    set_time(page, 60_000)
    page.evaluate("(data) => astraModels[0].set('data', data)", json.loads(json.dumps(SLOW.data)))
    frame(page)
    assert page.locator(".astra-title").inner_text() == "gpipe: 3 stages, 4 micro-batches"
    assert len(rows(page)) == 3
    assert time(page) == 60_000
    assert page.evaluate("root.isConnected && document.activeElement.classList.contains('astra-plot')")
    problem = SLOW.data | {"problem": "so it can't be"}
    page.evaluate("(data) => astraModels[0].set('data', data)", json.loads(json.dumps(problem)))
    assert page.get_by_role("alert").inner_text() == "✗ so it can't be"
    assert page.evaluate("root.classList.contains('astra-stale')")


def test_two_views_share_the_cursor_and_close_apart(show):
    page = show(ONE)
    page.evaluate("""() => {
      const el = document.body.appendChild(document.createElement("div"));
      window.close2 = astraWidget.render({ model: astraModels[0], el });
    }""")
    page.keyboard.press("ArrowRight")
    frame(page)
    assert page.locator(".astra-where").all_inner_texts() == ["12.000 µs of 396.000 µs"] * 2
    page.evaluate("close2()")
    page.keyboard.press("ArrowRight")
    frame(page)
    assert page.locator(".astra-where").all_inner_texts() == ["24.000 µs of 396.000 µs"]


def test_in_jupyterlab_the_controls_simulate(chromium, lab):
    address, token = lab
    source = "from astra_edu.course.widgets.stages import Stages\nshown = Stages()\nshown"
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
    page.locator(".astra-stages").wait_for(timeout=60_000)
    words = page.locator(".astra-words")

    def bubble(text):
        words.filter(has_text=text).wait_for(timeout=20_000)

    bubble("the bubble is 27.3 % of it")
    page.get_by_role("slider", name="stages", exact=True).press("ArrowRight")
    bubble("the bubble is 33.3 % of it")
    page.get_by_role("combobox", name="order").select_option("interleaved")
    page.get_by_role("alert").filter(has_text="must be a multiple of 5: 5 or 10").wait_for(timeout=20_000)
    page.get_by_role("slider", name="stages", exact=True).press("ArrowLeft")
    bubble("the bubble is 15.8 % of it")
    assert page.get_by_role("alert").inner_text() == ""
    page.get_by_role("combobox", name="slow stage").select_option("stage 2")
    bubble("but stage 2 takes 1.5 times as long")
    page.get_by_role("combobox", name="slow stage").select_option("none")
    page.get_by_role("slider", name="transfer").press("End")
    bubble("but a transfer takes 12.000 µs")
    page.locator(".astra-plot").focus()
    page.keyboard.press("End")
    page.wait_for_function(f"{VIEW}.time === {VIEW}.run.total")
    page.close()
