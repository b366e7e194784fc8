"""The what-if view in a browser: its text parts from a file, and all of it in JupyterLab with a kernel."""

from __future__ import annotations

import json
import re
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("anywidget")

from astra_edu.course.widgets import handout
from astra_edu.course.widgets.what_if_parts import Words

pytestmark = pytest.mark.browser

FIRST = "<p>one</p><details><summary>a</summary>…</details><details><summary>b</summary>…</details>"


@pytest.fixture
def words(open_page):
    """The page of one text part."""
    state = {"html": FIRST, "said": "said one", "code": "x = 1\nprint(x)\n"}
    return open_page(handout.document("words", Words._css, Words._esm, [state], [""]))


def test_text_is_replaced_and_what_was_opened_stays_open(words):
    words.get_by_text("b", exact=True).click()
    words.evaluate(f"astraModels[0].set('html', {json.dumps(FIRST.replace('one', 'two'))})")
    assert words.get_by_text("two").is_visible()
    opened = words.locator("details:not(:has(pre))").evaluate_all("all => all.map((details) => details.open)")
    assert opened == [False, True]


def test_only_what_has_settled_is_read_out(words):
    status = words.locator(".astra-said")
    words.wait_for_function("document.querySelector('.astra-said').textContent === 'said one'")
    words.evaluate("astraModels[0].set('said', 'said two'), astraModels[0].set('said', 'said three')")
    assert status.text_content() == "said one"
    words.wait_for_function("document.querySelector('.astra-said').textContent === 'said three'")
    assert status.get_attribute("role") == "status"


def test_code_is_selected_by_its_own_keys_and_the_page_around_hears_nothing_of_them(words):
    words.get_by_text("The same as code").click()
    words.evaluate("() => { window.leaked = []; addEventListener('keydown', (e) => leaked.push(e.key)); }")
    words.locator("pre").focus()
    words.keyboard.press("Control+a")
    assert words.evaluate("getSelection().toString()").strip() == "x = 1\nprint(x)"
    words.keyboard.press("Enter")
    assert "a" not in words.evaluate("leaked")
    assert "Enter" in words.evaluate("leaked")


def test_copying_says_what_came_of_it(words):
    words.get_by_text("The same as code").click()
    words.get_by_role("button", name="copy").click()
    words.wait_for_function("document.querySelector('.astra-copy span').textContent !== ''")
    assert words.evaluate("getSelection().toString()").strip() == "x = 1\nprint(x)"
    words.evaluate("astraModels[0].set('code', '')")
    assert words.locator("details:has(pre)").is_hidden()


@pytest.fixture
def notebook(chromium, lab):
    """notebook(path, cell): that notebook after Run All Cells; with a cell, a new notebook of it alone."""
    address, token = lab
    pages = []

    def opened(path, cell=None):
        if cell:
            cells = [
                {"cell_type": "code", "id": "c", "source": cell, "metadata": {}, "outputs": [], "execution_count": None}
            ]
            kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
            content = {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}
            body = json.dumps({"type": "notebook", "format": "json", "content": content}).encode()
            headers = {"Authorization": f"token {token}", "Content-Type": "application/json"}
            urlopen(Request(f"{address}/api/contents/{path}", body, headers, method="PUT")).close()
        page = chromium.new_page(viewport={"width": 1400, "height": 1250})
        pages.append(page)
        page.goto(f"{address}/lab/workspaces/whatif{len(pages)}/tree/{path}?token={token}&reset")
        idle = page.get_by_text("Python 3 (ipykernel) | Idle")
        idle.wait_for(timeout=60_000)
        page.click('.lm-MenuBar-itemLabel:text-is("Run")')
        page.click('.lm-Menu-itemLabel:text-is("Run All Cells")')
        page.locator(".astra-timeline").first.wait_for(timeout=60_000)
        slider(page, "Dimension 1", "per link").wait_for(timeout=10_000)
        return page

    yield opened
    for page in pages:
        page.close()


def slider(page, heading, name):
    return page.get_by_role("slider", name=f"{heading}, {name}", exact=True)


def total(page, text):
    """Wait until the headline and the timeline both say so."""
    page.locator(".astra-total", has_text=text).wait_for(timeout=20_000)
    page.locator(".astra-title", has_text=text).wait_for(timeout=20_000)


HANDLE = "document.querySelector('.noUi-handle[aria-label=\"Dimension 1, per link\"]')"
CELL = """from astra_edu.course.widgets import WhatIf
WhatIf("dgx2", "VGG-16", compute_scale=0.41)"""


