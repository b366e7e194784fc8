"""What a person sees of the frame that all widgets share: the theme, the play button, the speeds."""

from __future__ import annotations

import pytest

pytest.importorskip("anywidget")

from course.widgets.test_timeline import VGG

from astra_edu.collectives import schedule
from astra_edu.course.instruments import Stages
from astra_edu.course.widgets import Player, Timeline
from browser.looking import colour, numbers

pytestmark = pytest.mark.browser


@pytest.fixture(params=["player", "instrument", "timeline"])
def widget(request):
    makers = {"player": lambda: Player(schedule("all-reduce", "ring", 4)), "instrument": Stages}
    return request.param, makers.get(request.param, lambda: Timeline(VGG))()


BACK = "(name) => getComputedStyle(document.querySelector(`.astra-${name}`)).backgroundColor"


def test_the_notebooks_theme_is_the_widgets(open_page, widget):
    name, view = widget
    page = open_page(view.page(), color_scheme="light")
    assert page.evaluate(BACK, name) == colour("paper", "light")
    page.evaluate("document.body.dataset.jpThemeLight = 'true'")
    assert page.evaluate(BACK, name) == colour("paper", "light")
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    assert page.evaluate(BACK, name) == colour("paper", "dark")
    page.evaluate("delete document.body.dataset.jpThemeLight, document.body.classList.add('vscode-dark')")
    assert page.evaluate(BACK, name) == colour("paper", "dark")


ICON = "document.querySelector('.astra-play path').getAttribute('d')"


def test_the_play_button_has_the_sign_of_what_it_does(open_page):
    page = open_page(Player(schedule("all-reduce", "ring", 8)).page())
    page.wait_for_function(f"{ICON} !== null")
    assert page.evaluate(ICON).count("M") == 1  # a triangle, with its point at the right
    assert numbers(page.evaluate(ICON))[2] > 0
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Pause").wait_for()
    assert page.evaluate(ICON).count("M") == 2  # two bars
    assert page.locator(".astra-first path").get_attribute("d") != page.locator(".astra-last path").get_attribute("d")


def test_the_speed_menu_says_its_speeds(open_page):
    page = open_page(Player(schedule("all-reduce", "ring", 4), speed=2.0).page())
    options = page.get_by_label("Speed").locator("option")
    found = options.evaluate_all("all => all.map((it) => [it.textContent, it.value, it.selected])")
    assert [text for text, *_ in found] == ["0.25×", "0.5×", "1×", "2×", "4×"]
    assert all(text == f"{value}×" for text, value, _ in found)
    assert [text for text, _, selected in found if selected] == ["2×"]
