"""What a person sees of the glossary in a widget: the first of each word marked, and what it means on demand."""

from __future__ import annotations

import re
from functools import cache

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.glossary import GLOSSARY
from browser.looking import SCHEMES, saved

pytestmark = pytest.mark.browser

MEANING = {form.lower(): word.meaning for word in GLOSSARY for form in word.forms}
CUT = "model=22b tensor=4 data=1 pipeline=1"
TEXTS = """() => {
  const root = document.querySelector(".astra-widget"), found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.parentElement;
    const elsewhere = "svg, button, select, td, caption, summary, details:not([open]), .astra-meaning, [hidden]";
    if (at.closest(elsewhere)) continue;
    found.push([node.data, Boolean(at.closest(".astra-term")), Boolean(at.closest("[aria-live]"))]);
  }
  return found;
}"""


@cache
def page_of_cut():
    return saved(ae.CutTheModel(CUT))


@pytest.fixture
def cut(open_page):
    """An instrument whose question is answered."""

    def opened(**options):
        page = open_page(page_of_cut(), **options)
        page.get_by_role("button", name="show me without").click()
        page.locator(".astra-words p").first.wait_for()
        return page

    return opened


def shown(page):
    """The meanings on show."""
    return page.locator(".astra-meaning:popover-open").all_inner_texts()


def term(page, text):
    return page.locator(".astra-term", has_text=re.compile(f"^{text}$"))


def test_the_first_of_each_word_is_marked_and_no_other(cut):
    page = cut()
    texts = page.evaluate(TEXTS)
    marked = [text for text, mark, _ in texts if mark]
    words = [MEANING[text.lower()] for text in marked]
    assert {"ZeRO", "gradients", "optimiser state"} <= {*marked}
    assert len(set(words)) == len(words)
    for text in marked:  # nothing of its kind stands before it, but what is read out as it changes
        before = [t for t, mark, live in texts[: texts.index([text, True, False])] if not mark and not live]
        forms = [form for form, meaning in MEANING.items() if meaning == MEANING[text.lower()]]
        assert not re.search(rf"(?<![\w-])({'|'.join(map(re.escape, forms))})(?![\w-])", " / ".join(before), re.I), text


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_word_is_underlined_with_dots_and_its_meaning_stands_on_paper_beside_it(cut, scheme):
    page = cut(color_scheme=scheme)
    zero = term(page, "ZeRO")
    style = zero.evaluate(
        "(mark) => { const s = getComputedStyle(mark); return [s.textDecorationLine, s.textDecorationStyle]; }"
    )
    assert style == ["underline", "dotted"]
    zero.hover()
    assert shown(page) == [MEANING["zero"]]
    word, box = zero.bounding_box(), page.locator(".astra-meaning:popover-open").bounding_box()
    assert 0 < box["y"] - word["y"] - word["height"] < 10
    assert abs(box["x"] - word["x"]) < 2
    colours = page.locator(".astra-meaning:popover-open").evaluate(
        "(box) => { const s = getComputedStyle(box); return [s.backgroundColor, s.color]; }"
    )
    papers = {"light": ["rgb(255, 255, 255)", "rgb(27, 27, 27)"], "dark": ["rgb(22, 24, 27)", "rgb(236, 236, 236)"]}
    assert colours == papers[scheme]


def test_the_pointer_may_go_to_the_meaning_and_away(cut):
    page = cut(alone=True)
    term(page, "ZeRO").hover()
    box = page.locator(".astra-meaning:popover-open").bounding_box()
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.mouse.move(box["x"] + 3, box["y"] - 2)  # between the two
    page.clock.run_for(30)
    page.mouse.move(box["x"] + 3, box["y"] + 10)
    page.clock.run_for(300)
    assert shown(page) == [MEANING["zero"]]
    page.mouse.move(5, 5)
    page.clock.run_for(300)
    assert shown(page) == []


def test_the_keyboard_reaches_a_word_and_escape_closes_its_meaning(cut):
    page = cut()
    page.locator(".astra-setting select").first.focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "tensor group"
    assert shown(page) == [MEANING["tensor group"]]
    described = page.evaluate(
        "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent"
    )
    assert described == MEANING["tensor group"]
    page.keyboard.press("Escape")
    assert shown(page) == []
    page.keyboard.press("Enter")
    assert shown(page) == [MEANING["tensor group"]]
    page.keyboard.press("Tab")
    assert shown(page) == []


def test_a_tap_shows_the_meaning_and_sets_nothing(cut):
    page = cut(has_touch=True)
    before = page.evaluate("JSON.stringify(astraModels[0].get('values'))")
    term(page, "tensor group").tap()
    assert shown(page) == [MEANING["tensor group"]]
    page.locator(".astra-headline").tap(position={"x": 2, "y": 2})
    assert shown(page) == []
    assert page.evaluate("JSON.stringify(astraModels[0].get('values'))") == before


def test_a_press_on_a_word_does_not_play(cut):
    page = cut()
    term(page, "gradients").focus()
    page.keyboard.press("Space")
    page.wait_for_timeout(50)
    assert page.get_by_role("button", name="Play").count() == 1
    page.locator(".astra-instrument").press("Space")
    page.get_by_role("button", name="Pause").wait_for()


def test_words_that_come_with_a_step_are_marked_when_they_come(open_page):
    page = open_page(ae.Player(ae.schedule("all-reduce", "ring", 4)).page())
    assert page.locator(".astra-term").all_inner_texts() == ["all-reduce", "NPUs"]
    page.evaluate("astraModels[0].set('time', 1)")
    term(page, "shard").wait_for()
    assert page.locator(".astra-term").all_inner_texts() == ["all-reduce", "NPUs", "reduce-scatter", "shard"]
    page.evaluate("astraModels[0].set('time', 0)")
    term(page, "shard").wait_for(state="detached")
    assert page.locator(".astra-term").all_inner_texts() == ["all-reduce", "NPUs"]
    assert page.locator(".astra-meaning").count() == 2


def test_a_mark_stays_while_steps_pass(open_page):
    page = open_page(ae.Player(ae.schedule("all-reduce", "ring", 4)).page())
    page.evaluate("window.mark = document.querySelector('.astra-term')")
    for step in (1, 3, 5):
        page.evaluate("(step) => astraModels[0].set('time', step)", step)
        page.wait_for_timeout(50)
    assert page.evaluate("mark.isConnected && mark === document.querySelector('.astra-term')")


def test_a_sentence_that_changes_takes_no_mark_from_what_stays(cut):
    page = cut()
    page.evaluate("document.querySelector('.astra-live').textContent = 'collectives on a link'")
    term(page, "link").wait_for()
    assert page.locator(".astra-live .astra-term").all_inner_texts() == ["link"]
    assert "collectives" in page.locator("figcaption .astra-term").all_inner_texts()
