"""What a person sees of the site's front page, on a wide screen and on a phone: its title, words, links and player."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("anywidget")
pytest.importorskip("jupyterlite_core")

from browser.test_site import Site
from tools.site import pages

pytestmark = pytest.mark.browser

LINES = "(links) => links.map((link) => [link.textContent, link.getClientRects().length])"


@pytest.fixture(scope="module")
def front(tmp_path_factory: Any) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("front")
    pages.build(folder, only=["OrderTheSteps"])
    served = Site(folder)
    yield served
    served.cut()


@pytest.fixture
def visit(chromium: Any, front: Site) -> Iterator[Callable[..., Any]]:
    opened = []

    def visited(wide: int, high: int) -> Any:
        page = chromium.new_page(viewport={"width": wide, "height": high})
        opened.append(page)
        page.goto(front.address)
        page.locator(".astra-node").first.wait_for()
        return page

    yield visited
    for page in opened:
        page.close()


@pytest.mark.parametrize(("wide", "high"), [(1280, 800), (390, 844)])
def test_the_title_is_there_to_be_read_and_links_are_whole(visit, wide, high):
    page = visit(wide, high)
    (title,) = page.locator("h1").all()
    box = title.bounding_box()
    assert title.inner_text() == page.title() == pages.TITLE
    assert box["width"] > 250
    assert box["height"] > 20
    assert [words for words, lines in page.locator("a").evaluate_all(LINES) if lines != 1] == []
    left = page.get_by_role("link", name="Open the course").bounding_box()["x"]
    first = page.get_by_role("link", name="Documentation").bounding_box()["x"]
    assert first == left if wide == 390 else first > left
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_narrow_screen_and_no_other_says_what_wants_a_wider_one(visit):
    words = "the course’s notebooks want a wider one"
    assert visit(390, 844).get_by_text(words).is_visible()
    assert not visit(1280, 800).get_by_text(words).is_visible()


def test_what_the_picture_calls_npus_is_called_so_before_it(visit):
    page = visit(1280, 800)
    assert page.get_by_text("eight accelerators (NPUs)").is_visible()
    assert page.locator(".astra-title").inner_text() == "ring all-reduce on 8 NPUs"
    assert page.locator("h2").inner_text() == "Instruments to try at once, each on a page of its own"


def test_on_a_phone_the_play_button_is_within_a_screen_of_the_words_that_name_it(visit):
    page = visit(390, 844)
    asked, play = page.get_by_text("Press play:").bounding_box(), page.locator(".astra-play").bounding_box()
    assert play["y"] + play["height"] - asked["y"] < 844
