"""What all widgets have in common, in a browser: they keep apart on one page, and behave alike."""

from __future__ import annotations

import pytest

pytest.importorskip("anywidget")
pytest.importorskip("networkx")

from course.widgets.test_timeline import VGG
from recorded_runs import run

import astra_edu as ae
from astra_edu.course.widgets import LinkPlayer, Player, Timeline

pytestmark = pytest.mark.browser

WIDGETS = {
    "player": Player(ae.schedule("all-reduce", "ring", 8), step=3),
    "links": LinkPlayer(run(ae.Block("Switch", 8, 50, 500)), time=12_000),
    "timeline": Timeline(VGG),
}
PLAYING = ["player", "links"]
FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60))))"


STYLES = """(name) => [...document.querySelectorAll(`.astra-${name}, .astra-${name} *`)].map((element) => {
  const style = getComputedStyle(element);
  const all = [...style].map((one) => `${one}: ${style.getPropertyValue(one)}`);
  return `${element.outerHTML.slice(0, 80)}: ${all.join("; ")}`;
})"""


@pytest.fixture
def show(open_page):
    def shown(name, **options):
        page = open_page(WIDGETS[name].page(), **options)
        page.evaluate(FRAMES)
        return page

    return shown


def looks(page, name):
    return page.locator(f".astra-{name}").screenshot()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", WIDGETS)
def test_the_styles_of_the_others_change_nothing(show, name, scheme):
    page = show(name, color_scheme=scheme)
    alone = page.evaluate(STYLES, name)
    for css in [str(widget._css) for widget in WIDGETS.values()]:
        page.add_style_tag(content=css)
    page.add_style_tag(content=".astra-widget { color-scheme: inherit; }")
    page.evaluate(FRAMES)
    assert [(a, b) for a, b in zip(alone, page.evaluate(STYLES, name), strict=True) if a != b] == []


def test_who_changes_the_theme_of_the_system_sees_it_at_once(show):
    page = show("timeline", color_scheme="light", alone=True)
    light = looks(page, "timeline")
    page.emulate_media(color_scheme="dark")
    page.evaluate(FRAMES)
    page.evaluate(FRAMES)
    assert looks(page, "timeline") != light
    dark = looks(show("timeline", color_scheme="dark"), "timeline")
    assert looks(page, "timeline") == dark


@pytest.mark.parametrize("name", PLAYING)
def test_all_are_played_by_the_same_keys_and_buttons(show, name):
    page = show(name)
    page.get_by_role("button", name="Play", exact=True).focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause").wait_for()
    page.keyboard.press("k")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    for key, speed in [("+", "2"), ("=", "4"), ("+", "4"), ("-", "2")]:
        page.keyboard.press(key)
        page.wait_for_function(f"document.querySelector('[aria-label=Speed]').value === '{speed}'")


@pytest.mark.parametrize("name", PLAYING)
def test_while_it_plays_nothing_is_read_out(show, name):
    page = show(name)
    page.evaluate("""() => {
      window.read = [];
      const changed = (all) => all.forEach(({ target }) => {
        const live = (target.closest ? target : target.parentElement).closest("[aria-live]");
        if (live?.getAttribute("aria-live") === "polite") read.push(live.textContent);
      });
      new MutationObserver(changed).observe(document.body, { subtree: true, childList: true, characterData: true });
    }""")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_timeout(500)
    assert page.evaluate("read.length") <= 1  # the beginning


@pytest.mark.parametrize("name", PLAYING)
def test_who_wants_no_motion_sees_few_pictures(show, name):
    page = show(name, reduced_motion="reduce")
    page.evaluate("""() => {
      window.seen = new Set();
      const look = () => (seen.add(astraModels[0].get("time")), requestAnimationFrame(look));
      look();
    }""")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_timeout(900)
    assert page.evaluate("seen.size") <= 4


@pytest.mark.parametrize("name", WIDGETS)
def test_the_keys_are_explained_behind_a_button(show, name):
    page = show(name)
    button = page.get_by_role("button", name="Keyboard")
    assert button.get_attribute("aria-expanded") == "false"
    button.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    assert page.locator(".astra-help").is_visible()
    button.press("Space")
    assert not page.locator(".astra-help").is_visible()


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, {"width": 390, "height": 844}], ids=str)
@pytest.mark.parametrize("name", WIDGETS)
def test_the_key_for_the_keys_shows_them_in_sight_and_moves_nothing(show, name, viewport):
    page = show(name, viewport=viewport)
    said = page.locator(".astra-keys, .astra-live, .astra-legend")
    page.locator(".astra-plot, .astra-widget").last.focus()
    page.locator(".astra-keys").scroll_into_view_if_needed()
    before = [one.bounding_box() for one in said.all()]
    page.keyboard.press("?")
    box = page.locator(".astra-help").bounding_box()
    assert [one.bounding_box() for one in said.all()] == before
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= viewport["width"]
    assert box["y"] + box["height"] <= viewport["height"]
    lines = page.locator(".astra-help").text_content().count("\n") + 1
    assert page.locator(".astra-help").inner_text().count("\n") + 1 == lines
    assert box["height"] >= 18 * lines
    page.keyboard.press("Escape")
    assert not page.locator(".astra-help").is_visible()


def test_the_frame_around_a_word_of_the_glossary_stays_off_the_words_beside_it(show):
    page = show("player")
    term = page.locator(".astra-title .astra-term").first
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert term.evaluate("(it) => it === document.activeElement && it.matches(':focus-visible')")
    frame = term.evaluate(
        "(it) => parseFloat(getComputedStyle(it).outlineWidth) + parseFloat(getComputedStyle(it).outlineOffset)"
    )
    space = term.evaluate("""(it) => {
      const range = document.createRange();
      range.setStart(it.previousSibling, it.previousSibling.data.trimEnd().length);
      range.setEndAfter(it.previousSibling);
      return range.getBoundingClientRect().width;
    }""")
    assert 0 < frame < space - 1
