"""What a learner sees of verdicts, hints and the map, read back from a page: words, signs, colours, what is folded."""

from __future__ import annotations

import pytest

from astra_edu.course.check import course, ex1, progress, record
from astra_edu.course.check.card import RIGHT
from astra_edu.course.check.hints import hint
from browser.looking import SCHEMES, colour, shade

pytestmark = pytest.mark.browser


def stub(*_, **__):
    raise NotImplementedError("How many steps are there?")


CARDS = {  # name: (what is shown, sign, word, colour as looking.py calls it)
    "right": (ex1.steps(lambda npus: 2 * npus - 2), "✓", "Right", ""),
    "wrong": (ex1.steps(lambda npus: 7), "✗", "Not right yet", "orange"),
    "open": (ex1.steps(stub), "…", "Not answered yet", "soft"),
    "noted": (ex1.predicted_time(lambda: 40), "→", "Noted", "blue"),
    "hint": (hint(ex1.message_ns.hints, 1, "ex1.message_ns.hint()"), "?", "Hint 1 of 3, a nudge", "blue"),
}
PAGE = """<!doctype html><html lang="en"><head><title>cards</title></head>
<body {attributes} style="background: {paper}; color: {ink}; font: 14px sans-serif"><main>{cards}</main></body>
</html>"""
PAPERS = {"light": ("#ffffff", "#1b1b1b"), "dark": ("#16181b", "#ececec")}
INKS = (PAPERS["light"][1], PAPERS["dark"][1])


def page_of(*things, scheme="light", theme=True):
    """A page as JupyterLab's in one of its themes, or one that only says which paper it has."""
    paper, ink = PAPERS[scheme]
    attributes = f'data-jp-theme-light="{str(scheme == "light").lower()}"' if theme else ""
    page = PAGE.format(
        attributes=attributes, paper=paper, ink=ink, cards="".join(thing._repr_html_() for thing in things)
    )
    return page if theme else page.replace("<head>", f"<head><style>:root {{ color-scheme: {scheme} }}</style>")


def computed(locator, name):
    return locator.evaluate("(element, name) => getComputedStyle(element)[name]", name)


@pytest.mark.parametrize("theme", [True, False], ids=["JupyterLab", "another page"])
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", CARDS)
def test_a_card_is_a_rule_in_a_colour_a_sign_and_a_word(open_page, name, scheme, theme):
    thing, sign, word, called = CARDS[name]
    card = open_page(page_of(thing, scheme=scheme, theme=theme)).get_by_role("status")
    wanted = colour(called, scheme) if called else shade(RIGHT.colour, scheme)
    assert card.locator(".astra-sign").inner_text() == sign
    assert card.locator(".astra-word").inner_text() == sign + word
    assert computed(card, "borderLeftColor") == wanted
    assert computed(card.locator(".astra-sign"), "color") == wanted
    assert computed(card, "borderLeftStyle") == "solid"
    assert float(computed(card, "borderLeftWidth").removesuffix("px")) >= 4
    assert computed(card.locator("p").nth(1), "color") == shade(INKS, scheme)


def test_five_kinds_differ_in_sign_and_word():
    assert len({sign for _, sign, _, _ in CARDS.values()}) == len({word for _, _, word, _ in CARDS.values()}) == 5


@pytest.mark.parametrize("width", [1280, 420])
def test_expected_stands_beside_got_and_nothing_overflows(open_page, width):
    page = open_page(page_of(*(thing for thing, *_ in CARDS.values())), viewport={"width": width, "height": 720})
    rows = page.locator(".astra-is-wrong dl div")
    assert [row.replace("\n", " ") for row in rows.all_inner_texts()] == ["for npus = 2", "you have 7", "expected less"]
    boxes = [row.bounding_box() for row in rows.all()]
    if width == 1280:
        assert len({box["y"] for box in boxes}) == 1
        assert boxes[0]["x"] + boxes[0]["width"] < boxes[1]["x"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_nudge_is_folded_and_opened_by_a_key(open_page):
    page = open_page(page_of(CARDS["wrong"][0]))
    nudge = page.get_by_text("Play one of them to its end")
    assert not nudge.is_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert nudge.is_visible()
    assert page.get_by_text("ex1.steps.hint()").is_visible()


def test_a_small_case_keeps_its_columns(open_page):
    picture = open_page(page_of(hint(ex1.message_ns.hints, 2, ""))).locator("pre")
    assert "monospace" in computed(picture, "fontFamily")
    assert computed(picture, "whiteSpace") == "pre"
    assert "485.66 ns" in picture.inner_text()


def test_on_paper_the_rule_the_sign_and_the_word_are_left(open_page):
    page = open_page(page_of(CARDS["wrong"][0], CARDS["right"][0]), alone=True)
    page.emulate_media(media="print")
    for name in ("wrong", "right"):
        card = page.locator(f".astra-is-{name}")
        assert card.locator(".astra-word").is_visible()
        assert computed(card, "breakInside") == "avoid"
        assert computed(card, "borderLeftWidth") == "5px"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_map_has_three_paths_side_by_side(open_page, scheme, monkeypatch):
    done = record.Record({"ex1.steps": record.Standing(2, True)}, frozenset({"01_collectives"}))
    monkeypatch.setattr(record, "known", lambda: (done, ""))
    page = open_page(page_of(course(), scheme=scheme), viewport={"width": 1280, "height": 720})
    paths = page.locator(".astra-map section")
    assert len({box["y"] for box in (path.bounding_box() for path in paths.all())}) == 1
    assert paths.nth(1).locator("li").all_inner_texts()[:3] == [
        "✓01_collectives: read",
        "→exercise 1: 1 of 5 right, 0 at first try",
        "·02_topologies",
    ]
    stops = paths.nth(1).locator("li")
    assert computed(stops.nth(0), "borderLeftColor") == shade(RIGHT.colour, scheme)
    assert computed(stops.nth(1), "borderLeftColor") == colour("blue", scheme)
    assert computed(stops.nth(2), "borderLeftColor") == colour("soft", scheme)
    assert page.evaluate("document.documentElement.scrollHeight") <= 720


def test_an_exercises_line_is_a_card(open_page):
    card = open_page(page_of(progress("ex1"))).get_by_role("status")
    assert card.locator(".astra-word").inner_text()[1:] == "Exercise 1"
    assert " of 5 right, " in card.inner_text()
