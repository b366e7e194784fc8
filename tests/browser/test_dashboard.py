"""The dashboard in a browser: what is on show is what the simulator says, beside another design, and in the address."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

pytest.importorskip("anywidget")

import psutil
from axe_playwright_python.sync_playwright import Axe

import astra_edu as ae
from browser.conftest import ROOT

pytestmark = pytest.mark.browser

TOKEN = "for the tests"
CUT = "cut:model=22b tensor=4 data=2 pipeline=2"
TOTAL = """() => [...document.querySelectorAll(".astra-timeline")]
  .map(({ astraTimeline: view }) => [view.run.total, view.to])"""


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, psutil.Process]]:
    command = [sys.executable, "-m", "astra_edu", "dashboard", "--no-browser", "--port=0", f"--token={TOKEN}"]
    started = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"}
    )
    address = re.search(r"http://\S+?:\d+/", started.stdout.readline())[0]
    yield address, psutil.Process(started.pid)
    started.terminate()
    started.wait(timeout=20)


@pytest.fixture
def visit(chromium: Any, server: Any) -> Iterator[Any]:
    """visit(a=..., b=..., **context): the dashboard with these designs; it makes no errors and asks nobody else."""
    contexts, wrong = [], []
    address = server[0]

    def opened(a="", b="", token=TOKEN, **options):
        context = chromium.new_context(**({"viewport": {"width": 1280, "height": 720}} | options))
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: said.type == "error" and wrong.append(said.text))
        page.on("request", lambda sent: sent.url.startswith((address, "data:", "blob:")) or wrong.append(sent.url))
        wanted = {"token": token} | {side: text for side, text in (("a", a), ("b", b)) if text}
        page.goto(f"{address}?{urlencode(wanted)}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


def headline(page, side="A"):
    return page.get_by_label(f"Design {side}", exact=True).locator(".astra-headline")


def headline_of(instrument):
    instrument.dismiss()
    return instrument.data["scene"]["headline"]


def settled(page):
    """The designs that the address names, once they have been there for a while."""
    page.wait_for_timeout(500)
    return {side: text for side, [text] in parse_qs(urlsplit(page.url).query).items()}


def test_a_slider_moves_and_numbers_and_address_follow(visit):
    page = visit(CUT)
    cut = ae.CutTheModel("model=22b tensor=4 data=2 pipeline=2")
    headline(page).filter(has_text=headline_of(cut)).wait_for()
    assert "token" not in page.url
    page.get_by_role("slider", name="tensor group").press("ArrowRight")
    cut.set(tensor=8)
    headline(page).filter(has_text=headline_of(cut)).wait_for()
    assert settled(page) == {"a": f"cut:{cut.data['short']}"}
    page.reload()
    headline(page).filter(has_text=headline_of(cut)).wait_for()
    assert settled(page) == {"a": f"cut:{cut.data['short']}"}


def test_two_designs_are_compared_on_one_clock(visit):
    page = visit("what-if:platform=dgx2", "what-if:platform=dgx2 bandwidth_1=12.5")
    runs = [ae.WhatIf("dgx2", ask=False), ae.WhatIf("platform=dgx2 bandwidth_1=12.5", ask=False)]
    for side, run in zip("AB", runs, strict=True):
        headline(page, side).filter(has_text=run.result.total).wait_for()
    page.get_by_text("dashed: the other design").first.wait_for()
    totals = [run.result.total_ns for run in runs]
    assert page.evaluate(TOTAL) == [[total, max(totals)] for total in totals]
    rows = [row.locator("th, td").all_inner_texts() for row in page.locator("#compared tr").all()]
    less = f"−{100 * (1 - totals[1] / totals[0]):.1f} %"
    assert rows[0] == ["", "A", "B", "B against A"]
    assert rows[1] == ["time", runs[0].result.total, runs[1].result.total, less]
    assert ["compute", *[rows[2][1]] * 2, "the same"] == rows[2]
    page.get_by_role("button", name="close this design").first.click()
    page.locator("#compared").wait_for(state="hidden")
    assert list(settled(page)) == ["b"]
    [[total, until]] = page.evaluate(TOTAL)
    assert (total, until) == (totals[1], totals[1])
    page.get_by_role("button", name="compare with a second design").click()
    headline(page, "A").filter(has_text=runs[1].result.total).wait_for()
    assert page.locator("#compared tbody td:last-child").all_inner_texts() == ["the same"] * 5


def test_the_files_can_be_downloaded(visit):
    page = visit("what-if:platform=ring workload=all-reduce size=1048576")
    headline(page).filter(has_text="45.681 µs").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="ASTRA-sim’s files").click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as archive:
        assert set(archive.namelist()) == {"network.json", "system.txt", "workload.txt", "README.txt"}
    assert download.value.suggested_filename.startswith("what-if-all-reduce-1-MiB-on-ring")


def test_a_lost_line_is_laid_again_and_a_dead_process_is_replaced(visit, server):
    page = visit(CUT)
    cut = ae.CutTheModel("model=22b tensor=4 data=2 pipeline=2")
    headline(page).filter(has_text=headline_of(cut)).wait_for()
    for process in server[1].children(recursive=True):
        if not process.children():  # those of pages, and what tidies up after them
            process.kill()
    page.get_by_role("slider", name="tensor group").press("ArrowRight")
    page.get_by_text("The process of this page has ended.").wait_for()
    page.locator('[aria-label="tensor group"][aria-valuetext="4 NPUs"]').press("ArrowRight")  # back where it was
    cut.set(tensor=8)
    headline(page).filter(has_text=headline_of(cut)).wait_for()
    page.get_by_text("The process of this page has ended.").wait_for(state="hidden")


def test_the_token_is_asked_for(visit):
    page = visit(CUT, token="wrong")
    page.get_by_text("This isn't the token.").wait_for()
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="open the dashboard").click()
    headline(page).filter(has_text="an iteration").wait_for()
    assert page.locator(".astra-title").inner_text().startswith("22b on 16")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_missing_for_screen_readers(visit, theme):
    page = visit(CUT, "what-if:platform=ring", color_scheme=theme)
    headline(page, "B").filter(has_text="µs").wait_for()
    page.locator("#compared").wait_for()
    found = (
        Axe()
        .run(page, options={"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "best-practice"]})
        .response["violations"]
    )
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found] == []


@pytest.mark.parametrize("kind", ["what-if", "cut"])
def test_a_phone_shows_all_of_it_and_large_enough(visit, kind):
    page = visit(f"{kind}:", viewport={"width": 360, "height": 740}, has_touch=True)
    headline(page).filter(has_text=re.compile(r"\d")).wait_for()
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    sizes = page.evaluate("""() => [...document.querySelectorAll("svg text")].filter((text) => text.textContent)
        .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)""")
    assert min(sizes) > 7
    bars = page.locator(".astra-bars svg")
    for figure in bars.all():
        edge = figure.bounding_box()
        for text in figure.locator("text").all():
            box = text.bounding_box()
            assert box["x"] + box["width"] <= edge["x"] + edge["width"] + 1, text.text_content()
