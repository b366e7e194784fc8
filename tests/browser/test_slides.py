"""Decks: nothing runs off a slide, nothing is asked for, and an instrument on a slide plays."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from tools.handout import ROOT

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not find_spec("sphinx_revealjs"), reason='reveal.js is in the extra "handout"'),
]


@pytest.fixture(scope="module")
def deck(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slides")
    subprocess.run([sys.executable, "-m", "tools.slides", "--out", str(folder), "01_coll"], cwd=ROOT, check=True)
    return folder / "01_collectives.html"


def test_every_slide_fits_and_nothing_comes_from_outside(deck, chromium):
    asked, errors = [], []
    page = chromium.new_page(viewport={"width": 1280, "height": 720})
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(deck.as_uri())
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    count = page.evaluate("Reveal.getTotalSlides()")
    assert count > 20
    for _ in range(count):
        tall = "(() => { const one = Reveal.getCurrentSlide(); return [one.scrollHeight, one.scrollWidth]; })()"
        high, wide = page.evaluate(tall)
        assert high <= 721
        assert wide <= 1281
        page.evaluate("Reveal.next()")
    assert page.evaluate("Reveal.isLastSlide()")
    shrunk = page.evaluate("[...document.querySelectorAll('.fit')].map(one => parseFloat(one.style.zoom || 1))")
    assert min(shrunk) > 0.6
    assert errors == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    page.close()


def test_a_player_plays_on_its_slide_and_escape_leads_back(deck, chromium):
    page = chromium.new_page(viewport={"width": 1280, "height": 720})
    page.goto(deck.as_uri())
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    page.keyboard.press("ArrowRight")
    frame = page.frame_locator("section.present iframe")
    frame.locator(".astra-player").click()
    page.keyboard.press("End")
    zoom, high, room = frame.locator("html").evaluate("one => [one.style.zoom, one.scrollHeight, one.clientHeight]")
    assert high <= room
    assert 0.8 < float(zoom) < 1.15
    frame.get_by_text("Step 6 of 6, all-gather").first.wait_for()
    page.keyboard.press("Escape")
    page.wait_for_function("document.activeElement === document.body")
    page.keyboard.press("ArrowRight")
    page.get_by_role("heading", name="What they promise").wait_for()
    page.close()
