"""The notebooks as a student has them: in JupyterLab, in a browser, run from top to bottom and played with."""

from __future__ import annotations

import json
import re
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("matplotlib")

from matplotlib import image
from numpy import median

pytestmark = pytest.mark.browser

DECK = "document.querySelector('.astra-player').astraDeck"


def test_start_here_is_watched_and_dragged(run_all, tmp_path):
    page = run_all("notebooks/00_start_here.ipynb")
    assert "Traceback" not in page.inner_text(".jp-Notebook")
    chunks = page.locator(".jp-RenderedMarkdown abbr", has_text="chunks").first
    assert chunks.get_attribute("title").startswith("One of the equal pieces into which ASTRA-sim’s system layer")

    player = page.locator(".astra-player").first
    player.scroll_into_view_if_needed()
    player.locator(".astra-term").first.hover()
    player.get_by_text("every NPU ends with the whole sum of all buffers").wait_for()
    player.focus()
    page.keyboard.press("+")
    page.keyboard.press("Space")
    page.wait_for_function(f"{DECK}.position > 1.2")
    page.keyboard.press("Space")
    assert page.evaluate(f"{DECK}.step") >= 2

    player.get_by_role("slider").first.evaluate("""(slider) => {
      slider.value = slider.max * 0.75;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }""")
    player.get_by_text("Step 11 of 14, all-gather").first.wait_for()
    page.screenshot(path=tmp_path / "player.png")

    explorer = page.locator(".astra-instrument")
    explorer.scroll_into_view_if_needed()
    assert page.get_by_text("37.113 µs: 1.75 MiB sent by the busiest NPU").count() == 0
    explorer.locator("input[type=number]").fill("40")
    explorer.get_by_role("button", name="commit").click()
    explorer.get_by_text("You said 40 µs; it is 37.11 µs: 7.8 % too much. Between 32.27 and 42.68 µs counts").wait_for(
        timeout=10_000
    )
    explorer.get_by_text("37.113 µs: 1.75 MiB sent by the busiest NPU").wait_for(timeout=10_000)
    explorer.get_by_role("slider", name="job, size").press("ArrowRight")
    page.get_by_text("45.681 µs: 3.5 MiB sent by the busiest NPU").wait_for(timeout=10_000)
    page.screenshot(path=tmp_path / "explorer.png")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "path",
    [
        "notebooks/01_collectives.ipynb",
        "notebooks/02_topologies.ipynb",
        "exercises/ex1_getting_started.ipynb",
        "exercises/ex2_comparing_collectives.ipynb",
    ],
)
def test_every_notebook_runs_to_its_end(run_all, path):
    page = run_all(path)
    assert "Traceback" not in page.inner_text(".jp-Notebook")
    if path.startswith("exercises"):
        number = re.search(r"ex(\d+)", path)[1]
        words = page.locator(".astra-is-open .astra-word")
        last = words.filter(has_text=f"Exercise {number}").first
        last.wait_for(state="attached")  # the kernel is idle before its last card is there
        cards = words.all_text_contents()
        assert set(cards) == {"…Not answered yet", f"…Exercise {number}"}


def test_a_verdict_is_a_card_in_both_themes(run_all, tmp_path):
    page = run_all("solutions/ex1_getting_started.ipynb")
    prediction = page.locator(".astra-is-noted").first
    prediction.scroll_into_view_if_needed()
    boxes = prediction.evaluate("""(card) => [...card.querySelectorAll("dl div")].map((row) => {
      const { x, y } = row.getBoundingClientRect();
      return [x, y];
    })""")
    assert len(boxes) == len({x for x, _ in boxes}) == 2
    assert len({y for _, y in boxes}) == 1
    seen = {}
    for theme in ("Dark", "Light"):
        page.click('.lm-MenuBar-itemLabel:text-is("Settings")')
        page.hover('.lm-Menu-itemLabel:text-is("Theme")')
        page.click(f'.lm-Menu-itemLabel:text-is("JupyterLab {theme}")')
        page.wait_for_function(f"document.body.dataset.jpThemeName === 'JupyterLab {theme}'")
        page.wait_for_timeout(300)
        seen[theme] = prediction.evaluate("(card) => getComputedStyle(card).borderLeftColor")
        page.screenshot(path=tmp_path / f"{theme}.png")
    assert seen == {"Light": "rgb(0, 114, 178)", "Dark": "rgb(86, 180, 233)"}
    assert "5 of 5 right, 5 at first try" in page.locator(".astra-is-right").last.text_content()


def test_a_figure_is_dark_in_the_dark_theme(run_cell, tmp_path):
    page = run_cell("figure", "from astra_edu import plots\nplots.all_reduce_costs()", ".astra-figure img")
    picture = page.locator(".astra-figure img").first
    seen = {}
    for theme in ("Dark", "Light"):
        page.click('.lm-MenuBar-itemLabel:text-is("Settings")')
        page.hover('.lm-Menu-itemLabel:text-is("Theme")')
        page.click(f'.lm-Menu-itemLabel:text-is("JupyterLab {theme}")')
        page.wait_for_function(f"document.body.dataset.jpThemeName === 'JupyterLab {theme}'")
        picture.scroll_into_view_if_needed()
        page.wait_for_timeout(300)
        picture.screenshot(path=tmp_path / f"{theme}.png")
        pixels = image.imread(tmp_path / f"{theme}.png")[..., :3]
        seen[theme] = float(median(pixels))  # of its paper
    assert seen["Light"] > 0.99
    assert 0.05 < seen["Dark"] < 0.15
    page.set_viewport_size({"width": 1280, "height": 720})
    assert picture.bounding_box()["width"] >= 815  # for which letters are chosen


def test_a_saved_notebook_plays_with_no_run_behind_it(run_cell, chromium, lab):
    address, token = lab

    def asked(path, method="GET"):
        request = Request(f"{address}/api/{path}", headers={"Authorization": f"token {token}"}, method=method)
        with urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or "null")

    def saved():
        try:
            return "widgets" in asked("contents/notebooks/saved.ipynb")["content"]["metadata"]
        except HTTPError as error:
            if error.code == 400:  # half of it is written
                return False
            raise

    page = run_cell("saved", 'import astra_edu as ae\nae.Player(ae.schedule("all-reduce", "ring", 4))', ".astra-player")
    page.keyboard.press("Control+s")
    assert any(saved() or page.wait_for_timeout(100) for _ in range(300))
    page.close()
    for session in asked("sessions"):
        asked(f"sessions/{session['id']}", "DELETE")
    page = chromium.new_page(viewport={"width": 1300, "height": 1000})
    page.goto(f"{address}/lab/workspaces/again/tree/notebooks/saved.ipynb?token={token}&reset")
    player = page.locator(".astra-player")
    player.wait_for(timeout=30_000)
    player.focus()
    page.keyboard.press("End")
    player.get_by_text("Step 6 of 6, all-gather").first.wait_for()
    page.close()
