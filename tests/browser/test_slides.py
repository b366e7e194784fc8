"""Decks: nothing runs off a slide, nothing is asked for, and an instrument on a slide plays."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

import astra_edu as ae
from tools.handout import ROOT
from tools.slides_live import LEAST_ZOOM, LIVE

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
    heading = (
        "!!(one => one.querySelector('h1, h2, h3, .under') || !one.querySelector('iframe'))(Reveal.getCurrentSlide())"
    )
    over = """(() => { const slide = Reveal.getCurrentSlide();
      const [under, frame] = [".under", "iframe"].map((one) => slide.querySelector(one));
      return under ? frame.getBoundingClientRect().top - under.getBoundingClientRect().bottom : 0; })()"""
    for _ in range(count):
        tall = "(() => { const one = Reveal.getCurrentSlide(); return [one.scrollHeight, one.scrollWidth]; })()"
        high, wide = page.evaluate(tall)
        assert high <= 721
        assert wide <= 1281
        assert page.evaluate(heading)
        assert page.evaluate(over) >= 0
        page.evaluate("Reveal.next()")
    assert page.evaluate("Reveal.isLastSlide()")
    shrunk = page.evaluate("[...document.querySelectorAll('.fit')].map(one => parseFloat(one.style.zoom || 1))")
    assert min(shrunk) > 0.6
    assert errors == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    page.close()


def test_an_instrument_that_is_higher_than_its_frame_says_so_and_leads_on(chromium):
    page = chromium.new_page(viewport={"width": 1178, "height": 636})
    view = ae.TrainingIteration()
    view.dismiss()
    page.set_content(view.page().replace("</body>", f"{LIVE}</body>"))
    more = page.get_by_role("button", name="more below")
    more.wait_for()
    look = """() => { const page = document.documentElement;
      return [page.style.zoom, page.scrollHeight - page.clientHeight, page.scrollTop]; }"""
    zoom, below, top = page.evaluate(look)
    assert float(zoom) == LEAST_ZOOM
    assert below > 50
    assert top == 0
    more.press("Enter")
    page.wait_for_function("document.getElementById('more').hidden")
    assert page.evaluate(look)[2] > below - 3
    page.set_viewport_size({"width": 1178, "height": 1200})
    page.evaluate("document.body.style.paddingBottom = '1px'")
    page.wait_for_function("document.documentElement.scrollHeight <= document.documentElement.clientHeight")
    assert more.is_hidden()
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