def test_keys_move_everything_and_lead_back(notebook):
    page = notebook("notebooks/keys.ipynb", CELL)
    total(page, "5,632.316 µs in all")
    bandwidth = slider(page, "Dimension 1", "per link")
    bandwidth.press("ArrowRight")
    total(page, "3,990.975 µs in all")
    assert "1.41 times as fast as the baseline" in page.locator(".astra-total").inner_text()
    assert page.get_by_role("row", name=re.compile("^total time 3,990.975 µs 5,632.316 µs −29.1 %")).count() == 1
    assert page.get_by_role("combobox", name="platform").evaluate("menu => menu.selectedOptions[0].text") == "edited"
    page.wait_for_function(f"!{HANDLE}.closest('.astra-stepped').querySelector('.widget-readout').isContentEditable")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Dimension 1, latency"
    page.get_by_role("button", name="make this the baseline").press("Enter")
    page.get_by_text("This is the baseline").wait_for()
    bandwidth.press("ArrowLeft")
    total(page, "5,632.316 µs in all")
    assert "1.41 times as long as the baseline" in page.locator(".astra-total").inner_text()
    page.get_by_role("button", name="back to the baseline").press("Space")
    total(page, "3,990.975 µs in all")
    page.wait_for_function(f"{HANDLE}.getAttribute('aria-valuetext') === '12.5 GB/s'")


def test_a_drag_ends_with_the_run_of_the_last_position(notebook):
    page = notebook("notebooks/drag.ipynb", CELL)
    total(page, "5,632.316 µs")
    handle = slider(page, "Dimension 1", "per link")
    track = handle.locator('xpath=ancestor::div[contains(@class, "noUi-target")]').bounding_box()
    page.evaluate("""() => {
      const view = document.querySelector(".astra-timeline").astraTimeline;
      let last = view.run;
      window.pictures = 0;
      setInterval(() => { pictures += view.run !== last; last = view.run; }, 2);
    }""")
    box = handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    for step in range(120):
        away = abs(step % 60 - 30) / 30
        page.mouse.move(track["x"] + away * track["width"], track["y"] + 3)
        page.wait_for_timeout(10)
    page.wait_for_function("pictures > 1")  # before the button is let go
    page.mouse.move(track["x"] - 20, track["y"] + 3)
    page.mouse.up()
    page.get_by_text("Changed: dimension 1, per link: 6.25 GB/s → 1 GB/s.").wait_for(timeout=20_000)
    page.locator("pre", has_text="bandwidth=1, latency=500").wait_for(state="attached", timeout=20_000)
    before = page.evaluate("pictures")
    page.wait_for_timeout(500)
    assert page.evaluate("pictures") == before  # nothing was queued


def test_an_impossible_setting_is_a_sentence_over_a_pale_picture(notebook):
    page = notebook("notebooks/impossible.ipynb", CELL)
    total(page, "5,632.316 µs")
    slider(page, "Dimension 0", "NPUs").press("ArrowLeft")
    page.get_by_text("✗ halving-doubling needs a power of two; 12 NPUs is none.").wait_for(timeout=20_000)
    page.wait_for_function(
        "() => { let e = document.querySelector('.astra-timeline'), all = 1;"
        " for (; e; e = e.parentElement) all *= getComputedStyle(e).opacity; return all < 0.5; }"
    )
    assert page.locator("table", has_text="total time").is_hidden()
    assert page.get_by_role("button", name="save for ASTRA-sim").is_disabled()
    slider(page, "Dimension 0", "NPUs").press("ArrowRight")
    total(page, "5,632.316 µs")
    assert page.locator("table", has_text="total time").is_visible()
    assert page.locator('[data-mime-type="application/vnd.jupyter.stderr"]').count() == 0


def test_the_changes_that_help_and_the_files(notebook):
    page = notebook("notebooks/changes.ipynb", CELL)
    page.get_by_role("button", name="what would help most?").click()
    answer = page.get_by_text("Changes, each simulated")
    answer.wait_for(timeout=60_000)
    assert answer.bounding_box()["y"] < page.locator(".astra-timeline").bounding_box()["y"]  # above the fold
    answer.click()
    page.get_by_role("row", name=re.compile("twice the bandwidth on dimension 1.* 3,990.975 µs 1.41")).wait_for()
    page.get_by_role("button", name="save for ASTRA-sim").click()
    page.get_by_text("Written: what_if/network.json, what_if/system.txt, what_if/workload.txt.").wait_for(
        timeout=20_000
    )


def test_the_notebook_runs_to_its_end(notebook):
    page = notebook("notebooks/05_what_if.ipynb")
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
    assert page.locator('[data-mime-type="application/vnd.jupyter.stderr"]').count() == 0
    assert "Traceback" not in page.inner_text(".jp-Notebook")
