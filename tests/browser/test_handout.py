"""Sheets on paper: nothing is wider than the page, nothing is asked for, and every page is in the PDF."""

import re
import subprocess
import sys

import pytest

from tools.handout import ROOT

pytestmark = pytest.mark.browser

TOO_WIDE = """() => [...document.body.querySelectorAll("*")].filter((one) => {
  const box = one.getBoundingClientRect();
  const more = one.clientWidth && one.scrollWidth > one.clientWidth + 1;
  const hidden = more && getComputedStyle(one).overflowX != "visible";
  return hidden || (box.width && (box.right > document.documentElement.clientWidth + 1 || box.left < -1));
}).map((one) => one.outerHTML.slice(0, 200))"""
BROKEN = "() => [...document.images].filter((one) => !one.naturalWidth).length"


@pytest.fixture(scope="module")
def sheets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("handout")
    words = ["--out", str(folder), "01_coll", "25_val", "solutions/ex1_"]
    subprocess.run([sys.executable, "-m", "tools.handout", *words], cwd=ROOT, check=True)
    return folder


@pytest.mark.parametrize(
    "name", ["notebooks/01_collectives", "notebooks/25_validation", "solutions/ex1_getting_started"]
)
def test_nothing_is_cut_off_and_nothing_comes_from_outside(sheets, chromium, name):
    asked = []
    page = chromium.new_page(viewport={"width": 688, "height": 1000})  # 182 mm, A4 within its margins
    page.on("request", lambda request: asked.append(request.url))
    page.emulate_media(media="print")
    page.goto((sheets / f"{name}.html").as_uri())
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate(BROKEN) == 0
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    pages = page.evaluate("document.documentElement.scrollHeight") / 998  # 264 mm
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400  # a table may scroll by itself
    page.close()
    paper = (sheets / f"{name}.pdf").read_bytes()
    assert paper.startswith(b"%PDF")
    assert pages < len(re.findall(rb"/Type\s*/Page\b(?!s)", paper)) < 2 * pages + 2
